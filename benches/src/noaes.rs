//! CPUs without instructions for AES: our routes against OpenSSL, with the same features hidden from both.
//!
//! A libcrypto looks at its variable once, so each such CPU is a process of its own.

use std::env;
use std::process::Command;

use wirespeed_bench::{Candidate, Case, Entry};
use wirespeed_cipher::{Route, Subject, Use};
use wirespeed_libcrypto::Library;

use crate::Bench;
use crate::report::{Report, Verdict};
use crate::requirements::{LESSER_CPUS, LesserCpu};

/// What OPENSSL_ia32cap(3) calls the variable.
const VARIABLE: &str = "OPENSSL_ia32cap";

/// Runs the processes.
pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    for cpu in LESSER_CPUS {
        let child = env::current_exe().and_then(|program| {
            let mut child = Command::new(program);
            child.args(["--only", "noaes", "--lesser-cpu", cpu.route.name()]);
            child.args(["--seconds", &bench.seconds.to_string()]);
            child.arg("--libcrypto").arg(library.path()).args(&bench.filter);
            child.env(VARIABLE, cpu.hides).status()
        });
        match child {
            // Its lines have told.
            Ok(status) if status.success() => report.count(Verdict::Met),
            Ok(status) => report.fail(cpu.name, status),
            Err(why) => report.fail(cpu.name, why),
        }
    }
}

/// In such a process.
pub(crate) fn measure(bench: &Bench, route: Route, report: &mut Report) {
    let Some(cpu) = LESSER_CPUS.iter().find(|cpu| cpu.route == route) else { return };
    println!(
        "\n{}: the route {route} against the default provider, through EVP, messages",
        cpu.name
    );
    for &(name, direction, size, required, hoped) in cpu.required {
        let subject: Subject = name.parse().expect("the table holds names");
        let case = Case::new(subject, direction, Use::Message, size).expect("and real cases");
        if bench.wants(case, "noaes") {
            one(bench, cpu, case, (required, hoped), report);
        }
    }
}

fn one(bench: &Bench, cpu: &LesserCpu, case: Case, required: (f64, f64), report: &mut Report) {
    let ours = Candidate::Provider(cpu.route);
    if let Err(why) = bench.harness.runner(ours, case) {
        println!("{case}: skipped: {}: {why}", cpu.route);
        return;
    }
    match bench.contest(1.0, false).measure(case, &[Candidate::Host, ours], &|| ()) {
        Err(why) => report.fail(&case.to_string(), why),
        Ok(measured) => {
            let ratio = measured.ratio(Candidate::Host, ours).expect("both ran");
            let rate = |who| measured.entry(who).map_or(0.0, Entry::bytes_per_second) / 1e6;
            let note = format!("{:.0} MB/s against {:.0}   ", rate(ours), rate(Candidate::Host));
            report.ratio(&case.to_string(), &ratio, required, &note);
        }
    }
}
