//! Services: those that are told to read another configuration, and those that run since before ours.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wirespeed_openssl_conf::Configuration;

use crate::containers;
use crate::examined::{Examined, names_our_module, ours};
use crate::finding::Finding;

/// Where systemd finds units (systemd.unit(5)).
const UNITS: [&str; 4] = [
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
];
/// Where services take their environment from: of Debian, of Fedora, of Alpine.
const ENVIRONMENTS: [&str; 3] = ["/etc/default", "/etc/sysconfig", "/etc/conf.d"];

/// Units that set `OPENSSL_CONF`.
pub(crate) fn overrides(examined: &Examined<'_>) -> Vec<Finding> {
    let mut files = unit_files(examined);
    files.extend(below(examined, &ENVIRONMENTS));
    files.insert("/etc/environment".into());
    let mut findings = Vec::new();
    for file in files {
        let Some(text) = examined.here.text(&file) else { continue };
        for value in text.lines().filter_map(sets_configuration) {
            findings.extend(overridden(examined, &file, &value));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::fine("none is told to read another configuration"));
    }
    findings
}

/// Units, and what is dropped into their folders.
pub(crate) fn unit_files(examined: &Examined<'_>) -> BTreeSet<PathBuf> {
    below(examined, &UNITS)
}

/// The files in folders, and in the folders of these.
fn below(examined: &Examined<'_>, folders: &[&str]) -> BTreeSet<PathBuf> {
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|it| examined.here.inside(it)).collect();
    let below: Vec<PathBuf> = files.iter().flat_map(|it| examined.here.inside(it)).collect();
    files.extend(below);
    // /lib is /usr/lib on most machines.
    files.iter().filter_map(|file| Some(examined.here.entry(file).ok()?.place)).collect()
}

/// The value that a line such as `Environment="OPENSSL_CONF=/x"` sets, which may be nothing.
fn sets_configuration(line: &str) -> Option<String> {
    if line.trim_start().starts_with(['#', ';']) {
        return None;
    }
    let (before, value) = line.split_once("OPENSSL_CONF=")?;
    let whole_name =
        before.chars().last().is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
    // The quotes are around the value, or around all of it.
    let value = match value.strip_prefix(['"', '\'']) {
        Some(quoted) if !before.ends_with(['"', '\'']) => quoted,
        _ => value,
    };
    let value = value.split(['"', '\'', ' ', '\t']).next()?;
    whole_name.then(|| value.to_owned())
}

fn overridden(examined: &Examined<'_>, file: &Path, value: &str) -> Option<Finding> {
    if value.is_empty() {
        // An empty name is none (CONF_modules_load_file_ex).
        return Some(Finding::note(format!(
            "{} sets OPENSSL_CONF to nothing: that service reads no configuration and goes without",
            file.display()
        )));
    }
    let read = Configuration::read(Path::new(value), examined.here);
    if read.is_ok_and(|read| ours(&read).is_some()) {
        return None;
    }
    Some(Finding::note(format!(
        "{} sets OPENSSL_CONF = {value}, which knows nothing of Wirespeed: that service goes without",
        file.display()
    )))
}

/// Processes that map a libcrypto: replaced since, or without our module though it was there first.
pub(crate) fn running(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(installed) = examined.installed() else { return Vec::new() };
    let (mut replaced, mut without) = (Vec::new(), Vec::new());
    // A package keeps the time of the module's building, so the file that lists it counts.
    let listed_in = installed.provider.reference.entry.place.file();
    let changed = [installed.module.as_path(), listed_in].into_iter();
    let changed =
        changed.filter_map(|path| examined.here.entry(path).ok()).map(|entry| entry.changed);
    let installed_at = changed.max().unwrap_or(0);
    for folder in others(examined) {
        let Some(maps) = examined.here.text(folder.join("maps")) else { continue };
        let mapped = Mapped::of(&maps);
        let named = || name(examined, &folder);
        if mapped.replaced {
            replaced.push(named());
        } else if mapped.libcrypto
            && !mapped.ours
            && started(examined, &folder).is_some_and(|started| started < installed_at)
        {
            without.push(named());
        }
    }
    let mut findings = Vec::new();
    if !replaced.is_empty() {
        findings.push(Finding::mend(
            format!("still run on a libcrypto or a module that was replaced: {}", list(replaced)),
            "restart them",
        ));
    }
    if !without.is_empty() {
        findings.push(Finding::note(format!(
            "started before Wirespeed was installed, and go without until they are restarted: {}",
            list(without)
        )));
    }
    if findings.is_empty() {
        findings.push(Finding::fine("none runs since before the installation"));
    }
    findings
}

/// Processes that map a libcrypto and run under seccomp (proc_pid_status(5)).
pub(crate) fn confined(examined: &Examined<'_>) -> Vec<String> {
    let is_confined = |folder: &PathBuf| {
        let read = |name: &str| examined.here.text(folder.join(name)).unwrap_or_default();
        let status = read("status");
        let mut modes = status.lines().filter_map(|line| line.strip_prefix("Seccomp:"));
        modes.next().is_some_and(|mode| mode.trim() != "0") && Mapped::of(&read("maps")).libcrypto
    };
    let processes = others(examined).into_iter().filter(is_confined);
    processes.map(|folder| name(examined, &folder)).collect()
}

/// Those that are in no container.
fn others(examined: &Examined<'_>) -> Vec<PathBuf> {
    let mut folders = processes(examined);
    folders.retain(|folder| !containers::is_apart(examined, folder));
    folders
}

/// The folders of all processes but this one and those that it has started.
pub(crate) fn processes(examined: &Examined<'_>) -> Vec<PathBuf> {
    let own = examined.here.entry(Path::new("/proc/self")).map(|entry| entry.place).ok();
    let mut folders = examined.here.inside("/proc");
    folders.retain(|folder| {
        let mut ancestor = Some(folder.clone());
        // A chain of parents ends with process 1, whose parent is 0.
        while let Some(folder) = ancestor {
            if Some(&folder) == own.as_ref() {
                return false;
            }
            ancestor = parent(examined, &folder);
        }
        true
    });
    folders
}

/// The folder of a process's parent: proc_pid_stat(5), field 4.
fn parent(examined: &Examined<'_>, folder: &Path) -> Option<PathBuf> {
    let stat = examined.here.text(folder.join("stat"))?;
    let id = stat[stat.rfind(')')? + 1..].split_whitespace().nth(1)?;
    (id != "0").then(|| Path::new("/proc").join(id))
}

/// What a process maps of what concerns us.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Mapped {
    pub(crate) libcrypto: bool,
    pub(crate) ours: bool,
    replaced: bool,
}

impl Mapped {
    /// From proc_pid_maps(5).
    pub(crate) fn of(maps: &str) -> Self {
        let mut mapped = Self::default();
        for (path, deleted) in mapped_files(maps) {
            let libcrypto = path.contains("/libcrypto.so.");
            let ours = names_our_module(path);
            mapped.libcrypto |= libcrypto;
            mapped.ours |= ours;
            mapped.replaced |= deleted && (libcrypto || ours);
        }
        mapped
    }
}

/// Every file in proc_pid_maps(5), and whether it is deleted.
pub(crate) fn mapped_files(maps: &str) -> impl Iterator<Item = (&str, bool)> {
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    paths.map(|path| match path.strip_suffix(" (deleted)") {
        Some(path) => (path, true),
        None => (path, false),
    })
}

/// "sshd (812)".
pub(crate) fn name(examined: &Examined<'_>, folder: &Path) -> String {
    let id = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = examined.here.text(folder.join("comm")).unwrap_or_default();
    format!("{} ({id})", name.trim())
}

/// When a process started, in seconds since 1970: proc_pid_stat(5), field 22, in ticks of USER_HZ since
/// the machine started.
fn started(examined: &Examined<'_>, folder: &Path) -> Option<i64> {
    const USER_HZ: i64 = 100;
    let stat = examined.here.text(folder.join("stat"))?;
    // The name may hold blanks and brackets.
    let after_name = &stat[stat.rfind(')')? + 1..];
    let ticks: i64 = after_name.split_whitespace().nth(19)?.parse().ok()?;
    let machine = examined.here.text("/proc/stat")?;
    let boot = machine.lines().find_map(|line| line.strip_prefix("btime "))?;
    Some(boot.trim().parse::<i64>().ok()? + ticks / USER_HZ)
}

/// The first few.
pub(crate) fn list(mut names: Vec<String>) -> String {
    const MOST: usize = 8;
    let more = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    names.join(", ") + &rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    #[test]
    fn a_service_with_a_configuration_of_its_own_is_told_about() {
        let unit = "[Service]\n#Environment=OPENSSL_CONF=/no\nEnvironment=\"A=b\" \"OPENSSL_CONF=/x.cnf\"\n";
        let fake =
            Fake::bare().file("/etc/systemd/system/a.service.d/x.conf", unit).file("/x.cnf", "");
        let said = fake.says(overrides);
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.contains("/a.service.d/x.conf sets OPENSSL_CONF = /x.cnf"), "{said}");
        assert!(Fake::bare().says(overrides).starts_with("fine: "));
        assert_eq!(sets_configuration("MY_OPENSSL_CONF=/x"), None);
        for (file, line) in [
            ("/etc/sysconfig/nginx", "OPENSSL_CONF='/x.cnf'"),
            ("/etc/conf.d/nginx", "export OPENSSL_CONF=/x.cnf"),
            ("/run/systemd/system/a.service.d/x.conf", "Environment=OPENSSL_CONF=/x.cnf B=c"),
        ] {
            let said = Fake::bare().file(file, line).file("/x.cnf", "").says(overrides);
            assert!(said.contains(&format!("{file} sets OPENSSL_CONF = /x.cnf, ")), "{said}");
        }
        for line in ["OPENSSL_CONF=", "OPENSSL_CONF=\"\"", "Environment=\"OPENSSL_CONF=\" \"A=b\""]
        {
            let said = Fake::bare().file("/etc/default/nginx", line).says(overrides);
            assert!(said.contains("/nginx sets OPENSSL_CONF to nothing: "), "{line}: {said}");
        }
    }

    const MAPS: &str = "7f00-7f01 r-xp 00000000 08:01 12   /usr/lib/libcrypto.so.3";

    fn process(maps: &str, ticks: u32) -> Fake {
        let stat = format!("812 (my )d) S{} {ticks} 0\n", " 0".repeat(18));
        Fake::installed("")
            .file("/proc/stat", "cpu 1\nbtime 100\n")
            .file("/proc/812/maps", maps)
            .file("/proc/812/comm", "sshd\n")
            .file("/proc/812/stat", stat)
            .changed(super::super::fake::MODULE, 200)
    }

    #[test]
    fn processes_from_before_are_named() {
        let said = process(MAPS, 9_900).says(running);
        assert!(said.starts_with("note: started before") && said.ends_with("sshd (812)"), "{said}");
        assert!(process(MAPS, 10_100).says(running).starts_with("fine: "), "started after");
        // Fedora's has the lines in a file of its own, and a module as old as its package.
        let main = "openssl_conf = i\n[i]\nproviders = p\n[p]\n.include /etc/pki/d\n";
        let own = "[p]\nwirespeed = w\n[w]\nmodule = wirespeed.so\nactivate = 1\n";
        let apart = process(MAPS, 9_900)
            .file(super::super::fake::CONFIGURATION, main)
            .file("/etc/pki/d/wirespeed.cnf", own)
            .changed("/etc/pki/d/wirespeed.cnf", 200)
            .changed(super::super::fake::MODULE, 0);
        assert!(apart.says(running).starts_with("note: started before"), "{}", apart.says(running));
        let ours =
            format!("{MAPS}\n7f02-7f03 r-xp 0 08:01 13 /usr/lib/ossl-modules/wirespeed.so\n");
        assert!(process(&ours, 0).says(running).starts_with("fine: "));
        let said = process(&format!("{MAPS} (deleted)\n"), 10_100).says(running);
        assert!(said.ends_with("sshd (812) -> restart them"), "{said}");
    }

    #[test]
    fn the_doctor_and_what_it_has_started_are_no_services() {
        let child = format!("812 (sh) S 700{} 0 0\n", " 0".repeat(18));
        let mut fake = process(MAPS, 0).file("/proc/812/stat", child);
        assert!(fake.says(running).ends_with("sshd (812)"));
        for own in ["/proc/700", "/proc/812"] {
            fake = fake.link("/proc/self", own);
            assert!(fake.says(running).starts_with("fine: "), "{own}");
        }
        assert!(fake.link("/proc/self", "/proc/8").says(running).ends_with("sshd (812)"));
    }

    #[test]
    fn long_lists_are_cut() {
        let names = (0..10).map(|number| number.to_string()).collect();
        assert_eq!(list(names), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
    }
}
