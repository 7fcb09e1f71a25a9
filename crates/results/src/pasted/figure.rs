//! One figure of `openssl speed`'s table: `97253.23k`, thousands of bytes in a second; below ten thousand without the k,
//! which are bytes (apps/speed.c).

/// What a word of a table's row is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Figure {
    /// Bytes in a second.
    Speed(f64),
    /// A figure, but no speed: nothing was done, or it is cut or overflown.
    None,
}

impl Figure {
    /// Reads a word; nothing if it is no figure at all.
    pub(super) fn parse(word: &str) -> Option<Self> {
        let digits = word.strip_prefix('-').unwrap_or(word);
        if !digits.starts_with(|it: char| it.is_ascii_digit()) {
            return None;
        }
        let is_part = |it: char| it.is_ascii_digit() || matches!(it, '.' | ',');
        let number = digits.strip_suffix('k').unwrap_or(digits);
        if !number.chars().all(is_part) || (number == digits && !number.contains('.')) {
            return None;
        }
        let is_thousands = number != digits;
        let decimals = number.split_once('.').map(|(_, decimals)| decimals.len());
        let value: Option<f64> = number.parse().ok().filter(|_| digits == word);
        Some(match value {
            Some(value) if value > 0.0 && is_thousands => Self::Speed(value * 1e3),
            // Whoever cut the k off cut a digit off as well, or the figure is small.
            Some(value) if value > 0.0 && decimals == Some(2) && value <= 10_000.0 => {
                Self::Speed(value)
            }
            _ => Self::None,
        })
    }

    /// Reads a figure of `-mr`: bytes in a second, however many.
    pub(super) fn of_machine_readable(word: &str) -> Self {
        let is_whole = word.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 2);
        match word.parse() {
            Ok(value) if is_whole && value > 0.0 && f64::is_finite(value) => Self::Speed(value),
            _ => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_told_from_words() {
        assert_eq!(Figure::parse("97253.23k"), Some(Figure::Speed(97_253.23 * 1e3)));
        assert_eq!(Figure::parse("9999.98"), Some(Figure::Speed(9999.98)));
        for no_speed in ["0.00", "-1040172814.93", "1054337.71", "12345.6", "0.00k", "1,054,337.71"]
        {
            assert_eq!(Figure::parse(no_speed), Some(Figure::None), "{no_speed}");
        }
        for word in ["aes-128-cbc", "k", "", "-", "16", "0.0001s", "3DES", "10%", "1.1.1k.x"] {
            assert_eq!(Figure::parse(word), None, "{word}");
        }
    }

    #[test]
    fn figures_for_machines_are_bytes() {
        assert_eq!(Figure::of_machine_readable("728616225.50"), Figure::Speed(728_616_225.50));
        for cut in ["728616225.5", "728616225", "inf", "nan", "", "-1.00", "0.00"] {
            assert_eq!(Figure::of_machine_readable(cut), Figure::None, "{cut}");
        }
    }
}
