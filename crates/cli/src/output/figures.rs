//! Numbers as people read them.

/// A rate in GB/s (10^9 bytes), three significant digits, the points in one column.
pub(crate) fn gigabytes(bytes_per_second: f64) -> String {
    aligned(bytes_per_second / 1e9)
}

/// A rate in MB/s (10^6 bytes), three significant digits, the points in one column.
pub(crate) fn megabytes(bytes_per_second: f64) -> String {
    aligned(bytes_per_second / 1e6)
}

/// Three significant digits with room for three decimals, so that the points stand in one column.
pub(crate) fn aligned(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    let room = if decimals == 0 { 4 } else { 3 - decimals };
    format!("{text}{:room$}", "")
}

/// "3.6x".
pub(crate) fn times(ratio: f64) -> String {
    if ratio >= 9.95 { format!("{ratio:.0}x") } else { format!("{ratio:.1}x") }
}

/// "45 %".
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// "1420 B", "16 KiB".
pub(crate) fn size(bytes: usize) -> String {
    if bytes >= 1024 && bytes.is_multiple_of(1024) {
        format!("{} KiB", bytes / 1024)
    } else {
        format!("{bytes} B")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_stand_in_one_column() {
        let texts = [0.0641, 0.9994, 2.764, 9.994, 17.93, 123.4].map(aligned);
        assert_eq!(texts, ["0.064", "0.999", "2.76 ", "9.99 ", "17.9  ", "123    "]);
        let places: Vec<usize> = texts
            .iter()
            .map(|text| text.len() - text.find('.').unwrap_or(text.len() - 4))
            .collect();
        assert_eq!(places, [4; 6]);
    }

    #[test]
    fn words_for_figures() {
        assert_eq!(times(3.62), "3.6x");
        assert_eq!(times(21.7), "22x");
        assert_eq!(percent(0.449), "45 %");
        assert_eq!([16, 1024, 1420, 16384].map(size), ["16 B", "1 KiB", "1420 B", "16 KiB"]);
    }
}
