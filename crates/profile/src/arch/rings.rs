//! The rings that Linux writes samples into: perf_event_open(2).

use std::fs;
use std::io::{ErrorKind, Result};

use perf_event::data::Record;
use perf_event::events::Software;
use perf_event::{Builder, SampleFlag, Sampler};

use super::Event;

/// Bytes of a CPU's ring with all processes in it: samples of some seconds, between which there may be many mappings.
const OF_ALL: usize = 256 << 10;
/// Bytes of all rings of one CPU, and of one of them: users may lock 512 KiB for each CPU (kernel.perf_event_mlock_kb),
/// with a page more for each ring.
const OF_THREADS: usize = 256 << 10;
const OF_A_THREAD: usize = 32 << 10;
/// The CPU's mode in a record, and that of Linux (PERF_RECORD_MISC_KERNEL).
const MODE: u16 = 7;
const IN_LINUX: u16 = 1;
/// ESRCH of errno(3).
const NO_SUCH_PROCESS: i32 = 3;

/// Samples of one CPU.
pub(crate) struct Ring(Sampler);

impl Ring {
    /// What came next, until nothing is left.
    pub(crate) fn next(&mut self) -> Option<Event> {
        while let Some(record) = self.0.next_record() {
            let in_linux = record.misc() & MODE == IN_LINUX;
            let event = match record.parse_record() {
                Ok(Record::Sample(it)) => {
                    it.ip().zip(it.pid()).zip(it.tid()).map(|((address, process), thread)| {
                        Event::Sample { in_linux, address, process, thread }
                    })
                }
                Ok(Record::Mmap(it)) => Some(Event::Map {
                    process: it.pid,
                    start: it.addr,
                    length: it.len,
                    offset: it.pgoff,
                    path: String::from_utf8_lossy(&it.filename).into_owned(),
                }),
                Ok(Record::Fork(it)) => Some(Event::Fork { parent: it.ppid, child: it.pid }),
                Ok(Record::Lost(it)) => Some(Event::Lost(it.lost)),
                _ => None,
            };
            if event.is_some() {
                return event;
            }
        }
        None
    }
}

/// A ring for each CPU with all processes in it, which is root's to have.
pub(crate) fn whole_machine(period: u64) -> Result<Vec<Ring>> {
    let ring = |cpu| {
        let mut builder = builder(true, period);
        builder.any_pid().one_cpu(cpu);
        builder.build()?.sampled(OF_ALL).map(Ring)
    };
    cpus().into_iter().map(ring).collect()
}

/// A ring for each thread on each CPU, as Linux wants it of what children inherit; whether Linux itself is sampled.
pub(crate) fn of_threads(threads: &[u32], period: u64) -> Result<(Vec<Ring>, bool)> {
    let share = (OF_THREADS / threads.len().max(1)).clamp(1, OF_A_THREAD);
    // It is rounded up: to a power of two, and to a page.
    let bytes = 1 << share.ilog2();
    let all = |with_linux: bool| {
        let mut rings = Vec::new();
        for thread in threads {
            for cpu in cpus() {
                let mut builder = builder(with_linux, period);
                builder.observe_pid(thread.cast_signed()).one_cpu(cpu).inherit(true);
                match builder.build().and_then(|counter| counter.sampled(bytes)) {
                    Ok(ring) => rings.push(Ring(ring)),
                    // It has ended.
                    Err(error) if error.raw_os_error() == Some(NO_SUCH_PROCESS) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(rings)
    };
    match all(true) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok((all(false)?, false)),
        other => Ok((other?, true)),
    }
}

fn builder<'a>(with_linux: bool, period: u64) -> Builder<'a> {
    let mut builder = Builder::new(Software::CPU_CLOCK);
    builder
        .sample_period(period)
        .sample(SampleFlag::IP | SampleFlag::TID)
        .exclude_kernel(!with_linux)
        .exclude_hv(true)
        .mmap(true)
        .task(true)
        .enabled(true);
    builder
}

/// The CPUs that are online, as /sys writes them: `0-3,5`.
fn cpus() -> Vec<usize> {
    let text = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let ranges = text.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<usize>().ok()?..=last.parse().ok()?)
    });
    let cpus: Vec<usize> = ranges.flatten().collect();
    if cpus.is_empty() { vec![0] } else { cpus }
}
