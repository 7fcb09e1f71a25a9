//! Nothing is slower than by an earlier build's module: both in this process, call for call in turns, without a plan.

use std::path::Path;

use wirespeed_bench::Case;
use wirespeed_cipher::{Algorithm, Subject};
use wirespeed_libcrypto::Library;
use wirespeed_measure::Effort;
use wirespeed_measure::statistics::{Estimate, paired_ratio};

use crate::Bench;
use crate::grid::{FIRST_SHARE, cases};
use crate::module::Module;
use crate::report::{Report, Verdict};
use crate::requirements::NEVER_SLOWER;
use crate::routing::in_turns;

/// Shares of the usual time. A case that looks slower is measured again in new contexts before it is called so: what is slow
/// may be where a context happens to lie.
const SHARES: [f64; 3] = [FIRST_SHARE, 1.0, 1.0];

pub(crate) fn run(bench: &Bench, library: Library, file: &Path, report: &mut Report) {
    let modules = Module::of(file, library)
        .and_then(|before| Module::of_this_build(library).map(|now| [before, now]));
    let modules = match modules {
        Ok(modules) => modules,
        Err(why) => return report.fail("earlier", why),
    };
    let (at_least, reach_for) = NEVER_SLOWER;
    println!("\nThis module over {}: lines below {at_least:.2}x are shown", file.display());
    let (mut all, mut not_in_both): (Vec<f64>, Vec<&str>) = (Vec::new(), Vec::new());
    for case in cases().filter(|case| bench.wants(*case, "earlier")) {
        let Subject::Cipher(algorithm) = case.subject else { continue };
        let Ok(ratio) = ratio(bench, &modules, algorithm, case) else {
            not_in_both.push(algorithm.name());
            continue;
        };
        // Slower by more than the spread.
        let verdict = Verdict::of(ratio.high, at_least, reach_for);
        report.count(verdict);
        if verdict == Verdict::Missed {
            let spread = (ratio.high - ratio.low) / 2.0;
            println!("{:<46} {:>6.2}x ±{spread:<5.2} {verdict}", case.to_string(), ratio.median);
        }
        all.push(ratio.median);
    }
    all.sort_by(f64::total_cmp);
    if let [least, ..] = all[..] {
        println!(
            "{} cases: the least {least:.2}x, half above {:.2}x",
            all.len(),
            all[all.len() / 2]
        );
    }
    not_in_both.dedup();
    if !not_in_both.is_empty() {
        println!("skipped, for not both offer them without a plan: {}", not_in_both.join(" "));
    }
}

/// The best of all tries, or the first that is not slower.
fn ratio(
    bench: &Bench,
    modules: &[Module; 2],
    algorithm: Algorithm,
    case: Case,
) -> Result<Estimate, String> {
    let mut best: Option<Estimate> = None;
    for share in SHARES {
        let [before, now] = modules;
        let pair = [before.runner("", algorithm, case)?, now.runner("", algorithm, case)?];
        let [before, now] = in_turns(Effort::lasting(bench.seconds * share), pair);
        let ratio = paired_ratio(&before, &now).ok_or("no rounds")?;
        if ratio.median >= NEVER_SLOWER.0 {
            return Ok(ratio);
        }
        if best.is_none_or(|best| best.median < ratio.median) {
            best = Some(ratio);
        }
    }
    best.ok_or_else(|| "no rounds".to_owned())
}
