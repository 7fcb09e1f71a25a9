//! The routes by vectors in 32-bit code, where 64-bit integers are in vectors.

use wirespeed_cipher::{Chain, Compression, HashKernels, Route};
use wirespeed_cpu::{Avx2, Avx512, Feature, Features, Sse2, Token};
use wirespeed_kernels_core::Absent;

use super::{integers, keccak, sha512_pairs};
use crate::{of, portable};

/// A compression function of one of these routes.
pub(super) fn hash(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    let table = match route {
        Route::Avx512 => Avx512::probe(features).map(|_| &AVX512[..]),
        Route::Avx2 => Avx2::probe(features).map(|_| &AVX2[..]),
        Route::Sse2 if features.has(Feature::Avx) => Ok(&BESIDE_AVX[..]),
        Route::Sse2 => Sse2::probe(features).map(|_| &SSE2[..]),
        _ => return Err(Absent::WithoutHash(compression)),
    };
    let hash = table.map_err(Absent::Missing)?.iter().find(|it| it.compression == compression);
    hash.ok_or(Absent::WithoutHash(compression))
}

/// A route's Keccak of every rate.
macro_rules! keccak {
    ($route:expr, $absorb:ident $(, $compression:ident $blocks:ident)*) => {
        [
            $(of($route, Compression::$compression, $blocks),)*
            of($route, Compression::Keccak168, $absorb::<168>),
            of($route, Compression::Keccak144, $absorb::<144>),
            of($route, Compression::Keccak136, $absorb::<136>),
            of($route, Compression::Keccak104, $absorb::<104>),
            of($route, Compression::Keccak72, $absorb::<72>),
        ]
    };
}

static AVX512: [HashKernels; 8] =
    keccak!(Route::Avx512, absorb_by_instruction, Sha512 sha512_by_instruction, Md5 md5, Sm3 sm3);
static AVX2: [HashKernels; 8] =
    keccak!(Route::Avx2, clean_absorb, Sha512 sha512_by_shifts, Md5 md5, Sm3 sm3);
static BESIDE_AVX: [HashKernels; 5] = keccak!(Route::Sse2, clean_absorb);
static SSE2: [HashKernels; 5] = keccak!(Route::Sse2, absorb);

wirespeed_kernels_core::entries! { ["bmi1,bmi2"]
    fn md5[][](chain: &mut Chain, data: &[u8]) { integers::md5(chain, data) }
    fn sm3[][](chain: &mut Chain, data: &[u8]) { integers::sm3(chain, data) }
}

wirespeed_kernels_core::entries! { ["avx2,avx512f,avx512vl"]
    fn sha512_by_instruction[][](chain: &mut Chain, data: &[u8])
        { sha512_pairs::by_instruction(chain, data) }
    fn absorb_by_instruction[const RATE: usize][RATE](chain: &mut Chain, data: &[u8])
        { portable::absorb::<keccak::Vector, RATE>(chain, data) }
}

wirespeed_kernels_core::entries! { ["avx2"]
    fn sha512_by_shifts[][](chain: &mut Chain, data: &[u8]) { sha512_pairs::by_shifts(chain, data) }
}

// As in the route `sha-ni`: instructions that keep the upper parts of registers wait for what is there.
wirespeed_kernels_core::entries! { ["avx"]
    fn clean_absorb[const RATE: usize][RATE](chain: &mut Chain, data: &[u8])
        { portable::absorb::<keccak::Shifted, RATE>(chain, data) }
}

wirespeed_kernels_core::entries! { ["sse2"]
    fn absorb[const RATE: usize][RATE](chain: &mut Chain, data: &[u8])
        { portable::absorb::<keccak::Shifted, RATE>(chain, data) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove_hash;

    #[test]
    fn tables_are_proved_that_this_cpu_would_not_get() {
        let features = Features::detect();
        let all = [
            (&AVX512[..], Avx512::NEEDS),
            (&AVX2[..], Avx2::NEEDS),
            (&BESIDE_AVX[..], &[Feature::Avx]),
            (&SSE2[..], Sse2::NEEDS),
        ];
        for (table, needs) in all {
            if let Some(missing) = needs.iter().find(|it| !features.has(**it)) {
                println!("skipped {}: no {}", table[0].route, missing.name());
                continue;
            }
            for kernels in table {
                let proof = prove_hash(kernels);
                let (route, compression) = (kernels.route, kernels.compression);
                assert!(proof.is_ok_and(|proof| proof.checks > 50), "{route} {compression}");
            }
        }
    }
}
