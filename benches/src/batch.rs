//! Many messages at once, against our own single stream and against Intel's multi-buffer library.

use wirespeed_measure::contest::{Ring, run as hold};
use wirespeed_measure::statistics::{Estimate, median, paired_ratio};
use wirespeed_measure::{Contestant, Effort};
use wirespeed_peer::{Library, MOST, Peer, Tag, Work};

use crate::Bench;
use crate::buffers::Buffers;
use crate::messages::{IV, KEY, Messages};
use crate::report::Report;
use crate::requirements::{BATCH, BATCH_BYTES, BATCH_MESSAGES, PEER, PEER_BYTES, PEER_REQUIREMENT};

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    println!("\n{BATCH_MESSAGES} messages of 16 KiB at once, against the same one after another");
    for &(name, at_least, reach_for) in BATCH {
        if !bench.wants_words(&format!("{name} {BATCH_BYTES} batch").to_lowercase()) {
            continue;
        }
        match Messages::new(name, bench.harness.features(), BATCH_BYTES) {
            Err(why) => report.fail(name, why),
            Ok(messages) => {
                let (lanes, single) = (messages.route(), messages.single_route());
                let title = format!("{name} {lanes} beside {single}");
                let mut pair: [Box<dyn Contestant>; 2] =
                    [Box::new(messages.clone().one_after_another()), Box::new(messages)];
                let (ratio, note) = contest(bench, &mut pair);
                report.ratio(&title, &ratio, (at_least, reach_for), &note);
            }
        }
    }
    against_peer(bench, report);
}

/// The same work by both at once, as fast as each offers it.
fn against_peer(bench: &Bench, report: &mut Report) {
    println!("\n{BATCH_MESSAGES} messages at once, against intel-ipsec-mb");
    let library = match Library::open() {
        Ok(library) => library,
        Err(why) => return println!("skipped: {why}"),
    };
    println!(
        "{}; its bursts without checks, HMAC-MD5 because it has no MD5 alone",
        library.version()
    );
    for &(name, work) in PEER {
        for &bytes in PEER_BYTES {
            let title = format!("{name} {bytes} B");
            if !bench.wants_words(&format!("{title} batch ipsec-mb").to_lowercase()) {
                continue;
            }
            let ours = Messages::new(name, bench.harness.features(), bytes);
            let both = ours.and_then(|ours| Ok((ours, Theirs::new(library, work, bytes)?)));
            let (mut ours, mut theirs) = match both {
                Ok(both) => both,
                Err(why) => {
                    report.fail(&title, why);
                    continue;
                }
            };
            let title = format!("{title} {}", ours.route());
            match theirs.results() {
                None => report.fail(&title, "intel-ipsec-mb did not do it"),
                // It gives but 12 bytes of an HMAC.
                Some(theirs)
                    if !ours.results().iter().zip(&theirs).all(|(a, b)| a.starts_with(b)) =>
                {
                    report.fail(&title, "ours and intel-ipsec-mb differ");
                }
                Some(_) => {
                    let mut pair: [Box<dyn Contestant>; 2] = [Box::new(theirs), Box::new(ours)];
                    let (ratio, note) = contest(bench, &mut pair);
                    report.ratio(&title, &ratio, PEER_REQUIREMENT, &note);
                }
            }
        }
    }
}

/// How much faster the second is, in CPU time, and its speed.
fn contest(bench: &Bench, pair: &mut [Box<dyn Contestant>; 2]) -> (Estimate, String) {
    let samples = hold(&Ring::CPU_TIME, Effort::lasting(bench.seconds), pair);
    let nanos = [samples[0].nanos_per_byte(), samples[1].nanos_per_byte()];
    let ratio = paired_ratio(&nanos[0], &nanos[1]).expect("both ran");
    (ratio, format!("{:>6.2} GB/s   ", median(&nanos[1]).map_or(0.0, |it| 1.0 / it)))
}

/// The messages for intel-ipsec-mb.
struct Theirs {
    peer: Peer,
    work: Work,
    inputs: Buffers,
    outputs: Buffers,
    tags: Vec<Tag>,
}

impl Theirs {
    fn new(library: Library, work: Work, bytes: usize) -> Result<Self, String> {
        const { assert!(BATCH_MESSAGES <= MOST) }
        let peer = Peer::new(library, work, &KEY)?;
        let inputs = Buffers::filled(BATCH_MESSAGES, bytes);
        Ok(Self {
            peer,
            work,
            outputs: inputs.clone(),
            inputs,
            tags: vec![[0; 64]; BATCH_MESSAGES],
        })
    }

    fn burst(&mut self) -> bool {
        let from: Vec<&[u8]> = self.inputs.iter().collect();
        let mut to: Vec<&mut [u8]> = self.outputs.iter_mut().collect();
        self.peer.run(&from, &mut to, &IV, &mut self.tags)
    }

    /// As [`Messages::results`], if it did them all.
    fn results(&mut self) -> Option<Vec<Vec<u8>>> {
        let ends = self.work.end_bytes();
        self.burst().then(|| {
            let all = self.outputs.iter().zip(&self.tags);
            let result = |(output, tag): (&[u8], &Tag)| match self.work {
                Work::Aes128Cbc | Work::Aes128Gcm => [output, &tag[..ends]].concat(),
                _ => tag[..ends].to_vec(),
            };
            all.map(result).collect()
        })
    }
}

impl Contestant for Theirs {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            assert!(self.burst(), "what was done once");
        }
    }

    fn bytes(&self) -> u64 {
        self.inputs.total()
    }
}
