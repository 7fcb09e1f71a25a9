//! What the execution unit itself allows: the same instructions on registers, and nothing else.
//!
//! Parallel modes cannot be faster than AES rounds issue; chained modes not faster than one round
//! follows another; GCM not faster than rounds and carry-less products issue together (four products
//! for a block, without the shuffles and additions around them; Karatsuba's three cost two more of
//! those). No data is loaded or stored, so no kernel reaches its limit entirely.

use wirespeed_cipher::{Algorithm, BlockCipher, Direction, Mode, Route};
use wirespeed_cpu::Features;

use crate::arch;
use crate::clock::{Clock, ThreadTime};
use crate::contest::Contestant;

/// What bounds a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// How many AES rounds can begin in a cycle.
    Throughput,
    /// How long a round takes before the next can begin.
    Chain,
    /// AES rounds and carry-less products together.
    Mix,
}

impl Bound {
    /// The bound of a mode in one direction.
    pub const fn of(mode: Mode, direction: Direction) -> Self {
        if mode.is_chain(direction) {
            Self::Chain
        } else if mode.hashes_by_products() {
            Self::Mix
        } else {
            Self::Throughput
        }
    }

    /// The words for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Throughput => "aes throughput",
            Self::Chain => "aes latency chain",
            Self::Mix => "aes and carry-less product mix",
        }
    }
}

/// A limit to run beside the kernels that it bounds.
pub struct Limit {
    /// What it measures.
    pub bound: Bound,
    bytes: u64,
    run: Box<dyn FnMut(u64) + Send>,
}

impl Limit {
    /// The limit of `algorithm` on a route's unit; none where it is not AES, where the route has no such unit
    /// (`portable`, `libcrypto`) or the machine has no such route.
    pub fn new(
        algorithm: Algorithm,
        direction: Direction,
        route: Route,
        features: Features,
    ) -> Option<Self> {
        let is_aes = algorithm.block_cipher().is_some_and(|it| BlockCipher::AES.contains(&it));
        if !is_aes || algorithm.mode().has_byte_segments() {
            // The others' rounds are no AES rounds, and CFB8 takes a block for each byte.
            return None;
        }
        let bound = Bound::of(algorithm.mode(), direction);
        let rounds = u64::from(algorithm.key_bits() / 32 + 6);
        let (bytes, run) = arch::unit(route, features)?.limit(bound, rounds);
        Some(Self { bound, bytes, run })
    }

    /// The route whose unit allows most here: the limit to hold the host's OpenSSL to.
    pub fn best_route(features: Features) -> Option<Route> {
        let candidates = [Route::Vaes512, Route::Vaes256, Route::AesNi, Route::AesCe];
        candidates.into_iter().find(|route| arch::unit(*route, features).is_some())
    }
}

/// How many cycles a second this core does; none where that cannot be told. It takes some milliseconds.
pub fn cycles_per_second() -> Option<f64> {
    /// A millisecond at most.
    const CYCLES: u64 = 500_000;
    let one = || {
        let began = ThreadTime.now();
        let spent = arch::spend(CYCLES)?;
        Some(spent as f64 * 1e9 / (ThreadTime.now() - began) as f64)
    };
    // What disturbs it slows it.
    (0..9).filter_map(|_| one()).filter(|rate| rate.is_finite()).max_by(f64::total_cmp)
}

impl Contestant for Limit {
    fn run(&mut self, calls: u64) {
        (self.run)(calls);
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::{Effort, Ring, run};
    use crate::statistics::paired_ratio;

    fn algorithm(name: &str) -> Algorithm {
        name.parse().expect("known")
    }

    #[test]
    fn modes_have_their_bounds() {
        assert_eq!(Bound::of(Mode::Cbc, Direction::Encrypt), Bound::Chain);
        assert_eq!(Bound::of(Mode::Cbc, Direction::Decrypt), Bound::Throughput);
        assert_eq!(Bound::of(Mode::Gcm, Direction::Decrypt), Bound::Mix);
    }

    #[test]
    fn routes_without_a_unit_have_no_limit() {
        let (gcm, enc) = (algorithm("AES-128-GCM"), Direction::Encrypt);
        assert!(Limit::new(gcm, enc, Route::Portable, Features::detect()).is_none());
        assert!(Limit::new(gcm, enc, Route::AesNi, Features::NONE).is_none());
        assert_eq!(Limit::best_route(Features::NONE), None);
        for name in ["ChaCha20-Poly1305", "CAMELLIA-128-CBC", "ARIA-256-GCM", "SM4-CTR"] {
            for route in Route::ALL {
                assert!(Limit::new(algorithm(name), enc, route, Features::detect()).is_none());
            }
        }
    }

    /// Between those of the slowest and the fastest CPU there is, by far; an emulated one may do any number.
    #[test]
    fn a_core_does_some_cycles() {
        let Some(rate) = cycles_per_second() else {
            eprintln!("skipped: no instruction is known to take one cycle");
            return;
        };
        assert!((1e6..1e11).contains(&rate), "{rate}");
    }

    /// Also where a CPU is emulated, whose times say nothing.
    #[test]
    fn every_limit_runs() {
        for route in Route::ALL {
            for name in ["AES-128-CTR", "AES-192-OFB", "AES-128-GCM", "AES-192-GCM", "AES-256-GCM"]
            {
                let limit =
                    Limit::new(algorithm(name), Direction::Encrypt, route, Features::detect());
                let Some(mut limit) = limit else { continue };
                assert!(limit.bytes() >= 128, "{route} {name}");
                [0, 1, 2].into_iter().for_each(|calls| limit.run(calls));
            }
        }
    }

    /// Orders only, never times: every instruction runs, more rounds take longer, and a chain is
    /// slower than independent blocks.
    #[test]
    fn limits_of_this_machine_are_in_order() {
        let features = Features::detect();
        for route in [Route::AesNi, Route::Vaes256, Route::Vaes512] {
            let names = ["AES-128-CTR", "AES-256-CTR", "AES-128-OFB", "AES-128-GCM", "AES-256-GCM"];
            let limits: Vec<Option<Box<dyn Contestant>>> = names
                .iter()
                .map(|name| -> Option<Box<dyn Contestant>> {
                    Some(Box::new(Limit::new(
                        algorithm(name),
                        Direction::Encrypt,
                        route,
                        features,
                    )?))
                })
                .collect();
            let Some(mut limits) = limits.into_iter().collect::<Option<Vec<_>>>() else {
                eprintln!("skipped: this CPU has no {route}");
                continue;
            };
            let samples = run(&Ring::CPU_TIME, Effort { slice: 200_000, rounds: 41 }, &mut limits);
            // Slice against slice, so that a busy machine slows both sides.
            let slower = |one: usize, than: usize| {
                let (one, than) = (samples[one].nanos_per_byte(), samples[than].nanos_per_byte());
                paired_ratio(&one, &than).expect("slices").median
            };
            let [ctr128, ctr256, chain, gcm128, gcm256] = [0, 1, 2, 3, 4];
            assert!(slower(ctr256, ctr128) > 1.0, "{route}: more rounds take longer");
            assert!(slower(chain, ctr256) > 1.0, "{route}: a chain is slower");
            // Not above 1: where the products are the bottleneck, rounds hide behind them.
            assert!(slower(gcm256, gcm128) > 0.9, "{route}: more rounds are not faster");
            assert!(slower(gcm128, ctr128) > 0.9, "{route}: products cost something");
        }
    }
}
