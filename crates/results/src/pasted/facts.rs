//! What a text says of its machine besides: lines of /proc/cpuinfo, lscpu, uname, os-release.

use crate::schema::{Cpu, Machine};

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Cpu(String),
    Model(String),
    Kernel(String),
    Distribution(String),
    Cores(usize),
    /// A line that says nothing here.
    Other,
}

/// All of them; of two of a kind the first.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    cpu: Option<String>,
    model: Option<String>,
    kernel: Option<String>,
    distribution: Option<String>,
    cores: Option<usize>,
}

/// Lines of /proc/cpuinfo and lscpu that say nothing here.
const OTHERS: [&str; 41] = [
    "address sizes",
    "apicid",
    "architecture",
    "asids",
    "bogomips",
    "bugs",
    "byte order",
    "cache size",
    "cache_alignment",
    "clflush size",
    "codename",
    "core id",
    "core(s) per socket",
    "cpu architecture",
    "cpu cores",
    "cpu family",
    "cpu implementer",
    "cpu mhz",
    "cpu op-mode(s)",
    "cpu part",
    "cpu revision",
    "cpu variant",
    "cpuid level",
    "distributor id",
    "features",
    "flags",
    "fpu",
    "fpu_exception",
    "initial apicid",
    "microcode",
    "physical id",
    "power management",
    "release",
    "revision",
    "serial",
    "siblings",
    "socket(s)",
    "stepping",
    "thread(s) per core",
    "vendor_id",
    "wp",
];

/// Longer values are no names.
const LONGEST: usize = 120;

impl Fact {
    /// Reads a line.
    pub(super) fn parse(line: &str) -> Option<Self> {
        of_uname(line).or_else(|| of_os_release(line)).or_else(|| of_list(line))
    }
}

/// `Linux host 5.4.24 #0 SMP …`, `Linux version 5.4.24 …`, and iostat's `Linux 5.4.24 (host) … (6 CPU)`.
fn of_uname(line: &str) -> Option<Fact> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_release = |word: &&str| word.starts_with(|it: char| it.is_ascii_digit());
    let release = match words.as_slice() {
        ["Linux", "version", release, ..] => release,
        ["Linux", release, host, ..] if is_release(release) && host.starts_with('(') => release,
        ["Linux", _, release, build, ..] if build.starts_with('#') => release,
        _ => return None,
    };
    (is_release(release) && release.len() <= LONGEST).then(|| Fact::Kernel((*release).to_owned()))
}

fn of_os_release(line: &str) -> Option<Fact> {
    let (key, value) = line.split_once('=')?;
    let value = value.trim_matches(['"', '\'']).to_owned();
    let is_name = !value.is_empty() && value.len() <= LONGEST;
    match key {
        "PRETTY_NAME" | "DISTRIB_DESCRIPTION" if is_name => Some(Fact::Distribution(value)),
        "BOARD_NAME" if is_name => Some(Fact::Model(value)),
        _ => None,
    }
}

fn of_list(line: &str) -> Option<Fact> {
    let (key, value) = line.split_once(':')?;
    let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
    if OTHERS.binary_search(&key.as_str()).is_ok() {
        return Some(Fact::Other);
    }
    let named = |fact: fn(String) -> Fact| match value.len() {
        1..=LONGEST => fact(value.to_owned()),
        _ => Fact::Other,
    };
    let number: Option<usize> = value.parse().ok();
    Some(match (key.as_str(), number) {
        ("model name" | "cpu model", None) => named(Fact::Cpu),
        ("processor", None) => named(Fact::Cpu),
        // The first alone may be all that was pasted.
        ("processor", Some(0)) => Fact::Other,
        ("processor", Some(number)) => Fact::Cores(number.saturating_add(1)),
        ("cpu(s)", Some(number)) => Fact::Cores(number),
        ("model" | "machine" | "hardware" | "system type", None) => named(Fact::Model),
        ("model", Some(_)) => Fact::Other,
        ("description", None) => named(Fact::Distribution),
        _ => return None,
    })
}

impl Facts {
    pub(super) fn take(&mut self, fact: Fact) {
        match fact {
            // What 64-bit kernels for ARM write there is no name.
            Fact::Cpu(name) if name.starts_with("ARMv") => {}
            Fact::Cpu(name) => self.cpu = self.cpu.take().or(Some(name)),
            Fact::Model(name) => self.model(&name),
            Fact::Kernel(release) => self.kernel = self.kernel.take().or(Some(release)),
            Fact::Distribution(name) => {
                self.distribution = self.distribution.take().or(Some(name));
            }
            Fact::Cores(count) if (1..=4096).contains(&count) => {
                self.cores = Some(self.cores.unwrap_or(0).max(count));
            }
            Fact::Cores(_) | Fact::Other => {}
        }
    }

    /// What the machine is called.
    pub(super) fn model(&mut self, name: &str) {
        if self.model.is_none() && !name.is_empty() {
            self.model = Some(name.to_owned());
        }
    }

    /// The machine as far as it is known.
    pub(super) fn machine(&self) -> Machine {
        Machine {
            cpu: Cpu { brand: self.cpu.clone(), cores: self.cores, ..Cpu::default() },
            model: self.model.clone(),
            kernel: self.kernel.clone(),
            distribution: self.distribution.clone(),
            governor: None,
            libcrypto: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_from_what_people_paste() {
        let mut facts = Facts::default();
        for line in [
            "Linux wrt32x 5.4.24 #0 SMP Tue Mar 10 02:12:02 2020 armv7l GNU/Linux",
            "system type             : MediaTek MT7621 ver:1 eco:3",
            "machine\t: Ubiquiti EdgeRouter X",
            "processor\t: 0",
            "processor\t: 3",
            "cpu model\t: MIPS 1004Kc V2.15",
            "BogoMIPS\t: 583.68",
            "DISTRIB_DESCRIPTION=\"OpenWrt 21.02.3\"",
        ] {
            facts.take(Fact::parse(line).unwrap_or_else(|| panic!("nothing in {line}")));
        }
        let machine = facts.machine();
        assert_eq!(machine.cpu.brand.as_deref(), Some("MIPS 1004Kc V2.15"));
        assert_eq!((machine.cpu.cores, machine.kernel.as_deref()), (Some(4), Some("5.4.24")));
        assert_eq!(machine.model.as_deref(), Some("MediaTek MT7621 ver:1 eco:3"));
        assert_eq!(machine.distribution.as_deref(), Some("OpenWrt 21.02.3"));
        let iostat = Fact::parse("Linux 5.0.0-32-generic (MiniPC) \t11/11/19 \t_x86_64_\t(4 CPU)");
        assert_eq!(iostat, Some(Fact::Kernel("5.0.0-32-generic".to_owned())));
        for other in ["Linux is great", "note: this", "model", "https://example.org/", ""] {
            assert_eq!(Fact::parse(other), None, "{other}");
        }
    }

    #[test]
    fn the_list_can_be_searched() {
        assert!(OTHERS.is_sorted());
    }
}
