//! Many messages at once, against our own single stream.

use wirespeed_batch::{Lanes, hash_all, self_test};
use wirespeed_measure::contest::{Ring, run as hold};
use wirespeed_measure::statistics::paired_ratio;
use wirespeed_measure::{Contestant, Effort, ThreadTime};

use crate::Bench;
use crate::promises::{BATCH, BATCH_MESSAGES, BATCH_SIZE};
use crate::report::{Report, Verdict};

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    println!("\n{BATCH_MESSAGES} messages of 16 KiB at once, against the same one after another");
    let effort = Effort::lasting(bench.seconds);
    for &(function, at_least, reach_for) in BATCH {
        let lanes = Lanes::best(function, bench.arena.features());
        let title = format!("{function} {} beside {}", lanes.route(), lanes.single_route());
        if !bench.wants_words(&format!("{title} {BATCH_SIZE} batch").to_lowercase()) {
            continue;
        }
        if lanes.width() == 1 {
            println!("{title:<36} skipped: this CPU has no lanes");
            continue;
        }
        if !self_test(&lanes) {
            report.fail(&title, "its self-test");
            continue;
        }
        let ring = Ring { clock: &ThreadTime, cpu: &ThreadTime, gate: &|| (), tick: &|| () };
        let mut pair = [Messages::new(lanes, 1), Messages::new(lanes, BATCH_MESSAGES)];
        let samples = hold(&ring, effort, &mut pair);
        let nanos = [samples[0].nanos_per_byte(), samples[1].nanos_per_byte()];
        let ratio = paired_ratio(&nanos[0], &nanos[1]).expect("both ran");
        let verdict = Verdict::of(ratio.median, at_least, reach_for);
        report.count(verdict);
        let gigabytes = wirespeed_measure::statistics::median(&nanos[1]).map_or(0.0, |it| 1.0 / it);
        println!(
            "{title:<36} {:>6.2}x ±{:<5.2} at least {at_least:>5.2}x   reach for {reach_for:>5.2}x   \
             {gigabytes:>6.2} GB/s   {verdict}",
            ratio.median,
            (ratio.high - ratio.low) / 2.0,
        );
    }
}

/// So many messages in each call.
struct Messages {
    lanes: Lanes,
    count: usize,
    messages: Vec<Vec<u8>>,
}

impl Messages {
    fn new(lanes: Lanes, count: usize) -> Box<Self> {
        let messages = (0..BATCH_MESSAGES).map(|i| vec![i as u8; BATCH_SIZE]).collect();
        Box::new(Self { lanes, count, messages })
    }
}

impl Contestant for Messages {
    /// Every call goes over all messages, so that both find them in the same cache.
    fn run(&mut self, calls: u64) {
        let all: Vec<&[u8]> = self.messages.iter().map(Vec::as_slice).collect();
        for _ in 0..calls {
            for messages in all.chunks(self.count) {
                std::hint::black_box(hash_all(&self.lanes, messages));
            }
        }
    }

    fn bytes(&self) -> u64 {
        (BATCH_MESSAGES * BATCH_SIZE) as u64
    }
}
