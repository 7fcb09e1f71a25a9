//! Numbers as people read them.

pub(crate) use wirespeed_results::figures::{digits, percent, size, times, times_closely};

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
    let text = digits(value);
    let room = text.find('.').map_or(4, |point| point + 4 - text.len());
    format!("{text}{:room$}", "")
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
}
