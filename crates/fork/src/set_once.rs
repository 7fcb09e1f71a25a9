//! A value that is set once, and that nobody waits for.

use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A place for one value, made by whoever needs it first.
///
/// While one thread makes the value of a [`OnceLock`](std::sync::OnceLock) others wait for it. A child of fork(2) does not
/// have that thread, and would wait for ever. Here each thread makes its own, and the first one stays.
pub struct SetOnce<T> {
    /// Null, or an [`Arc`]'s.
    value: AtomicPtr<T>,
    owned: PhantomData<Arc<T>>,
}

impl<T> SetOnce<T> {
    /// Without a value.
    pub const fn new() -> Self {
        Self { value: AtomicPtr::new(ptr::null_mut()), owned: PhantomData }
    }

    /// The value, if there is one.
    #[inline]
    pub fn get(&self) -> Option<&T> {
        // SAFETY: null, or a value that stays as long as `self`; whoever stored it had made it before.
        unsafe { self.value.load(Ordering::Acquire).as_ref() }
    }

    /// The value, which is made unless there is one.
    #[inline]
    pub fn get_or_make(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(value) = self.get() {
            return value;
        }
        // Where another was first, that one stays.
        let _ = self.set(make());
        self.get().expect("it was set")
    }

    /// The value for one owner more. It is made unless there is one.
    #[inline]
    pub fn share(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.get_or_make(make);
        let value = self.value.load(Ordering::Acquire);
        // SAFETY: it came from an `Arc`, which `self` still holds.
        unsafe {
            Arc::increment_strong_count(value);
            Arc::from_raw(value)
        }
    }

    /// Sets the value. It is given back if there is another.
    #[cold]
    pub fn set(&self, value: T) -> Result<(), T> {
        let ours = Arc::into_raw(Arc::new(value)).cast_mut();
        let (success, failure) = (Ordering::Release, Ordering::Relaxed);
        match self.value.compare_exchange(ptr::null_mut(), ours, success, failure) {
            Ok(_) => Ok(()),
            // SAFETY: made above, and nobody else has it.
            Err(_) => Err(Arc::into_inner(unsafe { Arc::from_raw(ours) }).expect("its only owner")),
        }
    }
}

impl<T> From<Arc<T>> for SetOnce<T> {
    fn from(value: Arc<T>) -> Self {
        Self { value: AtomicPtr::new(Arc::into_raw(value).cast_mut()), owned: PhantomData }
    }
}

impl<T> Default for SetOnce<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for SetOnce<T> {
    fn drop(&mut self) {
        let value = *self.value.get_mut();
        if !value.is_null() {
            // SAFETY: it came from an `Arc`, and no reference from here is left.
            drop(unsafe { Arc::from_raw(value) });
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for SetOnce<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SetOnce").field(&self.get()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use super::*;

    #[test]
    fn the_first_value_stays_and_each_is_dropped_once() {
        let values: [_; 2] = std::array::from_fn(Arc::new);
        let place = SetOnce::new();
        assert!(place.get().is_none());
        assert_eq!(**place.get_or_make(|| Arc::clone(&values[0])), 0);
        assert_eq!(**place.get_or_make(|| unreachable!("there is one")), 0);
        assert_eq!(place.set(Arc::clone(&values[1])), Err(Arc::clone(&values[1])));
        assert_eq!(values.each_ref().map(Arc::strong_count), [2, 1]);
        let shared = SetOnce::from(place.share(|| unreachable!("there is one")));
        drop(place);
        assert_eq!(shared.get(), Some(&values[0]));
        drop(shared);
        assert_eq!(values.each_ref().map(Arc::strong_count), [1, 1]);
    }

    /// Each is in the midst of making it when the others begin: with a lock they would wait for one another for ever.
    #[test]
    fn nobody_waits_for_another_s_value() {
        const THREADS: usize = 3;
        let (place, barrier) = (SetOnce::new(), Barrier::new(THREADS));
        let made = |number| {
            *place.get_or_make(|| {
                barrier.wait();
                number
            })
        };
        let made = &made;
        let seen = thread::scope(|scope| {
            let threads: [_; THREADS] =
                std::array::from_fn(|number| scope.spawn(move || made(number)));
            threads.map(|thread| thread.join().expect("no panic"))
        });
        assert_eq!(seen, [seen[0]; THREADS]);
    }
}
