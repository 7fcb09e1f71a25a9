//! Nothing offered is slower than the default provider, at any size and use.

use wirespeed_bench::{Case, Contender, Contest};
use wirespeed_cipher::{Algorithm, SIZE_CLASSES, Use};
use wirespeed_measure::statistics::Estimate;

use crate::Bench;
use crate::promises::NEVER_SLOWER;
use crate::report::{Report, Verdict};

/// A grid of hundreds of cases gives each a part of the usual time; one that looks slower than
/// promised is measured again with all of it, before it is called so.
const FIRST_SHARE: f64 = 0.125;

const PAIR: [Contender; 2] = [Contender::Host, Contender::Ladder];

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    let (at_least, reach_for) = NEVER_SLOWER;
    let (first, again) = (bench.contest(FIRST_SHARE, false), bench.contest(2.0, false));
    println!("\nEverything offered, every size and use: lines below {reach_for:.2}x are shown");
    let mut all: Vec<(f64, Case)> = Vec::new();
    let mut not_offered: Vec<&str> = Vec::new();
    for case in cases().filter(|case| bench.wants(*case, "grid")) {
        if bench.arena.runner(Contender::Ladder, case).is_err() {
            // Never slower also means: not offered where there is no gain.
            not_offered.push(case.subject.name());
            continue;
        }
        let measured = ratio(&first, case).and_then(|ratio| {
            if ratio.median < reach_for { self::ratio(&again, case) } else { Ok(ratio) }
        });
        match measured {
            Err(why) => report.fail(&case.to_string(), why),
            Ok(ratio) => {
                let verdict = Verdict::of(ratio.median, at_least, reach_for);
                report.count(verdict);
                if verdict != Verdict::Reached {
                    let spread = (ratio.high - ratio.low) / 2.0;
                    let title = case.to_string();
                    println!("{title:<36} {:>6.2}x ±{spread:<5.2} {verdict}", ratio.median);
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

fn cases() -> impl Iterator<Item = Case> {
    let directions =
        |algorithm: Algorithm| algorithm.directions().iter().map(move |d| (algorithm, *d));
    Algorithm::ALL.iter().copied().flat_map(directions).flat_map(|(algorithm, direction)| {
        Use::ALL.into_iter().flat_map(move |usage| {
            let case = move |size: usize| Case::new(algorithm, direction, usage, size).ok();
            SIZE_CLASSES.into_iter().filter_map(case)
        })
    })
}

fn ratio(contest: &Contest<'_>, case: Case) -> Result<Estimate, wirespeed_bench::Trouble> {
    let measured = contest.measure(case, &PAIR, &|| ())?;
    Ok(measured.ratio(PAIR[0], PAIR[1]).expect("both ran"))
}
