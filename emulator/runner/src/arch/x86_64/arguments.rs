//! The command line.

use std::env;
use std::ffi::{CString, OsString};
use std::num::NonZeroU64;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use padlock_emulator::{Flaw, Model, Options};
use padlock_runner::{HANDED_OVER, MODELS, Settings};

use crate::arch::x86_64::fault::Fault;

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
struct CommandLine {
    /// The CPU: c3 (RNG, ACE), c7 (ACE2, PHE, PMM), nano (64-bit, partial hashes), zhaoxin (PHE2, CCS)
    #[arg(long, value_name = "CPU", default_value = "nano", value_parser = model())]
    cpu: Model,
    /// Hide AES-NI, SHA-NI, SSSE3, AVX and beyond, so that programs prefer PadLock
    #[arg(long)]
    hide_aesni: bool,
    /// Fault on unaligned pointers and undefined control words, as documented
    #[arg(long)]
    strict: bool,
    /// CBC and CFB encryption also write the last block where the IV was
    #[arg(long)]
    iv_writeback: bool,
    /// Interrupt every operation after K blocks; it goes on from its registers
    #[arg(long, value_name = "K")]
    interrupt_every: Option<NonZeroU64>,
    /// Count what trapped: one line on stderr as each process ends
    #[arg(long)]
    stats: bool,
    /// Write one line for each instruction that trapped
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Trace the programs from outside, as is always done for static, 32-bit and setuid ones
    #[arg(long)]
    ptrace: bool,
    /// The program and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

/// What is to be run, and how.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) cpu: Options,
    pub(crate) stats: bool,
    /// Absolute: programs change their directory.
    pub(crate) trace: Option<CString>,
    /// Whether it is traced, whatever it is.
    pub(crate) ptrace: bool,
    /// Whether the preload library asks: a run that has begun already.
    pub(crate) handed_over: bool,
    /// A path, or a name to be found in PATH.
    pub(crate) file: OsString,
    /// Its arguments, its name first.
    pub(crate) arguments: Vec<OsString>,
}

impl Arguments {
    /// Reads the process's own command line.
    pub(crate) fn from_command_line() -> Result<Self, Fault> {
        let mut words = env::args_os().skip(1);
        if words.next().is_some_and(|word| word.as_bytes() == HANDED_OVER.to_bytes()) {
            return Self::handed_over(words);
        }
        let line = CommandLine::try_parse().map_err(Fault::Parser)?;
        let CommandLine { cpu: model, hide_aesni, strict, iv_writeback, interrupt_every, .. } =
            line;
        let trace = line.trace.map(|path| {
            let path = std::path::absolute(&path).map_err(|error| {
                Fault::unable(format_args!("--trace {}: {error}", path.display()))
            })?;
            CString::new(path.into_os_string().into_vec()).map_err(Fault::unable)
        });
        Ok(Self {
            cpu: Options {
                model,
                hide_aesni,
                strict,
                iv_writeback,
                interrupt_every,
                wrong: wrong(),
            },
            stats: line.stats,
            trace: trace.transpose()?,
            ptrace: line.ptrace,
            handed_over: false,
            file: line.command[0].clone(),
            arguments: line.command,
        })
    }

    fn handed_over(mut words: impl Iterator<Item = OsString>) -> Result<Self, Fault> {
        let text = inherited();
        let settings = Settings::parse(&text).map_err(|unknown| {
            Fault::unable(format_args!("PADLOCK_RUN: {}", unknown.0.escape_ascii()))
        })?;
        Ok(Self {
            cpu: settings.cpu,
            stats: settings.stats,
            trace: settings.trace.map(Into::into),
            ptrace: true,
            handed_over: true,
            file: words.next().ok_or_else(|| Fault::unable("no program was handed over"))?,
            arguments: words.collect(),
        })
    }

    /// The part of it that travels in the environment.
    pub(crate) fn settings(&self) -> Settings<'_> {
        Settings { cpu: self.cpu, stats: self.stats, trace: self.trace.as_deref() }
    }
}

/// The settings of the run that this one is part of.
fn inherited() -> CString {
    let text = env::var_os(&*Settings::VARIABLE.to_string_lossy()).unwrap_or_default();
    CString::new(text.into_vec()).unwrap_or_default()
}

/// How a test makes a unit compute wrongly: debug builds take that part over from the environment.
fn wrong() -> Option<Flaw> {
    Settings::parse(&inherited()).ok().and_then(|settings| settings.cpu.wrong)
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
