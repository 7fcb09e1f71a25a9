//! The CPU's clock: who holds it down.

use std::path::{Path, PathBuf};

use crate::examined::Examined;
use crate::finding::Finding;
use crate::services::{list, name, processes};

const CPUS: &str = "/sys/devices/system/cpu";

/// The governor, heat, and the clock that AVX-512 costs.
pub(super) fn clock(examined: &Examined<'_>) -> Vec<Finding> {
    let cpus = cpus(examined);
    let found = [
        governor(examined),
        throttled(examined, &cpus),
        board(examined),
        cooled(examined),
        licences(examined),
    ];
    found.into_iter().flatten().collect()
}

/// The folders of all CPUs.
pub(super) fn cpus(examined: &Examined<'_>) -> Vec<PathBuf> {
    let mut folders = examined.here.inside(CPUS);
    folders.retain(|folder| number(folder).is_some());
    folders
}

/// The number in a folder such as `cpu7`.
pub(super) fn number(folder: &Path) -> Option<usize> {
    folder.file_name()?.to_str()?.strip_prefix("cpu")?.parse().ok()
}

fn line(examined: &Examined<'_>, file: impl AsRef<Path>) -> Option<String> {
    examined.here.text(file).map(|text| text.trim().to_owned())
}

fn figure(examined: &Examined<'_>, file: impl AsRef<Path>) -> Option<u64> {
    line(examined, file)?.parse().ok()
}

fn governor(examined: &Examined<'_>) -> Option<Finding> {
    let file = |name: &str| format!("{CPUS}/cpu0/cpufreq/{name}");
    let governor = line(examined, file("scaling_governor"))?;
    let driver = line(examined, file("scaling_driver")).unwrap_or_default();
    let mhz = |name| Some(figure(examined, file(name))? / 1000);
    let now = mhz("scaling_cur_freq")?;
    let (allowed, most) = (mhz("scaling_max_freq")?, mhz("cpuinfo_max_freq")?);
    let text = format!("governor {governor} of {driver}: {now} MHz now, of {most}");
    if allowed < most {
        let way = format!(
            "if nobody wants that: echo {}000 | sudo tee {CPUS}/cpu*/cpufreq/scaling_max_freq",
            most
        );
        return Some(Finding::offer(format!("{text}; held at {allowed} MHz"), way));
    }
    let way = || {
        format!(
            "echo performance | sudo tee {CPUS}/cpu*/cpufreq/scaling_governor; it takes more power"
        )
    };
    // These drivers' powersave raises the clock as the others' schedutil does (Documentation/admin-guide/pm).
    let is_dynamic = driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate");
    Some(match &*governor {
        "powersave" if !is_dynamic => {
            Finding::offer(format!("{text}; it holds the clock at its lowest"), way())
        }
        "ondemand" | "conservative" => Finding::offer(
            format!("{text}; it raises the clock late, so short bursts are slow"),
            way(),
        ),
        _ => Finding::fine(text),
    })
}

/// Intel's counters of heat.
fn throttled(examined: &Examined<'_>, cpus: &[PathBuf]) -> Option<Finding> {
    let most = |name: &str| -> u64 {
        let files = cpus.iter().map(|cpu| cpu.join("thermal_throttle").join(name));
        files.filter_map(|file| figure(examined, file)).max().unwrap_or(0)
    };
    let [times, milliseconds] = ["core_throttle_count", "core_throttle_total_time_ms"].map(most);
    let package = most("package_throttle_count");
    (times + package > 0).then(|| {
        Finding::offer(
            format!(
                "heat slowed a core {times} times since the start, {milliseconds} ms in all, and the whole \
                 CPU {package} times (thermal_throttle)"
            ),
            "cool it better; what was measured meanwhile counts for little: wirespeed tune again",
        )
    })
}

/// What the firmware of a Raspberry Pi says (vcgencmd get_throttled).
fn board(examined: &Examined<'_>) -> Option<Finding> {
    const FILE: &str = "/sys/devices/platform/soc/soc:firmware/get_throttled";
    const BITS: [(u32, &str); 4] = [
        (0, "its voltage is too low"),
        (1, "its clock is capped"),
        (2, "it is throttled"),
        (3, "it is too warm for its full clock"),
    ];
    let text = line(examined, FILE)?;
    let bits = u32::from_str_radix(text.trim_start_matches("0x"), 16).ok()?;
    let said = |shift: u32| {
        let set = BITS.iter().filter(|(bit, _)| bits >> (bit + shift) & 1 == 1);
        set.map(|(_, words)| *words).collect::<Vec<_>>().join(", ")
    };
    let (now, before) = (said(0), said(16));
    let text = match (now.is_empty(), before.is_empty()) {
        (true, true) => {
            return Some(Finding::fine("the board was never throttled (get_throttled)"));
        }
        (true, false) => format!("the board says of the time since its start: {before}"),
        (false, _) => format!("the board says: {now}"),
    };
    let way = "a stronger power supply, a heat sink";
    Some(Finding::offer(format!("{text} (get_throttled = 0x{bits:x})"), way))
}

/// What Linux itself does against heat.
fn cooled(examined: &Examined<'_>) -> Option<Finding> {
    let holds = |folder: PathBuf| {
        let kind = line(examined, folder.join("type"))?;
        let is_cpu =
            kind == "Processor" || kind.contains("cpufreq") || kind.contains("thermal-cpu");
        let state = figure(examined, folder.join("cur_state"))?;
        let most = figure(examined, folder.join("max_state"))?;
        (is_cpu && state > 0).then(|| format!("{kind} {state} of {most}"))
    };
    let folders = examined.here.inside("/sys/class/thermal").into_iter();
    let mut held: Vec<String> = folders.filter_map(holds).collect();
    held.dedup();
    (!held.is_empty()).then(|| {
        Finding::offer(
            format!("Linux holds the clock down against heat: {} (/sys/class/thermal)", list(held)),
            "cool it better",
        )
    })
}

/// Processors whose cores lower their clock for wide vectors: Skylake's servers to Cooper Lake, family 6, model 55h.
fn licences(examined: &Examined<'_>) -> Option<Finding> {
    let text = examined.here.text("/proc/cpuinfo")?;
    let value = |key: &str| {
        let line = text.lines().find(|line| line.split(':').next().map(str::trim) == Some(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let is_it = value("vendor_id")? == "GenuineIntel"
        && (value("cpu family")?, value("model")?) == ("6".to_owned(), "85".to_owned())
        && value("flags")?.split(' ').any(|flag| flag == "avx512f");
    if !is_it {
        return None;
    }
    // Documentation/filesystems/proc.rst: milliseconds since it last had state of AVX-512 in a register.
    let lately = |process: &PathBuf| {
        let status = examined.here.text(process.join("arch_status")).unwrap_or_default();
        let ago = status.lines().find_map(|line| line.strip_prefix("AVX512_elapsed_ms:"));
        ago.is_some_and(|ago| matches!(ago.trim().parse(), Ok(0..=1000)))
    };
    let users = processes(examined).into_iter().filter(lately);
    let users: Vec<String> = users.map(|process| name(examined, &process)).collect();
    if users.is_empty() {
        return Some(Finding::fine(
            "no program used AVX-512 in the last second (AVX512_elapsed_ms)",
        ));
    }
    Some(Finding::offer(
        format!(
            "AVX-512 lowers the clock of this CPU's cores for all that runs on them; in the last second it \
             was used by {} (AVX512_elapsed_ms)",
            list(users)
        ),
        "how long it was lower: sudo perf stat -a -e core_power.lvl2_turbo_license sleep 1; a program \
         without: OPENSSL_ia32cap=:~0x00005842d0230000",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn governed(governor: &str, driver: &str, allowed: u32) -> Fake {
        let file = |name: &str| format!("{CPUS}/cpu0/cpufreq/{name}");
        Fake::bare()
            .file(&file("scaling_governor"), format!("{governor}\n"))
            .file(&file("scaling_driver"), format!("{driver}\n"))
            .file(&file("scaling_cur_freq"), "600000\n")
            .file(&file("scaling_max_freq"), format!("{allowed}000\n"))
            .file(&file("cpuinfo_max_freq"), "1800000\n")
    }

    #[test]
    fn a_clock_that_is_held_down_is_told_with_its_figures() {
        assert_eq!(Fake::bare().says(clock), "", "a guest without cpufreq");
        let said = governed("powersave", "acpi-cpufreq", 1800).says(clock);
        assert!(
            said.starts_with("note: governor powersave of acpi-cpufreq: 600 MHz now, of 1800;"),
            "{said}"
        );
        assert!(said.contains("-> echo performance | sudo tee"), "{said}");
        let said = governed("ondemand", "cpufreq-dt", 1800).says(clock);
        assert!(said.contains("raises the clock late"), "{said}");
        for (governor, driver) in [("powersave", "intel_pstate"), ("schedutil", "cpufreq-dt")] {
            assert!(governed(governor, driver, 1800).says(clock).starts_with("fine: "));
        }
        let said = governed("performance", "cpufreq-dt", 1200).says(clock);
        assert!(said.contains("held at 1200 MHz") && said.contains("echo 1800000 |"), "{said}");
    }

    #[test]
    fn heat_is_told_by_counters() {
        let file = |name: &str| format!("{CPUS}/cpu1/thermal_throttle/{name}");
        let fake = Fake::bare()
            .file(&file("core_throttle_count"), "12\n")
            .file(&file("core_throttle_total_time_ms"), "340\n")
            .file(&file("package_throttle_count"), "0\n");
        let said = fake.says(clock);
        assert!(
            said.starts_with("note: heat slowed a core 12 times since the start, 340 ms"),
            "{said}"
        );
        let pi = |bits: &str| {
            Fake::bare()
                .file("/sys/devices/platform/soc/soc:firmware/get_throttled", bits)
                .says(clock)
        };
        assert!(
            pi("50005\n").contains("the board says: its voltage is too low, it is throttled (get_")
        );
        assert!(pi("40000\n").contains("of the time since its start: it is throttled"));
        assert!(pi("0\n").starts_with("fine: "));
        let folder = "/sys/class/thermal/cooling_device0";
        let cooled = |state: &str| {
            Fake::bare()
                .file(&format!("{folder}/type"), "cpufreq-cpu0\n")
                .file(&format!("{folder}/cur_state"), state)
                .file(&format!("{folder}/max_state"), "3\n")
                .says(clock)
        };
        assert!(cooled("2\n").contains("cpufreq-cpu0 2 of 3"));
        assert_eq!(cooled("0\n"), "");
    }

    #[test]
    fn who_lowers_the_clock_by_avx_512_is_named() {
        let machine = |model: u32, ago: &str| {
            let cpu = format!(
                "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: {model}\nmodel name\t: X\nflags\t\t: fpu avx512f\n"
            );
            Fake::bare()
                .file("/proc/cpuinfo", cpu)
                .file("/proc/812/comm", "nginx\n")
                .file("/proc/812/arch_status", format!("AVX512_elapsed_ms:\t{ago}\n"))
                .says(clock)
        };
        assert!(machine(85, "8").contains("in the last second it was used by nginx (812)"));
        assert!(machine(85, "-1").starts_with("fine: no program used AVX-512"));
        assert_eq!(machine(106, "8"), "", "Ice Lake");
    }
}
