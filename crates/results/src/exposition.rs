//! Prometheus's text format, as node_exporter's textfile collector reads it.
//!
//! The crates for it write OpenMetrics, of which that collector takes neither the types of counters nor `# UNIT`.

use std::fmt::Write;

/// What the values of a metric are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They go up and down.
    Gauge,
    /// They only go up, and begin anew at 0.
    Counter,
}

/// One value: names and values of its labels, and the value.
pub type Sample = (Vec<(&'static str, String)>, f64);

/// The text, metric by metric.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposition {
    text: String,
}

impl Exposition {
    /// Adds a metric; one without values is left out.
    pub fn add(&mut self, name: &str, kind: Kind, help: &str, samples: Vec<Sample>) {
        if samples.is_empty() {
            return;
        }
        let kind = match kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
        };
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(self.text, "{name}{} {value}", braced(&labels));
        }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Labels as they stand behind a name. Prometheus takes an empty label for none.
fn braced(labels: &[(&str, String)]) -> String {
    let escaped =
        |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let told = labels.iter().filter(|(_, value)| !value.is_empty());
    let pairs: Vec<String> =
        told.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_has_its_help_its_type_and_its_values() {
        let mut exposition = Exposition::default();
        let labels = vec![("route", "vaes512".to_owned()), ("driver", String::new())];
        exposition.add("calls_total", Kind::Counter, "Calls.", vec![(labels, 3e15)]);
        exposition.add("seconds", Kind::Gauge, "Time.", vec![(Vec::new(), 1.5e-9)]);
        exposition.add("nothing", Kind::Gauge, "Nothing.", Vec::new());
        let expected = "# HELP calls_total Calls.\n# TYPE calls_total counter\n\
                        calls_total{route=\"vaes512\"} 3000000000000000\n\
                        # HELP seconds Time.\n# TYPE seconds gauge\nseconds 0.0000000015\n";
        assert_eq!(exposition.text(), expected);
    }

    #[test]
    fn values_of_labels_are_escaped() {
        let labels = [("a", "x\"y\\z\n".to_owned()), ("b", "c".to_owned())];
        assert_eq!(braced(&labels), "{a=\"x\\\"y\\\\z\\n\",b=\"c\"}");
    }
}
