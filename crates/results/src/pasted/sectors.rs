//! A row of `cryptsetup benchmark`: `aes-xts   512b   1737.4 MiB/s   1824.9 MiB/s` (src/cryptsetup.c).

use crate::schema::disk::{Disk, Row};
use crate::schema::{Document, Machine};

/// Longer names and keys there are none.
const LONGEST: usize = 64;

/// The two directions of a row, those that have a figure; nothing if this is no such row.
pub(super) fn parse(words: &[&str]) -> Option<Vec<Row>> {
    let [name, key, figures @ ..] = words else { return None };
    let key_bits: u32 = key.strip_suffix('b')?.parse().ok()?;
    let is_name = name.contains('-') && name.len() <= LONGEST && name.is_ascii();
    let is_row = figures.iter().any(|word| matches!(*word, "MiB/s" | "N/A"));
    if !is_name || !is_row || key_bits == 0 {
        return None;
    }
    let (encryption, rest) = speed(figures);
    let (decryption, _) = speed(rest);
    let row = |test: &str, bytes_per_second: f64| Row {
        store: "memory".to_owned(),
        cipher: spelled(name),
        variant: "best".to_owned(),
        key_bits,
        // It sends 64 KiB at a time, and knows of no sectors.
        sector_bytes: None,
        threads: Some(1),
        route: Some("kernel".to_owned()),
        test: Some(test.to_owned()),
        bytes_per_second: Some(bytes_per_second),
        ..Row::default()
    };
    let mut rows = Vec::new();
    rows.extend(encryption.map(|speed| row("w", speed)));
    rows.extend(decryption.map(|speed| row("r", speed)));
    Some(rows)
}

/// Whether a row says of both directions that there is no such cipher.
pub(super) fn is_absent(words: &[&str]) -> bool {
    matches!(words, [_, key, "N/A", "N/A"] if key.ends_with('b'))
}

/// Bytes in a second, and the words behind them. Where the language has a comma, cryptsetup prints one.
fn speed<'a, 'b>(words: &'a [&'b str]) -> (Option<f64>, &'a [&'b str]) {
    match words {
        [figure, "MiB/s", rest @ ..] => {
            let value: Option<f64> = figure.replace(',', ".").parse().ok();
            let is_speed = |it: &f64| it.is_finite() && *it > 0.0;
            (value.filter(is_speed).map(|value| value * f64::from(1 << 20)), rest)
        }
        [_, rest @ ..] => (None, rest),
        [] => (None, words),
    }
}

/// As `wirespeed disk` spells it: cryptsetup leaves out where the IV comes from.
fn spelled(name: &str) -> String {
    match name.matches('-').count() {
        1 => format!("{name}-plain64"),
        _ => name.to_owned(),
    }
}

/// The rows as results of disks.
pub(super) fn disk(source: &str, machine: Machine, rows: Vec<Row>) -> Disk {
    Disk {
        schema: Disk::SCHEMA.to_owned(),
        version: None,
        source: Some(source.to_owned()),
        machine: Some(machine),
        settings: None,
        interrupted: false,
        rows,
        options: Vec::new(),
        cryptsetup: Vec::new(),
        advice: Vec::new(),
        cautions: Vec::new(),
        warnings: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Vec<(String, u32, String, f64)>> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let tell = |row: Row| {
            let speed = row.bytes_per_second.expect("a speed");
            (row.cipher, row.key_bits, row.test.expect("a test"), speed / f64::from(1 << 20))
        };
        Some(parse(&words)?.into_iter().map(tell).collect())
    }

    #[test]
    fn rows_of_every_kind() {
        let both = read("aes-xts 256b 1737.4 MiB/s 1824.9 MiB/s").expect("a row");
        assert_eq!(both[0], ("aes-xts-plain64".to_owned(), 256, "w".to_owned(), 1737.4));
        assert_eq!(both[1], ("aes-xts-plain64".to_owned(), 256, "r".to_owned(), 1824.9));
        let comma = read("xchacha20,aes-adiantum 256b 398,9 MiB/s 418,8 MiB/s").expect("a row");
        assert_eq!((comma[1].0.as_str(), comma[1].3), ("xchacha20,aes-adiantum-plain64", 418.8));
        let half = read("serpent-cbc 128b N/A 220.1 MiB/s").expect("a row");
        assert_eq!((half.len(), half[0].2.as_str()), (1, "r"));
        assert_eq!(read("aes-xts 256b xx MiB/s MiB/s").expect("a row").len(), 0);
        assert!(is_absent(&["serpent-cbc", "128b", "N/A", "N/A"]));
        for other in
            ["aes-xts 256b", "aes-xts 256 1 MiB/s 2 MiB/s", "PBKDF2-sha1 488163 iterations", ""]
        {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
