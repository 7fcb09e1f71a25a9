//! The provider, choosing its own route, against the default provider of the same libcrypto, and what this CPU allows.

use wirespeed_bench::{Candidate, Case};
use wirespeed_cipher::Use;
use wirespeed_libcrypto::Library;

use crate::report::Report;
use crate::requirements::{NEVER_SLOWER, SHARE_OF_BOUND, THROUGH_EVP};
use crate::{Bench, bound};

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    println!("\nThe provider against the default provider, through EVP, messages");
    println!(
        "allows: EVP's own calls with a provider that does nothing, and our kernels by themselves"
    );
    for requirement in THROUGH_EVP {
        for &(name, direction) in requirement.algorithms {
            for subject in bench.subjects(name) {
                if !bench.harness.knows(Candidate::Host, subject) {
                    println!("{subject}: skipped: this libcrypto has none");
                    continue;
                }
                for &size in requirement.sizes {
                    let case = Case::new(subject, direction, Use::Message, size)
                        .expect("the table holds real cases");
                    if bench.wants(case, "ratios") {
                        measure(bench, library, case, report);
                    }
                }
            }
        }
    }
}

fn measure(bench: &Bench, library: Library, case: Case, report: &mut Report) {
    let contest = bench.contest(1.0, false);
    let Some(provider) = bench.provider(case) else {
        // Where this OpenSSL is best it stays.
        println!("{case}: skipped: the provider leaves it to this OpenSSL");
        return;
    };
    let title = format!("{case}{}", by_plan(provider));
    let ratio = match contest.measure(case, &[Candidate::Host, provider], &|| ()) {
        Err(why) => return report.fail(&title, why),
        Ok(measured) => measured.ratio(Candidate::Host, provider).expect("both ran"),
    };
    let allowed = match bound::ratio(bench, library, case, contest.effort) {
        Err(why) => return report.fail(&title, why),
        Ok(allowed) => allowed.map(|it| it.median),
    };
    let (share, hope) = SHARE_OF_BOUND;
    let required = match allowed {
        Some(allowed) => [share, hope].map(|it| NEVER_SLOWER.0.max(it * allowed)).into(),
        None => NEVER_SLOWER,
    };
    let note = allowed.map(|allowed| format!("allows {allowed:.2}x   ")).unwrap_or_default();
    report.ratio(&title, &ratio, required, &note);
}

/// What is offered only with a plan says so.
pub(crate) fn by_plan(provider: Candidate) -> &'static str {
    if provider == Candidate::Configured { ", by the plan" } else { "" }
}
