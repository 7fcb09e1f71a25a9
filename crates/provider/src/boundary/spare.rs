//! Contexts that threads have freed, for those that they make next.
//!
//! libcrypto 3.0 frees a context and makes another for every message, even where the program keeps its `EVP_MD_CTX`. With
//! malloc(3), free(3) and the zeros that a new one begins with, that was a tenth of a short message.
//!
//! They are not in thread-local storage. For a module that is loaded later than the program, that has the process ended
//! where there is no memory for it, and a destructor in it keeps the module from being unloaded.

use std::array;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// At most one for each thread, and for some dozens of threads; none holds anything secret.
pub(crate) struct Spares<T: Spare>([Slot<T>; SLOTS]);

/// What is kept.
pub(crate) trait Spare {
    /// Gives its memory back.
    ///
    /// # Safety
    /// Nobody may use it again.
    unsafe fn give_back(this: NonNull<Self>);
}

const SLOTS: usize = 64;

/// In a line of the cache of its own.
#[repr(align(64))]
struct Slot<T> {
    /// The thread that kept something here first; 0: none yet. It is never another's again, unless that thread has ended and
    /// another has its identity.
    owner: AtomicUsize,
    /// Nobody but the owner comes here. What costs is an exchange, for which a CPU waits until all is stored.
    context: AtomicPtr<T>,
}

impl<T: Spare> Spares<T> {
    /// None yet.
    pub(crate) fn none() -> Self {
        let slot = |_| Slot { owner: AtomicUsize::new(0), context: AtomicPtr::new(null_mut()) };
        Self(array::from_fn(slot))
    }

    /// The one of this thread, if there is one.
    #[inline]
    pub(super) fn take(&self) -> Option<NonNull<T>> {
        self.take_if(|_| true)
    }

    /// The same, if it fits.
    #[inline]
    pub(super) fn take_if(&self, fits: impl FnOnce(NonNull<T>) -> bool) -> Option<NonNull<T>> {
        let thread = this_thread();
        let slot = self.slot(thread);
        if slot.owner.load(Ordering::Relaxed) != thread {
            return None;
        }
        let context = NonNull::new(slot.context.load(Ordering::Acquire)).filter(|it| fits(*it))?;
        slot.context.store(null_mut(), Ordering::Relaxed);
        Some(context)
    }

    /// Keeps one for this thread; whether there was room for it.
    ///
    /// # Safety
    /// Nobody else may use it again.
    #[inline]
    pub(super) unsafe fn keep(&self, context: NonNull<T>) -> bool {
        let thread = this_thread();
        let slot = self.slot(thread);
        let is_ours = slot.owner.load(Ordering::Relaxed) == thread || slot.claim(thread);
        let has_room = is_ours && slot.context.load(Ordering::Relaxed).is_null();
        if has_room {
            slot.context.store(context.as_ptr(), Ordering::Release);
        }
        has_room
    }

    /// Where the context of a thread would be. Identities are addresses, alike in what is low and what is high.
    #[inline]
    fn slot(&self, thread: usize) -> &Slot<T> {
        let hash = (thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(hash >> (64 - SLOTS.ilog2())) as usize]
    }
}

impl<T> Slot<T> {
    #[cold]
    fn claim(&self, thread: usize) -> bool {
        let (none, relaxed) = (0, Ordering::Relaxed);
        self.owner.load(relaxed) == none
            && self.owner.compare_exchange(none, thread, relaxed, relaxed).is_ok()
    }
}

impl<T: Spare> Drop for Spares<T> {
    fn drop(&mut self) {
        for slot in &mut self.0 {
            if let Some(context) = NonNull::new(*slot.context.get_mut()) {
                // SAFETY: who kept it promised that.
                unsafe { T::give_back(context) };
            }
        }
    }
}

/// What no two threads have at the same time; never 0.
#[inline]
fn this_thread() -> usize {
    // SAFETY: no precondition. It is an address, glibc's and musl's of what the thread's register points to.
    unsafe { libc::pthread_self() as usize }
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::Barrier;
    use std::thread;

    use super::super::give_back;
    use super::*;

    struct Counted<'a>(&'a AtomicUsize);

    impl Spare for Counted<'_> {
        unsafe fn give_back(this: NonNull<Self>) {
            // SAFETY: made below, and nobody's any more.
            unsafe { give_back(this) };
        }
    }

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn made(dropped: &AtomicUsize) -> NonNull<Counted<'_>> {
        // SAFETY: the layout is not empty.
        let memory = unsafe { System.alloc(Layout::new::<Counted>()) }.cast::<Counted>();
        let memory = NonNull::new(memory).expect("memory");
        // SAFETY: freshly allocated for this type.
        unsafe { memory.write(Counted(dropped)) };
        memory
    }

    #[test]
    fn a_thread_gets_what_it_kept_and_nobody_else_does() {
        let dropped = AtomicUsize::new(0);
        let spares = Spares::none();
        assert_eq!(spares.take(), None);
        let [first, second] = [made(&dropped), made(&dropped)];
        // SAFETY: both are made like contexts, and used no more.
        unsafe {
            assert!(spares.keep(first));
            assert!(!spares.keep(second), "there is room for one");
            give_back(second);
        }
        thread::scope(|scope| scope.spawn(|| assert_eq!(spares.take(), None)).join()).unwrap();
        assert_eq!(spares.take(), Some(first));
        assert_eq!(spares.take(), None);
        // SAFETY: as above.
        assert!(unsafe { spares.keep(first) });
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
        drop(spares);
        assert_eq!(dropped.load(Ordering::Relaxed), 2);
    }

    /// More threads than there are slots, all at once, and others after their end.
    #[test]
    fn nothing_is_lost_with_threads() {
        const THREADS: usize = 2 * SLOTS;
        const ROUNDS: usize = 100;
        let (dropped, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let spares = Spares::none();
        for _ in 0..2 {
            let all = Barrier::new(THREADS);
            let work = || {
                all.wait();
                for _ in 0..ROUNDS {
                    let context = spares.take().unwrap_or_else(|| made(&dropped));
                    // SAFETY: made like a context, and used no more.
                    match unsafe { spares.keep(context) } {
                        true => drop(kept.fetch_add(1, Ordering::Relaxed)),
                        // SAFETY: as above; it was not kept.
                        false => unsafe { give_back(context) },
                    }
                }
                all.wait();
            };
            thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
        }
        let (kept, given_back) = (kept.into_inner(), dropped.load(Ordering::Relaxed));
        assert!(kept >= ROUNDS && given_back >= ROUNDS, "{kept} kept, {given_back} given back");
        drop(spares);
        let at_the_end = dropped.into_inner() - given_back;
        assert!((1..=SLOTS).contains(&at_the_end), "{at_the_end}");
    }
}
