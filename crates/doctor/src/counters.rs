//! What a module counted, as data and in words.

use std::path::PathBuf;

use wirespeed_results::schema::stats::Counted;
use wirespeed_stats::Row;

use crate::examined::Examined;

/// The file or folder that the configuration has the module count in.
pub(crate) fn place(examined: &Examined<'_>) -> Option<PathBuf> {
    let installed = examined.installed()?;
    Some(installed.provider.entry("stats")?.value.to_path())
}

/// The counters as data.
pub fn counted(rows: &[Row]) -> Vec<Counted> {
    let counted = |row: &Row| Counted {
        algorithm: row.subject.name().to_owned(),
        direction: row.direction.name().to_owned(),
        route: row.route.name().to_owned(),
        calls: row.calls,
        bytes: row.bytes,
    };
    rows.iter().map(counted).collect()
}

/// "1420 B", "16.0 KiB", "1.5 GiB".
pub fn volume(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes() {
        assert_eq!(
            [17, 1 << 10, 3 << 19, 5 << 30].map(volume),
            ["17 B", "1.0 KiB", "1.5 MiB", "5.0 GiB"]
        );
    }
}
