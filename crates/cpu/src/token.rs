//! Tokens: values that prove a group of CPU features is present.

use crate::feature::{Feature, Features};

/// A proof that this CPU has [`Token::NEEDS`].
pub trait Token: Copy + Sized {
    /// The features that the token stands for.
    const NEEDS: &'static [Feature];

    /// The token, or the first feature that is missing.
    fn probe(features: Features) -> Result<Self, Feature>;

    /// The token once more, where it cannot be handed on: in a function of a static table.
    ///
    /// # Safety
    /// [`Self::probe`] has given it to whoever handed out the table.
    unsafe fn reclaim() -> Self;
}

macro_rules! token {
    ($(#[$doc:meta])* $name:ident: $($feature:ident)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        impl Token for $name {
            const NEEDS: &'static [Feature] = &[$(Feature::$feature,)*];

            fn probe(features: Features) -> Result<Self, Feature> {
                match Self::NEEDS.iter().find(|feature| !features.has(**feature)) {
                    Some(missing) => Err(*missing),
                    None => Ok(Self(())),
                }
            }

            unsafe fn reclaim() -> Self {
                Self(())
            }
        }
    };
}

token!(
    /// AES rounds and carry-less multiplication on 128-bit vectors.
    AesNi: Ssse3 Sse41 Aes Pclmulqdq
);
token!(
    /// The same on 256-bit vectors.
    Vaes256: Ssse3 Sse41 Aes Pclmulqdq Avx Avx2 Vaes Vpclmulqdq
);
token!(
    /// The same on 512-bit vectors, with byte masks.
    Vaes512: Ssse3 Sse41 Aes Pclmulqdq Avx Avx2 Bmi2 Vaes Vpclmulqdq Avx512f Avx512bw Avx512vl
);
token!(
    /// Affine maps and inversion in GF(2^8) on 256-bit vectors, and [`AesNi`]'s carry-less multiplication.
    Gfni256: Ssse3 Sse41 Aes Pclmulqdq Avx Avx2 Bmi2 Gfni
);
token!(
    /// The same on 512-bit vectors, with byte masks.
    Gfni512: Ssse3 Sse41 Aes Pclmulqdq Avx Avx2 Bmi2 Gfni Avx512f Avx512bw Avx512vl Avx512dq
);
token!(
    /// SHA-1 and SHA-256 rounds.
    ShaNi: Ssse3 Sse41 ShaNi
);
token!(
    /// Integers and logic on 128-bit vectors.
    Sse2: Sse2
);
token!(
    /// The same with byte shuffles.
    Ssse3: Sse2 Ssse3
);
token!(
    /// Integers in 256-bit vectors, and rotations of words without flags.
    Avx2: Ssse3 Sse41 Avx Avx2 Bmi1 Bmi2
);
token!(
    /// Integers in 512-bit vectors, with rotations, byte masks and logic functions of three operands.
    Avx512: Ssse3 Sse41 Avx Avx2 Bmi1 Bmi2 Avx512f Avx512bw Avx512vl Avx512dq
);
token!(
    /// The same with multiply-adds of 52-bit integers.
    Avx512Ifma: Ssse3 Sse41 Avx Avx2 Bmi1 Bmi2 Avx512f Avx512bw Avx512vl Avx512dq Avx512ifma
);
token!(
    /// PadLock's random number generator.
    Rng: Rng
);
token!(
    /// PadLock's second random number generator.
    Rng2: Rng2
);
token!(
    /// PadLock's AES: ECB, CBC, CFB and OFB.
    Ace: Ace
);
token!(
    /// The same with CTR and unaligned data.
    Ace2: Ace Ace2
);
token!(
    /// PadLock's SHA-1 and SHA-256.
    Phe: Phe
);
token!(
    /// PadLock's SHA-384 and SHA-512.
    Phe2: Phe2
);
token!(
    /// PadLock's Montgomery multiplier.
    Pmm: Pmm
);
token!(
    /// SM3 and SM4 on Zhaoxin's CPUs.
    Ccs: Ccs
);

token!(
    /// ARM: integers and logic on 128-bit vectors.
    Neon: Asimd
);
token!(
    /// ARM: AES rounds and carry-less multiplication.
    AesCe: Asimd Aes Pmull
);
token!(
    /// The same with sums of three.
    AesCeSha3: Asimd Aes Pmull Sha3
);
token!(
    /// ARM: SHA-1 and SHA-256 rounds.
    ShaCe: Asimd Sha1 Sha2
);
token!(
    /// ARM: SHA-512 rounds, and the steps of SHA-3.
    ShaCe512: Asimd Sha512 Sha3
);
token!(
    /// ARM: SM3 and SM4 rounds.
    Sm4Ce: Asimd Sm3 Sm4
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_names_the_first_missing_feature() {
        let all = Feature::ALL.iter().fold(Features::NONE, |set, feature| set.with(*feature, true));
        assert!(Vaes512::probe(all).is_ok());
        assert_eq!(Vaes512::probe(all.without(Feature::Vaes)).unwrap_err(), Feature::Vaes);
        assert_eq!(AesNi::probe(Features::NONE).unwrap_err(), Feature::Ssse3);
        assert!(Vaes256::probe(all.without(Feature::Avx512f)).is_ok());
    }
}
