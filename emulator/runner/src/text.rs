//! Text in a buffer of fixed size, for code that may not allocate: signal handlers, and
//! constructors that run before libc's own.

use core::fmt;

/// Text of at most `N` bytes. What does not fit is cut off.
#[derive(Clone, Copy, Debug)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    /// No text yet.
    pub const fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    /// Adds bytes, which need not be UTF-8: paths are not.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        for (to, from) in room.iter_mut().zip(bytes) {
            *to = *from;
            self.length += 1;
        }
    }

    /// What was added.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

impl<const N: usize> Default for Text<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> fmt::Write for Text<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::fmt::Write;

    #[test]
    fn what_does_not_fit_is_cut_off() {
        let mut text = Text::<8>::new();
        let _ = write!(text, "{}-abcdefgh", 1234);
        assert_eq!(text.as_bytes(), b"1234-abc");
        text.push(b"more");
        assert_eq!(text.as_bytes(), b"1234-abc");
    }
}
