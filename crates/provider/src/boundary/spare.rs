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

/// At most `PLACES` for each thread, and for some dozens of threads; none holds anything secret.
pub(crate) struct Spares<T: Spare, const PLACES: usize = 1>([Slot<T, PLACES>; SLOTS]);

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
struct Slot<T, const PLACES: usize> {
    /// The thread that kept something here first; 0: none yet. It is never another's again, unless that thread has ended and
    /// another has its identity.
    owner: AtomicUsize,
    /// Nobody but the owner comes here. What costs is an exchange, for which a CPU waits until all is stored.
    contexts: [AtomicPtr<T>; PLACES],
}

impl<T: Spare, const PLACES: usize> Spares<T, PLACES> {
    /// None yet.
    pub(crate) fn none() -> Self {
        Self(array::from_fn(|_| Slot {
            owner: AtomicUsize::new(0),
            contexts: [const { AtomicPtr::new(null_mut()) }; PLACES],
        }))
    }

    /// The one of this thread, if there is one.
    #[inline]
    pub(super) fn take(&self) -> Option<NonNull<T>> {
        self.take_if(|_| true)
    }

    /// One that fits.
    #[inline]
    pub(super) fn take_if(&self, fits: impl Fn(NonNull<T>) -> bool) -> Option<NonNull<T>> {
        let thread = this_thread();
        let slot = self.slot(thread);
        if slot.owner.load(Ordering::Relaxed) != thread {
            return None;
        }
        for place in &slot.contexts {
            let kept = NonNull::new(place.load(Ordering::Acquire));
            if let Some(context) = kept.filter(|it| fits(*it)) {
                place.store(null_mut(), Ordering::Relaxed);
                return Some(context);
            }
        }
        None
    }

    /// Keeps one for this thread, if it has a slot. Where all places are taken, the one in the first is given back.
    ///
    /// # Safety
    /// Nobody else may use it again.
    #[inline]
    pub(super) unsafe fn keep(&self, context: NonNull<T>) -> bool {
        let thread = this_thread();
        let slot = self.slot(thread);
        if slot.owner.load(Ordering::Relaxed) != thread && !slot.claim(thread) {
            return false;
        }
        match slot.contexts.iter().find(|it| it.load(Ordering::Relaxed).is_null()) {
            Some(place) => place.store(context.as_ptr(), Ordering::Release),
            None => slot.replace(context),
        }
        true
    }

    /// Where the context of a thread would be. Identities are addresses, alike in what is low and what is high.
    #[inline]
    fn slot(&self, thread: usize) -> &Slot<T, PLACES> {
        let hash = (thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.0[(hash >> (64 - SLOTS.ilog2())) as usize]
    }
}

impl<T: Spare, const PLACES: usize> Slot<T, PLACES> {
    /// Gives back what is in the first place, and moves the others up before the new one: each kind that the thread uses no
    /// more goes in its turn. Nothing is in two places in between, where a child of fork(2) would find it twice.
    #[cold]
    fn replace(&self, context: NonNull<T>) {
        let [first, others @ ..] = &self.contexts[..] else { unreachable!("at least one place") };
        let gone = NonNull::new(first.load(Ordering::Acquire));
        first.store(null_mut(), Ordering::Relaxed);
        let mut free = first;
        for next in others {
            let moved = next.load(Ordering::Acquire);
            next.store(null_mut(), Ordering::Relaxed);
            free.store(moved, Ordering::Release);
            free = next;
        }
        free.store(context.as_ptr(), Ordering::Release);
        if let Some(gone) = gone {
            // SAFETY: who kept it promised that; it is kept no more.
            unsafe { T::give_back(gone) };
        }
    }

    #[cold]
    fn claim(&self, thread: usize) -> bool {
        let (none, relaxed) = (0, Ordering::Relaxed);
        self.owner.load(relaxed) == none
            && self.owner.compare_exchange(none, thread, relaxed, relaxed).is_ok()
    }
}

impl<T: Spare, const PLACES: usize> Drop for Spares<T, PLACES> {
    fn drop(&mut self) {
        for slot in &mut self.0 {
            for place in &mut slot.contexts {
                if let Some(context) = NonNull::new(*place.get_mut()) {
                    // SAFETY: who kept it promised that.
                    unsafe { T::give_back(context) };
                }
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
        let spares = Spares::<_, 2>::none();
        assert_eq!(spares.take(), None);
        let [first, second, third] = [made(&dropped), made(&dropped), made(&dropped)];
        for context in [first, second, third] {
            // SAFETY: made like a context, and used no more.
            assert!(unsafe { spares.keep(context) });
        }
        assert_eq!(dropped.load(Ordering::Relaxed), 1, "there is room for two");
        thread::scope(|scope| scope.spawn(|| assert_eq!(spares.take(), None)).join()).unwrap();
        assert_eq!(spares.take_if(|it| it == third), Some(third));
        assert_eq!(spares.take_if(|it| it == third), None);
        assert_eq!(spares.take(), Some(second));
        assert_eq!(spares.take(), None);
        for context in [second, third] {
            // SAFETY: as above.
            assert!(unsafe { spares.keep(context) });
        }
        assert_eq!(dropped.load(Ordering::Relaxed), 1);
        drop(spares);
        assert_eq!(dropped.load(Ordering::Relaxed), 3);
    }

    /// More threads than there are slots, all at once, and others after their end.
    #[test]
    fn nothing_is_lost_with_threads() {
        const THREADS: usize = 2 * SLOTS;
        const ROUNDS: usize = 100;
        let (dropped, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let spares = Spares::<_>::none();
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
