//! A plan that is kept up to date: whether it fits still, and whether this is the time to measure another.

use std::fs;
use std::path::PathBuf;

use wirespeed_bench::Host;

use crate::fault::Fault;
use crate::plan::Effect;

/// A plan that fits no more.
pub(super) struct Outdated {
    /// Its file.
    pub(super) file: PathBuf,
    /// Why it is not followed.
    pub(super) why: String,
}

impl Outdated {
    /// The plan that openssl.cnf names, unless it fits, or openssl.cnf lists the routes itself.
    pub(super) fn here(host: &Host) -> Result<Option<Self>, Fault> {
        let effect = Effect::here(host);
        let (Some(file), Some(_)) = (&effect.file, &effect.named_at) else {
            return Err(Fault::usage(
                "openssl.cnf names no plan that could be kept up to date: sudo wirespeed install --keep",
            ));
        };
        let Some(why) = effect.ignored.clone().filter(|_| effect.listed.is_none()) else {
            return Ok(None);
        };
        Ok(Some(Self { file: file.clone(), why }))
    }

    /// Whether others leave a CPU to measure on.
    pub(super) fn can_be_measured(&self, host: &Host) -> bool {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        leaves_a_cpu(&load, host.machine.cores())
    }
}

/// By proc_loadavg(5): the first figure is how many wanted a CPU in the last minute.
fn leaves_a_cpu(load: &str, cores: usize) -> bool {
    let first = load.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    // Where nobody says, it is as good a time as any.
    first.is_none_or(|wanted| wanted <= (cores as f64 - 1.0).max(0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_left_alone() {
        assert!(leaves_a_cpu("0.42 2.71 1.00 1/88 7", 1) && !leaves_a_cpu("0.61 0 0 1/88 7", 1));
        assert!(leaves_a_cpu("2.99 9 9 1/88 7", 4) && !leaves_a_cpu("3.01 0 0 1/88 7", 4));
        assert!(leaves_a_cpu("", 1));
    }
}
