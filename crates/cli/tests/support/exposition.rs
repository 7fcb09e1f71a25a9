//! Metrics as Prometheus reads them.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Metrics by name, each with its labels and its value: what the exposition format allows, no more.
pub(crate) fn metrics(text: &str) -> Vec<(String, String, f64)> {
    let mut found = Vec::new();
    let mut head: Option<String> = None;
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            head = help.split(' ').next().map(ToOwned::to_owned);
            assert!(help.split(' ').count() > 1, "{line}");
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let name = head.as_deref().expect("HELP comes first");
            let is_counter = name.ends_with("_total");
            assert_eq!(kind, format!("{name} {}", if is_counter { "counter" } else { "gauge" }));
        } else {
            let (series, value) = line.rsplit_once(' ').expect("a value");
            let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
            assert_eq!(Some(name), head.as_deref(), "a metric below its own head");
            let labels = labels.strip_suffix('}').expect("labels end");
            let value: f64 = value.parse().expect("a number");
            assert!(value.is_finite());
            found.push((name.to_owned(), labels.to_owned(), value));
        }
    }
    assert!(text.ends_with('\n'));
    let series: BTreeSet<_> = found.iter().map(|(name, labels, _)| (name, labels)).collect();
    assert_eq!(series.len(), found.len(), "each series once");
    found
}

/// Prometheus's own check, where it is installed.
pub(crate) fn promtool(text: &str) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |folder: &Path| folder.join("promtool").is_file();
    if !std::env::split_paths(&path).any(|folder| is_there(&folder)) {
        println!("skipped promtool: apt-get install prometheus");
        return;
    }
    let mut child = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool runs");
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("promtool ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
