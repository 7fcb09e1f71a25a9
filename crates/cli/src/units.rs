//! Sizes as people type them and read them: `4096`, `16KiB`, `2GiB`.

/// Units of 1024, by their names.
const UNITS: [(&str, u64); 4] =
    [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];

/// A number of bytes, with a unit or without; nothing if it is none, or too large.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let (digits, factor) = UNITS
        .into_iter()
        .find_map(|(name, factor)| Some((text.strip_suffix(name)?, factor)))
        .unwrap_or((text, 1));
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// The same in the largest unit that loses nothing: "256 MiB".
pub(crate) fn format(bytes: u64) -> String {
    let fits = |(_, factor): &&(&str, u64)| bytes > 0 && bytes.is_multiple_of(*factor);
    match UNITS.iter().rev().find(fits) {
        Some((name, factor)) => format!("{} {name}", bytes / factor),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (text, bytes, again) in [
            ("1420", 1420, "1420 B"),
            ("512KiB", 512 << 10, "512 KiB"),
            ("1024MiB", 1 << 30, "1 GiB"),
            ("2TiB", 2 << 40, "2 TiB"),
        ] {
            assert_eq!(parse(text), Some(bytes));
            assert_eq!(format(bytes), again);
        }
        for wrong in ["", "GiB", "-1", "2 GiB", "2GB", "1.5GiB", "99999999999TiB"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
