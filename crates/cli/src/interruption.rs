//! Ctrl-C as a question that is asked between two steps, so that no step is left half done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::fault::Fault;

/// Whether somebody wants this program to end.
pub(crate) struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// From now on the first Ctrl-C only asks; a second one ends the program at once.
    pub(crate) fn watch() -> Result<Self, Fault> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order: the first signal finds the flag unset, and only then sets it.
            flag::register_conditional_default(signal, asked.clone())?;
            flag::register(signal, asked.clone())?;
        }
        Ok(Self(asked))
    }

    /// Whether it was asked for.
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the command if it was asked for; `consequence` says how things stand.
    pub(crate) fn check(&self, consequence: &str) -> Result<(), Fault> {
        match self.is_asked() {
            true => Err(Fault::usage(format!("interrupted: {consequence}"))),
            false => Ok(()),
        }
    }
}
