//! What programs spend while they work, and on what.

use std::io;
use std::process::Command;

use wirespeed_profile::{Lessons, Profile, Sampler};
use wirespeed_system_tests::process::{cpu_seconds, cpu_seconds_of};

/// Counts the CPU time of the processes of interest.
#[derive(Default)]
pub(crate) struct Meter {
    sampler: Option<Sampler>,
}

impl Meter {
    /// One that also looks where the time goes.
    pub(crate) fn sampling() -> io::Result<Self> {
        Ok(Self { sampler: Some(Sampler::start()?) })
    }

    /// Whether it looks where the time goes.
    pub(crate) fn samples(&self) -> bool {
        self.sampler.is_some()
    }

    fn look_at(&self, process: u32) {
        if let Some(sampler) = &self.sampler {
            sampler.include(process);
        }
    }

    /// What some running processes spend while something is done, with the children of theirs that end.
    pub(crate) fn during(
        &self,
        processes: impl IntoIterator<Item = u32>,
        work: impl FnOnce() -> Result<(), String>,
    ) -> Result<f64, String> {
        let processes: Vec<u32> = processes.into_iter().collect();
        if processes.is_empty() {
            return Err("no process to measure".to_owned());
        }
        processes.iter().for_each(|it| self.look_at(*it));
        let sum = || processes.iter().map(|it| cpu_seconds(*it)).sum::<Result<f64, String>>();
        let before = sum()?;
        work()?;
        Ok(sum()? - before)
    }

    /// What a program spends until it ends.
    pub(crate) fn of(&self, program: &mut Command) -> Result<f64, String> {
        cpu_seconds_of(program, |process| self.look_at(process))
    }

    /// Where the time went, of so many seconds; none of one that does not look.
    pub(crate) fn profile(self, cpu_seconds: f64, lessons: &mut Lessons) -> Option<Profile> {
        Some(self.sampler?.profile(cpu_seconds, lessons))
    }
}
