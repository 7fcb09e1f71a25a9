//! What a plan was made for: a plan for anything else is not used.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use wirespeed_cpu::{Feature, Features};

/// The machine and the programs that a plan holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint([String; Self::FACTS.len()]);

impl Fingerprint {
    /// The word in the plan and the word for people.
    pub(crate) const FACTS: [(&'static str, &'static str); 6] = [
        ("cpu", "CPU"),
        ("microcode", "microcode"),
        ("kernel", "kernel"),
        ("libcrypto", "libcrypto"),
        ("wirespeed", "Wirespeed"),
        (Self::FEATURES, "CPU features"),
    ];

    /// The fact that plans before 0.1.1 do not have, and the last: a hypervisor may hide and show features of what stays
    /// the same CPU by name.
    pub(crate) const FEATURES: &'static str = "features";

    /// Characters in one fact; more are cut off. The features are no more than this.
    const LONGEST: usize = 240;

    /// In place of a fact that the machine does not tell.
    const UNKNOWN: &'static str = "unknown";

    const VERSION: &'static str = env!("CARGO_PKG_VERSION");

    /// Bytes of /proc/cpuinfo: all that is wanted of the first CPU's block, which goes on with a long
    /// line of flags. The kernel writes a block for every CPU that a reader has room for, so there
    /// must be no room for more.
    const CPUINFO: usize = 1024;

    /// This machine, with a libcrypto of this version: "3.0.18", or "OpenSSL 3.0.18 30 Sep 2025".
    pub fn here(libcrypto_version: &str) -> Self {
        Self::by_files_in(Path::new("/proc"), libcrypto_version)
    }

    /// Units of systemd with `ProcSubset=pid`, and chroots, have only part of /proc or nothing of it.
    fn by_files_in(proc: &Path, libcrypto_version: &str) -> Self {
        let kernel = read_once(&proc.join("sys/kernel/osrelease"), 256);
        let kernel = kernel.or_else(wirespeed_cpu::release).unwrap_or_default();
        let Some(cpuinfo) = read_once(&proc.join("cpuinfo"), Self::CPUINFO) else {
            return Self::with(&Self::cpu_by_itself(), "", &kernel, libcrypto_version);
        };
        Self::of(&cpuinfo, &kernel, libcrypto_version)
    }

    /// The same with what this program itself knows.
    fn with(cpu: &str, microcode: &str, kernel: &str, libcrypto: &str) -> Self {
        let features = Self::features();
        Self::from_facts([cpu, microcode, kernel, numbers(libcrypto), Self::VERSION, &features])
    }

    /// The CPU's, also where a program hides some of them from OpenSSL: the plan is not made for it alone.
    fn features() -> String {
        let shown = Features::detect();
        let is_masked = std::env::var_os(wirespeed_cpu::MASK).is_some();
        // Asking again takes time in a virtual machine.
        let hidden = if is_masked { Features::hidden_by_openssl() } else { Features::NONE };
        let all = Feature::ALL.iter().filter(|it| shown.has(**it) || hidden.has(**it));
        let names: Vec<_> = all.map(|it| it.name()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(" ") }
    }

    /// What Linux writes of an x86 CPU, as the CPU says it; nothing of others.
    fn cpu_by_itself() -> String {
        let vendor = wirespeed_cpu::vendor();
        let Some((vendor, [family, model, stepping])) = vendor.zip(wirespeed_cpu::signature())
        else {
            return String::new();
        };
        let brand = wirespeed_cpu::brand();
        let brand = brand.as_deref().unwrap_or(Self::UNKNOWN);
        format!("{vendor} {family}/{model}/{stepping} {brand}")
    }

    /// What is said of no machine, and so fits none.
    pub fn of_no_machine() -> Self {
        Self::from_facts(["none"; Self::FACTS.len()])
    }

    fn of(cpuinfo: &str, kernel: &str, libcrypto: &str) -> Self {
        let whole = match cpuinfo.split_once("\n\n") {
            Some((block, _)) => block,
            // The last line may be cut off.
            None => cpuinfo.rfind('\n').map_or("", |end| &cpuinfo[..end]),
        };
        let fact = |key: &str| {
            let pairs = whole.lines().filter_map(|line| line.split_once(':'));
            let mut values = pairs.filter(|(name, _)| name.trim() == key).map(|(_, value)| value);
            values.next().map_or(Self::UNKNOWN, str::trim)
        };
        // ARM's words for it, or RISC-V's, stand where x86's are missing.
        let arm = ["CPU implementer", "CPU part", "CPU variant", "CPU revision"].map(fact);
        let risc_v = ["uarch", "mvendorid", "marchid", "mimpid"].map(fact);
        let cpu = match (arm, risc_v) {
            ([maker, part, variant, revision], _) if maker != Self::UNKNOWN => {
                format!("{maker} {part}/{variant}/{revision}")
            }
            (_, [core, maker, architecture, version]) if risc_v != [Self::UNKNOWN; 4] => {
                format!("{core} {maker}/{architecture}/{version}")
            }
            // Kernels before those words have this alone.
            _ if fact("isa").starts_with("rv") => fact("isa").to_owned(),
            _ => format!(
                "{} {}/{}/{} {}",
                fact("vendor_id"),
                fact("cpu family"),
                fact("model"),
                fact("stepping"),
                fact("model name"),
            ),
        };
        Self::with(&cpu, fact("microcode"), kernel, libcrypto)
    }

    /// From the values of [`Self::FACTS`] in order.
    pub(crate) fn from_facts(facts: [&str; Self::FACTS.len()]) -> Self {
        Self(facts.map(Self::tidy))
    }

    /// One line of single blanks and printable characters, not empty, not too long.
    fn tidy(text: &str) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = words.join(" ");
        let printable = line.chars().filter(|c| !c.is_control()).take(Self::LONGEST);
        let text = printable.collect::<String>().trim().to_owned();
        if text.is_empty() { Self::UNKNOWN.to_owned() } else { text }
    }

    /// Name and value of each fact.
    pub fn facts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        Self::FACTS.iter().map(|(name, _)| *name).zip(self.0.iter().map(String::as_str))
    }

    /// What makes a plan with this fingerprint useless `here`: "made for libcrypto 3.0.18, this is
    /// 3.0.19". What cannot be known here is no difference, nor are features that an older plan does not name.
    pub fn difference(&self, here: &Self) -> Option<String> {
        let differs = |made: &str, here: &str| {
            let known = here.strip_suffix(Self::UNKNOWN);
            made != here && !known.is_some_and(|known| made.starts_with(known))
        };
        let pairs = Self::FACTS.iter().zip(self.0.iter().zip(&here.0));
        let is_unsaid = |word, made: &str| word == Self::FEATURES && made == Self::UNKNOWN;
        let mut different = pairs
            .filter(|((word, _), (made, here))| differs(made, here) && !is_unsaid(*word, made));
        let ((word, name), (made, here)) = different.next()?;
        Some(match *word == Self::FEATURES {
            true => difference_of_features(made, here),
            false => format!("made for {name} {made}, this is {here}"),
        })
    }

    /// What tells two kinds of machines apart: "made for CPU A, this is B". On machines of one kind, those with the
    /// same CPU and the same line of OpenSSL's releases, a plan may be tried.
    pub fn difference_of_kind(&self, here: &Self) -> Option<String> {
        let kind = |it: &Self| {
            let mut kind = it.clone();
            kind.0[1..3].fill(String::new());
            kind.0[4].clear();
            let mut numbers = it.0[3].splitn(3, '.');
            let line = [numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()];
            kind.0[3] = line.join(".");
            kind
        };
        kind(self).difference(&kind(here))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_said =
            |(name, value): &(_, &str)| *name != Self::FEATURES || *value != Self::UNKNOWN;
        let mut said = self.facts().filter(is_said);
        said.try_for_each(|(name, value)| writeln!(f, "{name:<10} {value}"))
    }
}

/// "made for a CPU with aes, which this has not".
fn difference_of_features(made: &str, here: &str) -> String {
    let beyond = |these: &str, those: &str| {
        let has = |it: &&str| *it != "none" && !those.split(' ').any(|other| other == *it);
        these.split(' ').filter(has).collect::<Vec<_>>().join(" ")
    };
    match (beyond(made, here), beyond(here, made)) {
        (missing, new) if missing.is_empty() => {
            format!("made for a CPU without {new}, which this has")
        }
        (missing, _) => format!("made for a CPU with {missing}, which this has not"),
    }
}

/// The numbers of a version. A provider is told them alone, a program "OpenSSL 3.0.18+fips 30 Sep 2025".
fn numbers(version: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let from = &version[version.find(is_digit).unwrap_or(0)..];
    let end = from.find(|c| !is_digit(c) && c != '.').unwrap_or(from.len());
    &from[..end]
}

/// The first bytes of a file of the kernel's, in one read.
fn read_once(path: &Path, most: usize) -> Option<String> {
    let mut bytes = vec![0; most];
    let count = File::open(path).and_then(|mut file| file.read(&mut bytes)).ok()?;
    (count > 0).then(|| String::from_utf8_lossy(&bytes[..count]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPUINFO: &str = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n\
        model name\t: Intel(R)  Xeon(R)\nstepping\t: 8\nmicrocode\t: 0x2b000639\nflags\t: fpu v";

    #[test]
    fn facts_from_the_kernel_files() {
        let print = Fingerprint::of(CPUINFO, "6.1.0-18-amd64\n", "OpenSSL 3.0.18 30 Sep 2025");
        let facts: Vec<_> = print.facts().map(|(_, value)| value).collect();
        assert_eq!(facts[0], "GenuineIntel 6/143/8 Intel(R) Xeon(R)");
        assert_eq!(facts[1..4], ["0x2b000639", "6.1.0-18-amd64", "3.0.18"]);
        for version in ["3.0.18", "3.0.18-dev", "OpenSSL 3.0.18+fips 30 Sep 2025"] {
            assert_eq!(print, Fingerprint::of(CPUINFO, "6.1.0-18-amd64", version));
        }
    }

    #[test]
    fn cores_of_arm_are_told_apart() {
        let core = "processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n\
            CPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n\nprocessor\t: 1\n";
        let here = Fingerprint::of(core, "6.12", "3.5.1");
        assert_eq!(here.0[0], "0x41 0xd08/0x0/3");
        let other = Fingerprint::of(&core.replace("d08", "d0b"), "6.12", "3.5.1");
        assert!(here.difference_of_kind(&other).is_some());
    }

    #[test]
    fn cores_of_risc_v_are_told_apart() {
        let core = "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc_zba_zbb\nmmu\t\t: sv39\n\
            uarch\t\t: sifive,u74-mc\nmvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\n\
            mimpid\t\t: 0x4210427\n\nprocessor\t: 1\n";
        let here = Fingerprint::of(core, "6.12", "3.5.1");
        assert_eq!(here.0[0], "sifive,u74-mc 0x489/0x8000000000000007/0x4210427");
        let (_, numbers) = core.split_once("uarch").expect("a core");
        let (isa, _) = core.split_once("mmu").expect("a core");
        for (other, right) in [
            (
                core.replace("sifive,u74-mc", "thead,c910"),
                "thead,c910 0x489/0x8000000000000007/0x4210427",
            ),
            (format!("x{numbers}"), "unknown 0x489/0x8000000000000007/0x4210427"),
            (isa.to_owned(), "rv64imafdc_zba_zbb"),
        ] {
            let other = Fingerprint::of(&other, "6.12", "3.5.1");
            assert_eq!(other.0[0], right);
            assert!(other.difference_of_kind(&here).is_some());
        }
    }

    #[test]
    fn a_kind_of_machine_is_its_cpu_and_its_line_of_openssl() {
        let here = Fingerprint::of(CPUINFO, "6.1.0-18-amd64\n", "3.0.18");
        let newer = Fingerprint::of(&CPUINFO.replace("639", "640"), "6.12.1", "3.0.19");
        assert_eq!(newer.difference_of_kind(&here), None);
        let openssl = Fingerprint::of(CPUINFO, "6.1.0-18-amd64", "3.5.1");
        let said = openssl.difference_of_kind(&here);
        assert_eq!(said.as_deref(), Some("made for libcrypto 3.5, this is 3.0"));
        let cpu = Fingerprint::of(&CPUINFO.replace("143", "85"), "6.1.0-18-amd64", "3.0.18");
        let said = cpu.difference_of_kind(&here).expect("another CPU");
        assert!(said.starts_with("made for CPU GenuineIntel 6/85/8"), "{said}");
    }

    #[test]
    fn what_the_machine_does_not_tell_is_unknown() {
        let print = Fingerprint::of("", "", "");
        let facts: Vec<_> = print.facts().map(|(_, value)| value).collect();
        assert_eq!(facts[0], "unknown unknown/unknown/unknown unknown");
        assert_eq!(facts[1..4], ["unknown"; 3]);
        // A second block says nothing about the first, and a line cut short says nothing.
        let print = Fingerprint::of("model : 1\n\nmicrocode : 0x1\n", "", "");
        assert_eq!(print.0[1], "unknown");
        let print = Fingerprint::of("model : 1\nmicrocode : 0x2b0", "", "");
        assert_eq!(print.0[1], "unknown");
    }

    #[test]
    fn the_first_difference_is_told() {
        let made = Fingerprint::of(CPUINFO, "6.1", "3.0.18");
        assert_eq!(made.difference(&made.clone()), None);
        let here = Fingerprint::of(CPUINFO, "6.1", "3.0.19");
        let told = made.difference(&here).expect("another libcrypto");
        assert_eq!(told, "made for libcrypto 3.0.18, this is 3.0.19");
        let here = Fingerprint::of(CPUINFO, "6.2", "3.0.19");
        assert_eq!(made.difference(&here).expect("both"), "made for kernel 6.1, this is 6.2");
    }

    /// On other machines than x86 the CPU stays unknown.
    #[test]
    fn without_proc_a_plan_still_fits() {
        let made = Fingerprint::here("3.0.18");
        let here = Fingerprint::by_files_in(Path::new("/nowhere"), "3.0.18");
        assert_eq!(made.difference(&here), None, "{made}{here}");
        assert_eq!(made.0[2..], here.0[2..], "the kernel is known");
        if wirespeed_cpu::brand().is_some() {
            assert_eq!(made.0[0], here.0[0], "what the CPU says is what Linux says");
        }
        let other = Fingerprint::by_files_in(Path::new("/nowhere"), "3.0.19");
        assert!(made.difference(&other).is_some());
    }

    #[test]
    fn what_is_unknown_here_is_no_difference() {
        let made = Fingerprint::of(CPUINFO, "6.1", "3.0.18");
        let here = |cpu| Fingerprint::with(cpu, "", "6.1", "3.0.18");
        for fits in ["", "GenuineIntel 6/143/8 unknown"] {
            assert_eq!(made.difference(&here(fits)), None, "{fits}");
        }
        for other in ["GenuineIntel 6/143/9 unknown", "GenuineIntel 6/143/8 Intel(R) Core"] {
            assert!(made.difference(&here(other)).is_some(), "{other}");
        }
        let known = Fingerprint::of(CPUINFO, "6.1", "3.0.18");
        assert!(here("").difference(&known).is_some(), "nothing says that it was made for this");
    }

    /// A hypervisor that shows the instructions for AES leaves the CPU's name as it was.
    #[test]
    fn features_that_come_and_go_are_a_difference() {
        let with = |features| {
            let version = Fingerprint::VERSION;
            Fingerprint::from_facts(["kvm64", "0x1", "6.1", "3.0.18", version, features])
        };
        for (made, here, told) in [
            ("sse2", "sse2 aes vaes", "made for a CPU without aes vaes, which this has"),
            ("sse2 aes", "sse2 avx", "made for a CPU with aes, which this has not"),
            ("aes", "none", "made for a CPU with aes, which this has not"),
            ("none", "aes", "made for a CPU without aes, which this has"),
        ] {
            let (made, here) = (with(made), with(here));
            assert_eq!(made.difference(&here).as_deref(), Some(told));
            assert_eq!(made.difference_of_kind(&here).as_deref(), Some(told));
            assert_eq!(made.difference(&made.clone()), None);
            // An older plan does not say.
            assert_eq!(with("").difference(&here), None);
        }
        assert_eq!(with("sse2").to_string().lines().count(), 6);
        assert_eq!(with("").to_string().lines().count(), 5);
    }

    #[test]
    fn features_of_every_cpu_fit_into_their_line() {
        let names = |from: &str, to: &str| {
            let all = Feature::ALL.iter().map(|it| it.name());
            let some = all.skip_while(|it| *it != from).take_while(|it| *it != to);
            some.collect::<Vec<_>>().join(" ")
        };
        for (from, to) in [("sse2", "asimd"), ("asimd", "v"), ("v", "")] {
            assert!(names(from, to).len() <= Fingerprint::LONGEST, "{from}");
        }
        let here = Fingerprint::here("3.0.18");
        assert_eq!(here.0[5], Fingerprint::features());
    }

    #[test]
    fn this_machine_has_a_kernel() {
        let here = Fingerprint::here("3.0.18");
        assert_ne!(here.0[2], "unknown");
        assert_eq!(here, Fingerprint::here("OpenSSL 3.0.18 30 Sep 2025"));
    }
}
