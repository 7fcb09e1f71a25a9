//! Clocks come in as values, so that the schedule is tested without waiting.

/// A clock that counts nanoseconds from some moment on.
pub trait Clock {
    /// Nanoseconds now.
    fn now(&self) -> u64;
}

/// Time that the calling thread spent on a CPU: what other programs do does not count.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadTime;

/// Time as people have it.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallTime;

impl Clock for ThreadTime {
    #[inline]
    fn now(&self) -> u64 {
        read(libc::CLOCK_THREAD_CPUTIME_ID)
    }
}

impl Clock for WallTime {
    #[inline]
    fn now(&self) -> u64 {
        read(libc::CLOCK_MONOTONIC)
    }
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both clocks exist on every Linux, and `time` is ours to write.
    let result = unsafe { libc::clock_gettime(clock, &mut time) };
    assert_eq!(result, 0, "clock_gettime({clock})");
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Ticks that all CPUs together have been busy, of the text of /proc/stat.
///
/// proc(5): user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user time already.
/// Time stolen by a hypervisor is no work of ours.
pub fn busy_ticks(text: &str) -> Option<u64> {
    let all = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = all.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let [user, nice, system, _idle, _iowait, irq, softirq, ..] = ticks[..] else { return None };
    Some(user + nice + system + irq + softirq)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_thread_time_and_sleep_does_not() {
        let (thread, wall) = (ThreadTime.now(), WallTime.now());
        std::thread::sleep(std::time::Duration::from_millis(20));
        let (thread, wall) = (ThreadTime.now() - thread, WallTime.now() - wall);
        assert!(wall >= 20_000_000 && thread < wall);
    }

    #[test]
    fn the_kernels_ticks() {
        let stat = "cpu  100 10 50 9000 30 1 2 7 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert_eq!(busy_ticks(stat), Some(163));
        assert_eq!(busy_ticks("cpu0 1 2 3"), None);
    }
}
