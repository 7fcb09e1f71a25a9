//! CCM records of TLS 1.2 (RFC 6655): explicit nonce, data and tag, in place, one call per record.

use wirespeed_cipher::InOut;

use super::ccm::CcmMode;
use super::record::{self, HEADER};
use crate::call::Call;
use crate::error::{CallError, Reason};
use crate::openssl::Param;

/// The fixed part of a record's nonce: `EVP_CCM_TLS_FIXED_IV_LEN`.
const FIXED: usize = 4;
/// The nonce in the record: `EVP_CCM_TLS_EXPLICIT_IV_LEN`.
const EXPLICIT: usize = 8;

impl CcmMode {
    /// One record.
    #[cold]
    pub(super) fn record(&mut self, call: Call<'_>) -> Result<usize, CallError> {
        let record = call.record(0).map_err(|_| CallError::SILENT)?;
        let bytes = record.len().checked_sub(EXPLICIT + self.tag_bytes).ok_or(CallError::SILENT)?;
        let (explicit, rest) = record.split_at_mut(EXPLICIT);
        let (data, tag) = rest.split_at_mut(bytes);
        let header = self.buffer;
        if self.basics.encrypts() {
            explicit.copy_from_slice(&header[..EXPLICIT]);
        }
        self.nonce[FIXED..FIXED + EXPLICIT].copy_from_slice(explicit);
        self.announce(bytes)?;
        self.associate(&header[..HEADER]);
        if !self.basics.encrypts() {
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
        const INVALID: &[Reason] = &[Reason::InvalidData];
        let tag = if self.basics.encrypts() { 0 } else { self.tag_bytes };
        let (header, length) = record::header(param, EXPLICIT + tag, INVALID)?;
        self.buffer[..HEADER].copy_from_slice(&header);
        self.records = true;
        length.ok_or(CallError(INVALID))?;
        self.record_padding = self.tag_bytes;
        Ok(())
    }

    /// `tlsivfixed`: the fixed part of the nonce.
    pub(super) fn take_fixed_nonce(&mut self, param: &Param) -> Result<(), CallError> {
        let fixed: [u8; FIXED] = record::fixed_iv(param)?;
        self.nonce[..FIXED].copy_from_slice(&fixed);
        Ok(())
    }
}
