//! The results as node_exporter's textfile collector reads them, so that a fleet is watched with what it has already.

use wirespeed_machine::Machine;
use wirespeed_results::exposition::{Exposition, Kind};
use wirespeed_results::schema::bench::Row;

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
    let mut exposition = Exposition::default();
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let info = vec![
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("cpu", text(machine.cpu.brand.as_deref())),
        ("kernel", text(machine.kernel.as_deref())),
        ("openssl", text(machine.openssl())),
    ];
    let help = "What was measured, by which version.";
    exposition.add("wirespeed_bench_info", Kind::Gauge, help, vec![(info, 1.0)]);
    for (name, help, value) in METRICS {
        let samples = rows.iter().filter_map(|row| Some((labels(row), value(row)?)));
        exposition.add(name, Kind::Gauge, help, samples.collect());
    }
    exposition.text().to_owned()
}

/// A row's identity. What is usual is left out.
fn labels(row: &Row) -> Vec<(&'static str, String)> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let lanes = row.lanes.filter(|lanes| *lanes > 1).map(|lanes| lanes.to_string());
    vec![
        ("algorithm", row.algorithm.clone()),
        ("direction", row.direction.clone()),
        ("use", row.usage.clone()),
        ("size", row.size.to_string()),
        ("route", row.route.clone()),
        ("door", row.api_path.clone()),
        ("threads", row.threads.to_string()),
        ("driver", text(&row.driver)),
        ("lanes", text(&lanes)),
        ("without", text(&row.without)),
    ]
}
