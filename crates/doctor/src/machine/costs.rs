//! What small calls and memory cost on this machine.

use std::fs;
use std::hint::black_box;
use std::time::Instant;

use rustix::process::getppid;
use wirespeed_libcrypto::{Context, Library};

use crate::examined::Examined;
use crate::finding::Finding;

/// Measured in a few milliseconds each; none where that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Costs {
    /// Nanoseconds of a system call that does nothing.
    pub(crate) system_call: Option<f64>,
    /// Nanoseconds of a cipher looked up by its name in the machine's OpenSSL (EVP_CIPHER_fetch).
    pub(crate) fetch: Option<f64>,
    /// Bytes that one core copies in a second, from memory to memory.
    pub(crate) copied: Option<f64>,
}

/// How often something is measured: the fastest counts.
const RUNS: usize = 5;
/// Calls in a run.
const CALLS: u32 = 2000;
/// Bytes that are copied in a run, where there is that much memory: more than caches hold.
const COPIED: usize = 32 << 20;

impl Costs {
    /// Of this machine, and of this OpenSSL.
    pub(crate) fn measure(library: Option<Library>) -> Self {
        let of_each = |seconds: f64| seconds * 1e9 / f64::from(CALLS);
        let calls = || {
            for _ in 0..CALLS {
                black_box(getppid());
            }
        };
        Self {
            system_call: Some(of_each(fastest(calls))),
            fetch: library.and_then(|library| {
                let context = Context::new(library).ok()?;
                let look_up = || context.fetch("AES-128-GCM", None).ok();
                look_up()?;
                Some(of_each(fastest(|| (0..CALLS).for_each(|_| drop(look_up())))))
            }),
            copied: copied(),
        }
    }
}

/// Seconds of the fastest of some runs.
fn fastest(mut work: impl FnMut()) -> f64 {
    let times = (0..RUNS).map(|_| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64()
    });
    times.min_by(f64::total_cmp).unwrap_or(f64::NAN)
}

/// Nothing on machines where so much memory is not free.
fn copied() -> Option<f64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: usize = line.trim().strip_suffix(" kB")?.parse().ok()?;
    if kilobytes / 8 < COPIED >> 10 {
        return None;
    }
    let (from, mut to) = (vec![1_u8; COPIED], vec![0_u8; COPIED]);
    let seconds = fastest(|| black_box(&mut to[..]).copy_from_slice(black_box(&from)));
    Some(COPIED as f64 / seconds)
}

/// Below this many bytes a second memory is what a disk's or a file's cipher waits for.
const SLOW_MEMORY: f64 = 4e9;

/// Flaws of CPUs whose mitigations make the way into the kernel longer, and words of those that do.
const MITIGATIONS: [(&str, &[&str]); 8] = [
    ("meltdown", &["PTI"]),
    ("mds", &["Clear CPU buffers"]),
    ("tsx_async_abort", &["Clear CPU buffers"]),
    ("mmio_stale_data", &["Clear CPU buffers"]),
    ("reg_file_data_sampling", &["Clear Register File"]),
    ("retbleed", &["untrained return thunk", "IBRS"]),
    ("spec_rstack_overflow", &["Safe RET", "IBPB"]),
    ("spectre_v2", &["Mitigation: IBRS"]),
];

/// System calls with their mitigations, look-ups by name, and memory.
pub(super) fn costs(examined: &Examined<'_>) -> Vec<Finding> {
    let costs = examined.here.costs();
    let found = [
        costs.system_call.map(|it| system_call(examined, it)),
        costs.fetch.map(|it| fetch(examined, it)),
        costs.copied.map(memory),
    ];
    found.into_iter().flatten().collect()
}

fn system_call(examined: &Examined<'_>, nanoseconds: f64) -> Finding {
    let is_there = |(flaw, words): &&(&str, &[&str])| {
        let file = format!("/sys/devices/system/cpu/vulnerabilities/{flaw}");
        let text = examined.here.text(file).unwrap_or_default();
        text.starts_with("Mitigation") && words.iter().any(|word| text.contains(word))
    };
    let there: Vec<&str> = MITIGATIONS.iter().filter(is_there).map(|(flaw, _)| *flaw).collect();
    let text = format!("a system call takes {nanoseconds:.0} ns");
    if there.is_empty() {
        return Finding::fine(text);
    }
    Finding::note(format!(
        "{text}, with the mitigations of {}: each small packet pays it, and each call of Linux's crypto; \
         ciphers inside a program do not",
        there.join(", ")
    ))
}

/// openssl#20286, #21005: what a program pays that looks up anew for each message.
fn fetch(examined: &Examined<'_>, nanoseconds: f64) -> Finding {
    let version = examined.openssl.as_ref().map_or("OpenSSL", |openssl| &openssl.version);
    let release = version.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let text = format!(
        "a cipher looked up by its name costs {nanoseconds:.0} ns in {release}; handshakes and programs that do so for each message pay it each time"
    );
    let is_slow = ["3.0.", "3.1."].iter().any(|it| release.starts_with(&format!("OpenSSL {it}")));
    match is_slow {
        true => Finding::offer(
            text,
            "handshakes are slow in 3.0 (openssl#20286), and no module mends that: OpenSSL 3.5 is faster \
             (docs/versions.md); programs should keep what EVP_CIPHER_fetch gave",
        ),
        false => Finding::fine(text),
    }
}

fn memory(bytes_per_second: f64) -> Finding {
    let text = format!("one core copies {:.1} GB/s from memory to memory", bytes_per_second / 1e9);
    match bytes_per_second < SLOW_MEMORY {
        true => Finding::note(format!(
            "{text}: for disks and large files a cipher that is faster waits for memory"
        )),
        false => Finding::fine(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn machine(costs: Costs) -> Fake {
        let mut fake = Fake::bare();
        fake.costs = costs;
        fake
    }

    #[test]
    fn mitigations_are_told_with_what_a_call_takes() {
        let costs = Costs { system_call: Some(412.0), ..Costs::default() };
        assert_eq!(machine(costs).says(super::costs), "fine: a system call takes 412 ns");
        let file = |flaw: &str| format!("/sys/devices/system/cpu/vulnerabilities/{flaw}");
        let fake = machine(costs)
            .file(&file("meltdown"), "Mitigation: PTI\n")
            .file(&file("mds"), "Not affected\n")
            .file(&file("spectre_v2"), "Mitigation: Enhanced / Automatic IBRS\n");
        let said = fake.says(super::costs);
        assert!(
            said.starts_with(
                "note: a system call takes 412 ns, with the mitigations of meltdown: "
            ),
            "{said}"
        );
    }

    /// openssl#25352, #20286, #21005, #16791.
    #[test]
    fn handshakes_that_are_slower_in_3_0_get_an_answer() {
        let costs = Costs { fetch: Some(480.0), ..Costs::default() };
        let mut fake = machine(costs);
        let said = fake.says(super::costs);
        assert!(
            said.starts_with("note: a cipher looked up by its name costs 480 ns in OpenSSL 3.0.19"),
            "{said}"
        );
        assert!(said.contains("OpenSSL 3.5 is faster"), "{said}");
        fake.openssl.as_mut().expect("an OpenSSL").version = "OpenSSL 3.5.6 7 Apr 2026".to_owned();
        assert!(fake.says(super::costs).starts_with("fine: "));
    }

    #[test]
    fn slow_memory_is_told() {
        for (copied, state) in
            [(1.2e9, "note: one core copies 1.2 GB/s"), (1.1e10, "fine: one core copies 11.0")]
        {
            let costs = Costs { copied: Some(copied), ..Costs::default() };
            assert!(machine(costs).says(super::costs).starts_with(state));
        }
    }
}
