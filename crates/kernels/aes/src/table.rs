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
/// `$modes` is [`for_each_key_size`] or [`for_all_key_sizes`].
macro_rules! table {
    ($route:expr, $unit:ty, $make:expr, $modes:ident $(, $features:literal)?) => {
        use wirespeed_cipher::{Block, BlockKernels, GcmKey, GcmState, InOut, OcbKey, OcbState, Schedule};

        use wirespeed_kernels_core::Chain;

        use crate::expand;
        use crate::modes::{chain, ctr, gcm, ghash, ocb, parallel, xts};

        /// Every mode for one key size.
        const fn kernels<const ROUNDS: usize, const MODES: usize>() -> BlockKernels {
            BlockKernels {
                route: $route,
                cipher: wirespeed_cipher::BlockCipher::AES[ROUNDS / 2 - 5],
                expand: [expand_encryption::<ROUNDS>, expand_decryption::<ROUNDS>],
                ecb: [ecb::<MODES, false>, ecb::<MODES, true>],
                cbc: [cbc_encrypt::<MODES>, chained::<MODES, false>],
                cfb: [cfb_encrypt::<MODES>, chained::<MODES, true>],
                ofb: ofb::<MODES>,
                ctr: ctr::<MODES>,
                xts: [xts::<MODES, false>, xts::<MODES, true>],
                gcm_key: gcm_key::<MODES>,
                ghash,
                gcm_start: gcm_start::<MODES>,
                gcm: [gcm::<MODES, false>, gcm::<MODES, true>],
                gcm_tag,
                polyval_key: ghash::set_key::<true>,
                polyval,
                little_ctr: little_ctr::<MODES>,
                ocb: [ocb::<MODES, false>, ocb::<MODES, true>],
                ocb_hash: ocb_hash::<MODES>,
            }
        }

        static TABLE: [BlockKernels; 3] = [
            kernels::<10, { crate::table::$modes(10) }>(),
            kernels::<12, { crate::table::$modes(12) }>(),
            kernels::<14, { crate::table::$modes(14) }>(),
        ];

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
            fn gcm_tag[][](key: &mut GcmKey, state: &GcmState, pending: bool, lengths: [u64; 2])
                -> Block
                { gcm::tag::<$unit>($make, key, state, pending, lengths) }
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

/// The modes are compiled for each number of rounds.
pub(crate) const fn for_each_key_size(rounds: usize) -> usize {
    rounds
}

/// The modes are compiled once, for units that ask the schedule for the number of rounds.
pub(crate) const fn for_all_key_sizes(_rounds: usize) -> usize {
    0
}

pub(crate) use table;
