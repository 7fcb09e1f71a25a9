//! The table of kernels that a route is, made from one unit.

use wirespeed_cipher::BlockKernels;
use wirespeed_kernels_core::engine::Galois;

use crate::modes::ghash;

/// Defines `table(token) -> &'static [BlockKernels; 3]` in the current module: every mode for every key
/// size on one unit, compiled with the unit's target features.
///
/// The functions in the table are safe to call because the table is only reached with the unit's
/// proof in hand.
///
/// `$by_key_size` is a [`ByKeySize`].
macro_rules! table {
    ($route:expr, $unit:ty, $make:expr, $by_key_size:expr $(, $features:literal)?) => {
        use wirespeed_cipher::{Block, BlockKernels, GcmKey, GcmState, InOut, OcbKey, OcbState, Schedule};

        use wirespeed_kernels_core::Chain;

        use crate::expand;
        use crate::modes::{chain, ctr, gcm, ghash, ocb, parallel, xts};
        use crate::table::ByKeySize;

        /// Every mode for one key size.
        const fn kernels<
            const ROUNDS: usize,
            const MODES: usize,
            const SHORT: usize,
            const GCM: usize,
        >() -> BlockKernels {
            BlockKernels {
                route: $route,
                cipher: wirespeed_cipher::BlockCipher::AES[ROUNDS / 2 - 5],
                expand: [expand_encryption::<ROUNDS>, expand_decryption::<ROUNDS>],
                ecb: [ecb::<MODES, false>, ecb::<MODES, true>],
                cbc: [cbc_encrypt::<SHORT>, chained::<MODES, false>],
                cfb: [cfb_encrypt::<SHORT>, chained::<MODES, true>],
                ofb: ofb::<SHORT>,
                ctr: ctr::<SHORT>,
                xts: [xts::<MODES, false>, xts::<MODES, true>],
                gcm_key: gcm_key::<GCM>,
                ghash,
                gcm_start: gcm_start::<GCM>,
                gcm: [gcm::<GCM, false>, gcm::<GCM, true>],
                gcm_tag,
                polyval_key: ghash::set_key::<true>,
                polyval,
                little_ctr: little_ctr::<MODES>,
                ocb: [ocb::<SHORT, false>, ocb::<SHORT, true>],
                ocb_hash: ocb_hash::<MODES>,
            }
        }

        macro_rules! kernels {
            ($rounds:literal) => {{
                const BY_KEY_SIZE: ByKeySize = $by_key_size;
                const fn if_wanted(wanted: bool) -> usize {
                    if wanted { $rounds } else { 0 }
                }
                kernels::<
                    $rounds,
                    { if_wanted(BY_KEY_SIZE.others) },
                    { if_wanted(BY_KEY_SIZE.short) },
                    { if_wanted(BY_KEY_SIZE.gcm) },
                >()
            }};
        }

        static TABLE: [BlockKernels; 3] = [kernels!(10), kernels!(12), kernels!(14)];

        wirespeed_kernels_core::entries! { [$($features)?]
            fn expand_encryption[const ROUNDS: usize][ROUNDS](key: &[u8], out: &mut Schedule)
                { expand::encryption::<$unit, ROUNDS>($make, key, out) }
            fn expand_decryption[const ROUNDS: usize][ROUNDS](key: &[u8], out: &mut Schedule)
                { expand::decryption::<$unit, ROUNDS>($make, key, out) }
            fn ecb[const ROUNDS: usize, const DECRYPT: bool][ROUNDS, DECRYPT]
                (key: &Schedule, data: InOut<'_>)
                { parallel::ecb::<$unit, ROUNDS, DECRYPT>($make, key, data) }
            fn cbc_encrypt[const ROUNDS: usize][ROUNDS]
                (key: &Schedule, iv: &mut Block, data: InOut<'_>)
                { chain::chain::<$unit, ROUNDS>($make, Chain::Cbc, key, iv, data) }
            fn cfb_encrypt[const ROUNDS: usize][ROUNDS]
                (key: &Schedule, iv: &mut Block, data: InOut<'_>)
                { chain::chain::<$unit, ROUNDS>($make, Chain::Cfb, key, iv, data) }
            fn ofb[const ROUNDS: usize][ROUNDS]
                (key: &Schedule, iv: &mut Block, data: InOut<'_>)
                { chain::chain::<$unit, ROUNDS>($make, Chain::Ofb, key, iv, data) }
            fn chained[const ROUNDS: usize, const CFB: bool][ROUNDS, CFB]
                (key: &Schedule, iv: &mut Block, data: InOut<'_>)
                { parallel::chained::<$unit, ROUNDS, CFB>($make, key, iv, data) }
            fn ctr[const ROUNDS: usize][ROUNDS]
                (key: &Schedule, counter: &mut Block, keystream: &mut Block, data: InOut<'_>)
                { ctr::ctr::<$unit, ROUNDS>($make, key, counter, keystream, data) }
            fn xts[const ROUNDS: usize, const DECRYPT: bool][ROUNDS, DECRYPT]
                (key: &Schedule, tweak: &Block, data: InOut<'_>)
                { xts::xts::<$unit, ROUNDS, DECRYPT>($make, key, tweak, data) }
            fn gcm_key[const ROUNDS: usize][ROUNDS](schedule: &Schedule, key: &mut GcmKey)
                { ghash::key::<$unit, ROUNDS>($make, schedule, key) }
            fn gcm_start[const ROUNDS: usize][ROUNDS]
                (schedule: &Schedule, state: &mut GcmState, first: u128)
                { gcm::start::<$unit, ROUNDS>($make, schedule, state, first) }
            fn ghash[][](key: &mut GcmKey, hash: &mut Block, data: &[u8])
                { ghash::hash::<$unit, false>($make, key, hash, data) }
            fn polyval[][](key: &mut GcmKey, hash: &mut Block, data: &[u8])
                { ghash::hash::<$unit, true>($make, key, hash, data) }
            fn little_ctr[const ROUNDS: usize][ROUNDS]
                (key: &Schedule, first: &Block, data: InOut<'_>)
                { ctr::little::<$unit, ROUNDS>($make, key, first, data) }
            fn gcm[const ROUNDS: usize, const DECRYPT: bool][ROUNDS, DECRYPT]
                (schedule: &Schedule, key: &mut GcmKey, state: &mut GcmState, data: InOut<'_>)
                { gcm::crypt::<$unit, ROUNDS, DECRYPT>($make, schedule, key, state, data) }
            fn gcm_tag[][]
                (key: &mut GcmKey, state: &GcmState, pending: bool, lengths: [u64; 2], tag: &mut Block)
                { gcm::tag::<$unit>($make, key, state, pending, lengths, tag) }
            fn ocb[const ROUNDS: usize, const DECRYPT: bool][ROUNDS, DECRYPT]
                (schedule: &Schedule, key: &OcbKey, state: &mut OcbState, data: InOut<'_>)
                { ocb::ocb::<$unit, ROUNDS, DECRYPT>($make, schedule, key, state, data) }
            fn ocb_hash[const ROUNDS: usize][ROUNDS]
                (schedule: &Schedule, key: &OcbKey, state: &mut OcbState, data: &[u8])
                { ocb::hash::<$unit, ROUNDS>($make, schedule, key, state, data) }
        }
    };
}

/// GCM's hash of a route, for the tables of other ciphers than AES.
pub(crate) const fn galois(kernels: &BlockKernels) -> Galois {
    Galois {
        set_key: ghash::set_key::<false>,
        ghash: kernels.ghash,
        tag: kernels.gcm_tag,
        polyval_key: kernels.polyval_key,
        polyval: kernels.polyval,
    }
}

/// Which modes are compiled for each number of rounds. The others are compiled once, and ask the schedule.
#[derive(Clone, Copy)]
pub(crate) struct ByKeySize {
    pub(crate) gcm: bool,
    /// Chains, CTR and OCB: a message of one block feels the question.
    pub(crate) short: bool,
    pub(crate) others: bool,
}

impl ByKeySize {
    pub(crate) const NONE: Self = Self { gcm: false, short: false, others: false };
}

pub(crate) use table;
