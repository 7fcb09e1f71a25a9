//! Where threads wait for one another, and which opens for good when one of them cannot come.

use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A barrier that does not hold the others for ever when a thread fails.
#[derive(Debug)]
pub(crate) struct Gate {
    parties: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: usize,
    round: u64,
    is_broken: bool,
}

/// What ends a thread whose others do not come. Nobody prints it: the first to fail has said why.
struct Abandoned;

impl Gate {
    pub(crate) fn new(parties: usize) -> Self {
        Self { parties, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for all. Ends this thread where they do not come.
    pub(crate) fn wait(&self) {
        let mut state = self.state();
        if !state.is_broken {
            state.waiting += 1;
            let round = state.round;
            if state.waiting == self.parties {
                state.waiting = 0;
                state.round += 1;
                self.changed.notify_all();
            }
            while state.round == round && !state.is_broken {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.round != round {
                return;
            }
        }
        drop(state);
        resume_unwind(Box::new(Abandoned));
    }

    /// Ends all that wait or will.
    pub(crate) fn abandon(&self) {
        self.state().is_broken = true;
        self.changed.notify_all();
    }

    /// To be kept by each party: a panic of its thread abandons the others.
    pub(crate) fn party(&self) -> Party<'_> {
        Party(self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Party<'a>(&'a Gate);

impl Drop for Party<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.abandon();
        }
    }
}
