//! The table of algorithms: names, constant properties, functions.

use std::ffi::CStr;

use wirespeed_cipher::{Algorithm, BlockCipher, Delegated, Mode, Subject};

use crate::boundary::cipher::functions;
use crate::cipher::aead::AeadContext;
use crate::cipher::aead::ccm::CcmMode;
use crate::cipher::aead::gcm::GcmMode;
use crate::cipher::aead::gcm_siv::GcmSivMode;
use crate::cipher::aead::ocb::OcbMode;
use crate::cipher::aead::poly1305::Poly1305Mode;
use crate::cipher::block::{Blocks, Cbc, Ecb};
use crate::cipher::chacha20::Keystream;
use crate::cipher::cts::CtsContext;
use crate::cipher::delegated::DelegatedContext;
use crate::cipher::stream::{Cfb, Ctr, Ofb, Stream};
use crate::cipher::xts::Sectors;
use crate::error::CallError;
use crate::host::Version;
use crate::openssl::Dispatch;
use crate::params::declared::{Declared, Name};
use crate::params::int;
use crate::params::list::Asked;
use crate::params::request::Questions;

/// The properties that our algorithms carry.
///
/// A program that has a word about `provider` itself (stunnel: `provider!=fips`) overrides a default
/// query for that property, and `?provider=wirespeed` is lost. The second one is nobody's but ours; its
/// dot makes it a name that libcrypto accepts in a definition (property(7), user names).
pub(crate) const PROPERTIES: &CStr = c"provider=wirespeed,wirespeed.preferred=yes";

/// The functions of an algorithm. `INDEX` is its place in [`Algorithm::ALL`], which functions that
/// get no context know it by; each entry stands for all key sizes of its mode.
pub(crate) fn dispatch(algorithm: Algorithm, version: Version) -> *const Dispatch {
    macro_rules! table {
        ($($names:literal)*) => {
            [$([
                of_mode::<{ Algorithm::place_of($names) }, false>(),
                of_mode::<{ Algorithm::place_of($names) }, true>(),
            ]),*]
        };
    }
    static TABLE: [[&[Dispatch]; 2]; Algorithm::ALL.len()] =
        wirespeed_cipher::each_algorithm!(table);
    TABLE[algorithm.index()][usize::from(version.has_decoders())].as_ptr()
}

/// The functions of a delegated cipher but for [`CIPHER_GET_PARAMS`], which are the host's own. `INDEX` is
/// its place among all subjects.
///
/// [`CIPHER_GET_PARAMS`]: crate::openssl::CIPHER_GET_PARAMS
pub(crate) fn delegated(delegated: Delegated) -> Option<*const Dispatch> {
    macro_rules! table {
        ($($name:literal $key_lengths:literal)*) => {
            match delegated.name() {
                $($name => functions::<
                    DelegatedContext<$key_lengths>,
                    { place_of($name) },
                    false,
                >(),)*
                _ => return None,
            }
        };
    }
    // Whether it takes keys of several lengths.
    let functions = table!(
        "DES-ECB" false
        "DES-CBC" false
        "DES-EDE3-ECB" false
        "DES-EDE3-CBC" false
        "BF-ECB" true
        "BF-CBC" true
        "CAST5-ECB" true
        "CAST5-CBC" true
    );
    Some(functions.as_ptr())
}

/// The place of a delegated algorithm among all subjects.
const fn place_of(name: &str) -> usize {
    DELEGATED + Delegated::called(name).index()
}

/// The place of the first delegated algorithm among all subjects.
const DELEGATED: usize = Subject::COUNT - Delegated::COUNT;

/// For constants only: there the compiler takes one arm, where it would compile all of them for each `INDEX`.
const fn of_mode<const INDEX: usize, const DECODERS: bool>() -> &'static [Dispatch] {
    match Algorithm::ALL[INDEX].mode() {
        Mode::Ecb => functions::<Blocks<Ecb>, INDEX, DECODERS>(),
        Mode::Cbc => functions::<Blocks<Cbc>, INDEX, DECODERS>(),
        Mode::Cts => functions::<CtsContext, INDEX, DECODERS>(),
        Mode::Cfb => functions::<Stream<Cfb<128>>, INDEX, DECODERS>(),
        Mode::Cfb8 => functions::<Stream<Cfb<8>>, INDEX, DECODERS>(),
        Mode::Ofb => functions::<Stream<Ofb>, INDEX, DECODERS>(),
        Mode::Ctr => functions::<Stream<Ctr>, INDEX, DECODERS>(),
        Mode::Xts if is_sm4(INDEX) => functions::<Sectors<true>, INDEX, DECODERS>(),
        Mode::Xts => functions::<Sectors<false>, INDEX, DECODERS>(),
        Mode::Gcm => functions::<AeadContext<GcmMode>, INDEX, DECODERS>(),
        Mode::Ocb => functions::<AeadContext<OcbMode>, INDEX, DECODERS>(),
        Mode::GcmSiv => functions::<AeadContext<GcmSivMode>, INDEX, DECODERS>(),
        Mode::Ccm => functions::<AeadContext<CcmMode>, INDEX, DECODERS>(),
        Mode::Stream => functions::<Keystream, INDEX, DECODERS>(),
        Mode::Poly1305 => functions::<AeadContext<Poly1305Mode>, INDEX, DECODERS>(),
    }
}

const fn is_sm4(index: usize) -> bool {
    matches!(Algorithm::ALL[index].block_cipher(), Some(BlockCipher::Sm4))
}

static GETTABLE_BEFORE_DECODERS: Declared = Declared::of(&[
    Name::Mode,
    Name::KeyLength,
    Name::IvLength,
    Name::BlockSize,
    Name::Aead,
    Name::CustomIv,
    Name::Stealing,
    Name::MultiBlock,
    Name::Random,
]);
static GETTABLE: Declared =
    GETTABLE_BEFORE_DECODERS.and(Name::EncryptThenMac, int(c"encrypt-then-mac"));

/// Constant parameters of an algorithm.
pub(crate) fn gettable(version: Version) -> &'static Declared {
    if version.has_decoders() { &GETTABLE } else { &GETTABLE_BEFORE_DECODERS }
}

/// Answers the constant parameters of an algorithm.
pub(crate) fn answer(
    algorithm: Algorithm,
    list: Asked<'_>,
    version: Version,
) -> Result<(), CallError> {
    let mut questions = Questions::of(list, gettable(version), version)?;
    let mode = algorithm.mode();
    // EVP_CIPH_*_MODE of openssl/evp.h.
    let number = match mode {
        Mode::Ecb => 1,
        Mode::Cbc | Mode::Cts => 2,
        Mode::Cfb | Mode::Cfb8 => 3,
        Mode::Ofb => 4,
        Mode::Ctr => 5,
        Mode::Gcm => 6,
        Mode::Ccm => 7,
        Mode::Xts => 0x10001,
        Mode::Ocb => 0x10003,
        Mode::GcmSiv => 0x10005,
        Mode::Stream | Mode::Poly1305 => 0,
    };
    let aead = mode.has_tag();
    let custom_iv = matches!(mode, Mode::Xts | Mode::Stream) || aead;
    let steals = mode == Mode::Cts;
    questions.answer(Name::Mode, |p| p.set_u32(number))?;
    questions.answer(Name::Aead, |p| p.set_u32(aead.into()))?;
    questions.answer(Name::CustomIv, |p| p.set_u32(custom_iv.into()))?;
    questions.answer(Name::Stealing, |p| p.set_u32(steals.into()))?;
    for absent in [Name::MultiBlock, Name::Random, Name::EncryptThenMac] {
        questions.answer(absent, |p| p.set_u32(0))?;
    }
    questions.answer(Name::KeyLength, |p| p.set_usize(algorithm.key_bytes()))?;
    questions.answer(Name::BlockSize, |p| p.set_usize(mode.block_size()))?;
    questions.answer(Name::IvLength, |p| p.set_usize(algorithm.iv_bytes()))
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use wirespeed_cipher::Shape;

    use super::*;
    use crate::openssl::CIPHER_SETTABLE_CONTEXT_PARAMS;
    use crate::params::list::Given;

    #[test]
    fn every_cipher_of_others_has_its_functions() {
        for it in Delegated::all() {
            let is_cipher = matches!(it.shape(), Shape::Cipher { .. });
            assert_eq!(delegated(it).is_some(), is_cipher, "{}", it.name());
        }
    }

    #[test]
    fn lengths_of_keys_can_be_set_where_there_are_several() {
        for it in Delegated::all() {
            let Some(functions) = delegated(it) else { continue };
            // SAFETY: a table of ours, whose function needs no context, and its list, which has an end.
            let listed = unsafe {
                let settable = CIPHER_SETTABLE_CONTEXT_PARAMS.find(functions).expect("it is there");
                Given::new(settable(null_mut(), null_mut())).find(b"keylen\0").is_some()
            };
            let takes_many = it.name().starts_with("BF-") || it.name().starts_with("CAST5-");
            assert_eq!(listed, takes_many, "{}", it.name());
        }
    }

    #[test]
    fn every_algorithm_has_its_own_functions_for_either_kind_of_libcrypto() {
        let mut tables: Vec<_> = Algorithm::ALL
            .iter()
            .flat_map(|a| ["3.0.19", "4.0.0"].map(|v| dispatch(*a, Version::parse(v))))
            .collect();
        tables.sort();
        tables.dedup();
        assert_eq!(tables.len(), 2 * Algorithm::ALL.len());
    }
}
