//! A provider inside this program whose hash function and ciphers do nothing: what their calls take is what EVP itself
//! costs, the least that any provider's take.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::mem::MaybeUninit;
use std::ptr;

use crate::cipher::Cipher;
use crate::context::Context;
use crate::digest::Digest;
use crate::error::Error;
use crate::library::Library;
use crate::param::{self, RawParam};

/// Its names, and that of what it offers.
const PROVIDER: &str = "nothing";
const NAMES: &CStr = c"NOTHING";
/// A hash of nothing, as long as SHA-1's and from blocks as long.
pub fn hash_of_nothing(library: Library) -> Result<Digest, Error> {
    loaded(library)?.digest(&NAMES.to_string_lossy(), None)
}

/// A cipher that copies nothing, with a key of 16, 24, 32 or 64 bytes and an IV of none, 12 or 16. With one of 12 it is an
/// AEAD, with a tag of nothing.
pub fn cipher_of_nothing(
    library: Library,
    key_bytes: usize,
    iv_bytes: usize,
) -> Result<Cipher, Error> {
    loaded(library)?.fetch(&format!("NOTHING-{key_bytes}-{iv_bytes}"), None)
}

/// A library context with this provider alone.
fn loaded(library: Library) -> Result<Context, Error> {
    let context = Context::new(library)?;
    // SAFETY: a provider's entry point, and a function of this program, which is there to its end.
    unsafe { context.add_builtin(PROVIDER, init)? };
    context.load(PROVIDER)?;
    Ok(context)
}

/// `OSSL_DISPATCH` of openssl/core.h.
#[repr(C)]
struct Dispatch {
    number: c_int,
    function: *const c_void,
}

/// `OSSL_ALGORITHM` of openssl/core.h.
#[repr(C)]
struct Algorithm {
    names: *const c_char,
    properties: *const c_char,
    implementation: *const Dispatch,
    description: *const c_char,
}

/// A table that libcrypto reads.
#[repr(transparent)]
struct Table<T, const N: usize>([T; N]);

// SAFETY: nobody writes to it, nor to what it points to.
unsafe impl<T, const N: usize> Sync for Table<T, N> {}

const END: Dispatch = Dispatch { number: 0, function: ptr::null() };

/// Numbered as in openssl/core_dispatch.h, `OSSL_FUNC_PROVIDER_*` and `OSSL_FUNC_DIGEST_*`.
static OF_PROVIDER: Table<Dispatch, 3> = Table([
    Dispatch { number: 1024, function: teardown as *const c_void },
    Dispatch { number: 1027, function: query as *const c_void },
    END,
]);
static OF_DIGEST: Table<Dispatch, 7> = Table([
    Dispatch { number: 1, function: new as *const c_void },
    Dispatch { number: 2, function: start as *const c_void },
    Dispatch { number: 3, function: update as *const c_void },
    Dispatch { number: 4, function: finish as *const c_void },
    Dispatch { number: 6, function: free as *const c_void },
    Dispatch { number: 8, function: sizes as *const c_void },
    END,
]);
/// `OSSL_FUNC_CIPHER_*`.
const fn of_cipher(sizes: *const c_void) -> Table<Dispatch, 12> {
    Table([
        Dispatch { number: 1, function: new as *const c_void },
        Dispatch { number: 2, function: key as *const c_void },
        Dispatch { number: 3, function: key as *const c_void },
        Dispatch { number: 4, function: crypt as *const c_void },
        Dispatch { number: 5, function: end as *const c_void },
        Dispatch { number: 7, function: free as *const c_void },
        Dispatch { number: 9, function: sizes },
        Dispatch { number: 10, function: parameters as *const c_void },
        Dispatch { number: 11, function: parameters as *const c_void },
        Dispatch { number: 13, function: known as *const c_void },
        Dispatch { number: 14, function: known as *const c_void },
        END,
    ])
}
const fn algorithm(names: *const c_char, implementation: *const Dispatch) -> Algorithm {
    let properties = c"provider=nothing".as_ptr();
    Algorithm { names, properties, implementation, description: ptr::null() }
}
static DIGESTS: Table<Algorithm, 2> = Table([
    algorithm(NAMES.as_ptr(), (&raw const OF_DIGEST).cast()),
    algorithm(ptr::null(), ptr::null()),
]);

macro_rules! ciphers {
    ($count:literal: $($key:literal $iv:literal)*) => {
        static CIPHERS: Table<Algorithm, $count> = Table([
            $(algorithm(
                concat!("NOTHING-", $key, "-", $iv, "\0").as_ptr().cast(),
                {
                    static OF_CIPHER: Table<Dispatch, 12> =
                        of_cipher(cipher_sizes::<$key, $iv> as *const c_void);
                    (&raw const OF_CIPHER).cast()
                },
            ),)*
            algorithm(ptr::null(), ptr::null()),
        ]);
    };
}
ciphers!(13: 16 0  16 12  16 16  24 0  24 12  24 16  32 0  32 12  32 16  64 0  64 12  64 16);

unsafe extern "C" fn init(
    handle: *const c_void,
    _: *const Dispatch,
    functions: *mut *const Dispatch,
    context: *mut *mut c_void,
) -> c_int {
    // SAFETY: libcrypto asks for both. What is no null pointer does for a context.
    unsafe {
        functions.write((&raw const OF_PROVIDER).cast());
        context.write(handle.cast_mut());
    }
    1
}

extern "C" fn teardown(_: *mut c_void) {}

extern "C" fn query(_: *mut c_void, operation: c_int, _: *mut c_int) -> *const Algorithm {
    /// `OSSL_OP_DIGEST`.
    const DIGEST: c_int = 1;
    /// `OSSL_OP_CIPHER`.
    const CIPHER: c_int = 2;
    match operation {
        DIGEST => (&raw const DIGESTS).cast(),
        CIPHER => (&raw const CIPHERS).cast(),
        _ => ptr::null(),
    }
}

/// As much as a hash function with blocks of 64 bytes keeps.
type State = MaybeUninit<[u64; 16]>;

/// libcrypto wants a context of its own for each of its own, and 3.0 makes and frees one for each message.
extern "C" fn new(_: *mut c_void) -> *mut c_void {
    Box::into_raw(Box::new(State::uninit())).cast()
}

extern "C" fn start(_: *mut c_void, _: *const RawParam) -> c_int {
    1
}

extern "C" fn update(_: *mut c_void, _: *const c_uchar, _: usize) -> c_int {
    1
}

extern "C" fn key(
    _: *mut c_void,
    _: *const c_uchar,
    _: usize,
    _: *const c_uchar,
    _: usize,
    _: *const RawParam,
) -> c_int {
    1
}

unsafe extern "C" fn crypt(
    _: *mut c_void,
    _: *mut c_uchar,
    written: *mut usize,
    _: usize,
    _: *const c_uchar,
    length: usize,
) -> c_int {
    // SAFETY: libcrypto asks for the length.
    unsafe { written.write(length) };
    1
}

unsafe extern "C" fn end(_: *mut c_void, _: *mut c_uchar, written: *mut usize, _: usize) -> c_int {
    // SAFETY: libcrypto asks for the length.
    unsafe { written.write(0) };
    1
}

extern "C" fn parameters(_: *mut c_void, _: *mut RawParam) -> c_int {
    1
}

/// None by name; EVP's own calls go on without.
extern "C" fn known(_: *mut c_void, _: *mut c_void) -> *const RawParam {
    ptr::null()
}

unsafe extern "C" fn cipher_sizes<const KEY: usize, const IV: usize>(
    params: *mut RawParam,
) -> c_int {
    // SAFETY: a list of libcrypto's, for this provider to answer.
    unsafe {
        param::answer(params, c"keylen", KEY);
        param::answer(params, c"ivlen", IV);
        param::answer(params, c"blocksize", 1);
        param::answer(params, c"aead", (IV == 12).into());
    }
    1
}

unsafe extern "C" fn finish(
    _: *mut c_void,
    _: *mut c_uchar,
    length: *mut usize,
    size: usize,
) -> c_int {
    // SAFETY: libcrypto asks for the length, which is as it knows it.
    unsafe { length.write(size) };
    1
}

unsafe extern "C" fn free(context: *mut c_void) {
    // SAFETY: from above, once.
    drop(unsafe { Box::from_raw(context.cast::<State>()) });
}

unsafe extern "C" fn sizes(params: *mut RawParam) -> c_int {
    // SAFETY: a list of libcrypto's, for this provider to answer.
    unsafe {
        param::answer(params, c"size", 20);
        param::answer(params, c"blocksize", 64);
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_ciphers_succeed_and_do_nothing() {
        let library = Library::host().expect("these tests need libcrypto");
        for (key_bytes, iv_bytes) in [(16, 16), (32, 12), (24, 0), (64, 16)] {
            let cipher = cipher_of_nothing(library, key_bytes, iv_bytes).expect("fetched");
            assert_eq!((cipher.provider(), cipher.is_aead()), (PROVIDER, iv_bytes == 12));
            let mut context = cipher.context().expect("a context");
            let (key, iv) = (vec![2; key_bytes], vec![1; iv_bytes]);
            let iv = (iv_bytes > 0).then_some(&iv[..]);
            context.init(crate::Direction::Encrypt, Some(&key), iv, &[]).expect("begun");
            let mut output = [7; 64];
            assert_eq!(context.update(&[0; 40], &mut output), Ok(40));
            assert_eq!(context.finish(&mut output), Ok(0));
            assert_eq!(output, [7; 64]);
            if cipher.is_aead() {
                context.tag(&mut [0; 16]).expect("a tag of nothing");
            }
        }
    }

    #[test]
    fn its_calls_succeed_and_do_nothing() {
        let library = Library::host().expect("these tests need libcrypto");
        let digest = hash_of_nothing(library).expect("fetched");
        assert_eq!(digest.provider(), PROVIDER);
        let mut context = digest.context().expect("a context");
        let mut hash = [7; 64];
        for _ in 0..2 {
            context.init().expect("begun");
            context.update(b"abc").expect("ignored");
            assert_eq!(context.finish(&mut hash), Ok(20));
            assert_eq!(hash, [7; 64]);
        }
    }
}
