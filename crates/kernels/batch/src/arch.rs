//! The lanes of each architecture.

/// A unit's kernels, each a function with the unit's target features, and the table of them.
macro_rules! rungs {
    ($features:literal: $($name:ident: $function:ident $word:ident
        [$($(#[$when:meta])? $lanes:literal $worth:expr, $unit:ty = $make:expr;)+])*) => {
        use crate::compress;
        use crate::lanes::{Rung, Rungs};

        $(static $name: &[Rung<$word>] = &[$($(#[$when])? {
            #[target_feature(enable = $features)]
            unsafe fn blocks(chains: *mut $word, from: *const *const u8, count: usize) {
                wirespeed_kernels_core::align_stack!();
                // SAFETY: memory is the caller's promise, and the unit's features are this function's.
                unsafe { compress::blocks::<compress::$function, $unit>($make, chains, from, count) }
                wirespeed_kernels_core::clear_vectors!($features);
            }
            Rung { lanes: $lanes, worth: $worth, blocks }
        }),+];)*
    };
}

/// The kernels of a unit: for each chain and each number of rounds those for more and more vectors.
macro_rules! stream_rungs {
    ($features:literal, $unit:ty = $make:expr, [$($vectors:literal)*]) => {
        #[target_feature(enable = $features)]
        unsafe fn encrypt<
            const CHAIN: usize,
            const ROUNDS: usize,
            const VECTORS: usize,
            const ONE_KEY: bool,
        >(
            keys: *const Block,
            chains: *mut Block,
            from: *const *const u8,
            to: *const *mut u8,
            count: usize,
        ) {
            wirespeed_kernels_core::align_stack!();
            let chain = ChainMode::ALL[CHAIN];
            // SAFETY: memory is the caller's promise, and the unit's features are this function's.
            unsafe {
                streams::encrypt::<$unit, ROUNDS, VECTORS, ONE_KEY>(
                    $make, chain, keys, chains, from, to, count,
                );
            }
            wirespeed_kernels_core::clear_vectors!($features);
        }

        type Rungs = [Rung; [$($vectors),*].len()];

        const fn rungs<const CHAIN: usize, const ROUNDS: usize>() -> Rungs {
            [$(Rung {
                lanes: $vectors * <$unit>::LANES,
                one_key: encrypt::<CHAIN, ROUNDS, $vectors, true>,
                own_keys: encrypt::<CHAIN, ROUNDS, $vectors, false>,
            }),*]
        }

        const fn by_rounds<const CHAIN: usize>() -> [Rungs; 3] {
            [rungs::<CHAIN, 10>(), rungs::<CHAIN, 12>(), rungs::<CHAIN, 14>()]
        }

        pub(super) static RUNGS: [[Rungs; 3]; 3] =
            [by_rounds::<0>(), by_rounds::<1>(), by_rounds::<2>()];
    };
}

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_feature = "sse2")]
mod x86;

#[cfg(target_arch = "aarch64")]
use aarch64 as machine;
#[cfg(target_feature = "sse2")]
use x86 as machine;

#[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
mod other;
#[cfg(not(any(target_feature = "sse2", target_arch = "aarch64")))]
use other as machine;

pub(crate) use machine::{chains, rungs};
