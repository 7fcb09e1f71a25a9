//! Figures as people read them.

/// "1420 B", "16 KiB".
pub fn size(bytes: usize) -> String {
    if bytes >= 1024 && bytes.is_multiple_of(1024) {
        format!("{} KiB", bytes / 1024)
    } else {
        format!("{bytes} B")
    }
}

/// "3.6x".
pub fn times(ratio: f64) -> String {
    if ratio >= 9.95 { ratio_of(ratio, 0) } else { ratio_of(ratio, 1) }
}

/// "3.62x".
pub fn times_closely(ratio: f64) -> String {
    ratio_of(ratio, 2)
}

/// A multiple of nothing is none.
fn ratio_of(ratio: f64, decimals: usize) -> String {
    if ratio.is_finite() { format!("{ratio:.decimals$}x") } else { "-".to_owned() }
}

/// "45 %".
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Three significant digits, three decimals at most: "123", "17.9", "0.064".
pub fn digits(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_figures() {
        assert_eq!([3.62, 21.7, 1.0 / 0.0, f64::NAN].map(times), ["3.6x", "22x", "-", "-"]);
        assert_eq!([1.074, f64::INFINITY].map(times_closely), ["1.07x", "-"]);
        assert_eq!(percent(0.449), "45 %");
        assert_eq!([16, 1024, 1420, 16384].map(size), ["16 B", "1 KiB", "1420 B", "16 KiB"]);
    }
}
