//! The speed we promise, measured: ratios against OpenSSL in one run, and shares of the limit.
#![forbid(unsafe_code)]

mod batch;
mod bound;
mod buffers;
mod contexts;
mod counting;
mod disk;
mod earlier;
mod grid;
mod limits;
mod loading;
mod messages;
mod module;
mod noaes;
mod pipelines;
mod plan;
mod ratios;
mod report;
mod requirements;
mod routing;
mod software;
mod sum;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use wirespeed_bench::{Absent, Candidate, Case, Contest, Harness};
use wirespeed_cipher::{Route, Subject};
use wirespeed_cpu::Features;
use wirespeed_libcrypto::Library;
use wirespeed_measure::Effort;

use plan::Tuned;
use report::Report;

const EXAMPLES: &str = "\
Examples:
  cargo xtask bench                         everything; exit status 1 if a requirement is missed
  cargo xtask bench -- --quick              the same with less time for each figure
  cargo xtask bench -- gcm 1420             only lines with both words (a number is a size)
  cargo xtask bench -- --only limits xts    kernels directly, as shares of their units' limits
  cargo xtask bench -- --only routing,loading
                                            what a plan costs: per call, and when a program starts
  cargo xtask bench -- --earlier FILE       nothing slower than an earlier build's libwirespeed.so
  cargo xtask bench -- --only noaes         what a CPU without AES instructions gains
  cargo xtask bench -- --libcrypto PATH     against another libcrypto than the host's";

/// Measure what the project promises: each line against its requirement
#[derive(Parser)]
#[command(after_help = EXAMPLES)]
struct Arguments {
    /// Words that a line's title must all hold; a number must be its size
    filter: Vec<String>,
    /// Only these parts
    #[arg(long, value_delimiter = ',', value_enum)]
    only: Vec<Part>,
    /// Another libcrypto than the host's
    #[arg(long, value_name = "PATH")]
    libcrypto: Option<PathBuf>,
    /// A plan of `wirespeed tune` for what is offered only with one, instead of one that is made first
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Only against an earlier build's libwirespeed.so, both modules in turns
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    earlier: Option<PathBuf>,
    /// Less time for each figure
    #[arg(long)]
    quick: bool,
    /// Seconds for each figure
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// 192- and 256-bit keys in the parts that measure 128-bit keys only
    #[arg(long)]
    all_keys: bool,
    /// What a process of the part noaes measures
    #[arg(long, value_name = "ROUTE", hide = true)]
    lesser_cpu: Option<Route>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The provider against the default provider, each promise by name
    Ratios,
    /// The same for everything offered, at every size and use
    Grid,
    /// The kernels directly, as shares of their units' limits
    Limits,
    /// Many messages at once, against one after another and against intel-ipsec-mb
    Batch,
    /// Many messages in a pipeline of EVP's, against one after another by the default provider
    Pipelines,
    /// `wirespeed sum` over many files, against the programs that hash one after another
    Sum,
    /// What a call pays for the choice of its route
    Routing,
    /// What it costs that calls are counted
    Counting,
    /// A new context for every message
    Contexts,
    /// How long the module takes to load, and a first cipher to be ready
    Loading,
    /// Sectors through the disk workload, against the kernels directly
    Disk,
    /// CPUs without instructions for AES: with the same features hidden from both
    Noaes,
}

/// What every part needs.
struct Bench {
    harness: Harness,
    tuned: Tuned,
    filter: Vec<String>,
    seconds: f64,
    key_sizes: &'static [u16],
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let library = match &arguments.libcrypto {
        Some(path) => Library::open(path),
        None => Library::host(),
    };
    let library = match library {
        Ok(library) => library,
        Err(why) => {
            eprintln!("wirespeed-benches: {why}");
            return ExitCode::from(2);
        }
    };
    let usual = if arguments.quick { 0.1 } else { 0.4 };
    let all = arguments.only.is_empty() && arguments.earlier.is_none();
    let wanted = |part| all || arguments.only.contains(&part);
    println!("{} at {}", library.version(), library.path().display());
    let harness = Harness::new(Ok::<_, Absent>(library), Features::detect());
    let tuned = match Tuned::new(library, arguments.plan, arguments.quick) {
        Ok(tuned) => tuned,
        Err(why) => {
            eprintln!("wirespeed-benches: {why}");
            return ExitCode::from(2);
        }
    };
    let bench = Bench {
        harness: harness.with_configuration(tuned.configuration()),
        tuned,
        filter: arguments.filter.iter().map(|word| word.to_lowercase()).collect(),
        seconds: arguments.seconds.unwrap_or(usual),
        key_sizes: if arguments.all_keys { &[128, 192, 256] } else { &[128] },
    };
    let mut report = Report::default();
    if let Some(file) = &arguments.earlier {
        earlier::run(&bench, library, file, &mut report);
    }
    if wanted(Part::Ratios) {
        ratios::run(&bench, library, &mut report);
    }
    if wanted(Part::Grid) {
        grid::run(&bench, &mut report);
    }
    if wanted(Part::Limits) {
        limits::run(&bench, &mut report);
    }
    if wanted(Part::Batch) {
        batch::run(&bench, &mut report);
    }
    if wanted(Part::Pipelines) {
        pipelines::run(&bench, library, &mut report);
    }
    if wanted(Part::Sum) {
        sum::run(&bench, &mut report);
    }
    if wanted(Part::Routing) {
        routing::run(&bench, library, &mut report);
    }
    if wanted(Part::Counting) {
        counting::run(&bench, library, &mut report);
    }
    if wanted(Part::Contexts) {
        contexts::run(&bench, library, &mut report);
    }
    if wanted(Part::Loading) {
        loading::run(&bench, library, &mut report);
    }
    if wanted(Part::Disk) {
        disk::run(&bench, &mut report);
    }
    if wanted(Part::Noaes) {
        match arguments.lesser_cpu {
            Some(route) => noaes::measure(&bench, route, &mut report),
            None => {
                software::run(&bench, &mut report);
                noaes::run(&bench, library, &mut report);
            }
        }
    }
    report.conclude()
}

impl Bench {
    /// A contest on one thread that gives each figure `share` of the usual time.
    fn contest(&self, share: f64, limits: bool) -> Contest<'_> {
        let effort = Effort::lasting(self.seconds * share);
        Contest { harness: &self.harness, effort, threads: 1, limits, elapsed: false }
    }

    /// The algorithms that a name of [`requirements`] stands for: where it has a star, one for each key size.
    fn subjects(&self, name: &'static str) -> impl Iterator<Item = Subject> {
        let sizes = if name.contains('*') { self.key_sizes } else { &[0] };
        // XTS has no key of 192 bits.
        sizes.iter().filter_map(|bits| name.replace('*', &bits.to_string()).parse().ok())
    }

    /// Our provider as it offers a case: without a plan if it does, else with one.
    fn provider(&self, case: Case) -> Option<Candidate> {
        let offers = |candidate: &Candidate| {
            (*candidate == Candidate::Priority || self.tuned.is_there())
                && self.harness.runner(*candidate, case).is_ok()
        };
        [Candidate::Priority, Candidate::Configured].into_iter().find(offers)
    }

    /// Whether the filter lets lines through that are no cases.
    fn wants_words(&self, words: &str) -> bool {
        self.filter.iter().all(|word| words.contains(word.as_str()))
    }

    /// Whether the filter lets a line through: every word is in its title or names its size.
    fn wants(&self, case: Case, also: &str) -> bool {
        let title = format!("{case} {also}").to_lowercase();
        self.filter.iter().all(|word| match word.parse::<usize>() {
            Ok(size) => case.size == size || case.size == size & !15,
            Err(_) => title.contains(word),
        })
    }
}
