//! What must be known before figures of several machines are believed.

use crate::computer::{Computer, letter};
use crate::file::Content;
use crate::pasted::PASTED;
use crate::schema::compare::Line;

/// Beyond this a median says little.
const NOISY: f64 = 0.05;

/// How to have the same work done here.
const AS_SPEED_DOES: &str = "What openssl speed does, wirespeed bench --use stream,rekey does here: one long message, and \
    since 2024 a new key for each with AEADs.";

/// Sentences, the gravest first.
pub(super) fn of(machines: &[Computer<'_>], rows: &[Line]) -> Vec<String> {
    let mut found = Vec::new();
    let incomparable: Vec<&Line> = rows.iter().filter(|row| row.incomparable.is_some()).collect();
    if let Some(first) = incomparable.first() {
        found.push(format!(
            "{} of {} rows are not of the same mode of use and have no winner, marked ~: {} is {}, but {}.",
            incomparable.len(),
            rows.len(),
            first.name,
            first.group,
            first.incomparable.as_deref().unwrap_or_default(),
        ));
        let is_pasted = |it: &Computer<'_>| it.source().is_some_and(|it| it.starts_with(PASTED));
        if machines.iter().any(is_pasted) {
            found.push(AS_SPEED_DOES.to_owned());
        }
    }
    found.extend(differing(machines, "measured by different versions of Wirespeed", |computer| {
        let measured = computer.files.iter().filter(|file| file.source.is_none());
        let mut versions: Vec<&str> = measured.filter_map(|file| file.version.as_deref()).collect();
        versions.dedup();
        (!versions.is_empty()).then(|| versions.join(", "))
    }));
    found.extend(differing(
        machines,
        "not timed by the same clock, which matters where a device or other threads work",
        |computer| {
            let clock = |content: &Content| match content {
                Content::Bench(bench) => bench.clock.clone(),
                _ => None,
            };
            computer.files.iter().find_map(|file| clock(&file.content))
        },
    ));
    let short = |version: &str| version.split(' ').take(2).collect::<Vec<_>>().join(" ");
    found.extend(differing(
        machines,
        "not of the same OpenSSL, so where libcrypto serves its code is compared as well",
        |computer| computer.openssl().map(short),
    ));
    for (place, computer) in machines.iter().enumerate() {
        let who = format!("{} ({})", letter(place), computer.label);
        if computer.files.iter().any(|file| file.interrupted) {
            found.push(format!("{who}: a run was broken off; what is missing was not measured."));
        }
        let noisy =
            |line: &&Line| line.figures[place].as_ref().is_some_and(|figure| figure.noise > NOISY);
        match rows.iter().filter(noisy).count() {
            0 => {}
            1 => found.push(format!("{who}: the figure of one row scatters by more than 5 %.")),
            count => {
                found.push(format!("{who}: the figures of {count} rows scatter by more than 5 %."));
            }
        }
        let mut warnings: Vec<&String> =
            computer.files.iter().flat_map(|file| &file.warnings).collect();
        warnings.sort_unstable();
        warnings.dedup();
        found.extend(warnings.into_iter().map(|warning| format!("{who}: {warning}")));
    }
    found
}

/// A sentence, if what machines have differs; machines without are left out.
fn differing(
    machines: &[Computer<'_>],
    what: &str,
    of: impl Fn(&Computer<'_>) -> Option<String>,
) -> Option<String> {
    let known: Vec<(String, String)> = machines
        .iter()
        .enumerate()
        .filter_map(|(place, computer)| Some((letter(place), of(computer)?)))
        .collect();
    let (_, first) = known.first()?;
    if known.iter().all(|(_, it)| it == first) {
        return None;
    }
    let list: Vec<String> = known.iter().map(|(letter, it)| format!("{letter} {it}")).collect();
    Some(format!("The figures are {what}: {}.", list.join(", ")))
}
