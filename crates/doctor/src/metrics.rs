//! What the doctor sees, as metrics for Prometheus.

use std::collections::BTreeMap;

use wirespeed_cipher::Route;
use wirespeed_cpu::{Features, MASK};
use wirespeed_machine::Machine;
use wirespeed_results::exposition::{Exposition, Kind, Sample};
use wirespeed_results::schema::doctor::{Finding, State};
use wirespeed_stats::Snapshot;

use crate::CHECKS;
use crate::counters;
use crate::examined::Examined;
use crate::module;
use crate::plan;
use crate::surroundings::ThisMachine;
use crate::users;

/// What of a machine the checks do not ask for.
pub(crate) struct Seen<'a> {
    machine: &'a Machine,
    /// The routes that are here.
    routes: Vec<Route>,
    /// What was counted, where it can be read.
    counted: Option<Snapshot>,
    /// How many features of the CPU are hidden, and by what.
    hidden: [(&'static str, usize); 2],
}

impl<'a> Seen<'a> {
    pub(crate) fn on(machine: &'a ThisMachine, examined: &Examined<'_>) -> Self {
        let host = machine.host();
        let present = host.routes().into_iter().filter(|found| found.presence.is_ok());
        Self {
            machine: &host.machine,
            routes: present.map(|found| found.route).collect(),
            counted: counters::place(examined).and_then(|place| Snapshot::read(&place).ok()),
            hidden: [
                (MASK, Features::hidden_by_openssl().iter().count()),
                // Which ones of them, nobody can tell from inside.
                ("hypervisor", usize::from(wirespeed_machine::hidden_aes().is_some())),
            ],
        }
    }
}

/// All metrics.
pub(crate) fn metrics(
    examined: &Examined<'_>,
    seen: &Seen<'_>,
    findings: &[Finding],
) -> Exposition {
    let mut metrics = Exposition::default();
    let mut gauge = |name, help, samples| metrics.add(name, Kind::Gauge, help, samples);
    let help = "This program and the machine; machines with the same kind are alike.";
    gauge("wirespeed_info", help, vec![(about(seen.machine), 1.0)]);
    let help = "Whether a check of wirespeed doctor found something to mend.";
    gauge("wirespeed_doctor_fault", help, faults(findings));
    let of_hidden = |(by, count): &(&str, usize)| (vec![("by", (*by).to_owned())], *count as f64);
    let help = "Features of the CPU that are hidden from programs; what hides them may hide more.";
    gauge("wirespeed_hidden_cpu_features", help, seen.hidden.iter().map(of_hidden).collect());
    let failed = |route| examined.failed_proofs().iter().any(|(it, _)| *it == route);
    let help = "Whether a route gives wrong bytes in its self-test.";
    gauge("wirespeed_self_test_failed", help, of_routes(&seen.routes, failed));

    let installed = examined.installed();
    let loaded = installed.as_ref().and_then(|it| module::load(examined, it).ok());
    let serves = loaded.is_some() && installed.is_some_and(|it| users::serves(examined, &it));
    let help = "Whether programs with this machine's openssl.cnf load the module.";
    gauge("wirespeed_module_loaded", help, alone(serves));
    let loaded = loaded.unwrap_or_default();
    let by_module = loaded.quarantined.unwrap_or_default();
    let by_program = seen.counted.iter().flat_map(Snapshot::quarantined).collect::<Vec<_>>();
    let help = "Whether a route was taken out of service for it gave wrong bytes.";
    let is_quarantined = |route: Route| {
        by_program.contains(&route) || by_module.split_whitespace().any(|it| it == route.name())
    };
    gauge("wirespeed_route_quarantined", help, of_routes(&seen.routes, is_quarantined));
    if let Some(version) = loaded.version {
        let help = "The module's version.";
        gauge("wirespeed_module_info", help, vec![(vec![("version", version)], 1.0)]);
    }
    if let Some(file) = plan::named(examined) {
        let plan = plan::in_use(examined);
        let help = "Whether the plan is for this machine as it is now; without one that is, the default priority serves.";
        gauge("wirespeed_plan_fits", help, alone(plan.is_some()));
        if let Ok(entry) = examined.here.entry(&file) {
            let help = "When the plan was written.";
            gauge("wirespeed_plan_timestamp_seconds", help, vec![(vec![], entry.changed as f64)]);
        }
        let rows = plan.iter().flat_map(wirespeed_plan::Plan::common_rows);
        let gain = |row: &wirespeed_plan::Row| {
            let labels = vec![
                ("algorithm", row.algorithm.name().to_owned()),
                ("direction", row.direction.name().to_owned()),
                ("size", row.size.to_string()),
                ("route", row.route.name().to_owned()),
            ];
            Some((labels, row.gain()?))
        };
        let help = "Speed by the plan over that of the machine's OpenSSL alone, for calls that programs make most.";
        gauge("wirespeed_expected_gain_ratio", help, rows.filter_map(gain).collect());
    }
    seen.counted.iter().for_each(|counted| count(&mut metrics, counted));
    metrics
}

/// What programs did. How many loaded the module is left out: the doctor loads it, too.
fn count(metrics: &mut Exposition, counted: &Snapshot) {
    let mut counter = |name, help, samples| metrics.add(name, Kind::Counter, help, samples);
    let samples = |value: fn(&wirespeed_stats::Row) -> u64| {
        let sample = |row: wirespeed_stats::Row| {
            let labels = vec![
                ("algorithm", row.subject.name().to_owned()),
                ("direction", row.direction.name().to_owned()),
                ("route", row.route.name().to_owned()),
            ];
            (labels, value(&row) as f64)
        };
        counted.rows().map(sample).collect::<Vec<Sample>>()
    };
    counter("wirespeed_calls_total", "Calls that a route served.", samples(|row| row.calls));
    counter("wirespeed_processed_bytes_total", "Bytes in those calls.", samples(|row| row.bytes));
}

fn about(machine: &Machine) -> Vec<(&'static str, String)> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    vec![
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("kind", machine.kind()),
        ("cpu", text(&machine.cpu.brand)),
        ("stepping", text(&machine.cpu.stepping)),
        ("microcode", text(&machine.cpu.microcode)),
        ("hypervisor", text(&machine.cpu.hypervisor)),
        ("kernel", text(&machine.kernel)),
        ("distribution", text(&machine.distribution)),
        ("openssl", machine.openssl().unwrap_or_default().to_owned()),
    ]
}

/// By check, also of those that found nothing.
fn faults(findings: &[Finding]) -> Vec<Sample> {
    let mut faults: BTreeMap<&str, bool> = CHECKS.iter().map(|it| (it.name, false)).collect();
    for fault in findings.iter().filter(|finding| finding.state == State::Mend) {
        faults.insert(&fault.check, true);
    }
    let sample = |(check, fault): (&str, bool)| {
        (vec![("check", check.to_owned())], f64::from(u8::from(fault)))
    };
    faults.into_iter().map(sample).collect()
}

fn of_routes(routes: &[Route], is_so: impl Fn(Route) -> bool) -> Vec<Sample> {
    let sample = |route: &Route| {
        (vec![("route", route.name().to_owned())], f64::from(u8::from(is_so(*route))))
    };
    routes.iter().map(sample).collect()
}

/// A yes or no without labels.
fn alone(is_so: bool) -> Vec<Sample> {
    vec![(Vec::new(), f64::from(u8::from(is_so)))]
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::{Algorithm, Direction};
    use wirespeed_plan::{Fingerprint, Plan, Row};

    use super::*;
    use crate::fake::Fake;
    use crate::trial::Loaded;
    use crate::{CHECKS, findings};

    /// The lines that are no comments.
    fn lines(fake: &Fake, counted: Option<Snapshot>) -> Vec<String> {
        let examined = Examined::new(fake);
        let machine = Machine::default();
        let routes = vec![Route::Vaes512, Route::AesNi];
        let seen =
            Seen { machine: &machine, routes, counted, hidden: [(MASK, 2), ("hypervisor", 0)] };
        let metrics = metrics(&examined, &seen, &findings(&examined, CHECKS.iter()));
        let lines = metrics.text().lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    }

    fn has(lines: &[String], wanted: &[&str]) {
        for wanted in wanted {
            assert!(lines.iter().any(|line| line == wanted), "no {wanted}: {lines:#?}");
        }
    }

    #[test]
    fn without_wirespeed_the_module_is_not_loaded_and_there_is_no_plan() {
        let lines = lines(&Fake::bare(), None);
        has(
            &lines,
            &[
                "wirespeed_module_loaded 0",
                "wirespeed_doctor_fault{check=\"plan\"} 0",
                "wirespeed_self_test_failed{route=\"aesni\"} 0",
                &format!("wirespeed_hidden_cpu_features{{by=\"{MASK}\"}} 2"),
            ],
        );
        assert!(!lines.iter().any(|line| line.starts_with("wirespeed_plan")), "{lines:?}");
    }

    #[test]
    fn a_good_installation() {
        let mut fake = Fake::installed("plan = /p/plan").file("/p/plan", "").changed("/p/plan", 42);
        let mut plan = Plan::new(Fingerprint::here("3.0.19"));
        let algorithm: Algorithm = "AES-128-GCM".parse().expect("an algorithm");
        let time = |nanos| wirespeed_plan::Time::new(nanos, 0.0);
        let reason = wirespeed_plan::Reason {
            usage: wirespeed_cipher::Use::Message,
            time: time(100.0),
            second: Route::AesNi,
            second_time: time(150.0),
            libcrypto: time(250.0),
            constant_time: false,
        };
        let direction = Direction::Encrypt;
        let row =
            Row { algorithm, direction, size: 1420, route: Route::Vaes512, reason: Some(reason) };
        plan.put(row);
        fake.plan = Ok(plan);
        let labels = "algorithm=\"AES-128-GCM\",direction=\"enc\",size=\"1420\",route=\"vaes512\"";
        has(
            &lines(&fake, None),
            &[
                "wirespeed_module_loaded 1",
                "wirespeed_plan_fits 1",
                "wirespeed_plan_timestamp_seconds 42",
                &format!("wirespeed_expected_gain_ratio{{{labels}}} 2.5"),
                "wirespeed_route_quarantined{route=\"vaes512\"} 0",
            ],
        );
    }

    #[test]
    fn a_stale_plan_a_wrong_route_and_a_quarantined_one() {
        let mut fake = Fake::installed("plan = /p/plan");
        fake.failed = vec![(Route::AesNi, "wrong bytes".to_owned())];
        fake.loaded = Ok(Loaded {
            routes: Some("vaes512".to_owned()),
            version: Some("0.0.1".to_owned()),
            plan: Some("/p/plan ignored: made for kernel 1, this is 2".to_owned()),
            quarantined: Some("vaes512".to_owned()),
        });
        has(
            &lines(&fake, None),
            &[
                "wirespeed_plan_fits 0",
                "wirespeed_self_test_failed{route=\"aesni\"} 1",
                "wirespeed_self_test_failed{route=\"vaes512\"} 0",
                "wirespeed_route_quarantined{route=\"vaes512\"} 1",
                "wirespeed_route_quarantined{route=\"aesni\"} 0",
                "wirespeed_doctor_fault{check=\"plan\"} 1",
                "wirespeed_doctor_fault{check=\"proof\"} 1",
                "wirespeed_module_info{version=\"0.0.1\"} 1",
            ],
        );
    }

    #[test]
    fn counters_are_told_as_they_are() {
        let mut words = vec![0_u64; wirespeed_stats::WORDS];
        let subject = wirespeed_cipher::Subject::all().next().expect("a first");
        let word = wirespeed_stats::calls(0, Direction::Decrypt, Route::AesNi);
        words[word..word + 2].copy_from_slice(&[3, 4260]);
        words[wirespeed_stats::QUARANTINED] = Route::AesNi.bit();
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        bytes[..wirespeed_stats::MAGIC.len()].copy_from_slice(wirespeed_stats::MAGIC);
        let counted = Snapshot::parse(&bytes).expect("counters");
        let labels = format!("algorithm=\"{subject}\",direction=\"dec\",route=\"aesni\"");
        has(
            &lines(&Fake::bare(), Some(counted)),
            &[
                &format!("wirespeed_calls_total{{{labels}}} 3"),
                &format!("wirespeed_processed_bytes_total{{{labels}}} 4260"),
                "wirespeed_route_quarantined{route=\"aesni\"} 1",
            ],
        );
    }
}
