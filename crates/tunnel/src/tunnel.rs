//! A tunnel that is up, and what a stretch of traffic through it costs.

use std::fs;

use rustix::param::clock_ticks_per_second;
use wirespeed_cipher::Subject;
use wirespeed_measure::busy_ticks;

use crate::cable::{ADDRESSES, Cable};
use crate::program::Daemon;
use crate::provided::Provided;
use crate::traffic;

/// A tunnel; it goes down with its value.
#[derive(Debug)]
pub(crate) struct Tunnel {
    /// At both ends; none for the kernel's, and without a tunnel. They end before their network does.
    pub(crate) daemons: Vec<Daemon>,
    pub(crate) cable: Cable,
    /// The addresses that traffic goes between.
    pub(crate) addresses: [&'static str; 2],
    pub(crate) witness: Witness,
}

/// Who tells that traffic was encrypted as it was to be.
#[derive(Debug)]
pub(crate) enum Witness {
    /// It was not to be encrypted.
    Nobody,
    /// The counters of our module, where it is loaded.
    Module(Provided),
    /// The kernel's own of ESP.
    Kernel,
}

/// One measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) bytes: u64,
    pub(crate) bits_per_second: f64,
    pub(crate) cpu_s_per_gib: f64,
}

impl Tunnel {
    /// None at all: the cable itself.
    pub(crate) fn plain() -> Result<Self, String> {
        let cable = Cable::lay("plain")?;
        Ok(Self { daemons: Vec::new(), cable, addresses: ADDRESSES, witness: Witness::Nobody })
    }

    /// Sends for so many seconds.
    pub(crate) fn measure(&self, seconds: u32) -> Result<Sample, String> {
        let before = self.cpu_ticks()?;
        let arrived = traffic::send(&self.cable, self.addresses, seconds)?;
        let ticks = self.cpu_ticks()?.saturating_sub(before);
        let cpu_seconds = ticks as f64 / clock_ticks_per_second() as f64;
        Ok(Sample {
            bytes: arrived.bytes,
            bits_per_second: arrived.bits_per_second,
            cpu_s_per_gib: cpu_seconds / (arrived.bytes as f64 / f64::from(1 << 30)),
        })
    }

    /// CPU time so far: of the tunnel's processes, or of everybody where it has none.
    fn cpu_ticks(&self) -> Result<u64, String> {
        if self.daemons.is_empty() {
            return read("/proc/stat", busy_ticks);
        }
        self.daemons.iter().map(|it| read(&format!("/proc/{}/stat", it.id()), of_process)).sum()
    }

    /// Our routes that ran `cipher`; an error if so many bytes of traffic have not been encrypted as they were to be.
    pub(crate) fn prove(&self, cipher: Subject, bytes: u64) -> Result<Vec<String>, String> {
        match &self.witness {
            Witness::Nobody => Ok(Vec::new()),
            Witness::Module(provided) => provided.ran(cipher, bytes),
            Witness::Kernel => {
                let states = self.cable.ends()[0].ip(&["-s", "xfrm", "state"])?;
                match of_states(&states) {
                    passed if passed >= bytes => Ok(Vec::new()),
                    passed => Err(format!("only {passed} bytes of {bytes} went through ESP")),
                }
            }
        }
    }
}

fn read(file: &str, understand: fn(&str) -> Option<u64>) -> Result<u64, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    understand(&text).ok_or_else(|| format!("{file}: {text}"))
}

/// proc(5), /proc/PID/stat: user and system time are its fields 14 and 15, the name before them may hold anything.
fn of_process(stat: &str) -> Option<u64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

/// The bytes that ip-xfrm(8) tells of all states, below "lifetime current".
fn of_states(text: &str) -> u64 {
    let after = text.split("lifetime current:").skip(1);
    let count = |it: &str| it.split_once("(bytes)")?.0.trim().parse::<u64>().ok();
    after.filter_map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_the_kernel_writes_them() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 12 30 5 6 20 0 1 0 33 1 1";
        assert_eq!(of_process(stat), Some(42));
        assert_eq!(of_process("7 (a) S 1"), None);
    }

    #[test]
    fn bytes_of_every_state() {
        let one = "\tlifetime current:\n\t  1500(bytes), 3(packets)\n\t  add 2026-01-01\n";
        assert_eq!(of_states(&format!("src a dst b\n{one}src b dst a\n{one}")), 3000);
        assert_eq!(of_states(""), 0);
    }
}
