//! State that one caller at a time may use: as many copies as there are callers.

use std::sync::{Mutex, PoisonError};

/// Copies of one value, handed out and taken back.
pub(super) struct Pool<T> {
    /// The first is the pattern and stays.
    idle: Mutex<Vec<T>>,
    copy: fn(&T) -> T,
}

impl<T> Pool<T> {
    pub(super) fn new(pattern: T, copy: fn(&T) -> T) -> Self {
        Self { idle: Mutex::new(vec![pattern]), copy }
    }

    /// Runs with a copy that nobody else has.
    pub(super) fn with<R>(&self, run: impl FnOnce(&mut T) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut one = {
            let mut idle = idle();
            match idle.len() {
                1 => (self.copy)(&idle[0]),
                _ => idle.pop().expect("the pattern and more"),
            }
        };
        let result = run(&mut one);
        idle().push(one);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_shares_a_copy_and_copies_are_used_again() {
        let pool = Pool::new(0, |value| *value);
        pool.with(|first| {
            *first = 1;
            pool.with(|second| assert_eq!(*second, 0));
        });
        assert_eq!(pool.idle.lock().unwrap().len(), 3);
        pool.with(|again| assert_eq!(*again, 1));
        assert_eq!(pool.idle.lock().unwrap().len(), 3);
    }
}
