//! The command line as it is typed. A file by itself: the manual page is made of it.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use padlock_emulator::Model;
use padlock_runner::MODELS;

const EXAMPLES: &str = "\
Examples:
  padlock-run openssl engine padlock          (padlock) VIA PadLock (no-RNG, ACE)
  padlock-run --stats openssl enc -engine padlock -aes-128-cbc -K 00 -iv 00 -in FILE -out FILE
  padlock-run --hide-aesni --stats gnutls-cli --benchmark-ciphers
  padlock-run --cpu zhaoxin --strict --trace trace.tsv ./program
  padlock-run --cpu c7 ./i386-program         32-bit and static programs are traced (ptrace)

--stats ends each process with a line on stderr: how many instructions trapped, and the blocks that
they processed: padlock-run: 4711 openssl xcryptcbc=246/62501 cpuid=3

Exit status: the command's own; 127 no such command, 126 it cannot be executed, 2 padlock-run cannot
work here, with one line that says why.";

/// Run an unmodified program, and all that it starts, on an emulated VIA or Zhaoxin PadLock
#[derive(Parser)]
#[command(name = "padlock-run", version, after_help = EXAMPLES)]
pub(crate) struct CommandLine {
    /// The CPU: c3 (RNG, ACE), c7 (ACE2, PHE, PMM), nano (64-bit, partial hashes), zhaoxin (PHE2, CCS)
    #[arg(long, value_name = "CPU", default_value = "nano", value_parser = model())]
    pub(crate) cpu: Model,
    /// Hide AES-NI, SHA-NI, SSSE3, AVX and beyond, so that programs prefer PadLock
    #[arg(long)]
    pub(crate) hide_aesni: bool,
    /// Fault on unaligned pointers and undefined control words, as documented
    #[arg(long)]
    pub(crate) strict: bool,
    /// CBC and CFB encryption also write the last block where the IV was
    #[arg(long)]
    pub(crate) iv_writeback: bool,
    /// Interrupt every operation after K blocks; it goes on from its registers
    #[arg(long, value_name = "K")]
    pub(crate) interrupt_every: Option<NonZeroU64>,
    /// Count what trapped: one line on stderr as each process ends
    #[arg(long)]
    pub(crate) stats: bool,
    /// Write one line for each instruction that trapped
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Trace the programs from outside, as is always done for static, 32-bit and setuid ones
    #[arg(long)]
    pub(crate) ptrace: bool,
    /// The program and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    pub(crate) command: Vec<OsString>,
}

fn model() -> impl TypedValueParser<Value = Model> {
    let named = |name: String| MODELS.iter().find(|known| known.1 == name).map(|known| known.0);
    PossibleValuesParser::new(MODELS.map(|known| known.1))
        .try_map(move |name| named(name).ok_or("no such CPU"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn options_behind_the_command_are_its_own() {
        let line =
            CommandLine::parse_from(["padlock-run", "--cpu", "c7", "ls", "--stats", "--", "-l"]);
        assert_eq!(line.cpu, Model::C7);
        assert!(!line.stats);
        assert_eq!(line.command, ["ls", "--stats", "--", "-l"]);
    }
}
