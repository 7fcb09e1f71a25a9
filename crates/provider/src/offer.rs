//! The table of algorithms: names, constant properties, functions.

use std::ffi::CStr;

use wirespeed_cipher::{Algorithm, BlockCipher, Foreign, Mode, Shape, Subject};

use crate::boundary::cipher::functions;
use crate::cipher::block::{Blocks, Cbc, Ecb};
use crate::cipher::ccm::CcmContext;
use crate::cipher::chacha20::Keystream;
use crate::cipher::cts::CtsContext;
use crate::cipher::foreign::Foreign as ForeignCipher;
use crate::cipher::gcm::GcmContext;
use crate::cipher::gcm_siv::GcmSivContext;
use crate::cipher::ocb::OffsetCodebook;
use crate::cipher::poly1305::Sealed;
use crate::cipher::stream::{Cfb, Ctr, Ofb, Stream};
use crate::cipher::xts::Sectors;
use crate::error::CallError;
use crate::host::Version;
use crate::openssl::{Dispatch, Param};
use crate::params::request::{Name, Names, Request};
use crate::params::{END, List, int, size, uint};

/// The properties that our algorithms carry.
///
/// A program that has a word about `provider` itself (stunnel: `provider!=fips`) overrides a default
/// query for that property, and `?provider=wirespeed` is lost. The second one is nobody's but ours; its
/// dot makes it a name that libcrypto accepts in a definition (property(7), user names).
pub(crate) const PROPERTIES: &CStr = c"provider=wirespeed,wirespeed.preferred=yes";

/// All names of an algorithm, as in the default provider's table
/// (providers/implementations/include/prov/names.h, unchanged from 3.0 to 4.0).
pub(crate) fn names(algorithm: Algorithm) -> &'static CStr {
    use BlockCipher::*;
    let Some(cipher) = algorithm.block_cipher() else {
        return if algorithm.mode().has_tag() { c"ChaCha20-Poly1305" } else { c"ChaCha20" };
    };
    match (algorithm.mode(), cipher) {
        (Mode::Ecb, Aes128) => c"AES-128-ECB:2.16.840.1.101.3.4.1.1",
        (Mode::Ecb, Aes192) => c"AES-192-ECB:2.16.840.1.101.3.4.1.21",
        (Mode::Ecb, Aes256) => c"AES-256-ECB:2.16.840.1.101.3.4.1.41",
        (Mode::Ecb, Sm4) => c"SM4-ECB:1.2.156.10197.1.104.1",
        (Mode::Cbc, Aes128) => c"AES-128-CBC:AES128:2.16.840.1.101.3.4.1.2",
        (Mode::Cbc, Aes192) => c"AES-192-CBC:AES192:2.16.840.1.101.3.4.1.22",
        (Mode::Cbc, Aes256) => c"AES-256-CBC:AES256:2.16.840.1.101.3.4.1.42",
        (Mode::Cbc, Sm4) => c"SM4-CBC:SM4:1.2.156.10197.1.104.2",
        (Mode::Ofb, Aes128) => c"AES-128-OFB:2.16.840.1.101.3.4.1.3",
        (Mode::Ofb, Aes192) => c"AES-192-OFB:2.16.840.1.101.3.4.1.23",
        (Mode::Ofb, Aes256) => c"AES-256-OFB:2.16.840.1.101.3.4.1.43",
        (Mode::Ofb, Sm4) => c"SM4-OFB:SM4-OFB128:1.2.156.10197.1.104.3",
        (Mode::Cfb, Aes128) => c"AES-128-CFB:2.16.840.1.101.3.4.1.4",
        (Mode::Cfb, Aes192) => c"AES-192-CFB:2.16.840.1.101.3.4.1.24",
        (Mode::Cfb, Aes256) => c"AES-256-CFB:2.16.840.1.101.3.4.1.44",
        (Mode::Cfb, Sm4) => c"SM4-CFB:SM4-CFB128:1.2.156.10197.1.104.4",
        (Mode::Ctr, Aes128) => c"AES-128-CTR",
        (Mode::Ctr, Aes192) => c"AES-192-CTR",
        (Mode::Ctr, Aes256) => c"AES-256-CTR",
        (Mode::Ctr, Sm4) => c"SM4-CTR:1.2.156.10197.1.104.7",
        (Mode::Ecb, Camellia128) => c"CAMELLIA-128-ECB:0.3.4401.5.3.1.9.1",
        (Mode::Ecb, Camellia192) => c"CAMELLIA-192-ECB:0.3.4401.5.3.1.9.21",
        (Mode::Ecb, Camellia256) => c"CAMELLIA-256-ECB:0.3.4401.5.3.1.9.41",
        (Mode::Cbc, Camellia128) => c"CAMELLIA-128-CBC:CAMELLIA128:1.2.392.200011.61.1.1.1.2",
        (Mode::Cbc, Camellia192) => c"CAMELLIA-192-CBC:CAMELLIA192:1.2.392.200011.61.1.1.1.3",
        (Mode::Cbc, Camellia256) => c"CAMELLIA-256-CBC:CAMELLIA256:1.2.392.200011.61.1.1.1.4",
        (Mode::Ofb, Camellia128) => c"CAMELLIA-128-OFB:0.3.4401.5.3.1.9.3",
        (Mode::Ofb, Camellia192) => c"CAMELLIA-192-OFB:0.3.4401.5.3.1.9.23",
        (Mode::Ofb, Camellia256) => c"CAMELLIA-256-OFB:0.3.4401.5.3.1.9.43",
        (Mode::Cfb, Camellia128) => c"CAMELLIA-128-CFB:0.3.4401.5.3.1.9.4",
        (Mode::Cfb, Camellia192) => c"CAMELLIA-192-CFB:0.3.4401.5.3.1.9.24",
        (Mode::Cfb, Camellia256) => c"CAMELLIA-256-CFB:0.3.4401.5.3.1.9.44",
        (Mode::Ctr, Camellia128) => c"CAMELLIA-128-CTR:0.3.4401.5.3.1.9.9",
        (Mode::Ctr, Camellia192) => c"CAMELLIA-192-CTR:0.3.4401.5.3.1.9.29",
        (Mode::Ctr, Camellia256) => c"CAMELLIA-256-CTR:0.3.4401.5.3.1.9.49",
        (Mode::Ecb, Aria128) => c"ARIA-128-ECB:1.2.410.200046.1.1.1",
        (Mode::Ecb, Aria192) => c"ARIA-192-ECB:1.2.410.200046.1.1.6",
        (Mode::Ecb, Aria256) => c"ARIA-256-ECB:1.2.410.200046.1.1.11",
        (Mode::Cbc, Aria128) => c"ARIA-128-CBC:ARIA128:1.2.410.200046.1.1.2",
        (Mode::Cbc, Aria192) => c"ARIA-192-CBC:ARIA192:1.2.410.200046.1.1.7",
        (Mode::Cbc, Aria256) => c"ARIA-256-CBC:ARIA256:1.2.410.200046.1.1.12",
        (Mode::Ofb, Aria128) => c"ARIA-128-OFB:1.2.410.200046.1.1.4",
        (Mode::Ofb, Aria192) => c"ARIA-192-OFB:1.2.410.200046.1.1.9",
        (Mode::Ofb, Aria256) => c"ARIA-256-OFB:1.2.410.200046.1.1.14",
        (Mode::Cfb, Aria128) => c"ARIA-128-CFB:1.2.410.200046.1.1.3",
        (Mode::Cfb, Aria192) => c"ARIA-192-CFB:1.2.410.200046.1.1.8",
        (Mode::Cfb, Aria256) => c"ARIA-256-CFB:1.2.410.200046.1.1.13",
        (Mode::Ctr, Aria128) => c"ARIA-128-CTR:1.2.410.200046.1.1.5",
        (Mode::Ctr, Aria192) => c"ARIA-192-CTR:1.2.410.200046.1.1.10",
        (Mode::Ctr, Aria256) => c"ARIA-256-CTR:1.2.410.200046.1.1.15",
        (Mode::Xts, Aes128) => c"AES-128-XTS:1.3.111.2.1619.0.1.1",
        (Mode::Xts, Sm4) => c"SM4-XTS:1.2.156.10197.1.104.10",
        (Mode::Xts, _) => c"AES-256-XTS:1.3.111.2.1619.0.1.2",
        (Mode::Gcm, Aes128) => c"AES-128-GCM:id-aes128-GCM:2.16.840.1.101.3.4.1.6",
        (Mode::Gcm, Aes192) => c"AES-192-GCM:id-aes192-GCM:2.16.840.1.101.3.4.1.26",
        (Mode::Gcm, Sm4) => c"SM4-GCM:1.2.156.10197.1.104.8",
        (Mode::Gcm, Aria128) => c"ARIA-128-GCM:1.2.410.200046.1.1.34",
        (Mode::Gcm, Aria192) => c"ARIA-192-GCM:1.2.410.200046.1.1.35",
        (Mode::Gcm, Aria256) => c"ARIA-256-GCM:1.2.410.200046.1.1.36",
        (Mode::Gcm, _) => c"AES-256-GCM:id-aes256-GCM:2.16.840.1.101.3.4.1.46",
        (Mode::Ocb, Aes128) => c"AES-128-OCB",
        (Mode::Ocb, Aes192) => c"AES-192-OCB",
        (Mode::Ocb, _) => c"AES-256-OCB",
        (Mode::GcmSiv, Aes128) => c"AES-128-GCM-SIV",
        (Mode::GcmSiv, Aes192) => c"AES-192-GCM-SIV",
        (Mode::GcmSiv, _) => c"AES-256-GCM-SIV",
        (Mode::Ccm, Sm4) => c"SM4-CCM:1.2.156.10197.1.104.9",
        (Mode::Ccm, Aria128) => c"ARIA-128-CCM:1.2.410.200046.1.1.37",
        (Mode::Ccm, Aria192) => c"ARIA-192-CCM:1.2.410.200046.1.1.38",
        (Mode::Ccm, Aria256) => c"ARIA-256-CCM:1.2.410.200046.1.1.39",
        (Mode::Cts, Aes128) => c"AES-128-CBC-CTS",
        (Mode::Cts, Aes192) => c"AES-192-CBC-CTS",
        (Mode::Cts, Aes256) => c"AES-256-CBC-CTS",
        (Mode::Cfb8, Aes128) => c"AES-128-CFB8",
        (Mode::Cfb8, Aes192) => c"AES-192-CFB8",
        (Mode::Cfb8, Aes256) => c"AES-256-CFB8",
        (Mode::Cts, Camellia128) => c"CAMELLIA-128-CBC-CTS",
        (Mode::Cts, Camellia192) => c"CAMELLIA-192-CBC-CTS",
        (Mode::Cts, Camellia256) => c"CAMELLIA-256-CBC-CTS",
        (Mode::Cts | Mode::Cfb8 | Mode::Ccm | Mode::Stream | Mode::Poly1305, _) => {
            unreachable!("no mode of its")
        }
    }
}

/// The functions of an algorithm. `INDEX` is its place in [`Algorithm::ALL`], which functions that
/// get no context know it by; each entry stands for all key sizes of its mode.
pub(crate) fn dispatch(algorithm: Algorithm, version: Version) -> *const Dispatch {
    let index = Algorithm::ALL.iter().position(|a| *a == algorithm).expect("every algorithm");
    macro_rules! table {
        ($($index:literal)*) => {
            match index {
                $($index => match version.has_decoders() {
                    false => of_mode::<$index, false>(),
                    true => of_mode::<$index, true>(),
                },)*
                _ => unreachable!("no more algorithms"),
            }
        };
    }
    table!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80)
}

/// The functions of a foreign cipher but for [`CIPHER_GET_PARAMS`], which are the host's own. `INDEX` is
/// its place among all subjects.
///
/// [`CIPHER_GET_PARAMS`]: crate::openssl::CIPHER_GET_PARAMS
pub(crate) fn foreign(foreign: Foreign) -> Option<*const Dispatch> {
    let Shape::Cipher { block_bytes, .. } = foreign.shape() else { return None };
    macro_rules! table {
        ($($place:literal)*) => {
            match (foreign.index(), block_bytes) {
                $(($place, 8) => functions::<ForeignCipher<8>, { FOREIGN + $place }, false>(),
                ($place, _) => functions::<ForeignCipher<16>, { FOREIGN + $place }, false>(),)*
                _ => return None,
            }
        };
    }
    Some(table!(0 1 2 3 4 5 6 7))
}

/// The place of the first foreign algorithm among all subjects.
const FOREIGN: usize = Subject::COUNT - Foreign::COUNT;

fn of_mode<const INDEX: usize, const DECODERS: bool>() -> *const Dispatch {
    match const { Algorithm::ALL[INDEX].mode() } {
        Mode::Ecb => functions::<Blocks<Ecb>, INDEX, DECODERS>(),
        Mode::Cbc => functions::<Blocks<Cbc>, INDEX, DECODERS>(),
        Mode::Cts => functions::<CtsContext, INDEX, DECODERS>(),
        Mode::Cfb => functions::<Stream<Cfb<128>>, INDEX, DECODERS>(),
        Mode::Cfb8 => functions::<Stream<Cfb<8>>, INDEX, DECODERS>(),
        Mode::Ofb => functions::<Stream<Ofb>, INDEX, DECODERS>(),
        Mode::Ctr => functions::<Stream<Ctr>, INDEX, DECODERS>(),
        Mode::Xts if is_sm4(INDEX) => functions::<Sectors<true>, INDEX, DECODERS>(),
        Mode::Xts => functions::<Sectors<false>, INDEX, DECODERS>(),
        Mode::Gcm => functions::<GcmContext, INDEX, DECODERS>(),
        Mode::Ocb => functions::<OffsetCodebook, INDEX, DECODERS>(),
        Mode::GcmSiv => functions::<GcmSivContext, INDEX, DECODERS>(),
        Mode::Ccm => functions::<CcmContext, INDEX, DECODERS>(),
        Mode::Stream => functions::<Keystream, INDEX, DECODERS>(),
        Mode::Poly1305 => functions::<Sealed, INDEX, DECODERS>(),
    }
}

const fn is_sm4(index: usize) -> bool {
    matches!(Algorithm::ALL[index].block_cipher(), Some(BlockCipher::Sm4))
}

const fn gettable_list(last: Param) -> List<11> {
    List::new([
        uint(c"mode"),
        size(c"keylen"),
        size(c"ivlen"),
        size(c"blocksize"),
        int(c"aead"),
        int(c"custom-iv"),
        int(c"cts"),
        int(c"tls-multi"),
        int(c"has-randkey"),
        last,
        END,
    ])
}

static GETTABLE_LIST: List<11> = gettable_list(int(c"encrypt-then-mac"));
static GETTABLE_LIST_BEFORE_DECODERS: List<11> = gettable_list(END);

/// Parameters of an algorithm, as OpenSSL lists them.
pub(crate) fn gettable(version: Version) -> *const Param {
    if version.has_decoders() {
        GETTABLE_LIST.as_ptr()
    } else {
        GETTABLE_LIST_BEFORE_DECODERS.as_ptr()
    }
}

const GETTABLE: &[Name] = &[
    Name::Mode,
    Name::KeyLength,
    Name::IvLength,
    Name::BlockSize,
    Name::Aead,
    Name::CustomIv,
    Name::Stealing,
    Name::MultiBlock,
    Name::Random,
    Name::EncryptThenMac,
];

/// Answers the constant parameters of an algorithm.
///
/// # Safety
/// `list` must be null or end with a null key, be writable, and be nobody else's.
pub(crate) unsafe fn answer(
    algorithm: Algorithm,
    list: *mut Param,
    version: Version,
) -> Result<(), CallError> {
    let known = if version.has_decoders() { GETTABLE } else { &GETTABLE[..GETTABLE.len() - 1] };
    // SAFETY: the caller promises the list.
    let mut request = unsafe { Request::read(list, Names::of(known), version)? };
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
    request.answer(Name::Mode, |p| p.set_u32(number))?;
    request.answer(Name::Aead, |p| p.set_u32(aead.into()))?;
    request.answer(Name::CustomIv, |p| p.set_u32(custom_iv.into()))?;
    request.answer(Name::Stealing, |p| p.set_u32(steals.into()))?;
    for absent in [Name::MultiBlock, Name::Random, Name::EncryptThenMac] {
        request.answer(absent, |p| p.set_u32(0))?;
    }
    request.answer(Name::KeyLength, |p| p.set_usize(algorithm.key_bytes()))?;
    request.answer(Name::BlockSize, |p| p.set_usize(mode.block_size()))?;
    request.answer(Name::IvLength, |p| p.set_usize(algorithm.iv_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_algorithm_has_its_own_name_first() {
        for algorithm in Algorithm::ALL {
            let names = names(*algorithm).to_str().unwrap();
            assert_eq!(names.split(':').next(), Some(algorithm.name()));
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
