//! Bytes that are kept for a later call, in copies of contexts as well.

/// A copy, or none where memory has run out: a program is not ended for that.
pub(crate) fn copied(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).ok()?;
    copy.extend_from_slice(bytes);
    Some(copy)
}

/// Bytes that can be done without.
pub(crate) struct Kept(pub(crate) Option<Vec<u8>>);

impl Clone for Kept {
    fn clone(&self) -> Self {
        Self(self.0.as_deref().and_then(copied))
    }
}
