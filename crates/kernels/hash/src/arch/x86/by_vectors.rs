//! The routes `avx512` and `avx2` of hash functions: one message, on integers with BMI's rotations that leave
//! their operand alone, and on vectors where a step has room for them.

use wirespeed_cipher::{Chain, Compression, HashKernels, Route};
use wirespeed_cpu::{Avx2, Avx512, Feature, Features, Token};
use wirespeed_kernels_core::Absent;

use super::{integers, keccak, sha512};
use crate::{of, portable};

/// A compression function of one of these routes.
pub(super) fn hash(
    route: Route,
    compression: Compression,
    features: Features,
) -> Result<&'static HashKernels, Absent> {
    // With few units for integers the rounds of SHA-512 have another order.
    let which = usize::from(features.has(Feature::AvxVnni));
    let table = match route {
        Route::Avx512 => Avx512::probe(features).map(|_| &AVX512[which]),
        Route::Avx2 => Avx2::probe(features).map(|_| &AVX2[which]),
        _ => return Err(Absent::WithoutHash(compression)),
    };
    let hash = table.map_err(Absent::Missing)?.iter().find(|it| it.compression == compression);
    hash.ok_or(Absent::WithoutHash(compression))
}

/// Those of a route, with its own SHA-512 and Keccak.
macro_rules! table {
    ($route:expr, $sha512:expr, $keccak:ident) => {
        [
            of($route, Compression::Md5, md5),
            of($route, Compression::Sm3, sm3),
            of($route, Compression::Sha512, $sha512),
            of($route, Compression::Keccak168, $keccak::<168>),
            of($route, Compression::Keccak144, $keccak::<144>),
            of($route, Compression::Keccak136, $keccak::<136>),
            of($route, Compression::Keccak104, $keccak::<104>),
            of($route, Compression::Keccak72, $keccak::<72>),
        ]
    };
}

/// For CPUs with four units for integers, and with more.
static AVX512: [[HashKernels; 8]; 2] = [
    table!(Route::Avx512, sha512_narrow_by_instruction, keccak_in_vectors),
    table!(Route::Avx512, sha512_wide_by_instruction, keccak_in_vectors),
];
static AVX2: [[HashKernels; 8]; 2] = [
    table!(Route::Avx2, sha512_narrow_by_shifts, keccak_on_integers),
    table!(Route::Avx2, sha512_wide_by_shifts, keccak_on_integers),
];

wirespeed_kernels_core::entries! { ["bmi1,bmi2"]
    fn md5[][](chain: &mut Chain, data: &[u8]) { integers::md5(chain, data) }
    fn sm3[][](chain: &mut Chain, data: &[u8]) { integers::sm3(chain, data) }
    fn keccak_on_integers[const RATE: usize][RATE](chain: &mut Chain, data: &[u8])
        { portable::absorb::<keccak::Integer, RATE>(chain, data) }
}

wirespeed_kernels_core::entries! { ["bmi1,bmi2,avx2"]
    fn sha512_narrow_by_shifts[][](chain: &mut Chain, data: &[u8])
        { sha512::narrow_by_shifts(chain, data) }
    fn sha512_wide_by_shifts[][](chain: &mut Chain, data: &[u8])
        { sha512::wide_by_shifts(chain, data) }
}

wirespeed_kernels_core::entries! { ["bmi1,bmi2,avx2,avx512f,avx512vl"]
    fn sha512_narrow_by_instruction[][](chain: &mut Chain, data: &[u8])
        { sha512::narrow_by_instruction(chain, data) }
    fn sha512_wide_by_instruction[][](chain: &mut Chain, data: &[u8])
        { sha512::wide_by_instruction(chain, data) }
    fn keccak_in_vectors[const RATE: usize][RATE](chain: &mut Chain, data: &[u8])
        { portable::absorb::<keccak::Vector, RATE>(chain, data) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove_hash;

    #[test]
    #[cfg_attr(miri, ignore = "assembly")]
    fn sha512_is_proved_in_orders_that_this_cpu_would_not_get() {
        let features = Features::detect();
        let tables =
            [(&AVX512, Avx512::probe(features).is_ok()), (&AVX2, Avx2::probe(features).is_ok())];
        for (tables, is_here) in tables {
            let route = tables[0][0].route;
            if !is_here {
                println!("skipped {route}: it is not here");
                continue;
            }
            for table in tables {
                let kernels = table.iter().find(|it| it.compression == Compression::Sha512);
                let proof = prove_hash(kernels.expect("both have it"));
                assert!(proof.is_ok_and(|proof| proof.checks > 50), "{route}");
            }
        }
    }
}
