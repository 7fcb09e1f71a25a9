//! ChaCha20 and Poly1305 with AVX-512 and AVX2.

mod ifma;
mod ymm;
mod zmm;

use wirespeed_cipher::{Route, StreamKernels};
use wirespeed_cpu::{Avx2, Avx512, Avx512Ifma, Features, Token};

use crate::Absent;

/// The kernels of a route.
pub(super) fn kernels(route: Route, features: Features) -> Result<&'static StreamKernels, Absent> {
    match route {
        Route::Avx512 => match Avx512Ifma::probe(features) {
            Ok(token) => Ok(zmm::with_ifma(token)),
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

use turn;
