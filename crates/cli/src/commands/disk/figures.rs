//! The figures of the table, each with its points in one column.

/// "01:44.14", as time(1) of the comparison of 2007 had it.
pub(super) fn clock(nanos: u64) -> String {
    let hundredths = nanos / 10_000_000;
    let (minutes, rest) = (hundredths / 6000, hundredths % 6000);
    format!("{minutes:02}:{:02}.{:02}", rest / 100, rest % 100)
}

/// "0.43", with more digits where it takes them to see anything; room for four, so that points stand in a column.
pub(super) fn factor(ratio: f64) -> String {
    match ratio {
        // A test of a few milliseconds that was held up against one that was not.
        ratio if ratio >= 99.5 => format!("{ratio:.0}    "),
        ratio if ratio >= 0.0995 => format!("{ratio:.2}  "),
        ratio if ratio >= 0.009_95 => format!("{ratio:.3} "),
        ratio => format!("{ratio:.4}"),
    }
}

/// A rate in MB/s (10^6 bytes).
pub(super) fn megabytes(bytes_per_second: f64) -> String {
    format!("{:.1}", bytes_per_second / 1e6)
}

/// A rate in words: "1.2 GB/s".
pub(super) fn rate(bytes_per_second: f64) -> String {
    match bytes_per_second {
        rate if rate >= 9.95e9 => format!("{:.0} GB/s", rate / 1e9),
        rate if rate >= 0.9995e9 => format!("{:.1} GB/s", rate / 1e9),
        rate => format!("{:.0} MB/s", rate / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_the_article() {
        assert_eq!(clock(104_140_000_000), "01:44.14");
        assert_eq!(clock(9_999_999), "00:00.00");
        assert_eq!(clock(3_600_000_000_000), "60:00.00");
        assert_eq!(
            [1.0, 0.36, 0.0434, 0.000_7].map(factor),
            ["1.00  ", "0.36  ", "0.043 ", "0.0007"]
        );
        assert_eq!(megabytes(55_350_000.0), "55.4");
        assert_eq!([12.3e9, 1.24e9, 55.3e6].map(rate), ["12 GB/s", "1.2 GB/s", "55 MB/s"]);
    }
}
