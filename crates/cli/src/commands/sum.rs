//! `wirespeed sum`: the hashes of many files, by lanes and threads, in sha256sum's format.

mod check;
mod files;
mod line;
mod print;
mod quote;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use wirespeed_batch::{Lanes, self_test};
use wirespeed_cipher::Digest;
use wirespeed_cpu::Features;

use crate::arguments::threads;
use crate::fault::Fault;

const EXAMPLES: &str = "\
Examples:
  wirespeed sum *.iso > SHA256SUMS            many files at once, in the order of the arguments
  wirespeed sum --check SHA256SUMS            the same answers as sha256sum --check
  wirespeed sum --algorithm md5 --threads 1 backup/*
  find . -type f -print0 | xargs -0 wirespeed sum --algorithm sha512

Without FILES, or for -, standard input is read. Output and messages are those of coreutils'
sha256sum, md5sum and so on.

Exit status: 0 done; 1 a file could not be read, or a hash is not the one listed; 2 usage or
environment, with one line that says what.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SumArguments {
    /// Files to hash, or with --check files that list hashes
    #[arg(value_name = "FILES")]
    files: Vec<OsString>,
    /// The hash function: md5 sha1 sha224 sha256 sha384 sha512
    #[arg(long, short, value_parser = algorithm, default_value = "sha256")]
    algorithm: Algorithm,
    /// Read hashes from the FILES and check them
    #[arg(long, short)]
    check: bool,
    /// Mark names as read in binary mode, which is no other here
    #[arg(long, short, overrides_with = "text")]
    binary: bool,
    /// Mark names as read in text mode, the default
    #[arg(long, short)]
    text: bool,
    /// Print lines in BSD's style, which name the hash function
    #[arg(long)]
    tag: bool,
    /// End each line with NUL instead of a newline, and leave names unescaped
    #[arg(long, short)]
    zero: bool,
    /// With --check: pass over files that are not there
    #[arg(long)]
    ignore_missing: bool,
    /// With --check: print no OK
    #[arg(long, overrides_with_all = ["status", "warn"])]
    quiet: bool,
    /// With --check: print nothing, the exit status tells
    #[arg(long, overrides_with_all = ["quiet", "warn"])]
    status: bool,
    /// With --check: lines that are no checksums are failures
    #[arg(long)]
    strict: bool,
    /// With --check: name lines that are no checksums
    #[arg(long, short, overrides_with_all = ["quiet", "status"])]
    warn: bool,
    /// Threads at once; by default one for each CPU
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// A hash function, as coreutils' programs are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// The one that is meant, by whatever name.
fn algorithm(given: &str) -> Result<Algorithm, String> {
    let digest = given.parse::<Digest>().ok();
    let all = Algorithm::value_variants();
    let meant = all.iter().find(|it| digest == Some(it.digest()));
    let names = all.iter().map(|it| it.tag().to_lowercase()).collect::<Vec<_>>().join(" ");
    meant.copied().ok_or_else(|| format!("choose from {names}"))
}

impl Algorithm {
    const fn digest(self) -> Digest {
        match self {
            Self::Md5 => Digest::Md5,
            Self::Sha1 => Digest::Sha1,
            Self::Sha224 => Digest::Sha224,
            Self::Sha256 => Digest::Sha256,
            Self::Sha384 => Digest::Sha384,
            Self::Sha512 => Digest::Sha512,
        }
    }

    /// The name in lines of BSD's style.
    const fn tag(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
        }
    }
}

pub(crate) fn run(mut arguments: SumArguments) -> Result<(), Fault> {
    arguments.refuse_contradictions()?;
    if arguments.files.is_empty() {
        arguments.files.push("-".into());
    }
    let lanes = proved(arguments.algorithm.digest());
    let threads = threads(arguments.threads)?;
    let hashing = files::Hashing { lanes, threads, progress: progress() };
    let mut output = Output::new(hashing.progress.clone());
    let good = match arguments.check {
        true => check::run(&arguments, hashing, &mut output)?,
        false => print::run(&arguments, hashing, &mut output)?,
    };
    output.flush()?;
    if good { Ok(()) } else { Err(Fault::Told) }
}

impl SumArguments {
    /// What sha256sum refuses beyond what the parser does.
    fn refuse_contradictions(&self) -> Result<(), Fault> {
        let only_checking = [
            (self.ignore_missing, "ignore-missing"),
            (self.status, "status"),
            (self.warn, "warn"),
            (self.quiet, "quiet"),
            (self.strict, "strict"),
        ];
        if let Some((_, option)) = only_checking.iter().find(|(is_so, _)| *is_so && !self.check) {
            let why = "option is meaningful only when verifying checksums";
            return Err(Fault::usage(format!("the --{option} {why}")));
        }
        let refused = [
            (self.tag && self.text, "--tag does not support --text mode"),
            (
                self.zero && self.check,
                "the --zero option is not supported when verifying checksums",
            ),
            (self.tag && self.check, "the --tag option is meaningless when verifying checksums"),
            (
                self.check && (self.binary || self.text),
                "the --binary and --text options are meaningless when verifying checksums",
            ),
        ];
        match refused.iter().find(|(is_so, _)| *is_so) {
            Some((_, why)) => Err(Fault::usage(why)),
            None => Ok(()),
        }
    }
}

/// The best lanes that pass their self-test here; plain integers are what it compares them with.
fn proved(digest: Digest) -> Lanes {
    let features = Features::detect();
    let mut here =
        Lanes::ROUTES.into_iter().filter_map(|route| Lanes::new(route, digest, features).ok());
    here.find(self_test).unwrap_or_else(|| Lanes::best(digest, Features::NONE))
}

/// How long to wait before the bar is shown.
const PATIENCE: Duration = Duration::from_secs(2);

/// A bar that counts bytes, hidden for now.
fn progress() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    let style = ProgressStyle::with_template("{bytes} hashed, {bytes_per_sec}  {wide_msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

/// Standard output and standard error, each line in its turn, with the bar out of the way.
struct Output {
    buffer: Vec<u8>,
    bar: ProgressBar,
    /// Whether the time for a bar has not come yet.
    waits: bool,
}

impl Output {
    fn new(bar: ProgressBar) -> Self {
        Self { buffer: Vec::new(), waits: io::stderr().is_terminal(), bar }
    }

    /// One line, or more of one.
    fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < 1 << 16 { Ok(()) } else { self.flush() }
    }

    /// Lets everybody see what is written.
    fn flush(&mut self) -> Result<(), Fault> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let written = self.bar.suspend(|| {
            let mut output = io::stdout().lock();
            output.write_all(&self.buffer).and_then(|()| output.flush())
        });
        self.buffer.clear();
        Ok(written?)
    }

    /// A message, after everything that was written before it.
    fn complain(&mut self, message: &[u8]) -> Result<(), Fault> {
        self.flush()?;
        let line = [b"wirespeed: ", message, b"\n"].concat();
        // Nobody hears if this fails.
        let _ = self.bar.suspend(|| io::stderr().write_all(&line));
        Ok(())
    }

    /// What is wrong with a file.
    fn complain_of(&mut self, name: &[u8], error: &io::Error) -> Result<(), Fault> {
        let text = error.to_string();
        let reason = text.split(" (os error ").next().unwrap_or_default();
        self.complain(&[&quote::quote(name), &b": "[..], reason.as_bytes()].concat())
    }

    /// Shows the bar if the time for it has come.
    fn look_at_the_clock(&mut self) {
        if self.waits && self.bar.elapsed() >= PATIENCE {
            self.waits = false;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.bar.enable_steady_tick(Duration::from_millis(250));
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The bytes of a name.
fn bytes(name: &OsString) -> &[u8] {
    name.as_os_str().as_bytes()
}
