//! GCM records of TLS 1.2 (RFC 5288): explicit nonce, data and tag, in place, one call per record.

use wirespeed_cipher::InOut;
use zeroize::Zeroize;

use super::gcm::{GcmMode, IvState, TAG};
use super::record::{self, HEADER};
use crate::call::Call;
use crate::error::{CallError, Reason};
use crate::openssl::{Param, data_type};
use crate::random;

/// The salt from the handshake: `EVP_GCM_TLS_FIXED_IV_LEN`.
const SALT: usize = 4;
/// The nonce in the record: `EVP_GCM_TLS_EXPLICIT_IV_LEN`.
const NONCE: usize = 8;

/// What lasts from record to record.
#[derive(Clone)]
pub(super) struct Records {
    /// Whether the next call is a record, whose header is in the context's buffer.
    pub(super) aad_set: bool,
    /// OpenSSL's `tlsaadpad`: by how much a record grows behind the data.
    pub(super) aad_padding: usize,
    /// Whether the fixed part of the IV is set, and the rest may be counted.
    iv_counts: bool,
    /// Records encrypted under this key.
    pub(super) records: u64,
}

impl Records {
    pub(super) const NONE: Self =
        Self { aad_set: false, aad_padding: 0, iv_counts: false, records: 0 };
}

impl GcmMode {
    /// `tlsaad`: the header of the next record, whose length becomes that of the data alone.
    pub(super) fn take_record_header(&mut self, param: &Param) -> Result<(), CallError> {
        const INVALID: &[Reason] = &[Reason::InvalidAad];
        let tag = if self.basics.encrypts() { 0 } else { TAG };
        let (header, length) = record::header(param, NONCE + tag, INVALID)?;
        self.buffer[..HEADER].copy_from_slice(&header);
        self.tls.aad_set = true;
        length.ok_or(CallError(INVALID))?;
        self.tls.aad_padding = TAG;
        Ok(())
    }

    /// `tlsivfixed`: the salt; the encrypting side begins its nonces at a random number.
    pub(super) fn take_fixed_iv(&mut self, param: &Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        let iv = &mut self.iv[..self.iv_bytes];
        if param.data_size == usize::MAX {
            // EVP_CTRL_AEAD_SET_IV_FIXED with -1 puts back a whole IV.
            if param.data.is_null() {
                return Err(CallError::CANNOT_GET);
            }
            // SAFETY: that call's contract is an IV of the length that was set.
            iv.copy_from_slice(unsafe {
                std::slice::from_raw_parts(param.data.cast(), self.iv_bytes)
            });
            self.iv_generated = false;
        } else {
            let salt = param.as_octets().ok_or(CallError::CANNOT_GET)?;
            if salt.len() < SALT || salt.len() + NONCE > iv.len() {
                return Err(CallError::CANNOT_GET);
            }
            let (fixed, counted) = iv.split_at_mut(salt.len());
            fixed.copy_from_slice(salt);
            if self.basics.encrypts() {
                random::fill(counted).map_err(|_| CallError::CANNOT_GET)?;
                self.iv_generated = true;
            }
        }
        self.tls.iv_counts = true;
        self.iv_state = IvState::Given;
        Ok(())
    }

    /// `tlsivgen`: puts the next IV in use and tells its last bytes, as many as are asked for.
    pub(super) fn answer_record_iv(&mut self, param: &mut Param) -> Result<(), CallError> {
        if param.data.is_null() || param.data_type != data_type::OCTET_STRING {
            return Err(CallError::SILENT);
        }
        let (iv, length) = self.next_iv()?;
        let asked = param.data_size;
        let count = if asked == 0 || asked > length { length } else { asked };
        let bytes = &iv[length - count..length];
        // SAFETY: there is room for as many bytes as are asked for; asking for 0 means a buffer for
        // a whole IV, by the contract of EVP_CTRL_GCM_IV_GEN.
        unsafe { param.data.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), count) };
        Ok(())
    }

    /// Puts the IV in use, hands it out, and counts its last 64 bits up for the record after it.
    fn next_iv(&mut self) -> Result<([u8; 128], usize), CallError> {
        if !self.tls.iv_counts || !self.basics.key_set {
            return Err(CallError::SILENT);
        }
        self.use_iv();
        let iv = self.iv;
        let Some(counter) = self.iv[..self.iv_bytes].last_chunk_mut::<NONCE>() else {
            return Err(CallError::SILENT);
        };
        *counter = u64::from_be_bytes(*counter).wrapping_add(1).to_be_bytes();
        Ok((iv, self.iv_bytes))
    }

    /// `tlsivinv`: puts an IV in use that ends with the bytes from a record.
    pub(super) fn take_record_iv(&mut self, nonce: &[u8]) -> Result<(), CallError> {
        let room = self.iv_bytes.checked_sub(nonce.len());
        let usable = self.tls.iv_counts && self.basics.key_set && !self.basics.encrypts();
        let from = room.filter(|_| usable).ok_or(CallError::SILENT)?;
        self.iv[from..self.iv_bytes].copy_from_slice(nonce);
        self.use_iv();
        Ok(())
    }

    /// One record. Whatever comes of it, the header is used up.
    #[cold]
    pub(super) fn record(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let result = self.crypt_record(call);
        self.iv_state = IvState::Used;
        self.tls.aad_set = false;
        result
    }

    fn crypt_record(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        if !self.basics.key_set {
            return Err(CallError::SILENT);
        }
        let record = call.record(0).map_err(|_| CallError::SILENT)?;
        if record.len() < NONCE + TAG {
            return Err(CallError::SILENT);
        }
        let (nonce, rest) = record.split_at_mut(NONCE);
        let (data, tag) = rest.split_last_chunk_mut::<TAG>().expect("it is long enough");
        if self.basics.encrypts() {
            // SP 800-38D §8.3 bounds the records under one key.
            self.tls.records = self.tls.records.wrapping_add(1);
            if self.tls.records == 0 {
                return Err(CallError(&[Reason::TooManyRecords]));
            }
            let (iv, length) = self.next_iv()?;
            nonce.copy_from_slice(&iv[length - NONCE..length]);
        } else {
            self.take_record_iv(nonce)?;
        }
        let header = self.buffer;
        self.associate(&header[..HEADER])?;
        self.crypt(InOut::in_place(data))?;
        self.tag_bytes = Some(TAG);
        if self.basics.encrypts() {
            self.make_tag(tag)?;
            return Ok(record.len());
        }
        if !self.verify(tag) {
            data.zeroize();
            return Err(CallError::SILENT);
        }
        Ok(data.len())
    }
}
