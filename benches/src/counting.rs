//! What it costs that calls are counted: the module told `stats = FILE`, and not.

use wirespeed_bench::Case;
use wirespeed_cipher::{Algorithm, Direction, Use};
use wirespeed_libcrypto::Library;
use wirespeed_measure::Effort;
use wirespeed_measure::statistics::{Estimate, paired_ratio};
use wirespeed_stats::Snapshot;

use crate::Bench;
use crate::module::Module;
use crate::report::Report;
use crate::requirements::{COUNTING, NO_MORE};
use crate::routing::in_turns;

/// A packet each.
const CASES: [(&str, Use, usize); 5] = [
    ("AES-128-CTR", Use::Stream, 1420),
    ("AES-128-GCM", Use::Message, 1420),
    ("AES-256-GCM", Use::Message, 1420),
    ("ChaCha20-Poly1305", Use::Message, 1420),
    ("AES-128-CBC", Use::Stream, 1424),
];

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    println!("\nCounting calls, over the same calls uncounted");
    for (name, usage, size) in CASES {
        let algorithm: Algorithm = name.parse().expect("the table holds known names");
        let case = Case::new(algorithm, Direction::Encrypt, usage, size).expect("real cases");
        if !bench.wants(case, "counting") {
            continue;
        }
        match measure(bench, library, algorithm, case) {
            Ok(ratio) => report.ratio(&format!("{case}"), &ratio, (COUNTING, NO_MORE), ""),
            Err(why) => report.fail(&format!("{case}"), why),
        }
    }
}

/// The speed with counting as a share of that without.
fn measure(
    bench: &Bench,
    library: Library,
    algorithm: Algorithm,
    case: Case,
) -> Result<Estimate, String> {
    let module = Module::of_this_build(library)?;
    let counts = tempfile::tempdir().map_err(|why| why.to_string())?;
    let file = counts.path().join("stats");
    let counting = format!("stats = {}", file.display());
    let pair = [module.runner("", algorithm, case)?, module.runner(&counting, algorithm, case)?];
    let [without, with] = in_turns(Effort::lasting(bench.seconds * 2.0), pair);
    let counted = Snapshot::read(&file).map_err(|why| why.to_string())?;
    if !counted.rows().any(|row| row.calls > 1000) {
        return Err("nothing was counted".to_owned());
    }
    paired_ratio(&without, &with).ok_or_else(|| "no rounds".to_owned())
}
