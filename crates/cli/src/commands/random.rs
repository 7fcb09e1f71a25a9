//! `wirespeed random`: random bytes from xstore, tested while they come, and never used alone.

mod arch;
mod source;

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

use clap::{Args, ValueEnum};
use wirespeed_padlock::health::{Claim, START_UP, WINDOW};
use wirespeed_results::schema::random::Random;
use wirespeed_results::schema::{Document, VERSION};

use crate::fault::Fault;
use crate::output::{People, check_writable, write_json};
use source::{SEED_BYTES, Tested};

const EXAMPLES: &str = "\
Examples:
  wirespeed random --bytes 32 --output key    32 bytes into a file that only its owner can read
  wirespeed random --bytes 1048576 | wc -c
  wirespeed random --health                   no bytes: test the source and show the counts
  padlock-run --cpu nano wirespeed random --health

PadLock's bytes pass the health tests of NIST SP 800-90B, section 4: a start-up test over 1024
samples, then the repetition count and the adaptive proportion test over every sample. They are
never the only source: 256 tested bytes and 32 bytes of getrandom(2) are hashed together into each
32 bytes of output, which are as good as the better of the two. If a test fails, nothing more is
written.

Exit status: 0 done; 1 a test failed; 2 usage or environment, with one line that says what.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RandomArguments {
    /// Where the bytes come from, besides getrandom
    #[arg(long, value_enum, default_value_t = Source::Padlock)]
    source: Source,
    /// How many bytes
    #[arg(long, value_name = "N", default_value_t = 32)]
    bytes: u64,
    /// Write them to this file; - is standard output, where they go by default unless it is a terminal
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
    /// Write no bytes: test the source, over as many samples as they take, and show the counts
    #[arg(long, conflicts_with = "output")]
    health: bool,
    /// Write what the tests counted as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

/// A source of randomness besides getrandom.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Source {
    /// xstore on VIA's and Zhaoxin's CPUs
    Padlock,
}

pub(crate) fn run(arguments: RandomArguments) -> Result<(), Fault> {
    let Source::Padlock = arguments.source;
    let json = arguments.json.as_deref();
    let target = match (arguments.output.as_deref(), arguments.health) {
        (_, true) => None,
        (None | Some("-"), false) if json == Some("-") => {
            return Err(Fault::usage(
                "--json - and the bytes both want standard output: name --output FILE",
            ));
        }
        (None, false) if io::stdout().is_terminal() => {
            return Err(Fault::usage(
                "random bytes are nothing to look at: name --output FILE, or pipe them somewhere",
            ));
        }
        (target, false) => Some(target.unwrap_or("-")),
    };
    check_writable(json)?;
    let mut tested = source::open()?;
    let mut written = 0;
    let result = produce(&mut tested, arguments.bytes, target, &mut written);
    let failure = match &result {
        Err(Fault::NotSo(why)) => Some(why.clone()),
        _ => None,
    };
    let document = counted(&tested, written, failure);
    if arguments.health {
        People::beside(json).show(&text(&document))?;
    }
    write_json(json, &document)?;
    result
}

/// Tests the source, and writes so many bytes: the file is not touched before the start-up test is passed.
fn produce(
    tested: &mut Tested,
    bytes: u64,
    target: Option<&str>,
    written: &mut u64,
) -> Result<(), Fault> {
    tested.start()?;
    let mut output = target.map(open_output).transpose()?;
    let mut left = bytes;
    while left > 0 {
        let seed = tested.seed()?;
        let count = left.min(SEED_BYTES as u64);
        if let Some((name, output)) = &mut output {
            let result = output.write_all(&seed[..count as usize]);
            result.map_err(|error| unwritable(name, error))?;
            *written += count;
        }
        left -= count;
    }
    if let Some((name, output)) = &mut output {
        output.flush().map_err(|error| unwritable(name, error))?;
    }
    Ok(())
}

/// The output and its name.
type Output = (String, Box<dyn Write>);

fn open_output(target: &str) -> Result<Output, Fault> {
    let output: Box<dyn Write> = match target {
        "-" => Box::new(io::stdout().lock()),
        file => Box::new(open_private(file).map_err(|error| unwritable(file, error))?),
    };
    Ok((target.to_owned(), output))
}

/// A file that may become a key: nobody but its owner reads it, whoever could read what was there.
fn open_private(file: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create(true).truncate(true).mode(0o600).open(file)?;
    // A device stays as it is.
    if opened.metadata()?.is_file() {
        opened.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(opened)
}

fn unwritable(name: &str, error: io::Error) -> Fault {
    match name {
        "-" => Fault::Output(error),
        file => Fault::usage(format!("cannot write {file}: {error}")),
    }
}

fn counted(tested: &Tested, bytes: u64, failure: Option<String>) -> Random {
    let health = tested.health();
    let cutoffs = health.cutoffs();
    let Claim { min_entropy, false_alarm_exponent } = Claim::XSTORE;
    Random {
        schema: Random::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        source: "padlock".to_owned(),
        bytes,
        samples: health.samples(),
        start_up: START_UP.min(health.samples()),
        min_entropy,
        false_alarm_exponent,
        repetition_cutoff: cutoffs.repetition,
        longest_run: health.longest_run(),
        window: WINDOW,
        proportion_cutoff: cutoffs.proportion,
        highest_count: health.highest_count(),
        failure,
    }
}

fn text(counted: &Random) -> String {
    let verdict = match &counted.failure {
        Some(why) => format!("not healthy: {why}"),
        None => "healthy".to_owned(),
    };
    format!(
        "xstore is {verdict}\n\n\
         samples tested          {:>9}  of them {} to start up\n\
         repetition count        {:>9}  equal samples in a row at most; {} would be a failure\n\
         adaptive proportion     {:>9}  equal samples in {} at most; {} would be a failure\n\n\
         The limits follow from {} bits of min-entropy in a sample of 8 and one false alarm in \
         2^{}\n(NIST SP 800-90B, section 4.4).\n",
        counted.samples,
        counted.start_up,
        counted.longest_run,
        counted.repetition_cutoff,
        counted.highest_count,
        counted.window,
        counted.proportion_cutoff,
        counted.min_entropy,
        counted.false_alarm_exponent,
    )
}

#[cfg(test)]
mod tests {
    use super::source::{Broken, scripted};
    use super::*;

    /// What came out and why it ended.
    fn run_on(broken: Broken, bytes: u64) -> (Vec<u8>, Option<String>, Random) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let name = file.path().to_str().expect("a name").to_owned();
        let (mut tested, mut written) = (scripted(broken), 0);
        let result = produce(&mut tested, bytes, Some(&name), &mut written);
        let failure = result.err().map(|fault| match fault {
            Fault::NotSo(why) => why,
            other => panic!("{other:?}"),
        });
        let out = std::fs::read(&name).expect("readable");
        assert_eq!(out.len() as u64, written);
        let document = counted(&tested, written, failure.clone());
        (out, failure, document)
    }

    #[test]
    fn a_good_source_gives_what_was_asked_for() {
        let (out, failure, document) = run_on(Broken::Never, 100);
        assert_eq!((out.len(), failure), (100, None));
        // Four seeds of 256 samples each, after the start-up test.
        assert_eq!((document.samples, document.start_up), (1024 + 4 * 256, 1024));
        assert!(text(&document).starts_with("xstore is healthy\n"), "{}", text(&document));
        let (again, ..) = run_on(Broken::Never, 100);
        assert_ne!(out, again, "the same samples, and yet other bytes: getrandom is mixed in");
    }

    #[test]
    fn a_key_is_its_owners_alone_even_in_a_file_that_was_there() {
        let folder = tempfile::tempdir().expect("a folder");
        for was_there in [false, true] {
            let file = folder.path().join(was_there.to_string());
            if was_there {
                std::fs::write(&file, "for all to read").expect("written");
                std::fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("set");
            }
            open_private(file.to_str().expect("plain")).expect("opened");
            let mode = std::fs::metadata(&file).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{was_there}");
        }
        assert!(open_private("/dev/null").is_ok());
    }

    #[test]
    fn a_failing_start_up_test_writes_nothing() {
        for broken in [Broken::Stuck { after: 0 }, Broken::Stuck { after: 1000 }, Broken::Biased] {
            let (out, failure, document) = run_on(broken, 100);
            assert!(out.is_empty(), "{broken:?}");
            let failure = failure.expect("a failure");
            assert!(failure.contains("test"), "{failure}");
            assert!(document.samples <= 1024, "{document:?}");
            assert!(text(&document).contains("xstore is not healthy: "), "{}", text(&document));
        }
    }

    #[test]
    fn a_source_that_fails_later_writes_nothing_more() {
        let (out, failure, _) = run_on(Broken::Stuck { after: 1024 + 600 }, 1000);
        assert_eq!(out.len(), 2 * SEED_BYTES, "what was tested before");
        assert!(
            failure.expect("a failure").contains("repetition count test: 9 times 0x5a in a row")
        );
    }

    #[test]
    fn a_source_that_has_no_bytes_is_a_failure() {
        let (out, failure, _) = run_on(Broken::Empty { after: 1024 + 256 }, 1000);
        assert_eq!(out.len(), SEED_BYTES);
        assert_eq!(failure.as_deref(), Some("xstore: no bytes"));
    }
}
