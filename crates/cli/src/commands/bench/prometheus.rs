//! The results as node_exporter's textfile collector reads them, so that a fleet is watched with what it has already.

use std::fmt::Write;
use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::NamedTempFile;
use wirespeed_machine::Machine;
use wirespeed_results::schema::bench::Row;

use crate::fault::Fault;
use crate::output::write_text;

/// What is told of each row: a name, what it is, and the value in base units.
type Metric = (&'static str, &'static str, fn(&Row) -> Option<f64>);

const METRICS: [Metric; 4] = [
    ("wirespeed_bench_bytes_per_second", "Rate at the median, of all threads together.", |row| {
        Some(row.bytes_per_second)
    }),
    ("wirespeed_bench_call_seconds", "Median time of one call.", |row| Some(row.median_ns? * 1e-9)),
    (
        "wirespeed_bench_cpu_seconds_per_byte",
        "CPU time of the calling thread for one byte.",
        |row| Some(row.cpu_s_per_gib? / (1_u64 << 30) as f64),
    ),
    ("wirespeed_bench_limit_ratio", "Rate as a share of what the execution unit allows.", |row| {
        row.limit_share
    }),
];

/// The whole text.
pub(super) fn text(machine: &Machine, rows: &[Row]) -> String {
    let mut text = String::new();
    let info = [
        ("version", env!("CARGO_PKG_VERSION")),
        ("cpu", machine.cpu.brand.as_deref().unwrap_or_default()),
        ("kernel", machine.kernel.as_deref().unwrap_or_default()),
        ("openssl", machine.openssl().unwrap_or_default()),
    ];
    head(&mut text, "wirespeed_bench_info", "What was measured, by which version.");
    // Writing to a String cannot fail.
    let _ = writeln!(text, "wirespeed_bench_info{{{}}} 1", labels(&info));
    for (name, help, value) in METRICS {
        let told: Vec<(&Row, f64)> =
            rows.iter().filter_map(|row| Some((row, value(row)?))).collect();
        if told.is_empty() {
            continue;
        }
        head(&mut text, name, help);
        for (row, value) in told {
            let _ = writeln!(text, "{name}{{{}}} {value:e}", labels_of(row));
        }
    }
    text
}

fn head(text: &mut String, name: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge");
}

/// A row's identity. What is usual is left out, as Prometheus takes an empty label for none.
fn labels_of(row: &Row) -> String {
    let (size, threads) = (row.size.to_string(), row.threads.to_string());
    let lanes = row.lanes.filter(|lanes| *lanes > 1).map(|lanes| lanes.to_string());
    let all = [
        ("algorithm", row.algorithm.as_str()),
        ("direction", row.direction.as_str()),
        ("use", row.usage.as_str()),
        ("size", size.as_str()),
        ("route", row.route.as_str()),
        ("door", row.api_path.as_str()),
        ("threads", threads.as_str()),
        ("driver", row.driver.as_deref().unwrap_or_default()),
        ("lanes", lanes.as_deref().unwrap_or_default()),
        ("without", row.without.as_deref().unwrap_or_default()),
    ];
    let told: Vec<_> = all.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    labels(&told)
}

/// The exposition format escapes three signs in a label's value.
fn labels(pairs: &[(&str, &str)]) -> String {
    let escaped =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let pair = |(name, value): &(&str, &str)| format!("{name}=\"{}\"", escaped(value));
    pairs.iter().map(pair).collect::<Vec<_>>().join(",")
}

/// Writes the text so that the collector, which may read at any moment, sees the old file or the whole new one.
pub(super) fn write(target: &str, text: &str) -> Result<(), Fault> {
    if target == "-" {
        return write_text(target, text);
    }
    let path = Path::new(target);
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let replace = || -> io::Result<()> {
        // The collector takes names that end in .prom: not this one.
        let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(text.as_bytes())?;
        // node_exporter is another user.
        fs::set_permissions(file.path(), Permissions::from_mode(0o644))?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    replace().map_err(|error| Fault::usage(format!("cannot write {target}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_labels_are_escaped() {
        assert_eq!(labels(&[("a", "x\"y\\z\n"), ("b", "c")]), "a=\"x\\\"y\\\\z\\n\",b=\"c\"");
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("wirespeed.prom");
        fs::write(&path, "old").expect("written");
        // Whoever has the old file open goes on reading it.
        let old = fs::File::open(&path).expect("there");
        let target = path.display().to_string();
        write(&target, "new\n").unwrap_or_else(|_| panic!("written"));
        assert_eq!(io::read_to_string(old).expect("read"), "old");
        assert_eq!(fs::read_to_string(&path).expect("read"), "new\n");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        assert!(write("/no/such/folder/x.prom", "").is_err());
    }
}
