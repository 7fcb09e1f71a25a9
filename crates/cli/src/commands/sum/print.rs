//! The hashes of files, a line each.

use super::files::{Feeder, Hashing, Outcome, hash_files};
use super::{Output, SumArguments, bytes, line};
use crate::fault::Fault;

/// Whether every file could be read.
pub(super) fn run<'a>(
    arguments: &'a SumArguments,
    hashing: Hashing,
    output: &mut Output,
) -> Result<bool, Fault> {
    let style = line::Style {
        tag: arguments.tag.then(|| arguments.algorithm.tag()),
        binary: arguments.binary,
        zero: arguments.zero,
    };
    let mut good = true;
    let names = |feeder: &mut Feeder<'_, '_, &'a [u8]>| {
        for name in &arguments.files {
            feeder.file(bytes(name), bytes(name))?;
        }
        Ok(())
    };
    hash_files(hashing, output, names, |output, name, outcome| match outcome {
        Some(Outcome::Hash(hash)) => output.write(&line::format(&style, &hash, name)),
        Some(Outcome::Unreadable(error)) => {
            good = false;
            output.complain_of(name, &error)
        }
        None => Ok(()),
    })?;
    Ok(good)
}
