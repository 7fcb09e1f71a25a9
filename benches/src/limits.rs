//! The kernels directly, as shares of what their units allow.

use wirespeed_bench::{Candidate, Case};
use wirespeed_cipher::{Route, Use};

use crate::Bench;
use crate::report::{Report, Verdict};
use crate::requirements::{NO_MORE, SHARES};

/// Long enough that call and set-up do not show.
const SIZE: usize = 16384;

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    let contest = bench.contest(1.0, true);
    println!("\nThe kernels directly at 16 KiB, as shares of their units' limits");
    for route in [Route::Vaes512, Route::Vaes256, Route::AesNi] {
        let candidate = Candidate::Kernels(route);
        if let Err(why) = bench.harness.presence(candidate) {
            println!("{route}: skipped: {why}");
            continue;
        }
        for &(name, direction, at_least) in SHARES {
            for subject in bench.subjects(name) {
                let case = Case::new(subject, direction, Use::Message, SIZE)
                    .expect("the table holds real cases");
                if !bench.wants(case, &format!("limits {route}")) {
                    continue;
                }
                let title = format!("{} {route}", case.title());
                let measured = match contest.measure(case, &[candidate], &|| ()) {
                    Ok(measured) => measured,
                    Err(why) => {
                        report.fail(&title, why);
                        continue;
                    }
                };
                let entry = measured.entry(candidate).expect("it ran");
                let Some(share) = entry.limit_share else {
                    report.fail(&title, "its unit has no limit");
                    continue;
                };
                let verdict = Verdict::of(share.median, at_least, NO_MORE);
                report.count(verdict);
                println!(
                    "{title:<36} {:>6.1} % ±{:<4.1} at least {:>3.0} %   {:>7.2} GB/s   {verdict}",
                    share.median * 100.0,
                    (share.high - share.low) * 50.0,
                    at_least * 100.0,
                    entry.bytes_per_second() / 1e9,
                );
            }
        }
    }
}
