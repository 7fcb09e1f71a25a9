//! Symmetric keys as objects: EVP_SKEY(3), from OpenSSL 3.5 on.
//!
//! libcrypto refuses a cipher the key object of another provider (crypto/evp/evp_enc.c,
//! `evp_cipher_init_skey_internal`). So whoever offers ciphers has to keep keys for them: ours hold the bytes, as the
//! default provider's do (providers/implementations/skeymgmt), and libcrypto takes them out to begin a message.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use zeroize::Zeroize;

use super::{free, guarded, place};
use crate::error::CallError;
use crate::openssl::*;
use crate::params::list::Given;
use crate::params::{END, List, entry, octets};
use crate::provider::Provider;

/// `OSSL_SKEYMGMT_SELECT_SECRET_KEY`: what is asked for is the secret itself.
const SELECT_SECRET: c_int = 2;

/// `OSSL_SKEY_PARAM_RAW_BYTES`.
const RAW_BYTES: &[u8; 10] = b"raw-bytes\0";

static SETTABLE: List<2> = List::new([octets(c"raw-bytes"), END]);

/// Keys for AES, which are as long as AES has keys.
pub(crate) static AES: [Dispatch; 5] = functions(import::<true> as SecretKeyImport);

/// Keys for whatever takes bytes.
pub(crate) static GENERIC: [Dispatch; 5] = functions(import::<false> as SecretKeyImport);

const fn functions(import: SecretKeyImport) -> [Dispatch; 5] {
    [
        Dispatch::new(SECRET_KEY_FREE, free::<SecretKey> as FreeContext),
        Dispatch::new(SECRET_KEY_IMPORT, import),
        Dispatch::new(SECRET_KEY_EXPORT, export as SecretKeyExport),
        Dispatch::new(SECRET_KEY_SETTABLE, settable as ProviderList),
        Dispatch::END,
    ]
}

/// A key's bytes, which are wiped with it.
struct SecretKey(Box<[u8]>);

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

unsafe extern "C" fn import<const OF_AES: bool>(
    provider: *mut c_void,
    selection: c_int,
    list: *const Param,
) -> *mut c_void {
    // SAFETY: the core hands back the provider context from our init, which lives until teardown.
    let Some(provider) = (unsafe { provider.cast::<Provider>().as_ref() }) else {
        return null_mut();
    };
    let mut key = null_mut();
    guarded(
        || Some(provider.core),
        || {
            if selection & SELECT_SECRET == 0 {
                return Err(CallError::SILENT);
            }
            // SAFETY: the core hands in a list that ends with a null key, and keeps it until we return.
            let bytes = unsafe { Given::new(list) }.find(RAW_BYTES).and_then(Param::as_octets);
            let bytes = bytes.ok_or(CallError::SILENT)?;
            if bytes.is_empty() || (OF_AES && !matches!(bytes.len(), 16 | 24 | 32)) {
                return Err(CallError::SILENT);
            }
            key = place(SecretKey(bytes.into()), &provider.core);
            Ok(())
        },
    );
    key
}

unsafe extern "C" fn export(
    key: *mut c_void,
    selection: c_int,
    take: Option<TakeParams>,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the core hands in a key of our making, which it has not freed.
    let (Some(key), Some(take)) = (unsafe { key.cast::<SecretKey>().as_ref() }, take) else {
        return 0;
    };
    if selection & SELECT_SECRET == 0 {
        return 0;
    }
    let bytes = key.0.as_ptr().cast_mut().cast();
    let list = [entry(c"raw-bytes", data_type::OCTET_STRING, bytes, key.0.len()), END];
    // SAFETY: the core's own function, with its argument, and a list that ends with a null key. The bytes are the key's,
    // which the core keeps, and are not written to.
    unsafe { take(list.as_ptr(), argument) }
}

unsafe extern "C" fn settable(_: *mut c_void) -> *const Param {
    SETTABLE.as_ptr()
}
