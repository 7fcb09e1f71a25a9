//! The provider, choosing its own route, against the default provider of the same libcrypto.

use wirespeed_bench::{Case, Contender};
use wirespeed_cipher::{Algorithm, Use};
use wirespeed_libcrypto::Library;

use crate::Bench;
use crate::promises::{NO_MORE, against};
use crate::report::{Report, Verdict};

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    let contest = bench.contest(1.0, false);
    println!("\nThe provider against the default provider, through EVP, messages");
    for promise in against(library) {
        for &(mode, direction) in promise.modes {
            let algorithms = Algorithm::AES.iter().filter(|algorithm| {
                algorithm.mode() == mode && bench.key_sizes.contains(&algorithm.key_bits())
            });
            for &algorithm in algorithms {
                for &(size, at_least, reach_for) in promise.sizes {
                    let case = Case::new(algorithm, direction, Use::Message, size)
                        .expect("the table holds real cases");
                    if !bench.wants(case, "ratios") {
                        continue;
                    }
                    let pair = [Contender::Host, Contender::Ladder];
                    let title = case.to_string();
                    match contest.measure(case, &pair, &|| ()) {
                        Err(why) => report.fail(&title, why),
                        Ok(measured) => {
                            let ratio = measured.ratio(pair[0], pair[1]).expect("both ran");
                            let verdict = Verdict::of(ratio.median, at_least, reach_for);
                            report.count(verdict);
                            println!(
                                "{title:<36} {:>6.2}x ±{:<5.2} at least {at_least:>5.2}x   {}   \
                                 {verdict}",
                                ratio.median,
                                (ratio.high - ratio.low) / 2.0,
                                hope(reach_for),
                            );
                        }
                    }
                }
            }
        }
    }
}

fn hope(reach_for: f64) -> String {
    if reach_for == NO_MORE { String::new() } else { format!("reach for {reach_for:>5.2}x") }
}
