//! AES in plain registers, beside RustCrypto's: both by logic operations alone, in one run.

use std::hint::black_box;

use aes_soft::cipher::generic_array::GenericArray;
use aes_soft::cipher::{BlockCipher, NewBlockCipher};
use aes_soft::{Aes128, Block};
use wirespeed_bench::{Candidate, Case};
use wirespeed_cipher::{Direction, Route, Subject, Use};
use wirespeed_measure::statistics::{Estimate, paired_ratio};
use wirespeed_measure::{Contestant, Effort};

use crate::Bench;
use crate::report::Report;
use crate::requirements::PORTABLE;
use crate::routing::in_turns;

/// As many blocks at a time as it takes.
struct RustCrypto {
    cipher: Aes128,
    blocks: Vec<Block>,
}

impl Contestant for RustCrypto {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            for eight in self.blocks.chunks_exact_mut(8) {
                self.cipher.encrypt_blocks(GenericArray::from_mut_slice(eight));
            }
            black_box(&mut self.blocks);
        }
    }

    fn bytes(&self) -> u64 {
        self.blocks.len() as u64 * 16
    }
}

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    const SIZE: usize = 16384;
    let subject: Subject = "AES-128-ECB".parse().expect("a name");
    let case = Case::new(subject, Direction::Encrypt, Use::Message, SIZE).expect("a real case");
    if !bench.wants(case, "noaes") {
        return;
    }
    println!(
        "\nPlain registers: the route portable against RustCrypto's aes in software, directly"
    );
    let ours = match bench.harness.runner(Candidate::Kernels(Route::Portable), case) {
        Ok(ours) => ours,
        Err(why) => return report.fail(&case.to_string(), why),
    };
    let theirs = RustCrypto {
        cipher: Aes128::new(&[1; 16].into()),
        blocks: vec![Block::default(); SIZE / 16],
    };
    let pair: [Box<dyn Contestant>; 2] = [Box::new(theirs), Box::new(ours)];
    let [theirs, ours] = in_turns(Effort::lasting(bench.seconds), pair);
    let rate =
        |nanos: &[f64]| Estimate::of(nanos).map_or(0.0, |call| SIZE as f64 * 1e3 / call.median);
    let note = format!("{:.0} MB/s against {:.0}   ", rate(&ours), rate(&theirs));
    match paired_ratio(&theirs, &ours) {
        Some(ratio) => report.ratio(&case.to_string(), &ratio, PORTABLE, &note),
        None => report.fail(&case.to_string(), "too few slices"),
    }
}
