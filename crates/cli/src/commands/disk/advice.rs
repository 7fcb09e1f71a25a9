//! What the table says in words: which cipher, and whether the disk or the CPU is the limit.

use wirespeed_results::schema::disk::Row;

use super::cautions::is_fit;
use super::figures::rate;
use super::graph::name;

/// What a cipher did on a store, its second write and second read taken together.
struct Summary<'a> {
    row: &'a Row,
    bytes_per_second: f64,
    /// Against no encryption.
    factor: f64,
    cpu_s_per_gib: f64,
}

const GIB: f64 = (1_u64 << 30) as f64;

/// Sentences about what was measured, on a machine with so many CPUs.
pub(super) fn advice(rows: &[Row], cpus: usize) -> Vec<String> {
    let mut stores: Vec<&str> = Vec::new();
    for row in rows {
        if !stores.contains(&row.store.as_str()) {
            stores.push(&row.store);
        }
    }
    let mut sentences: Vec<String> = Vec::new();
    for store in &stores {
        sentences.extend(fastest(&summaries(rows, store), store));
    }
    // Memory is no storage that anybody encrypts.
    if let Some(store) = stores.into_iter().rfind(|store| *store != "memory") {
        sentences.extend(limit(&summaries(rows, store), store, cpus));
    }
    sentences
}

/// The fastest cipher of the last store that one may use.
pub(super) fn fastest_fit(rows: &[Row]) -> Option<&Row> {
    let store = &rows.last()?.store;
    let all = summaries(rows, store);
    let fit = all.iter().filter(|it| is_fit(&it.row.cipher) == Some(true));
    Some(best(fit)?.row)
}

fn best<'a, 'b>(all: impl Iterator<Item = &'b Summary<'a>>) -> Option<&'b Summary<'a>>
where
    'a: 'b,
{
    all.max_by(|a, b| a.bytes_per_second.total_cmp(&b.bytes_per_second))
}

/// Ciphers and `none` of a store, as far as their second write and read were measured.
fn summaries<'a>(rows: &'a [Row], store: &str) -> Vec<Summary<'a>> {
    let of_test = |test: &'static str| {
        rows.iter().filter(move |row| row.store == store && row.test.as_deref() == Some(test))
    };
    let same = |a: &Row, b: &Row| {
        (&a.cipher, &a.variant, a.key_bits) == (&b.cipher, &b.variant, b.key_bits)
    };
    let both = |write: &'a Row| {
        let read = of_test("r2").find(|read| same(write, read))?;
        let sum = |field: fn(&Row) -> Option<u64>| Some((field(write)? + field(read)?) as f64);
        let (bytes, elapsed) = (sum(|row| row.bytes)?, sum(|row| row.elapsed_ns)?);
        let cpu = sum(|row| row.cpu_ns)?;
        Some((write, bytes / elapsed * 1e9, cpu / 1e9 / (bytes / GIB)))
    };
    let found: Vec<_> = of_test("w2").filter_map(both).collect();
    let none = found.iter().find(|(row, ..)| row.cipher == "none").map(|(_, speed, _)| *speed);
    let summary = |(row, bytes_per_second, cpu_s_per_gib): (&'a Row, f64, f64)| {
        let factor = none.map_or(1.0, |none| bytes_per_second / none);
        Summary { row, bytes_per_second, factor, cpu_s_per_gib }
    };
    found.into_iter().map(summary).collect()
}

/// "through the file", as it stands at the beginning of a sentence.
fn place(store: &str) -> &str {
    match store {
        "memory" => "In memory",
        "file" => "Through the file",
        _ => "By dm-crypt",
    }
}

fn fastest(all: &[Summary<'_>], store: &str) -> Option<String> {
    let place = place(store);
    let fit = best(all.iter().filter(|it| is_fit(&it.row.cipher) == Some(true)))?;
    let said = |it: &Summary<'_>| {
        format!(
            "{} with {}, {:.2} of the speed without encryption",
            name(it.row),
            rate(it.bytes_per_second),
            it.factor
        )
    };
    let mut sentence = format!("{place} the fastest cipher for a disk is {}.", said(fit));
    let unfit = best(all.iter().filter(|it| is_fit(&it.row.cipher) == Some(false)));
    if let Some(unfit) = unfit.filter(|it| it.bytes_per_second > fit.bytes_per_second) {
        sentence.push_str(&format!(" {} is faster and must not be used.", name(unfit.row)));
    }
    Some(sentence)
}

/// Below this share of the speed without encryption a cipher is felt.
const FELT: f64 = 0.9;

/// Whether the cipher or the storage is the limit.
fn limit(all: &[Summary<'_>], store: &str, cpus: usize) -> Option<String> {
    let none = all.iter().find(|it| it.row.cipher == "none")?;
    let fit = best(all.iter().filter(|it| is_fit(&it.row.cipher) == Some(true)))?;
    // What the cipher takes beyond what moving the bytes takes anyway.
    let cost = (fit.cpu_s_per_gib - none.cpu_s_per_gib).max(0.0);
    let wanted = none.bytes_per_second / GIB * cost;
    let verdict = match (fit.factor >= FELT, wanted > cpus as f64 / 2.0) {
        (true, false) => "the storage is the limit, not the cipher".to_owned(),
        (true, true) => {
            "the cipher keeps up, and little is left for other work meanwhile".to_owned()
        }
        (false, true) => {
            "the CPU is the limit: more of them, or a faster cipher, would be felt".to_owned()
        }
        (false, false) => {
            let more = if store == "dm-crypt" {
                "requests in flight (--threads), sectors of 4096 bytes, or dm-crypt's options"
            } else {
                "threads or sectors of 4096 bytes"
            };
            format!(
                "neither is busy all the time, for one waits for the other: more {more} may help"
            )
        }
    };
    Some(format!(
        "This storage moves {} without encryption. {} takes {cost:.2} s of CPU time more for each GiB, at that \
         speed {wanted:.2} of {}: {verdict}.",
        rate(none.bytes_per_second),
        name(fit.row),
        if cpus == 1 { "one CPU".to_owned() } else { format!("{cpus} CPUs") },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second write and read of 1 GiB each, so fast, with so much CPU time.
    fn rows(store: &str, cipher: &str, megabytes: f64, cpu_seconds: f64) -> Vec<Row> {
        let row = |test: &str| Row {
            store: store.to_owned(),
            cipher: cipher.to_owned(),
            variant: "best".to_owned(),
            key_bits: if cipher == "none" { 0 } else { 256 },
            test: Some(test.to_owned()),
            bytes: Some(1 << 30),
            elapsed_ns: Some((GIB / megabytes * 1e3) as u64),
            cpu_ns: Some((cpu_seconds * 1e9) as u64),
            ..Row::default()
        };
        vec![row("w2"), row("r2")]
    }

    fn said(parts: &[Vec<Row>], cpus: usize) -> String {
        advice(&parts.concat(), cpus).join("\n")
    }

    #[test]
    fn the_fastest_is_named_and_what_is_faster_and_useless() {
        let text = said(
            &[
                rows("memory", "none", 60_000.0, 0.02),
                rows("memory", "aes-xts-plain64", 20_000.0, 0.06),
                rows("memory", "arc4-ecb", 30_000.0, 0.04),
                rows("memory", "serpent-xts-plain64", 200.0, 5.0),
            ],
            2,
        );
        assert_eq!(
            text,
            "In memory the fastest cipher for a disk is aes-xts-plain64 256 with 20 GB/s, 0.33 of the speed \
             without encryption. arc4-ecb 256 is faster and must not be used."
        );
    }

    #[test]
    fn disk_or_cpu_is_the_limit() {
        let of = |none: f64, speed: f64, cpu: f64, cpus: usize| {
            said(
                &[rows("file", "none", none, 0.1), rows("file", "aes-xts-plain64", speed, cpu)],
                cpus,
            )
        };
        let text = of(1000.0, 980.0, 0.2, 2);
        assert!(
            text.contains(
                "0.10 s of CPU time more for each GiB, at that speed 0.09 of 2 CPUs: the storage"
            ),
            "{text}"
        );
        assert!(of(1000.0, 500.0, 2.1, 2).contains("the CPU is the limit"));
        assert!(of(1000.0, 950.0, 1.5, 2).contains("keeps up"));
        assert!(of(1000.0, 500.0, 0.2, 2).contains("more threads or sectors"));
    }

    #[test]
    fn nothing_is_said_of_what_was_not_measured() {
        assert_eq!(advice(&[], 2), [""; 0]);
        // Broken off before its second read.
        let mut rows = rows("file", "aes-xts-plain64", 100.0, 1.0);
        rows.truncate(1);
        assert_eq!(advice(&rows, 2), [""; 0]);
        assert!(fastest_fit(&rows).is_none());
    }

    #[test]
    fn options_are_tried_with_what_is_fit() {
        let all = [
            rows("dm-crypt", "none", 900.0, 0.1),
            rows("dm-crypt", "arc4-ecb", 500.0, 0.4),
            rows("dm-crypt", "twofish-xts-plain64", 300.0, 0.5),
        ]
        .concat();
        assert_eq!(fastest_fit(&all).expect("one").cipher, "twofish-xts-plain64");
    }
}
