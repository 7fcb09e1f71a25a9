//! ChaCha20 and Poly1305 with AVX2 and, in 64-bit code, AVX-512.

#[cfg(target_arch = "x86_64")]
mod ifma;
mod muludq;
mod ymm;
#[cfg(target_arch = "x86_64")]
mod zmm;

use wirespeed_cipher::{Route, StreamKernels};
use wirespeed_cpu::{Avx2, Features, Token};
#[cfg(target_arch = "x86_64")]
use wirespeed_cpu::{Avx512, Avx512Ifma, Feature};

use wirespeed_kernels_core::Absent;

/// The kernels of a route.
pub(crate) fn kernels(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    match route {
        #[cfg(target_arch = "x86_64")]
        Route::Avx512 => match Avx512Ifma::probe(features) {
            Ok(token) => {
                let (bf16, vnni) = (Feature::Avx512Bf16, Feature::AvxVnni);
                Ok(zmm::with_ifma(token, features.has(bf16) && !features.has(vnni)))
            }
            Err(_) => Avx512::probe(features).map(zmm::without_ifma).map_err(Absent::Missing),
        },
        Route::Avx2 => Avx2::probe(features).map(ymm::kernels).map_err(Absent::Missing),
        _ => Err(Absent::WithoutStream),
    }
}

/// For `_mm_shuffle_epi32` and its kin: the words of a row moved by so many places to the front.
macro_rules! turn {
    ($shuffle:ident, $places:ident, $v:ident) => {
        match $places {
            1 => call!($shuffle::<0x39>($v)),
            2 => call!($shuffle::<0x4e>($v)),
            _ => call!($shuffle::<0x93>($v)),
        }
    };
}

/// The same for the word at a place of each row, in all of its places.
macro_rules! word {
    ($shuffle:ident, $place:ident, $v:ident) => {
        match $place {
            0 => call!($shuffle::<0x00>($v)),
            1 => call!($shuffle::<0x55>($v)),
            2 => call!($shuffle::<0xaa>($v)),
            _ => call!($shuffle::<0xff>($v)),
        }
    };
}

/// For [`Rows::store`](crate::Rows::store): of four vectors those of the first blocks, one after another, if `$add`
/// added to what lies at `$from`.
macro_rules! put {
    ($unit:ident, $add:ident, $vectors:ident, $blocks:ident, $from:ident, $to:ident, $load:ident, $store:ident) => {
        for i in 0..4 {
            let (mut vector, place) = ($vectors[i], i * size_of_val(&$vectors[i]));
            if place >= $blocks * 64 {
                break;
            }
            if $add {
                // SAFETY: as much as these blocks are is readable, by the caller's promise.
                let from = unsafe { $from.add(place) };
                // SAFETY: as much is there, by the caller's promise.
                vector = $unit.xor(vector, unsafe { $load(from.cast()) });
            }
            // SAFETY: and writable.
            let to = unsafe { $to.add(place) };
            // SAFETY: as much is there, by the caller's promise.
            unsafe { $store(to.cast(), vector) };
        }
    };
}

use {put, turn, word};
