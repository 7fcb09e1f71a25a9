//! What makes the figures worth less than they look, in sentences of advice.

use std::path::Path;

use rustix::fs::statfs;
use wirespeed_disk::load;
use wirespeed_disk::run::Settings;

use crate::output::DEBUG_BUILD;
use crate::units;

/// Tests of fewer bytes are over before anything is up to speed.
const SMALL: u64 = 16 << 20;

/// The load of a machine with nothing to do, or hardly.
const QUIET: f64 = 0.5;

/// What is known before anything is measured.
pub(super) fn at_start(settings: &Settings) -> Vec<String> {
    let mut found = Vec::new();
    if cfg!(debug_assertions) {
        found.push(DEBUG_BUILD.to_owned());
    }
    if settings.bytes < SMALL {
        found.push(format!(
            "{} a test is over in milliseconds: these figures are noise. Take --size 128MiB or more.",
            units::format(settings.bytes)
        ));
    }
    let cpus = wirespeed_measure::cpus();
    found.extend(busy(load::average(), cpus));
    if settings.threads > cpus {
        found.push(format!(
            "{} threads share {cpus} {}: more than that cannot run at once.",
            settings.threads,
            if cpus == 1 { "CPU" } else { "CPUs" }
        ));
    }
    found
}

fn busy(load: Option<f64>, cpus: usize) -> Option<String> {
    let load = load.filter(|load| *load > QUIET)?;
    Some(format!(
        "The load was {load:.2} on {} before anything was measured: other programs were running. \
         Close them and measure again.",
        if cpus == 1 { "one CPU".to_owned() } else { format!("{cpus} CPUs") }
    ))
}

/// The magic number of tmpfs (linux/magic.h).
const TMPFS: u64 = 0x0102_1994;

/// What is wrong with the file's place.
pub(super) fn of_file(directory: &Path, is_direct: bool) -> Option<String> {
    let place = directory.display();
    let is_memory = statfs(directory).is_ok_and(|it| it.f_type as u64 == TMPFS);
    match (is_memory, is_direct) {
        (true, _) => Some(format!(
            "{place} lies in memory (tmpfs), so no storage was measured. Name a place on a disk with \
             --directory DIR."
        )),
        (false, false) => Some(format!(
            "The file system of {place} has no way past the page cache (O_DIRECT): reads came from memory."
        )),
        (false, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_busy_machine_is_named() {
        assert_eq!(busy(Some(0.2), 2), None);
        assert_eq!(busy(None, 2), None);
        assert!(busy(Some(3.41), 2).expect("busy").starts_with("The load was 3.41 on 2 CPUs"));
    }

    #[test]
    fn tests_that_are_too_short_are_named() {
        let of = |bytes, threads| {
            let candidates = Vec::new();
            at_start(&Settings { candidates, bytes, threads, sector_bytes: 512 }).join("\n")
        };
        assert!(of(1 << 20, 1).contains("1 MiB a test is over in milliseconds"));
        assert!(!of(256 << 20, 1).contains("milliseconds"));
        assert!(of(256 << 20, 10_000).contains("10000 threads share "));
    }

    #[test]
    fn files_that_are_no_disk_are_named() {
        assert_eq!(of_file(Path::new("/proc"), true), None);
        assert!(of_file(Path::new("/proc"), false).expect("no O_DIRECT").contains("page cache"));
    }
}
