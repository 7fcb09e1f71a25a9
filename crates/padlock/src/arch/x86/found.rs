//! A question about this CPU that is asked once per process.

use std::sync::atomic::{AtomicU8, Ordering};

/// The answer so far. Threads that ask at the same time find the same, and a child inherits it.
pub(crate) struct Found(AtomicU8);

const UNKNOWN: u8 = 0;
const NO: u8 = 1;
const YES: u8 = 2;

impl Found {
    /// Not asked yet.
    pub(crate) const fn new() -> Self {
        Self(AtomicU8::new(UNKNOWN))
    }

    /// The answer, from `try_out` if nobody asked before.
    pub(crate) fn or_try(&self, try_out: impl FnOnce() -> bool) -> bool {
        match self.0.load(Ordering::Relaxed) {
            UNKNOWN => {
                let found = try_out();
                self.0.store(if found { YES } else { NO }, Ordering::Relaxed);
                found
            }
            known => known == YES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_tried_once() {
        for answer in [false, true] {
            let found = Found::new();
            assert_eq!(found.or_try(|| answer), answer);
            assert_eq!(found.or_try(|| unreachable!("answered")), answer);
        }
    }
}
