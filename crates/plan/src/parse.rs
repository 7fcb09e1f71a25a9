//! From text to a plan. Whatever the text, the answer is a plan or one line that says what is wrong.

use std::str::FromStr;

use wirespeed_cipher::{
    Algorithm, Digest, Direction, Route, SIZE_CLASSES, Subject, UnknownName, Use,
};

use crate::error::PlanError;
use crate::fingerprint::Fingerprint;
use crate::row::{Offload, Reason, Row};
use crate::sizes::size_bucket;
use crate::table::{LARGEST, LONGEST_DRIVER, Plan, is_driver};
use crate::time::Time;

/// The first word of every plan.
pub(crate) const FORMAT: &str = "wirespeed-plan";
/// The version of the format that is written here, and the only one that is read.
pub(crate) const VERSION: &str = "1";

/// The first word of a hash function's line.
pub(crate) const DIGEST: &str = "digest";

/// The first word of the line of something without rows that the kernel serves. (Not "kernel", which
/// begins a fact.)
pub(crate) const OFFLOAD: &str = "offload";

/// The first word of the line that names the kernel's driver of something.
pub(crate) const DRIVER: &str = "driver";

/// The line of a plan that leaves nothing to libcrypto where its code looks up in tables, and the last word of a row
/// that is so for no other reason.
pub(crate) const CONSTANT_TIME: &str = "constant-time";

/// Bytes in a line at most.
const LONGEST_LINE: usize = 256;

/// A line, counted from 1.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn error(self, what: impl std::fmt::Display) -> PlanError {
        PlanError::at(self.number, what)
    }
}

pub(crate) fn plan(text: &str) -> Result<Plan, PlanError> {
    let mut lines = text.lines().enumerate().map(|(index, text)| Line { number: index + 1, text });
    if text.len() > LARGEST {
        return Err(PlanError::at(1, format!("a plan has at most {LARGEST} bytes")));
    }
    header(&mut lines)?;
    let mut facts: [Option<&str>; Fingerprint::FACTS.len()] = [None; _];
    // Rows wait until the fingerprint is whole; where each began is for the errors.
    let mut rows: Vec<(Line<'_>, Row)> = Vec::new();
    let mut digests: Vec<(Line<'_>, (Digest, Route))> = Vec::new();
    let mut offloads: Vec<(Line<'_>, Offload)> = Vec::new();
    let mut drivers: Vec<(Line<'_>, (Subject, Route, &str))> = Vec::new();
    let mut constant_time = false;
    for line in lines {
        let Some(text) = content(line)? else { continue };
        let (first, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        match Fingerprint::FACTS.iter().position(|(name, _)| *name == first) {
            Some(place) => {
                if rest.trim().is_empty() {
                    return Err(line.error(format!("{first} has no value")));
                }
                if facts[place].replace(rest).is_some() {
                    return Err(line.error(format!("a second {first}")));
                }
            }
            None if text == CONSTANT_TIME => {
                if std::mem::replace(&mut constant_time, true) {
                    return Err(line.error(format!("a second {CONSTANT_TIME}")));
                }
            }
            None if first == DIGEST => digests.push((line, digest(line, rest)?)),
            None if first == DRIVER => drivers.push((line, driver(line, rest)?)),
            None if first == OFFLOAD => offloads.push((line, offload(line, rest)?)),
            None => {
                let before = rows.last().map(|(_, row)| row.algorithm);
                rows.push((line, row(line, text, before)?));
            }
        }
    }
    let last = Line { number: text.lines().count().max(1), text: "" };
    let mut plan = Plan::new(fingerprint(last, facts)?);
    if constant_time {
        plan = plan.for_constant_time();
    }
    for (line, row) in &rows {
        if !constant_time && row.reason.is_some_and(|reason| reason.constant_time) {
            return Err(line.error(format!("{CONSTANT_TIME} in a plan that has no such line")));
        }
        if plan.put(*row).is_some() {
            let Row { algorithm, direction, size, .. } = row;
            return Err(line.error(format!("a second {algorithm} {direction} {size}")));
        }
    }
    for (line, (digest, route)) in digests {
        if plan.put_digest(digest, route).is_some() {
            return Err(line.error(format!("a second {digest}")));
        }
    }
    for (line, offload) in offloads {
        if let Some(Offload { subject, direction, .. }) = plan.put_offload(offload) {
            let direction = subject.direction(direction);
            return Err(line.error(format!("a second {OFFLOAD} of {subject} {direction}")));
        }
    }
    for (line, (subject, route, driver)) in drivers {
        if plan.put_driver(subject, route, driver).is_some() {
            return Err(line.error(format!("a second {DRIVER} of {subject}")));
        }
    }
    for alike in rows.chunk_by(|(_, row), (_, next)| row.algorithm == next.algorithm) {
        let (line, row) = &alike[0];
        complete(&plan, *line, row.algorithm)?;
    }
    Ok(plan)
}

/// Of the facts, of which only older plans may lack one: the features.
fn fingerprint(
    last: Line<'_>,
    facts: [Option<&str>; Fingerprint::FACTS.len()],
) -> Result<Fingerprint, PlanError> {
    let mut named = Fingerprint::FACTS.iter().map(|(name, _)| *name).zip(facts);
    match named.find(|(name, fact)| fact.is_none() && *name != Fingerprint::FEATURES) {
        Some((name, _)) => Err(last.error(format!("the plan ends without a line for {name}"))),
        None => Ok(Fingerprint::from_facts(facts.map(Option::unwrap_or_default))),
    }
}

/// What a line says; nothing if it is empty or a remark.
fn content(line: Line<'_>) -> Result<Option<&str>, PlanError> {
    if line.text.len() > LONGEST_LINE {
        return Err(line.error(format!("a line has at most {LONGEST_LINE} bytes")));
    }
    // A measured plan is nothing but ASCII, which is looked at many bytes at once where none ends the search.
    let plain = |all, byte| all & matches!(byte, b'\t' | b' '..=b'~');
    let is_plain = line.text.bytes().fold(true, plain);
    if !is_plain && line.text.contains(|c: char| c.is_control() && c != '\t') {
        return Err(line.error("a control character"));
    }
    let text = line.text.trim();
    Ok(if text.is_empty() || text.starts_with('#') { None } else { Some(text) })
}

/// The first line that says anything must say what this is.
fn header<'a>(lines: &mut impl Iterator<Item = Line<'a>>) -> Result<(), PlanError> {
    let missing = format!("a plan begins with '{FORMAT} {VERSION}'");
    for line in lines {
        let Some(text) = content(line)? else { continue };
        let words: Vec<&str> = text.split_whitespace().collect();
        return match words[..] {
            [FORMAT, VERSION] => Ok(()),
            [FORMAT, other] => Err(line.error(format!(
                "version {} of the format, and this Wirespeed reads {VERSION}: run wirespeed tune",
                shown(other)
            ))),
            _ => Err(line.error(missing)),
        };
    }
    Err(PlanError::at(1, missing))
}

/// Hash function, and one of our own routes.
fn digest(line: Line<'_>, text: &str) -> Result<(Digest, Route), PlanError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[digest, route] = &words[..] else {
        return Err(line.error(format!("after {DIGEST} come two words: hash function, route")));
    };
    match (name(line, digest, Digest::name)?, name(line, route, Route::name)?) {
        (digest, Route::Libcrypto) => {
            Err(line.error(format!("{digest} is left to libcrypto where it has no line")))
        }
        (digest, route) if route.is_offload() => Err(line.error(format!(
            "{route} serves {digest} from some length on: {OFFLOAD} {digest} hash BYTES"
        ))),
        known => Ok(known),
    }
}

/// Algorithm, which is mostly that of the row before, direction, size, route; and the reason, whole or not at all.
fn row(line: Line<'_>, text: &str, before: Option<Algorithm>) -> Result<Row, PlanError> {
    let mut words = Vec::with_capacity(10);
    words.extend(text.split_ascii_whitespace());
    let (&[algorithm, direction, size, route], reason) =
        words.split_first_chunk().ok_or_else(|| {
            line.error(format!(
                "'{}' begins no fact and no row of four words: algorithm, direction, bytes, route",
                shown(words.first().unwrap_or(&""))
            ))
        })?;
    let algorithm = match before.filter(|before| before.name() == algorithm) {
        Some(before) => before,
        None => name(line, algorithm, Algorithm::name)?,
    };
    let direction = self::direction(line, algorithm.into(), direction)?;
    // By its digits: neither "+16" nor "0016" is a size class.
    let number = size.parse().ok().filter(|_| !size.starts_with(['+', '0']));
    let size = number.filter(|it| SIZE_CLASSES.contains(it)).ok_or_else(|| {
        let known = SIZE_CLASSES.map(|class| class.to_string()).join(" ");
        line.error(format!("unknown size '{}': choose from {known}", shown(size)))
    })?;
    let route = name(line, route, Route::name)?;
    if route.is_offload() && algorithm.mode().has_tag() {
        // It wants a message with its tag in one request, and OpenSSL gives it in pieces.
        return Err(line.error(format!("{algorithm} has no route {route}")));
    }
    let constant_time = reason.last() == Some(&CONSTANT_TIME);
    if constant_time && !route.is_own() {
        return Err(line.error(format!("{CONSTANT_TIME} is no reason for {route}")));
    }
    let reason = match reason[..reason.len() - usize::from(constant_time)] {
        [] if !constant_time => None,
        [usage, own, second, second_time, libcrypto] => Some(Reason {
            usage: name(line, usage, Use::name)?,
            time: time(line, own)?,
            second: name(line, second, Route::name)?,
            second_time: time(line, second_time)?,
            libcrypto: time(line, libcrypto)?,
            constant_time,
        }),
        _ => {
            return Err(line.error(
                "after the route come five words or none: use, time, second route, its time, \
                 libcrypto's time",
            ));
        }
    };
    Ok(Row { algorithm, direction, size, route, reason })
}

/// By which way to Linux's crypto: the usual one where no word names another.
fn way(line: Line<'_>, word: Option<&&str>) -> Result<Route, PlanError> {
    let Some(word) = word else { return Ok(Route::Kernel) };
    let route = name(line, word, Route::name)?;
    if route.is_offload() {
        return Ok(route);
    }
    Err(line.error(format!("{route} is no way to Linux's crypto")))
}

/// Hash function or cipher of others, direction, bytes, and perhaps the way.
fn offload(line: Line<'_>, text: &str) -> Result<Offload, PlanError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[subject, direction, bytes, ref way @ ..] = &words[..] else {
        return Err(line.error(format!(
            "after {OFFLOAD} come three words: hash function or cipher, direction, bytes"
        )));
    };
    let route = self::way(line, only(line, way)?)?;
    let subject = name(line, subject, Subject::name)?;
    if let Some(refusal) = Offload::refusal(subject) {
        return Err(line.error(refusal));
    }
    let direction = self::direction(line, subject, direction)?;
    // By its digits: neither "+16" nor "0016" nor nothing.
    let number = bytes.parse::<usize>().ok().filter(|it| *it > 0 && it.to_string() == bytes);
    let bytes =
        number.ok_or_else(|| line.error(format!("'{}' is no number of bytes", shown(bytes))))?;
    Ok(Offload { subject, direction, bytes, route })
}

/// At most one word more.
fn only<'a, 'b>(line: Line<'_>, more: &'a [&'b str]) -> Result<Option<&'a &'b str>, PlanError> {
    match more {
        [_, word, ..] => Err(line.error(format!("'{}' is a word too many", shown(word)))),
        more => Ok(more.first()),
    }
}

/// Anything that the kernel may have, the driver's name, and perhaps the way.
fn driver<'a>(line: Line<'_>, text: &'a str) -> Result<(Subject, Route, &'a str), PlanError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[subject, driver, ref way @ ..] = &words[..] else {
        return Err(line.error(format!("after {DRIVER} come two words: algorithm, driver")));
    };
    let route = self::way(line, only(line, way)?)?;
    let subject = name(line, subject, Subject::name)?;
    if is_driver(driver) {
        return Ok((subject, route, driver));
    }
    let most = LONGEST_DRIVER;
    Err(line.error(format!("'{}' is no driver: ASCII, at most {most} characters", shown(driver))))
}

/// One of the directions that differ, by its word.
fn direction(line: Line<'_>, subject: Subject, word: &str) -> Result<Direction, PlanError> {
    let known = subject.directions();
    known.iter().copied().find(|it| subject.direction(*it) == word).ok_or_else(|| {
        let known: Vec<_> = known.iter().map(|it| subject.direction(*it)).collect();
        let known = known.join(" ");
        line.error(format!("unknown direction '{}' of {subject}: choose from {known}", shown(word)))
    })
}

/// That an algorithm has all its rows, and that classes in one size bucket agree.
fn complete(plan: &Plan, line: Line<'_>, algorithm: Algorithm) -> Result<(), PlanError> {
    for &direction in algorithm.directions() {
        let mut before: Option<&Row> = None;
        for size in SIZE_CLASSES {
            let row = plan.row(algorithm, direction, size).ok_or_else(|| {
                line.error(format!(
                    "{algorithm} {direction} {size} is missing: an algorithm has all its rows or none"
                ))
            })?;
            let split = |before: &&Row| {
                size_bucket(before.size) == size_bucket(size) && before.route != row.route
            };
            if let Some(before) = before.filter(split) {
                return Err(line.error(format!(
                    "{algorithm} {direction} needs one route for {} and {size}, not two",
                    before.size
                )));
            }
            before = Some(row);
        }
    }
    Ok(())
}

/// A word of the vocabulary, in its one spelling.
fn name<T>(line: Line<'_>, word: &str, spelled: fn(T) -> &'static str) -> Result<T, PlanError>
where
    T: FromStr<Err = UnknownName> + Copy,
{
    let unknown = |mut error: UnknownName| {
        error.given = shown(word);
        line.error(error)
    };
    let value = word.parse::<T>().map_err(unknown)?;
    // The vocabulary forgives capitals on a command line; a file has one way to write a plan.
    let spelled = spelled(value);
    if spelled == word {
        return Ok(value);
    }
    Err(line.error(format!("'{}' is written {spelled}", shown(word))))
}

fn time(line: Line<'_>, word: &str) -> Result<Time, PlanError> {
    word.parse().map_err(|()| {
        line.error(format!("'{}' is no time: nanoseconds are written 81.4+-0.3", shown(word)))
    })
}

/// A word from the file for people: not too long.
fn shown(word: &str) -> String {
    const ENOUGH: usize = 32;
    let cut: String = word.chars().take(ENOUGH).collect();
    if cut.len() < word.len() { cut + "…" } else { cut }
}
