//! The provider, choosing its own route, against the default provider of the same libcrypto.

use wirespeed_bench::{Candidate, Case};
use wirespeed_cipher::Use;
use wirespeed_libcrypto::Library;

use crate::report::Report;
use crate::requirements::against;
use crate::{Bench, bound};

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    let contest = bench.contest(1.0, false);
    println!("\nThe provider against the default provider, through EVP, messages");
    println!(
        "bound: EVP's own calls with a hash function that does nothing, and the kernel's blocks"
    );
    for requirement in against(library) {
        for &(name, direction) in requirement.algorithms {
            for subject in bench.subjects(name) {
                for &(size, at_least, reach_for) in requirement.sizes {
                    let case = Case::new(subject, direction, Use::Message, size)
                        .expect("the table holds real cases");
                    if !bench.wants(case, "ratios") {
                        continue;
                    }
                    let Some(provider) = bench.provider(case) else {
                        report.fail(&case.to_string(), "the provider does not offer it");
                        continue;
                    };
                    let title = format!("{case}{}", by_plan(provider));
                    match contest.measure(case, &[Candidate::Host, provider], &|| ()) {
                        Err(why) => report.fail(&title, why),
                        Ok(measured) => {
                            let ratio = measured.ratio(Candidate::Host, provider);
                            let promised = (at_least, reach_for);
                            let note = match bound::ratio(bench, library, case, contest.effort) {
                                Ok(bound) => bound.map(|it| format!("bound {:.2}x   ", it.median)),
                                Err(why) => Some(format!("no bound: {why}   ")),
                            };
                            let note = note.unwrap_or_default();
                            report.ratio(&title, &ratio.expect("both ran"), promised, &note);
                        }
                    }
                }
            }
        }
    }
}

/// What is offered only with a plan says so.
pub(crate) fn by_plan(provider: Candidate) -> &'static str {
    if provider == Candidate::Configured { ", by the plan" } else { "" }
}
