//! Sizes as people type them and read them: `4096`, `16KiB`, `16K`, `2GiB`.

/// Units of 1024, by their names.
const UNITS: [(&str, u64); 4] =
    [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40)];

/// A number of bytes, with a unit or its first letter, or without; nothing if it is none, or too large.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let (digits, unit) = parts(text);
    let is_it = |(name, _): &(&str, u64)| {
        unit.eq_ignore_ascii_case(name) || unit.eq_ignore_ascii_case(&name[..1])
    };
    let factor = match unit {
        "" => 1,
        _ => UNITS.into_iter().find(is_it)?.1,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

/// What to write for a size in units of 1000, which are none of these: "256MiB" for "256MB".
pub(crate) fn in_units_of_1024(text: &str) -> Option<String> {
    let (digits, unit) = parts(text);
    let is_it = |(name, _): &&(&str, u64)| unit.eq_ignore_ascii_case(&name.replace('i', ""));
    let (name, _) = UNITS.iter().find(is_it).filter(|_| !digits.is_empty())?;
    Some(format!("{digits}{name}"))
}

/// The digits, and what is behind them.
fn parts(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()))
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
        for (text, bytes) in [("4K", 4 << 10), ("4k", 4 << 10), ("1M", 1 << 20), ("2gib", 2 << 30)]
        {
            assert_eq!(parse(text), Some(bytes), "{text}");
        }
        for wrong in ["", "GiB", "-1", "2 GiB", "2GB", "4kB", "1.5GiB", "99999999999TiB", "4é"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(in_units_of_1024("256MB").as_deref(), Some("256MiB"));
        assert_eq!(in_units_of_1024("4kB").as_deref(), Some("4KiB"));
        for other in ["", "MB", "4", "4K", "4KiB", "-4kB"] {
            assert_eq!(in_units_of_1024(other), None, "{other}");
        }
    }
}
