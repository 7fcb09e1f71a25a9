//! Sectors of 4096 bytes through the disk workload: as a share of the route's kernels called directly, and by two
//! workers against one.

use std::hint::black_box;

use wirespeed_cipher::{Block, BlockCipher, BlockKernels, Direction, InOut, Route, Schedule};
use wirespeed_disk::sectors::{self, Built, SectorCipher};
use wirespeed_disk::store::Memory;
use wirespeed_disk::workload::{Failure, Layout, Test, Watch, Workload};
use wirespeed_disk::{Candidate, Specification};
use wirespeed_measure::statistics::{Estimate, paired_ratio};
use wirespeed_measure::{Clock, ThreadTime};

use crate::Bench;
use crate::report::{Report, Verdict};
use crate::requirements::{NO_MORE, SECTORS, TWO_WORKERS};

const LAYOUT: Layout = Layout { sector_bytes: 4096, tag_bytes: 0 };

/// Bytes of a turn: half a millisecond, so that what else goes on in the machine meets both sides alike.
const TURN: u64 = 16 << 20;

/// Bytes of a turn in which it must weigh nothing that two new threads may begin on one CPU, until the scheduler parts
/// them some milliseconds later.
const LONG_TURN: u64 = 8 << 30;

/// The article's words for its first two tests, and what they do to a sector.
const TESTS: [(Test, Direction); 2] =
    [(Test::Write, Direction::Encrypt), (Test::Read, Direction::Decrypt)];

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    println!("\nThe disk workload in memory, sectors of 4096 bytes");
    let specification: Specification = "aes-xts-plain64".parse().expect("a known name");
    for cipher in [BlockCipher::Aes128, BlockCipher::Aes256] {
        let key_bits = 2 * u32::from(cipher.key_bits());
        let title = format!("{specification} {key_bits}");
        if !bench.wants_words(&format!("{title} 4096 disk memory").to_lowercase()) {
            continue;
        }
        let key: Vec<u8> = (0..key_bits / 8).map(|i| i as u8).collect();
        let candidate = Candidate::of(specification, key_bits);
        let built = match sectors::build(candidate, &key, LAYOUT.sector_bytes) {
            Ok(built) => built,
            Err(why) => {
                report.fail(&title, why);
                continue;
            }
        };
        measure(bench, &title, cipher, &key, &built, report);
    }
}

fn measure(
    bench: &Bench,
    title: &str,
    block: BlockCipher,
    key: &[u8],
    built: &Built,
    report: &mut Report,
) {
    let cipher = built.cipher.as_deref().expect("an encrypting candidate");
    let kernels =
        built.route.parse::<Route>().ok().and_then(|route| {
            wirespeed_kernels::kernels(route, block, bench.harness.features()).ok()
        });
    for (test, direction) in TESTS {
        let title = format!("{title} {} {}", test.name(), built.route);
        match kernels {
            None => println!("{title:<36} skipped: no route of ours is the fastest here"),
            Some(kernels) => {
                match shares(bench, cipher, test, &mut Direct::new(kernels, key, direction)) {
                    Ok((share, rate)) => {
                        let verdict = Verdict::of(share.median, SECTORS, NO_MORE);
                        report.count(verdict);
                        println!(
                            "{title:<36} {:>6.1} % ±{:<4.1} at least {:>3.0} %   {rate:>7.2} GB/s   {verdict}",
                            share.median * 100.0,
                            (share.high - share.low) * 50.0,
                            SECTORS * 100.0,
                        );
                    }
                    Err(why) => report.fail(&title, why),
                }
            }
        }
        let title = format!("{title}, two workers");
        match speed_up(bench, cipher, test) {
            Ok(ratio) => {
                let verdict = Verdict::of(ratio.median, TWO_WORKERS, NO_MORE);
                report.count(verdict);
                println!(
                    "{title:<36} {:>6.2}x ±{:<5.2} at least {TWO_WORKERS:>5.2}x   {verdict}",
                    ratio.median,
                    (ratio.high - ratio.low) / 2.0,
                );
            }
            Err(why) => report.fail(&title, why),
        }
    }
}

/// The workload's share of what the kernels allow, and its bytes in a nanosecond; turn against turn, by CPU time.
fn shares(
    bench: &Bench,
    cipher: &dyn SectorCipher,
    test: Test,
    direct: &mut Direct,
) -> Result<(Estimate, f64), String> {
    let mut workload = workload(cipher, TURN, 1)?;
    let (mut limits, mut times) = (Vec::new(), Vec::new());
    for _ in 0..rounds(bench, TURN) {
        // In a thread of its own too: one CPU may be slower than the other while something else runs beside it.
        limits.push(alone(|| direct.turn())?);
        times.push(pass(&mut workload, test)?.cpu_ns as f64);
    }
    let share = paired_ratio(&limits, &times).ok_or("no CPU time was counted")?;
    let time = Estimate::of(&times).ok_or("no turn was taken")?;
    Ok((share, TURN as f64 / time.median))
}

fn alone<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, String> {
    std::thread::scope(|scope| scope.spawn(run).join()).map_err(|_| "the turn panicked".to_owned())
}

/// How much faster two workers are than one; turn against turn, by the clock on the wall.
fn speed_up(bench: &Bench, cipher: &dyn SectorCipher, test: Test) -> Result<Estimate, String> {
    let mut one = workload(cipher, LONG_TURN, 1)?;
    let mut two = workload(cipher, LONG_TURN, 2)?;
    let (mut alone, mut together) = (Vec::new(), Vec::new());
    for _ in 0..rounds(bench, LONG_TURN) {
        alone.push(pass(&mut one, test)?.elapsed_ns as f64);
        together.push(pass(&mut two, test)?.elapsed_ns as f64);
    }
    paired_ratio(&alone, &together).ok_or_else(|| "no time was counted".to_owned())
}

/// Turns that fill the time for a figure on a CPU of today.
fn rounds(bench: &Bench, bytes: u64) -> usize {
    const FEWEST: usize = 7;
    ((bench.seconds * 20e9 / bytes as f64) as usize).max(FEWEST)
}

fn workload(cipher: &dyn SectorCipher, bytes: u64, workers: usize) -> Result<Workload<'_>, String> {
    let workload = Workload::new(&Memory, Some(cipher), LAYOUT, bytes, workers);
    let mut workload = workload.map_err(|why| why.to_string())?;
    // What is read must have been written.
    pass(&mut workload, Test::Write)?;
    Ok(workload)
}

fn pass(
    workload: &mut Workload<'_>,
    test: Test,
) -> Result<wirespeed_disk::workload::Passed, String> {
    workload.run(test, &Unwatched).map_err(|why: Failure| why.to_string())
}

struct Unwatched;

impl Watch for Unwatched {
    fn advance(&self, _bytes: u64) {}

    fn is_stopped(&self) -> bool {
        false
    }
}

/// The route's kernels called directly, for one request over and over: the tweaks of its sectors in one call, and
/// then each sector.
struct Direct {
    kernels: &'static BlockKernels,
    data: Schedule,
    tweaks: Schedule,
    direction: Direction,
    from: Box<Request>,
    to: Box<Request>,
}

/// The bytes of a request, on the border of a page as a disk's are.
#[repr(align(4096))]
struct Request([u8; REQUEST * LAYOUT.sector_bytes]);

impl Request {
    fn new() -> Box<Self> {
        Box::new(Self([0; REQUEST * LAYOUT.sector_bytes]))
    }
}

/// Sectors of a large request.
const REQUEST: usize = 4;

impl Direct {
    fn new(kernels: &'static BlockKernels, key: &[u8], direction: Direction) -> Self {
        let (data_key, tweak_key) = key.split_at(key.len() / 2);
        let (mut data, mut tweaks) = (Schedule::EMPTY, Schedule::EMPTY);
        (kernels.expand[direction as usize])(data_key, &mut data);
        (kernels.expand[Direction::Encrypt as usize])(tweak_key, &mut tweaks);
        Self { kernels, data, tweaks, direction, from: Request::new(), to: Request::new() }
    }

    /// Nanoseconds of CPU time for a turn.
    fn turn(&mut self) -> f64 {
        let ecb = self.kernels.ecb[Direction::Encrypt as usize];
        let xts = self.kernels.xts[self.direction as usize];
        let began = ThreadTime.now();
        for request in 0..TURN / self.from.0.len() as u64 {
            let mut tweaks: [Block; REQUEST] =
                std::array::from_fn(|place| u128::from(request + place as u64).to_le_bytes());
            ecb(&self.tweaks, InOut::in_place(tweaks.as_flattened_mut()));
            let from = self.from.0.chunks_exact(LAYOUT.sector_bytes);
            let to = self.to.0.chunks_exact_mut(LAYOUT.sector_bytes);
            for (tweak, (from, to)) in tweaks.iter().zip(from.zip(to)) {
                xts(&self.data, tweak, InOut::between(from, to));
            }
            black_box(&self.to);
        }
        (ThreadTime.now() - began) as f64
    }
}
