//! What the records of TLS 1.2 have in common.

use crate::error::{CallError, Reason};
use crate::openssl::{Param, data_type};

/// Sequence number, type, version and length: `EVP_AEAD_TLS1_AAD_LEN`.
pub(super) const HEADER: usize = 13;

/// The header in a `tlsaad`, and how many bytes it announces but for `overhead`, which it then has as its length: what a
/// record adds to its data is not part of what is authenticated. Another header is an error for `reason`.
pub(super) fn header(
    param: &Param,
    overhead: usize,
    reason: &'static [Reason],
) -> Result<([u8; HEADER], Option<u16>), CallError> {
    if param.data_type != data_type::OCTET_STRING {
        return Err(CallError::CANNOT_GET);
    }
    let header = param.as_octets().and_then(|header| header.try_into().ok());
    let mut header: [u8; HEADER] = header.ok_or(CallError(reason))?;
    let announced = u16::from_be_bytes([header[HEADER - 2], header[HEADER - 1]]);
    let length = announced.checked_sub(overhead as u16);
    if let Some(length) = length {
        header[HEADER - 2..].copy_from_slice(&length.to_be_bytes());
    }
    Ok((header, length))
}

/// The part of the IV in a `tlsivfixed`.
pub(super) fn fixed_iv<const N: usize>(param: &Param) -> Result<[u8; N], CallError> {
    if param.data_type != data_type::OCTET_STRING {
        return Err(CallError::CANNOT_GET);
    }
    let fixed = param.as_octets().and_then(|fixed| fixed.try_into().ok());
    fixed.ok_or(CallError::INVALID_IV_LENGTH)
}
