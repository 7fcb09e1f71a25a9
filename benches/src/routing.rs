//! What a call pays for the choice of its route: nanoseconds over the same call without a choice.

use std::hint::black_box;

use wirespeed_bench::Case;
use wirespeed_cipher::{
    Algorithm, Block, BlockCipher, BlockKernels, BlockKey, Direction, InOut, Route, Use,
};
use wirespeed_libcrypto::Library;
use wirespeed_measure::contest::{Ring, run as hold};
use wirespeed_measure::statistics::Estimate;
use wirespeed_measure::{Contestant, Effort, Limit};
use wirespeed_plan::{SIZE_BUCKETS, size_bucket};

use crate::Bench;
use crate::module::Module;
use crate::report::{Report, Verdict};
use crate::requirements::ROUTING;

/// What is looked at through EVP: a block, a packet, a record.
const CASES: [(&str, Use, usize); 4] = [
    ("AES-128-CTR", Use::Stream, 16),
    ("AES-128-ECB", Use::Stream, 16),
    ("AES-128-GCM", Use::Message, 1420),
    ("AES-256-GCM", Use::Message, 16384),
];

pub(crate) fn run(bench: &Bench, library: Library, report: &mut Report) {
    println!("\nThe choice of a route for each call, over the same call without one");
    let Some(route) = Limit::best_route(bench.harness.features()) else {
        println!("skipped: this CPU has no route that a plan could choose");
        return;
    };
    let effort = Effort::lasting(bench.seconds * 2.0);
    if bench.wants_words("kernel row lookup routing") {
        let pair: [Box<dyn Contestant>; 2] =
            [lookup(bench, route, false), lookup(bench, route, true)];
        show("a kernel by its row, 16 B", effort, pair, report);
    }
    for (name, usage, size) in CASES {
        let algorithm: Algorithm = name.parse().expect("the table holds known names");
        let case = Case::new(algorithm, Direction::Encrypt, usage, size).expect("real cases");
        if bench.wants(case, "routing") {
            let title = format!("{case}, by a plan");
            match through_evp(library, algorithm, case, route) {
                Ok(pair) => show(&title, effort, pair, report),
                Err(why) => report.fail(&title, why),
            }
        }
    }
}

/// The module on one route, and by a plan that says the same.
fn through_evp(
    library: Library,
    algorithm: Algorithm,
    case: Case,
    route: Route,
) -> Result<[Box<dyn Contestant>; 2], String> {
    let module = Module::of_this_build(library)?;
    let runner = |keys: &str| module.runner(keys, algorithm, case);
    let planned = module.plan(route)?;
    Ok([runner(&format!("routes = {route}"))?, runner(&planned)?])
}

/// Runs both in turns, and shows how much longer a call of the second takes.
fn show(title: &str, effort: Effort, pair: [Box<dyn Contestant>; 2], report: &mut Report) {
    let [without, with] = in_turns(effort, pair);
    let costs: Vec<f64> = with.iter().zip(&without).map(|(with, without)| with - without).collect();
    let cost = Estimate::of(&costs).expect("a plan has rounds");
    let call = Estimate::of(&without).expect("a plan has rounds").median;
    let verdict = Verdict::of_cost(cost.median, ROUTING);
    report.count(verdict);
    println!(
        "{title:<42} {:>+6.2} ns ±{:<5.2} at most {ROUTING} ns   of {call:>7.1} ns   {verdict}",
        cost.median,
        (cost.high - cost.low) / 2.0,
    );
}

/// Runs both in turns; the nanoseconds of their calls.
pub(crate) fn in_turns(effort: Effort, mut pair: [Box<dyn Contestant>; 2]) -> [Vec<f64>; 2] {
    let samples = hold(&Ring::CPU_TIME, effort, &mut pair);
    [samples[0].nanos(), samples[1].nanos()]
}

/// One block by kernels that are looked up by the length of each call, or are known beforehand.
struct Lookup {
    row: [Option<&'static BlockKernels>; SIZE_BUCKETS],
    known: Option<&'static BlockKernels>,
    key: BlockKey,
    block: Block,
}

fn lookup(bench: &Bench, route: Route, looks_up: bool) -> Box<dyn Contestant> {
    let kernels = wirespeed_kernels::kernels(route, BlockCipher::Aes128, bench.harness.features())
        .expect("a best route");
    let mut key = BlockKey::empty(kernels);
    key.set(&[7; 16], Direction::Encrypt);
    let row = [Some(kernels); SIZE_BUCKETS];
    Box::new(Lookup { row, known: (!looks_up).then_some(kernels), key, block: [0; 16] })
}

impl Contestant for Lookup {
    fn run(&mut self, calls: u64) {
        // Two loops, so that neither pays for the other's question.
        match self.known {
            Some(kernels) => (0..calls).for_each(|_| self.call(black_box(kernels))),
            None => (0..calls).for_each(|_| {
                let length = black_box(self.block.len());
                if let Some(kernels) = black_box(&self.row)[size_bucket(length)] {
                    self.call(kernels);
                }
            }),
        }
    }

    fn bytes(&self) -> u64 {
        16
    }
}

impl Lookup {
    #[inline(always)]
    fn call(&mut self, kernels: &'static BlockKernels) {
        (kernels.ecb[0])(self.key.schedule(), InOut::in_place(&mut self.block));
    }
}
