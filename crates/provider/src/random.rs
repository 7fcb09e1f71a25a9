//! Unpredictable bytes from the kernel.

use crate::error::CallError;

/// Fills `bytes` by getrandom(2).
///
/// Only for IVs that a caller leaves to us and for the secret behind substitute MACs. The core has
/// no random bytes to offer, and libcrypto's generators may be running on our own ciphers at the
/// time, so asking them could recurse.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), CallError> {
    let mut filled = 0;
    while filled < bytes.len() {
        let rest = &mut bytes[filled..];
        // SAFETY: `rest` is writable for its length.
        let count = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
        match usize::try_from(count) {
            Ok(count) if count > 0 => filled += count,
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return Err(CallError::SILENT),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_differ_each_time() {
        let mut bytes = [[0; 300]; 2];
        assert_eq!(bytes.iter_mut().try_for_each(|bytes| fill(bytes)), Ok(()));
        assert_ne!(bytes[0], bytes[1]);
        assert!(bytes[0][280..].iter().any(|byte| *byte != 0));
        assert_eq!(fill(&mut []), Ok(()));
    }
}
