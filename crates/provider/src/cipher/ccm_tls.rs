//! CCM records of TLS 1.2 (RFC 6655): explicit nonce, data and tag, in place, one call per record.

use wirespeed_cipher::{Direction, InOut};

use super::ccm::CcmContext;
use crate::call::Call;
use crate::error::{CallError, Reason};
use crate::openssl::{Param, data_type};

/// Sequence number, type, version and length: `EVP_AEAD_TLS1_AAD_LEN`.
const HEADER: usize = 13;
/// The fixed part of a record's nonce: `EVP_CCM_TLS_FIXED_IV_LEN`.
const FIXED: usize = 4;
/// The nonce in the record: `EVP_CCM_TLS_EXPLICIT_IV_LEN`.
const EXPLICIT: usize = 8;

impl CcmContext {
    /// One record.
    #[cold]
    pub(super) fn record(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let record = call.record(0).map_err(|_| CallError::SILENT)?;
        let bytes = record.len().checked_sub(EXPLICIT + self.tag_bytes).ok_or(CallError::SILENT)?;
        let (explicit, rest) = record.split_at_mut(EXPLICIT);
        let (data, tag) = rest.split_at_mut(bytes);
        let header = self.buffer;
        if self.direction == Direction::Encrypt {
            explicit.copy_from_slice(&header[..EXPLICIT]);
        }
        self.nonce[FIXED..FIXED + EXPLICIT].copy_from_slice(explicit);
        self.announce(bytes)?;
        self.associate(&header[..HEADER]);
        if self.direction == Direction::Decrypt {
            self.open(InOut::in_place(data), tag)?;
            return Ok(bytes);
        }
        self.crypt(InOut::in_place(data), &[])?;
        if self.ccm.state.tag_bytes() != tag.len() {
            return Err(CallError::SILENT);
        }
        tag.copy_from_slice(&self.ccm.state.tag()[..tag.len()]);
        Ok(call.length())
    }

    /// `tlsaad`: the header of the next record, whose length becomes that of the data alone.
    pub(super) fn take_record_header(&mut self, param: &Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        const INVALID: CallError = CallError(&[Reason::InvalidData]);
        let header: &[u8; HEADER] =
            param.as_octets().and_then(|header| header.try_into().ok()).ok_or(INVALID)?;
        self.buffer[..HEADER].copy_from_slice(header);
        self.records = true;
        let around = match self.direction {
            Direction::Encrypt => EXPLICIT,
            Direction::Decrypt => EXPLICIT + self.tag_bytes,
        };
        let length = u16::from_be_bytes([header[HEADER - 2], header[HEADER - 1]]);
        let length = length.checked_sub(around as u16).ok_or(INVALID)?;
        self.buffer[HEADER - 2..HEADER].copy_from_slice(&length.to_be_bytes());
        self.record_padding = self.tag_bytes;
        Ok(())
    }

    /// `tlsivfixed`: the fixed part of the nonce.
    pub(super) fn take_fixed_nonce(&mut self, param: &Param) -> Result<(), CallError> {
        if param.data_type != data_type::OCTET_STRING {
            return Err(CallError::CANNOT_GET);
        }
        let fixed = param.as_octets().and_then(|bytes| bytes.try_into().ok());
        let fixed: &[u8; FIXED] = fixed.ok_or(CallError::INVALID_IV_LENGTH)?;
        self.nonce[..FIXED].copy_from_slice(fixed);
        Ok(())
    }
}
