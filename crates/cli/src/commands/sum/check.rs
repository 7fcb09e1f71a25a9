//! Files that list hashes, checked as coreutils' digest.c does, version 9.1.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use super::files::{Feeder, Hashing, Outcome, Stopped, hash_files, standard_input};
use super::line::{Claim, Reader, escape};
use super::quote::quote;
use super::{Output, SumArguments, bytes};
use crate::fault::Fault;

/// What the lists hold, line by line.
enum Entry {
    /// A line that makes a claim; its outcome comes with it.
    Claim(Claim),
    /// A line that makes none, by its number.
    Misformatted(u64),
    /// The end of a list.
    End(Ending),
}

enum Ending {
    Unopened(io::Error),
    Unread,
    Read,
}

/// Whether everything listed is as listed.
pub(super) fn run(
    arguments: &SumArguments,
    hashing: Hashing,
    output: &mut Output,
) -> Result<bool, Fault> {
    let mut reader = Reader::new(arguments.algorithm.tag(), arguments.algorithm.digest().bytes());
    let lists = |feeder: &mut Feeder<'_, '_, Entry>| {
        for list in &arguments.files {
            let ending = match open(bytes(list)) {
                Ok(file) => read(feeder, &mut reader, file, bytes(list) == b"-")?,
                Err(error) => Ending::Unopened(error),
            };
            feeder.plain(Entry::End(ending))?;
        }
        Ok(())
    };
    let mut checker = Checker {
        arguments,
        lists: arguments.files.iter().map(bytes).collect(),
        tally: Tally::default(),
        good: true,
    };
    checker.lists.reverse();
    hash_files(hashing, output, lists, |output, entry, outcome| match (entry, outcome) {
        (Entry::Claim(claim), Some(outcome)) => checker.claim(output, &claim, outcome),
        (Entry::Claim(_), None) => Ok(()),
        (Entry::Misformatted(number), _) => checker.misformatted(output, number),
        (Entry::End(ending), _) => checker.end(output, ending),
    })?;
    Ok(checker.good)
}

fn open(name: &[u8]) -> io::Result<File> {
    if name == b"-" { standard_input() } else { super::files::open(name) }
}

/// Feeds what a list holds, in its order.
fn read(
    feeder: &mut Feeder<'_, '_, Entry>,
    reader: &mut Reader,
    file: File,
    is_standard_input: bool,
) -> Result<Ending, Stopped> {
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(_) => return Ok(Ending::Unread),
        }
        let content = line.strip_suffix(b"\n").unwrap_or(&line);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        if content.is_empty() || content.starts_with(b"#") {
            continue;
        }
        match reader.read(content) {
            // The list itself is being read from there.
            Some(claim) if !(is_standard_input && claim.name == b"-") => {
                let name = claim.name.clone();
                feeder.file(Entry::Claim(claim), &name)?;
            }
            _ => feeder.plain(Entry::Misformatted(number))?,
        }
    }
    Ok(Ending::Read)
}

/// What one list came to.
#[derive(Default)]
struct Tally {
    claims: u64,
    matched: u64,
    mismatched: u64,
    unreadable: u64,
    misformatted: u64,
}

/// Says what came of each claim, and of each list.
struct Checker<'a> {
    arguments: &'a SumArguments,
    /// The lists' names, the one at hand last.
    lists: Vec<&'a [u8]>,
    tally: Tally,
    good: bool,
}

impl Checker<'_> {
    fn list(&self) -> &[u8] {
        match self.lists.last().copied() {
            Some(b"-") | None => b"standard input",
            Some(name) => name,
        }
    }

    fn claim(&mut self, output: &mut Output, claim: &Claim, outcome: Outcome) -> Result<(), Fault> {
        self.tally.claims += 1;
        let SumArguments { status, quiet, ignore_missing, .. } = *self.arguments;
        let verdict = match outcome {
            Outcome::Unreadable(error)
                if error.kind() == io::ErrorKind::NotFound && ignore_missing =>
            {
                return Ok(());
            }
            Outcome::Unreadable(error) => {
                self.tally.unreadable += 1;
                output.complain_of(&claim.name, &error)?;
                "FAILED open or read"
            }
            Outcome::Hash(hash) => {
                if claim.digits.eq_ignore_ascii_case(hash.to_string().as_bytes()) {
                    self.tally.matched += 1;
                    "OK"
                } else {
                    self.tally.mismatched += 1;
                    "FAILED"
                }
            }
        };
        if status || (quiet && verdict == "OK") {
            return Ok(());
        }
        // Other than when hashes are printed, only a newline has a name escaped.
        let line = match claim.name.contains(&b'\n') {
            true => [b"\\", &*escape(&claim.name)].concat(),
            false => claim.name.clone(),
        };
        output.write(&[&line, &b": "[..], verdict.as_bytes(), b"\n"].concat())
    }

    fn misformatted(&mut self, output: &mut Output, number: u64) -> Result<(), Fault> {
        self.tally.misformatted += 1;
        if !self.arguments.warn {
            return Ok(());
        }
        let tag = self.arguments.algorithm.tag();
        let what = format!(": {number}: improperly formatted {tag} checksum line");
        let message = [&quote(self.list()), what.as_bytes()].concat();
        output.complain(&message)
    }

    fn end(&mut self, output: &mut Output, ending: Ending) -> Result<(), Fault> {
        let tally = std::mem::take(&mut self.tally);
        let list = quote(self.list());
        let good = match ending {
            Ending::Unopened(error) => {
                output.complain_of(self.list(), &error)?;
                false
            }
            Ending::Unread => {
                output.complain(&[&list, &b": read error"[..]].concat())?;
                false
            }
            Ending::Read => self.sum_up(output, &tally, &list)?,
        };
        self.good &= good;
        self.lists.pop();
        Ok(())
    }

    /// Says what was wrong with a list; whether nothing was.
    fn sum_up(&self, output: &mut Output, tally: &Tally, list: &[u8]) -> Result<bool, Fault> {
        if tally.claims == 0 {
            let what = b": no properly formatted checksum lines found";
            output.complain(&[list, what].concat())?;
            return Ok(false);
        }
        if !self.arguments.status {
            for (count, one, many) in [
                (
                    tally.misformatted,
                    "line is improperly formatted",
                    "lines are improperly formatted",
                ),
                (
                    tally.unreadable,
                    "listed file could not be read",
                    "listed files could not be read",
                ),
                (
                    tally.mismatched,
                    "computed checksum did NOT match",
                    "computed checksums did NOT match",
                ),
            ] {
                if count != 0 {
                    let what = if count == 1 { one } else { many };
                    output.complain(format!("WARNING: {count} {what}").as_bytes())?;
                }
            }
            if self.arguments.ignore_missing && tally.matched == 0 {
                output.complain(&[list, b": no file was verified"].concat())?;
            }
        }
        Ok(tally.matched != 0
            && tally.mismatched == 0
            && tally.unreadable == 0
            && (tally.misformatted == 0 || !self.arguments.strict))
    }
}
