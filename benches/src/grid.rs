//! Nothing offered is slower than the default provider, at any size and use.

use wirespeed_bench::{Candidate, Case, Contest};
use wirespeed_cipher::{SIZE_CLASSES, Subject, Use};
use wirespeed_measure::statistics::Estimate;

use crate::Bench;
use crate::ratios::by_plan;
use crate::report::{Report, Verdict};
use crate::requirements::NEVER_SLOWER;

/// A grid of hundreds of cases gives each a part of the usual time; one that looks slower than
/// promised is measured again with all of it, before it is called so.
pub(crate) const FIRST_SHARE: f64 = 0.125;

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    let (at_least, reach_for) = NEVER_SLOWER;
    let (first, again) = (bench.contest(FIRST_SHARE, false), bench.contest(2.0, false));
    println!("\nEverything offered, every size and use: lines below {reach_for:.2}x are shown");
    let mut all: Vec<(f64, Case)> = Vec::new();
    let mut not_offered: Vec<&str> = Vec::new();
    for case in cases().filter(|case| bench.wants(*case, "grid")) {
        let Some(provider) = bench.provider(case) else {
            // Never slower also means: not offered where there is no gain.
            not_offered.push(case.subject.name());
            continue;
        };
        let measured = ratio(&first, case, provider).and_then(|ratio| {
            if ratio.median < reach_for { self::ratio(&again, case, provider) } else { Ok(ratio) }
        });
        match measured {
            Err(why) => report.fail(&case.to_string(), why),
            Ok(ratio) => {
                let verdict = Verdict::of(ratio.median, at_least, reach_for);
                report.count(verdict);
                if verdict != Verdict::Reached {
                    let spread = (ratio.high - ratio.low) / 2.0;
                    let title = format!("{case}{}", by_plan(provider));
                    println!("{title:<46} {:>6.2}x ±{spread:<5.2} {verdict}", ratio.median);
                }
                all.push((ratio.median, case));
            }
        }
    }
    not_offered.dedup();
    if let Some((least, case)) = all.iter().min_by(|a, b| a.0.total_cmp(&b.0)) {
        println!("{} cases, the least {least:.2}x: {case}", all.len());
    }
    if !not_offered.is_empty() {
        println!("not offered by the provider: {}", not_offered.join(" "));
    }
}

pub(crate) fn cases() -> impl Iterator<Item = Case> {
    let ways = |subject: Subject| subject.directions().iter().map(move |way| (subject, *way));
    Subject::ours().flat_map(ways).flat_map(|(subject, direction)| {
        Use::ALL.into_iter().flat_map(move |usage| {
            let case = move |size: usize| Case::new(subject, direction, usage, size).ok();
            SIZE_CLASSES.into_iter().filter_map(case)
        })
    })
}

fn ratio(
    contest: &Contest<'_>,
    case: Case,
    provider: Candidate,
) -> Result<Estimate, wirespeed_bench::Trouble> {
    let measured = contest.measure(case, &[Candidate::Host, provider], &|| ())?;
    Ok(measured.ratio(Candidate::Host, provider).expect("both ran"))
}
