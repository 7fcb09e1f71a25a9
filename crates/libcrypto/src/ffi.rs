//! The functions of libcrypto that we call, found by name.

use std::ffi::{CStr, c_char, c_int, c_long, c_uchar, c_uint, c_ulong, c_void};

use crate::context::ProviderInit;
use crate::param::RawParam;

macro_rules! opaque {
    ($($name:ident)*) => {$(
        /// Known to libcrypto alone.
        #[repr(C)]
        pub(crate) struct $name {
            _private: [u8; 0],
        }
    )*};
}

opaque! { LibCtx Provider EvpCipher EvpCipherCtx EvpMd EvpMdCtx EvpMac EvpMacCtx Conf Stack }

macro_rules! functions {
    ($(#[$about:meta])* $group:ident:
        $($field:ident = $symbol:literal ($($argument:ty),*) $(-> $result:ty)?;)*) => {
        $(#[$about])*
        pub(crate) struct $group {
            $(pub(crate) $field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $group {
            /// Looks each function up; the name of the first that is missing otherwise.
            ///
            /// # Safety
            /// `address` must give null or the address of libcrypto's function of that name.
            pub(crate) unsafe fn find(
                address: impl Fn(&CStr) -> *mut c_void,
            ) -> Result<Self, &'static CStr> {
                Ok(Self {
                    $($field: {
                        let found = address($symbol);
                        if found.is_null() {
                            return Err($symbol);
                        }
                        // SAFETY: the caller vouches that this is libcrypto's function of that name,
                        // whose public header declares it so ever since it is there.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(found)
                        }
                    },)*
                })
            }
        }
    };
}

functions! {
    /// Every function that is there since 3.0, typed as libcrypto's public headers declare it.
    Functions:
    // openssl/crypto.h
    version_text = c"OpenSSL_version" (c_int) -> *const c_char;
    version_major = c"OPENSSL_version_major" () -> c_uint;
    version_minor = c"OPENSSL_version_minor" () -> c_uint;
    version_patch = c"OPENSSL_version_patch" () -> c_uint;
    init_crypto = c"OPENSSL_init_crypto" (u64, *const c_void) -> c_int;
    lib_ctx_new = c"OSSL_LIB_CTX_new" () -> *mut LibCtx;
    lib_ctx_free = c"OSSL_LIB_CTX_free" (*mut LibCtx);
    modules_load_file = c"CONF_modules_load_file_ex" (*mut LibCtx, *const c_char, *const c_char, c_ulong) -> c_int;
    lib_ctx_load_config = c"OSSL_LIB_CTX_load_config" (*mut LibCtx, *const c_char) -> c_int;
    // openssl/provider.h
    provider_load = c"OSSL_PROVIDER_load" (*mut LibCtx, *const c_char) -> *mut Provider;
    provider_unload = c"OSSL_PROVIDER_unload" (*mut Provider) -> c_int;
    provider_available = c"OSSL_PROVIDER_available" (*mut LibCtx, *const c_char) -> c_int;
    provider_add_builtin =
        c"OSSL_PROVIDER_add_builtin" (*mut LibCtx, *const c_char, ProviderInit) -> c_int;
    provider_name = c"OSSL_PROVIDER_get0_name" (*const Provider) -> *const c_char;
    provider_params = c"OSSL_PROVIDER_get_params" (*const Provider, *mut RawParam) -> c_int;
    provider_self_test = c"OSSL_PROVIDER_self_test" (*const Provider) -> c_int;
    // openssl/conf.h
    conf_new = c"NCONF_new" (*const c_void) -> *mut Conf;
    conf_free = c"NCONF_free" (*mut Conf);
    conf_load = c"NCONF_load" (*mut Conf, *const c_char, *mut c_long) -> c_int;
    conf_section_names = c"NCONF_get_section_names" (*const Conf) -> *mut Stack;
    conf_section = c"NCONF_get_section" (*const Conf, *const c_char) -> *const Stack;
    // openssl/stack.h
    stack_count = c"OPENSSL_sk_num" (*const Stack) -> c_int;
    stack_item = c"OPENSSL_sk_value" (*const Stack, c_int) -> *const c_void;
    stack_free = c"OPENSSL_sk_free" (*mut Stack);
    // openssl/err.h
    error_next = c"ERR_get_error_all" (
        *mut *const c_char, *mut c_int, *mut *const c_char, *mut *const c_char, *mut c_int
    ) -> c_ulong;
    error_text = c"ERR_error_string_n" (c_ulong, *mut c_char, usize);
    // openssl/evp.h
    set_default_properties =
        c"EVP_set_default_properties" (*mut LibCtx, *const c_char) -> c_int;
    fetch = c"EVP_CIPHER_fetch" (*mut LibCtx, *const c_char, *const c_char) -> *mut EvpCipher;
    cipher_up_ref = c"EVP_CIPHER_up_ref" (*mut EvpCipher) -> c_int;
    cipher_free = c"EVP_CIPHER_free" (*mut EvpCipher);
    cipher_name = c"EVP_CIPHER_get0_name" (*const EvpCipher) -> *const c_char;
    cipher_description = c"EVP_CIPHER_get0_description" (*const EvpCipher) -> *const c_char;
    cipher_provider = c"EVP_CIPHER_get0_provider" (*const EvpCipher) -> *const Provider;
    cipher_nid = c"EVP_CIPHER_get_nid" (*const EvpCipher) -> c_int;
    cipher_mode = c"EVP_CIPHER_get_mode" (*const EvpCipher) -> c_int;
    cipher_flags = c"EVP_CIPHER_get_flags" (*const EvpCipher) -> c_ulong;
    cipher_block = c"EVP_CIPHER_get_block_size" (*const EvpCipher) -> c_int;
    cipher_key = c"EVP_CIPHER_get_key_length" (*const EvpCipher) -> c_int;
    cipher_iv = c"EVP_CIPHER_get_iv_length" (*const EvpCipher) -> c_int;
    cipher_params = c"EVP_CIPHER_get_params" (*mut EvpCipher, *mut RawParam) -> c_int;
    cipher_gettable = c"EVP_CIPHER_gettable_params" (*const EvpCipher) -> *const RawParam;
    cipher_gettable_ctx = c"EVP_CIPHER_gettable_ctx_params" (*const EvpCipher) -> *const RawParam;
    cipher_settable_ctx = c"EVP_CIPHER_settable_ctx_params" (*const EvpCipher) -> *const RawParam;
    cipher_names = c"EVP_CIPHER_names_do_all" (
        *const EvpCipher, unsafe extern "C" fn(*const c_char, *mut c_void), *mut c_void
    ) -> c_int;
    all_ciphers = c"EVP_CIPHER_do_all_provided" (
        *mut LibCtx, unsafe extern "C" fn(*mut EvpCipher, *mut c_void), *mut c_void
    );
    ctx_new = c"EVP_CIPHER_CTX_new" () -> *mut EvpCipherCtx;
    ctx_free = c"EVP_CIPHER_CTX_free" (*mut EvpCipherCtx);
    ctx_copy = c"EVP_CIPHER_CTX_copy" (*mut EvpCipherCtx, *const EvpCipherCtx) -> c_int;
    ctx_reset = c"EVP_CIPHER_CTX_reset" (*mut EvpCipherCtx) -> c_int;
    ctx_cipher = c"EVP_CIPHER_CTX_get0_cipher" (*const EvpCipherCtx) -> *const EvpCipher;
    ctx_key = c"EVP_CIPHER_CTX_get_key_length" (*const EvpCipherCtx) -> c_int;
    ctx_iv = c"EVP_CIPHER_CTX_get_iv_length" (*const EvpCipherCtx) -> c_int;
    ctx_padding = c"EVP_CIPHER_CTX_set_padding" (*mut EvpCipherCtx, c_int) -> c_int;
    ctx_ctrl = c"EVP_CIPHER_CTX_ctrl" (*mut EvpCipherCtx, c_int, c_int, *mut c_void) -> c_int;
    ctx_get = c"EVP_CIPHER_CTX_get_params" (*mut EvpCipherCtx, *mut RawParam) -> c_int;
    ctx_set = c"EVP_CIPHER_CTX_set_params" (*mut EvpCipherCtx, *const RawParam) -> c_int;
    init = c"EVP_CipherInit_ex2" (
        *mut EvpCipherCtx, *const EvpCipher, *const c_uchar, *const c_uchar, c_int, *const RawParam
    ) -> c_int;
    update = c"EVP_CipherUpdate" (
        *mut EvpCipherCtx, *mut c_uchar, *mut c_int, *const c_uchar, c_int
    ) -> c_int;
    finish = c"EVP_CipherFinal_ex" (*mut EvpCipherCtx, *mut c_uchar, *mut c_int) -> c_int;
    md_fetch = c"EVP_MD_fetch" (*mut LibCtx, *const c_char, *const c_char) -> *mut EvpMd;
    md_free = c"EVP_MD_free" (*mut EvpMd);
    md_provider = c"EVP_MD_get0_provider" (*const EvpMd) -> *const Provider;
    md_size = c"EVP_MD_get_size" (*const EvpMd) -> c_int;
    md_block = c"EVP_MD_get_block_size" (*const EvpMd) -> c_int;
    md_flags = c"EVP_MD_get_flags" (*const EvpMd) -> c_ulong;
    md_names = c"EVP_MD_names_do_all" (
        *const EvpMd, unsafe extern "C" fn(*const c_char, *mut c_void), *mut c_void
    ) -> c_int;
    md_ctx_new = c"EVP_MD_CTX_new" () -> *mut EvpMdCtx;
    md_ctx_free = c"EVP_MD_CTX_free" (*mut EvpMdCtx);
    md_ctx_copy = c"EVP_MD_CTX_copy_ex" (*mut EvpMdCtx, *const EvpMdCtx) -> c_int;
    md_ctx_settable = c"EVP_MD_CTX_settable_params" (*mut EvpMdCtx) -> *const RawParam;
    md_ctx_set = c"EVP_MD_CTX_set_params" (*mut EvpMdCtx, *const RawParam) -> c_int;
    md_init = c"EVP_DigestInit_ex2" (*mut EvpMdCtx, *const EvpMd, *const RawParam) -> c_int;
    md_update = c"EVP_DigestUpdate" (*mut EvpMdCtx, *const c_void, usize) -> c_int;
    md_finish = c"EVP_DigestFinal_ex" (*mut EvpMdCtx, *mut c_uchar, *mut c_uint) -> c_int;
    md_finish_long = c"EVP_DigestFinalXOF" (*mut EvpMdCtx, *mut c_uchar, usize) -> c_int;
    md_ctx_gettable = c"EVP_MD_CTX_gettable_params" (*mut EvpMdCtx) -> *const RawParam;
    md_ctx_get = c"EVP_MD_CTX_get_params" (*mut EvpMdCtx, *mut RawParam) -> c_int;
    mac_fetch = c"EVP_MAC_fetch" (*mut LibCtx, *const c_char, *const c_char) -> *mut EvpMac;
    mac_free = c"EVP_MAC_free" (*mut EvpMac);
    mac_ctx_new = c"EVP_MAC_CTX_new" (*mut EvpMac) -> *mut EvpMacCtx;
    mac_ctx_free = c"EVP_MAC_CTX_free" (*mut EvpMacCtx);
    mac_ctx_dup = c"EVP_MAC_CTX_dup" (*const EvpMacCtx) -> *mut EvpMacCtx;
    mac_ctx_gettable = c"EVP_MAC_CTX_gettable_params" (*mut EvpMacCtx) -> *const RawParam;
    mac_ctx_settable = c"EVP_MAC_CTX_settable_params" (*mut EvpMacCtx) -> *const RawParam;
    mac_ctx_get = c"EVP_MAC_CTX_get_params" (*mut EvpMacCtx, *mut RawParam) -> c_int;
    mac_ctx_set = c"EVP_MAC_CTX_set_params" (*mut EvpMacCtx, *const RawParam) -> c_int;
    mac_init = c"EVP_MAC_init" (*mut EvpMacCtx, *const c_uchar, usize, *const RawParam) -> c_int;
    mac_update = c"EVP_MAC_update" (*mut EvpMacCtx, *const c_uchar, usize) -> c_int;
    mac_finish = c"EVP_MAC_final" (*mut EvpMacCtx, *mut c_uchar, *mut usize, usize) -> c_int;
    one_shot = c"EVP_Cipher" (*mut EvpCipherCtx, *mut c_uchar, *const c_uchar, c_uint) -> c_int;
}

functions! {
    /// Those of openssl/evp.h that are there since 3.5.
    PipelineFunctions:
    can_pipeline = c"EVP_CIPHER_can_pipeline" (*const EvpCipher, c_int) -> c_int;
    encrypt_init = c"EVP_CipherPipelineEncryptInit" (
        *mut EvpCipherCtx, *const EvpCipher, *const c_uchar, usize, usize, *const *const c_uchar, usize
    ) -> c_int;
    decrypt_init = c"EVP_CipherPipelineDecryptInit" (
        *mut EvpCipherCtx, *const EvpCipher, *const c_uchar, usize, usize, *const *const c_uchar, usize
    ) -> c_int;
    update = c"EVP_CipherPipelineUpdate" (
        *mut EvpCipherCtx,
        *const *mut c_uchar,
        *mut usize,
        *const usize,
        *const *const c_uchar,
        *const usize
    ) -> c_int;
    finish = c"EVP_CipherPipelineFinal" (
        *mut EvpCipherCtx, *const *mut c_uchar, *mut usize, *const usize
    ) -> c_int;
}

functions! {
    /// Those of openssl/evp.h that are there since 3.3.
    SqueezeFunctions:
    squeeze = c"EVP_DigestSqueeze" (*mut EvpMdCtx, *mut c_uchar, usize) -> c_int;
}

functions! {
    /// Those of openssl/evp.h that are there since 4.0.
    SerialFunctions:
    write = c"EVP_MD_CTX_serialize" (*mut EvpMdCtx, *mut c_uchar, *mut usize) -> c_int;
    read = c"EVP_MD_CTX_deserialize" (*mut EvpMdCtx, *const c_uchar, usize) -> c_int;
}

/// `OPENSSL_INIT_NO_LOAD_CONFIG` of openssl/crypto.h.
pub(crate) const NO_LOAD_CONFIG: u64 = 0x80;

/// `OPENSSL_VERSION` of openssl/crypto.h.
pub(crate) const VERSION: c_int = 0;

/// `OPENSSL_DIR` of openssl/crypto.h.
pub(crate) const CONFIGURATION_FOLDER: c_int = 4;

/// `OPENSSL_MODULES_DIR` of openssl/crypto.h.
pub(crate) const MODULES_FOLDER: c_int = 8;

/// `ERR_TXT_STRING` of openssl/err.h: the error's data is text.
pub(crate) const ERROR_DATA_IS_TEXT: c_int = 0x02;

/// A number of C's `unsigned long`, which has 32 bits where pointers have.
#[allow(clippy::unnecessary_cast, reason = "on machines of 64 bits alone")]
pub(crate) const fn wide(number: c_ulong) -> u64 {
    number as u64
}
