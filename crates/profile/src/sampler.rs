//! Samples taken in the background, while somebody else has the work done.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::learned::Lessons;
use crate::processes;
use crate::profile::{PAUSE, PERIOD, Profile, Sampled, sum_up};
use crate::sampling::Sampling;

/// Samples being taken of some processes and of what they start from now on, which is root's to do.
pub struct Sampler {
    sampling: Arc<Mutex<Sampling>>,
    over: Arc<AtomicBool>,
    drain: Option<JoinHandle<()>>,
    began: Instant,
}

impl Sampler {
    /// Of no process yet.
    ///
    /// # Errors
    /// If Linux does not let us.
    pub fn start() -> io::Result<Self> {
        let sampling = Arc::new(Mutex::new(Sampling::of_none(PERIOD)?));
        let over = Arc::new(AtomicBool::new(false));
        let drain = {
            let (sampling, over) = (Arc::clone(&sampling), Arc::clone(&over));
            thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    lock(&sampling).drain();
                    thread::sleep(PAUSE);
                }
            })
        };
        Ok(Self { sampling, over, drain: Some(drain), began: Instant::now() })
    }

    /// A process that counts from now on.
    pub fn include(&self, process: u32) {
        let mut sampling = lock(&self.sampling);
        // That it came from another would else be news afterwards, and what it maps would count for nothing.
        sampling.drain();
        sampling.include(process);
    }

    /// Where they spent their time, which is so many seconds as somebody counted it.
    pub fn profile(mut self, cpu_seconds: f64, lessons: &mut Lessons) -> Profile {
        self.stop();
        let mut sampling = lock(&self.sampling);
        sampling.drain();
        let sampled = Sampled {
            seen: std::mem::take(&mut sampling.seen),
            name: String::new(),
            elapsed: self.began.elapsed(),
            cpu: processes::Seconds { user: cpu_seconds, system: 0.0 },
            status: None,
        };
        sum_up(sampled, lessons, &|_| ())
    }

    fn stop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        // It does nothing that could panic but what `lock` passes over.
        self.drain.take().map(JoinHandle::join);
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.stop();
    }
}

fn lock(sampling: &Mutex<Sampling>) -> MutexGuard<'_, Sampling> {
    sampling.lock().unwrap_or_else(PoisonError::into_inner)
}
