//! Block ciphers that come as whole functions rather than as rounds: everything that such an engine does
//! not do itself follows from its ECB.

pub mod by_ecb;

use wirespeed_cipher::{
    Block, BlockCipher, BlockKernels, Direction, EcbFn, GcmKey, GcmState, GcmTagFn, InOut, OcbKey,
    OcbState, Route, Schedule,
};

/// Counter mode over whole blocks.
pub type CountFn = fn(&Schedule, counter: &mut Block, InOut<'_>);

/// GCM's hash, which is the same for every cipher (SP 800-38D §6.4), and GCM-SIV's (RFC 8452 §3), on some unit.
pub struct Galois {
    /// Sets the key from the hash key, SP 800-38D's H.
    pub set_key: fn(Block, &mut GcmKey),
    /// See [`BlockKernels::ghash`].
    pub ghash: fn(&mut GcmKey, &mut Block, &[u8]),
    /// See [`BlockKernels::gcm_tag`].
    pub tag: GcmTagFn,
    /// See [`BlockKernels::polyval_key`].
    pub polyval_key: fn(Block, &mut GcmKey),
    /// See [`BlockKernels::polyval`].
    pub polyval: fn(&mut GcmKey, &mut Block, &[u8]),
}

/// A block cipher as one route's engine.
pub trait Engine {
    /// The route.
    const ROUTE: Route;
    /// The cipher.
    const CIPHER: BlockCipher;
    /// How GCM hashes.
    const GALOIS: Galois;

    /// The key schedule.
    fn expand<const DECRYPT: bool>(key: &[u8], out: &mut Schedule);

    /// ECB over whole blocks.
    fn ecb<const DECRYPT: bool>(key: &Schedule, data: InOut<'_>);

    /// CBC over whole blocks.
    fn cbc<const DECRYPT: bool>(key: &Schedule, chain: &mut Block, data: InOut<'_>) {
        let by = if DECRYPT { by_ecb::cbc_decrypt } else { by_ecb::cbc_encrypt };
        by(Self::ecb::<DECRYPT>, key, chain, data);
    }

    /// CFB with 128-bit segments.
    fn cfb<const DECRYPT: bool>(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        by_ecb::cfb(Self::ecb::<false>, DECRYPT, key, register, data);
    }

    /// OFB.
    fn ofb(key: &Schedule, register: &mut Block, data: InOut<'_>) {
        by_ecb::ofb(Self::ecb::<false>, key, register, data);
    }

    /// Counter mode over whole blocks; the last `BITS` bits of the counter wrap.
    fn count<const BITS: u32>(key: &Schedule, counter: &mut Block, data: InOut<'_>) {
        by_ecb::count(Self::ecb::<false>, BITS, key, counter, data);
    }

    /// CTR; see [`CtrFn`](wirespeed_cipher::CtrFn).
    fn ctr(key: &Schedule, counter: &mut Block, keystream: &mut Block, data: InOut<'_>) {
        // A buffer that is handed on as it came is not copied: for one block copies would be a tenth of the time.
        match data.len() % 16 {
            0 => Self::count::<128>(key, counter, data),
            _ => by_ecb::ctr(Self::ecb::<false>, Self::count::<128>, key, counter, keystream, data),
        }
    }

    /// GCM-SIV's counter mode; see [`LittleCtrFn`](wirespeed_cipher::LittleCtrFn).
    fn little_ctr(key: &Schedule, first: &Block, data: InOut<'_>) {
        by_ecb::little_ctr(Self::ecb::<false>, key, first, data);
    }

    /// XTS; see [`XtsFn`](wirespeed_cipher::XtsFn).
    fn xts<const DECRYPT: bool>(key: &Schedule, tweak: &Block, data: InOut<'_>) {
        let direction = Direction::BOTH[usize::from(DECRYPT)];
        by_ecb::xts(Self::ecb::<DECRYPT>, direction, key, tweak, data);
    }

    /// GCM's hash key.
    fn gcm_key(schedule: &Schedule, key: &mut GcmKey) {
        let mut hash_key = [0; 16];
        Self::ecb::<false>(schedule, InOut::in_place(&mut hash_key));
        (Self::GALOIS.set_key)(hash_key, key);
    }

    /// The start of a GCM message; see [`GcmStartFn`](wirespeed_cipher::GcmStartFn).
    fn gcm_start(schedule: &Schedule, state: &mut GcmState, first: u128) {
        state.mask = first.to_le_bytes();
        state.counter = after(&state.mask, 32, 1);
        Self::ecb::<false>(schedule, InOut::in_place(&mut state.mask));
        state.hash = [0; 16];
        state.pending = [0; 16];
    }

    /// GCM's data; see [`GcmCryptFn`](wirespeed_cipher::GcmCryptFn).
    fn gcm<const DECRYPT: bool>(
        schedule: &Schedule,
        key: &mut GcmKey,
        state: &mut GcmState,
        data: InOut<'_>,
    ) {
        let unit: (EcbFn, CountFn, _) = (Self::ecb::<false>, Self::count::<32>, &Self::GALOIS);
        by_ecb::gcm(unit, DECRYPT, schedule, key, state, data);
    }

    /// OCB's whole blocks; see [`OcbFn`](wirespeed_cipher::OcbFn).
    fn ocb<const DECRYPT: bool>(
        schedule: &Schedule,
        key: &OcbKey,
        state: &mut OcbState,
        data: InOut<'_>,
    ) {
        by_ecb::ocb(Self::ecb::<DECRYPT>, DECRYPT, schedule, key, state, data);
    }

    /// OCB's associated data; see [`OcbHashFn`](wirespeed_cipher::OcbHashFn).
    fn ocb_hash(schedule: &Schedule, key: &OcbKey, state: &mut OcbState, data: &[u8]) {
        by_ecb::ocb_hash(Self::ecb::<false>, schedule, key, state, data);
    }
}

/// The table of an engine.
pub const fn table<E: Engine>() -> BlockKernels {
    BlockKernels {
        route: E::ROUTE,
        cipher: E::CIPHER,
        expand: [E::expand::<false>, E::expand::<true>],
        ecb: [E::ecb::<false>, E::ecb::<true>],
        cbc: [E::cbc::<false>, E::cbc::<true>],
        cfb: [E::cfb::<false>, E::cfb::<true>],
        ofb: E::ofb,
        ctr: E::ctr,
        xts: [E::xts::<false>, E::xts::<true>],
        gcm_key: E::gcm_key,
        ghash: E::GALOIS.ghash,
        gcm_start: E::gcm_start,
        gcm: [E::gcm::<false>, E::gcm::<true>],
        gcm_tag: E::GALOIS.tag,
        polyval_key: E::GALOIS.polyval_key,
        polyval: E::GALOIS.polyval,
        little_ctr: E::little_ctr,
        ocb: [E::ocb::<false>, E::ocb::<true>],
        ocb_hash: E::ocb_hash,
    }
}

/// The counter `count` blocks on; its last `bits` bits wrap.
#[inline]
pub const fn after(counter: &Block, bits: u32, count: u128) -> Block {
    let value = u128::from_be_bytes(*counter);
    let mask = u128::MAX >> (128 - bits);
    (value & !mask | value.wrapping_add(count) & mask).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_wrap_where_they_are_told() {
        let full = [0xff; 16];
        assert_eq!(after(&full, 128, 1), [0; 16]);
        let mut wrapped = full;
        wrapped[12..].fill(0);
        assert_eq!(after(&full, 32, 1), wrapped);
        assert_eq!(after(&full, 16, 2)[13..], [0xff, 0, 1]);
    }
}
