//! Many messages at once, against our own single stream.

use std::hint::black_box;

use wirespeed_batch::{Lanes, hash_all, self_test};
use wirespeed_cpu::Features;
use wirespeed_measure::contest::{Ring, run as hold};
use wirespeed_measure::statistics::{median, paired_ratio};
use wirespeed_measure::{Contestant, Effort, ThreadTime};

use crate::Bench;
use crate::promises::{BATCH, BATCH_BYTES, BATCH_MESSAGES};
use crate::report::Report;

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    println!("\n{BATCH_MESSAGES} messages of 16 KiB at once, against the same one after another");
    let effort = Effort::lasting(bench.seconds);
    for &(name, at_least, reach_for) in BATCH {
        if !bench.wants_words(&format!("{name} {BATCH_BYTES} batch").to_lowercase()) {
            continue;
        }
        let made = Messages::new(name, bench.arena.features(), BATCH_BYTES);
        let (title, mut pair) = match made {
            Err(why) => {
                report.fail(name, why);
                continue;
            }
            Ok(messages) => {
                let title = messages.title();
                (title, [messages.clone().one_after_another(), messages].map(Box::new))
            }
        };
        let ring = Ring { clock: &ThreadTime, cpu: &ThreadTime, gate: &|| (), tick: &|| () };
        let samples = hold(&ring, effort, &mut pair);
        let nanos = [samples[0].nanos_per_byte(), samples[1].nanos_per_byte()];
        let ratio = paired_ratio(&nanos[0], &nanos[1]).expect("both ran");
        let note = format!("{:>6.2} GB/s   ", median(&nanos[1]).map_or(0.0, |it| 1.0 / it));
        report.ratio(&title, &ratio, (at_least, reach_for), &note);
    }
}

/// Messages for our own kernels, so many in each call.
#[derive(Clone)]
pub(crate) struct Messages {
    lanes: Lanes,
    at_once: usize,
    messages: Vec<Vec<u8>>,
}

impl Messages {
    /// By the lanes of this CPU, all at once.
    pub(crate) fn new(name: &str, features: Features, bytes: usize) -> Result<Self, String> {
        let digest = Lanes::DIGESTS.into_iter().find(|it| it.name() == name);
        let digest = digest.ok_or_else(|| "no lanes of ours take it".to_owned())?;
        let lanes = Lanes::best(digest, features);
        if !self_test(&lanes) {
            return Err("its self-test".to_owned());
        }
        let messages = (0..BATCH_MESSAGES).map(|i| vec![i as u8; bytes]).collect();
        Ok(Self { lanes, at_once: BATCH_MESSAGES, messages })
    }

    fn one_after_another(self) -> Self {
        Self { at_once: 1, ..self }
    }

    fn title(&self) -> String {
        let lanes = &self.lanes;
        format!("{} {} beside {}", lanes.digest(), lanes.route(), lanes.single_route())
    }
}

impl Contestant for Messages {
    /// Every call goes over all messages, so that both find them in the same cache.
    fn run(&mut self, calls: u64) {
        let all: Vec<&[u8]> = self.messages.iter().map(Vec::as_slice).collect();
        for _ in 0..calls {
            for messages in all.chunks(self.at_once) {
                black_box(hash_all(&self.lanes, messages));
            }
        }
    }

    fn bytes(&self) -> u64 {
        (self.messages.len() * self.messages[0].len()) as u64
    }
}
