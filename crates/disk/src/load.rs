//! What a test costs the machine: its load, and the time that its CPUs were busy.

use std::fs;

/// The first figure of /proc/loadavg: tasks that ran or waited for a disk, over the last minute.
pub fn average() -> Option<f64> {
    first_figure(&fs::read_to_string("/proc/loadavg").ok()?)
}

fn first_figure(text: &str) -> Option<f64> {
    text.split(' ').next()?.parse().ok()
}

/// Nanoseconds that all CPUs together have been busy since the machine started, whoever kept them so: dm-crypt's
/// work is done by threads of the kernel's, which no process's own clock counts. In steps of a tick (10 ms).
pub fn busy_nanos() -> Option<u64> {
    let nanos_per_tick = 1_000_000_000 / rustix::param::clock_ticks_per_second();
    Some(wirespeed_measure::busy_ticks(&fs::read_to_string("/proc/stat").ok()?)? * nanos_per_tick)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_words() {
        assert_eq!(first_figure("4.43 2.01 0.99 2/345 6789\n"), Some(4.43));
        assert_eq!(first_figure(""), None);
    }

    #[test]
    fn this_machine_has_been_busy() {
        assert!(average().is_some_and(|load| load >= 0.0));
        assert!(busy_nanos().is_some_and(|nanos| nanos > 0));
    }
}
