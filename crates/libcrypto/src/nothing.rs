//! A provider inside this program whose hash function does nothing: what its calls take is what EVP itself costs, the least that
//! any provider's take.

use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::mem::MaybeUninit;
use std::ptr;

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
    let context = Context::new(library)?;
    // SAFETY: a provider's entry point, and a function of this program, which is there to its end.
    unsafe { context.add_builtin(PROVIDER, init)? };
    context.load(PROVIDER)?;
    context.digest(&NAMES.to_string_lossy(), None)
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
static DIGESTS: Table<Algorithm, 2> = Table([
    Algorithm {
        names: NAMES.as_ptr(),
        properties: c"provider=nothing".as_ptr(),
        implementation: (&raw const OF_DIGEST).cast(),
        description: ptr::null(),
    },
    Algorithm {
        names: ptr::null(),
        properties: ptr::null(),
        implementation: ptr::null(),
        description: ptr::null(),
    },
]);

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
    if operation == DIGEST { (&raw const DIGESTS).cast() } else { ptr::null() }
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
