//! The context that a thread freed last, for the one that it makes next.
//!
//! libcrypto 3.0 frees a context and makes another for every message, even where the program keeps its `EVP_MD_CTX`. With
//! malloc(3), free(3) and the zeros that a new one begins with, that was a third of a short message.

use std::cell::Cell;
use std::ptr::NonNull;
use std::thread::LocalKey;

use super::give_back;

/// At most one, which holds nothing secret.
pub(crate) struct Spare<T>(Cell<Option<NonNull<T>>>);

impl<T> Spare<T> {
    /// None, before the first is freed.
    pub(crate) const fn none() -> Self {
        Self(Cell::new(None))
    }

    /// The one there is; none, too, where the thread is about to end.
    #[inline]
    pub(super) fn take(of_thread: &'static LocalKey<Self>) -> Option<NonNull<T>> {
        of_thread.try_with(|spare| spare.0.take()).ok().flatten()
    }

    /// Keeps one; whether there was room for it.
    ///
    /// # Safety
    /// It must be of [`super::place_with`]'s making, and nobody else may use it again.
    #[inline]
    pub(super) unsafe fn keep(of_thread: &'static LocalKey<Self>, context: NonNull<T>) -> bool {
        let keep = |spare: &Self| {
            let has_room = spare.0.get().is_none();
            if has_room {
                spare.0.set(Some(context));
            }
            has_room
        };
        of_thread.try_with(keep).unwrap_or(false)
    }
}

impl<T> Drop for Spare<T> {
    /// With its thread.
    fn drop(&mut self) {
        if let Some(context) = self.0.take() {
            // SAFETY: who kept it promised that.
            unsafe { give_back(context) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::*;

    static DROPPED: AtomicUsize = AtomicUsize::new(0);

    struct Counted(u8);

    impl Drop for Counted {
        fn drop(&mut self) {
            DROPPED.fetch_add(usize::from(self.0), Ordering::Relaxed);
        }
    }

    thread_local! {
        static SPARE: Spare<Counted> = const { Spare::none() };
    }

    fn made(number: u8) -> NonNull<Counted> {
        // SAFETY: the layout is not empty.
        let memory = unsafe { System.alloc(Layout::new::<Counted>()) }.cast::<Counted>();
        let memory = NonNull::new(memory).expect("memory");
        // SAFETY: freshly allocated for this type.
        unsafe { memory.write(Counted(number)) };
        memory
    }

    #[test]
    fn one_is_kept_until_its_thread_ends() {
        let in_a_thread = || {
            assert_eq!(Spare::take(&SPARE), None);
            let [first, second] = [made(1), made(16)];
            // SAFETY: both are made like contexts, and used no more.
            unsafe {
                assert!(Spare::keep(&SPARE, first));
                assert!(!Spare::keep(&SPARE, second), "there is room for one");
                give_back(second);
            }
            assert_eq!(DROPPED.load(Ordering::Relaxed), 16);
            assert_eq!(Spare::take(&SPARE), Some(first));
            assert_eq!(Spare::take(&SPARE), None);
            // SAFETY: as above.
            assert!(unsafe { Spare::keep(&SPARE, first) });
        };
        thread::spawn(in_a_thread).join().expect("no panic");
        assert_eq!(DROPPED.load(Ordering::Relaxed), 17);
    }
}
