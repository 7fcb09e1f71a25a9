//! The functions of libcrypto that the sequences call, with their own results: what the bindings of `wirespeed-libcrypto`
//! refuse, and what they say of a failure in Rust's terms, is what is compared here.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_uint, c_ulong, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What libcrypto alone knows.
pub(crate) type Opaque = *mut c_void;

/// `OSSL_PARAM` of openssl/core.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RawParam {
    pub(crate) key: *const c_char,
    pub(crate) kind: c_uint,
    pub(crate) data: *mut c_void,
    pub(crate) size: usize,
    pub(crate) returned: usize,
}

macro_rules! functions {
    ($($field:ident = $symbol:literal ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Typed as libcrypto's public headers declare them.
        pub(crate) struct Functions {
            $(pub(crate) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            /// There since 3.3.
            pub(crate) squeeze: Option<unsafe extern "C" fn(Opaque, *mut c_uchar, usize) -> c_int>,
        }

        impl Functions {
            /// Those of the libcrypto at this path, which is open already.
            ///
            /// # Panics
            /// If one is missing.
            pub(crate) fn find(library: &Path) -> Self {
                let path = CString::new(library.as_os_str().as_bytes()).expect("a path");
                // SAFETY: a NUL-terminated path of a library that this process has opened before.
                let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
                assert!(!handle.is_null(), "{} is not open", library.display());
                // SAFETY: a live handle.
                let address = |name: &CStr| unsafe { libc::dlsym(handle, name.as_ptr()) };
                let squeeze = address(c"EVP_DigestSqueeze");
                Self {
                    $($field: {
                        let found = address($symbol);
                        assert!(!found.is_null(), "no {:?}", $symbol);
                        // SAFETY: libcrypto's function of that name, as its public header declares it.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(found)
                        }
                    },)*
                    squeeze: (!squeeze.is_null()).then(|| {
                        // SAFETY: as above.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn(Opaque, *mut c_uchar, usize) -> c_int,
                            >(squeeze)
                        }
                    }),
                }
            }
        }
    };
}

functions! {
    lib_ctx_new = c"OSSL_LIB_CTX_new" () -> Opaque;
    load_config = c"OSSL_LIB_CTX_load_config" (Opaque, *const c_char) -> c_int;
    provider_load = c"OSSL_PROVIDER_load" (Opaque, *const c_char) -> Opaque;
    provider_available = c"OSSL_PROVIDER_available" (Opaque, *const c_char) -> c_int;
    error_next = c"ERR_get_error" () -> c_ulong;
    error_text = c"ERR_error_string_n" (c_ulong, *mut c_char, usize);
    cipher_fetch = c"EVP_CIPHER_fetch" (Opaque, *const c_char, *const c_char) -> Opaque;
    cipher_new = c"EVP_CIPHER_CTX_new" () -> Opaque;
    cipher_free = c"EVP_CIPHER_CTX_free" (Opaque);
    cipher_copy = c"EVP_CIPHER_CTX_copy" (Opaque, Opaque) -> c_int;
    cipher_reset = c"EVP_CIPHER_CTX_reset" (Opaque) -> c_int;
    cipher_of = c"EVP_CIPHER_CTX_get0_cipher" (Opaque) -> Opaque;
    cipher_key = c"EVP_CIPHER_CTX_get_key_length" (Opaque) -> c_int;
    cipher_iv = c"EVP_CIPHER_CTX_get_iv_length" (Opaque) -> c_int;
    cipher_tag = c"EVP_CIPHER_CTX_get_tag_length" (Opaque) -> c_int;
    cipher_num = c"EVP_CIPHER_CTX_get_num" (Opaque) -> c_int;
    cipher_encrypts = c"EVP_CIPHER_CTX_is_encrypting" (Opaque) -> c_int;
    cipher_updated_iv = c"EVP_CIPHER_CTX_get_updated_iv" (Opaque, *mut c_void, usize) -> c_int;
    cipher_original_iv = c"EVP_CIPHER_CTX_get_original_iv" (Opaque, *mut c_void, usize) -> c_int;
    cipher_padding = c"EVP_CIPHER_CTX_set_padding" (Opaque, c_int) -> c_int;
    cipher_set_num = c"EVP_CIPHER_CTX_set_num" (Opaque, c_int) -> c_int;
    cipher_set_key_length = c"EVP_CIPHER_CTX_set_key_length" (Opaque, c_int) -> c_int;
    cipher_control = c"EVP_CIPHER_CTX_ctrl" (Opaque, c_int, c_int, *mut c_void) -> c_int;
    cipher_get = c"EVP_CIPHER_CTX_get_params" (Opaque, *mut RawParam) -> c_int;
    cipher_set = c"EVP_CIPHER_CTX_set_params" (Opaque, *const RawParam) -> c_int;
    cipher_init = c"EVP_CipherInit_ex2" (
        Opaque, Opaque, *const c_uchar, *const c_uchar, c_int, *const RawParam
    ) -> c_int;
    cipher_update = c"EVP_CipherUpdate" (
        Opaque, *mut c_uchar, *mut c_int, *const c_uchar, c_int
    ) -> c_int;
    cipher_final = c"EVP_CipherFinal_ex" (Opaque, *mut c_uchar, *mut c_int) -> c_int;
    cipher_one_shot = c"EVP_Cipher" (Opaque, *mut c_uchar, *const c_uchar, c_uint) -> c_int;
    md_fetch = c"EVP_MD_fetch" (Opaque, *const c_char, *const c_char) -> Opaque;
    md_new = c"EVP_MD_CTX_new" () -> Opaque;
    md_free = c"EVP_MD_CTX_free" (Opaque);
    md_reset = c"EVP_MD_CTX_reset" (Opaque) -> c_int;
    md_copy = c"EVP_MD_CTX_copy_ex" (Opaque, Opaque) -> c_int;
    md_set = c"EVP_MD_CTX_set_params" (Opaque, *const RawParam) -> c_int;
    md_init = c"EVP_DigestInit_ex2" (Opaque, Opaque, *const RawParam) -> c_int;
    md_update = c"EVP_DigestUpdate" (Opaque, *const c_void, usize) -> c_int;
    md_final = c"EVP_DigestFinal_ex" (Opaque, *mut c_uchar, *mut c_uint) -> c_int;
    md_final_long = c"EVP_DigestFinalXOF" (Opaque, *mut c_uchar, usize) -> c_int;
    mac_fetch = c"EVP_MAC_fetch" (Opaque, *const c_char, *const c_char) -> Opaque;
    mac_new = c"EVP_MAC_CTX_new" (Opaque) -> Opaque;
    mac_free = c"EVP_MAC_CTX_free" (Opaque);
    mac_dup = c"EVP_MAC_CTX_dup" (Opaque) -> Opaque;
    mac_size = c"EVP_MAC_CTX_get_mac_size" (Opaque) -> usize;
    mac_set = c"EVP_MAC_CTX_set_params" (Opaque, *const RawParam) -> c_int;
    mac_init = c"EVP_MAC_init" (Opaque, *const c_uchar, usize, *const RawParam) -> c_int;
    mac_update = c"EVP_MAC_update" (Opaque, *const c_uchar, usize) -> c_int;
    mac_final = c"EVP_MAC_final" (Opaque, *mut c_uchar, *mut usize, usize) -> c_int;
}

impl Functions {
    /// The thread's error queue as numbers, which are the same for the same library and reason; it is empty then.
    pub(crate) fn errors(&self) -> Vec<c_ulong> {
        // SAFETY: no precondition.
        let next = || Some(unsafe { (self.error_next)() }).filter(|&code| code != 0);
        std::iter::from_fn(next).collect()
    }

    /// One of them in words.
    pub(crate) fn error(&self, code: c_ulong) -> String {
        let mut text = [0_u8; 200];
        // SAFETY: as much room as is told; the text ends with NUL.
        unsafe { (self.error_text)(code, text.as_mut_ptr().cast(), text.len()) };
        let text = CStr::from_bytes_until_nul(&text).map(CStr::to_string_lossy);
        text.map_or_else(|_| code.to_string(), std::borrow::Cow::into_owned)
    }
}
