//! What keeps a plan fitting after updates: a timer of systemd's, or jobs of cron's, that run `wirespeed tune --keep`.
//!
//! It is all files. Each is renamed into its place, and the one that makes the others count comes last. So a machine that
//! starts in between has the old state or the new one.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::alone::Alone;
use crate::change::obstacle;
use crate::place::Place;
use crate::replace::{folder, make_folders, remove, stage, stage_link};

/// The timer, as systemctl knows it.
const TIMER: &str = "wirespeed-keep.timer";
const SERVICE: &str = "wirespeed-keep.service";
/// Where the program lies that the files below name.
const PACKAGED: &str = "/usr/bin/wirespeed";
const SERVICE_TEXT: &str = include_str!("../../../packaging/systemd/wirespeed-keep.service");
const TIMER_TEXT: &str = include_str!("../../../packaging/systemd/wirespeed-keep.timer");
const CRON_TEXT: &str = include_str!("../../../packaging/cron/wirespeed-keep");
const PERIODIC_TEXT: &str = include_str!("../../../packaging/cron/wirespeed-keep.periodic");
/// What all of them say of themselves; what does not is somebody's own.
const MARK: &str = "Written by \"wirespeed install --keep\"";

/// Where systemd finds a machine's own units.
const UNITS: &str = "/etc/systemd/system";
/// Where packages put theirs.
const PACKAGED_UNITS: [&str; 2] = ["/usr/lib/systemd/system", "/lib/systemd/system"];
/// What makes systemd start the timer with the machine, systemd.unit(5).
const WANTED: &str = "/etc/systemd/system/timers.target.wants";
/// systemd itself.
const SYSTEMD: [&str; 2] = ["/usr/lib/systemd/systemd", "/lib/systemd/systemd"];
/// There while systemd runs the machine, sd_booted(3).
const RUNNING: &str = "/run/systemd/system";
/// Where cron finds jobs: of Debian's and Fedora's cron lines, of busybox's programs.
const CRON: &str = "/etc/cron.d";
const PERIODIC: &str = "/etc/periodic/hourly";
const JOB: &str = "wirespeed-keep";

/// A file that is to be there.
struct Entry {
    /// Where, as programs there know it.
    inside: PathBuf,
    content: Content,
}

enum Content {
    /// Of a file that all may read.
    Text(String),
    /// Of one that all may run besides.
    Program(String),
    /// Where a link leads.
    Link(PathBuf),
}

/// All that looks after a plan.
pub struct Upkeep<'a> {
    place: &'a Place,
    /// In the order in which they are put there.
    entries: Vec<Entry>,
}

impl<'a> Upkeep<'a> {
    /// What it takes there.
    ///
    /// # Errors
    /// What the machine lacks, or who else may change the program that root is to run.
    pub fn find(place: &'a Place) -> Result<Self, String> {
        let program = program(place)?;
        let has = |path: &&str| exists(place, path);
        // One that is installed without running this machine starts no timers.
        let has_systemd = place.is_in_root() && SYSTEMD.iter().any(has);
        if is_running(place) || has_systemd {
            return Ok(Self { place, entries: units(place, &program) });
        }
        let (folder, content) = match (has(&CRON), has(&PERIODIC)) {
            (true, _) => (CRON, Content::Text(named(CRON_TEXT, &program))),
            (false, true) => (PERIODIC, Content::Program(named(PERIODIC_TEXT, &program))),
            (false, false) => {
                return Err(format!(
                    "nothing here runs jobs for --keep: no systemd, no {CRON}, no {PERIODIC}"
                ));
            }
        };
        Ok(Self { place, entries: vec![Entry { inside: Path::new(folder).join(JOB), content }] })
    }

    /// Whether it is on, as it is to be.
    pub fn is_on(&self) -> bool {
        let there = Self::there(self.place);
        let is_there = |entry: &Entry| {
            lies(self.place, &entry.inside).is_ok_and(|file| entry.content.is_at(&file))
        };
        there.len() == self.entries.len() && self.entries.iter().all(is_there)
    }

    /// The file that makes it count.
    pub fn switch(&self) -> &Path {
        self.entries.last().map_or(Path::new("/"), |entry| &entry.inside)
    }

    /// Switches it on.
    ///
    /// # Errors
    /// What kept a file from being written, or systemd's own words.
    pub fn turn_on(&self, command: &str) -> Result<(), String> {
        for Entry { inside, content } in &self.entries {
            let unable = |error| obstacle(inside, &error, command);
            let file = lies(self.place, inside).map_err(unable)?;
            make_folders(folder(&file)).map_err(unable)?;
            let _alone = Alone::in_folder(folder(&file))?;
            content.put(&file).map_err(unable)?;
        }
        // Units for a program that lay elsewhere would go before a package's.
        let is_wanted = |path: &PathBuf| self.entries.iter().any(|it| it.inside == *path);
        for path in Self::there(self.place).iter().filter(|path| !is_wanted(path)) {
            take_away(self.place, path, command)?;
        }
        if !is_running(self.place) {
            return Ok(());
        }
        systemctl(&["daemon-reload"])?;
        systemctl(&["restart", TIMER])
    }

    /// Switches it off, if it is on.
    ///
    /// # Errors
    /// What kept a file from being removed, or systemd's own words.
    pub fn turn_off(place: &Place, command: &str) -> Result<(), String> {
        let there = Self::there(place);
        let tells = is_running(place) && !there.is_empty();
        if tells {
            stop(TIMER)?;
            stop(SERVICE)?;
        }
        for path in &there {
            take_away(place, path, command)?;
            if path.parent() == Some(Path::new(WANTED)) {
                // Unless others are in it. Before the rest: that tells a later try that it is not done.
                let _ = lies(place, Path::new(WANTED)).and_then(fs::remove_dir);
            }
        }
        if tells { systemctl(&["daemon-reload"]) } else { Ok(()) }
    }

    /// What of it is there, first what makes the others count. Packages' units are theirs.
    pub fn there(place: &Place) -> Vec<PathBuf> {
        let link = Path::new(WANTED).join(TIMER);
        let is_link = lies(place, &link).is_ok_and(|file| file.is_symlink());
        let units = [TIMER, SERVICE].map(|name| Path::new(UNITS).join(name));
        let jobs = [CRON, PERIODIC].map(|folder| Path::new(folder).join(JOB));
        let written = units.into_iter().chain(jobs).filter(|path| {
            let text = lies(place, path).and_then(fs::read_to_string);
            text.is_ok_and(|text| text.contains(MARK))
        });
        is_link.then_some(link).into_iter().chain(written).collect()
    }
}

impl Content {
    fn is_at(&self, file: &Path) -> bool {
        match self {
            Self::Text(text) | Self::Program(text) => {
                fs::read(file).is_ok_and(|it| it == text.as_bytes())
            }
            Self::Link(target) => fs::read_link(file).is_ok_and(|it| it == *target),
        }
    }

    fn put(&self, file: &Path) -> io::Result<()> {
        match self {
            Self::Text(text) => stage(text.as_bytes(), file, file)?.place(),
            Self::Program(text) => stage(text.as_bytes(), file, file)?.runnable()?.place(),
            Self::Link(target) => stage_link(target, file)?.place(),
        }
    }
}

/// A package's units where they name this program; else units of our own.
fn units(place: &Place, program: &str) -> Vec<Entry> {
    let packaged = PACKAGED_UNITS.iter().map(|folder| Path::new(folder).join(TIMER));
    let packaged = packaged.filter(|_| program == PACKAGED).find(|timer| exists(place, timer));
    let mut entries = Vec::new();
    let timer = packaged.unwrap_or_else(|| {
        for (name, text) in [(SERVICE, SERVICE_TEXT), (TIMER, TIMER_TEXT)] {
            let inside = Path::new(UNITS).join(name);
            entries.push(Entry { inside, content: Content::Text(named(text, program)) });
        }
        Path::new(UNITS).join(TIMER)
    });
    let inside = Path::new(WANTED).join(TIMER);
    entries.push(Entry { inside, content: Content::Link(timer) });
    entries
}

/// The text with that program in it.
fn named(text: &str, program: &str) -> String {
    text.replace(PACKAGED, program)
}

/// This program, as it is to be called there.
fn program(place: &Place) -> Result<String, String> {
    if place.is_in_root() && exists(place, PACKAGED) {
        return Ok(PACKAGED.to_owned());
    }
    let unknown = |error| format!("cannot find this program's own file: {error}");
    let file = env::current_exe().and_then(fs::canonicalize).map_err(unknown)?;
    let name = file.display();
    let inside = place.inside(&file).ok_or_else(|| {
        format!("--keep needs the program there, and {name} is outside: install its package there")
    })?;
    if !place.is_in_root() {
        others_may_change(&file)?;
    }
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    match inside.to_str() {
        Some(text) if text.chars().all(is_plain) => Ok(text.to_owned()),
        _ => Err(format!("--keep takes a program whose path has no odd letters, not {name}")),
    }
}

/// Root must not run by itself what somebody else may exchange.
fn others_may_change(program: &Path) -> Result<(), String> {
    for path in program.ancestors() {
        let it = fs::metadata(path).map_err(|error| format!("{}: {error}", path.display()))?;
        if is_open((it.uid(), it.gid()), it.mode(), it.is_dir()) {
            return Err(format!(
                "--keep takes a program that only root may change, and others may change {}: copy it and its \
                 module to /usr/local, or install the packages",
                path.display()
            ));
        }
    }
    Ok(())
}

/// Whether others than root may change a file or a folder of these owners.
fn is_open((user, group): (u32, u32), mode: u32, is_folder: bool) -> bool {
    /// Debian's /usr/local belongs to this group, which has root's trust there (base-passwd).
    const STAFF: u32 = 50;
    // In a folder such as /tmp only the owner of a file may exchange it.
    let is_sticky = is_folder && mode & 0o1000 != 0;
    let by_group = mode & 0o020 != 0 && group != 0 && !(is_folder && group == STAFF);
    user != 0 || by_group || mode & 0o002 != 0 && !is_sticky
}

/// Whether systemd runs what is changed.
fn is_running(place: &Place) -> bool {
    !place.is_in_root() && Path::new(RUNNING).exists()
}

/// Stops a unit. One that is gone already needs no stopping.
fn stop(unit: &str) -> Result<(), String> {
    /// "Unit not loaded", systemctl(1).
    const NOT_LOADED: i32 = 5;
    systemctl_or(&["stop", unit], Some(NOT_LOADED))
}

fn systemctl(words: &[&str]) -> Result<(), String> {
    systemctl_or(words, None)
}

/// Runs systemctl, which may end with that status, too.
fn systemctl_or(words: &[&str], fine: Option<i32>) -> Result<(), String> {
    let mut systemctl = Command::new("systemctl");
    let output = systemctl.args(words).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run systemctl: {error}"))?;
    match output.status.success() || (fine.is_some() && output.status.code() == fine) {
        true => Ok(()),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let words = words.join(" ");
            Err(format!("systemctl {words}: {}", said.lines().next().unwrap_or("it failed")))
        }
    }
}

fn exists(place: &Place, path: impl AsRef<Path>) -> bool {
    place.outside(path.as_ref()).is_ok_and(|file| file.exists())
}

/// Where a file lies for us. Its own name is not followed: it may be a link that is to go.
fn lies(place: &Place, inside: &Path) -> io::Result<PathBuf> {
    Ok(place.outside(folder(inside))?.join(inside.file_name().unwrap_or_default()))
}

fn take_away(place: &Place, inside: &Path, command: &str) -> Result<(), String> {
    let removed = lies(place, inside).and_then(|file| remove(&file));
    removed.map_err(|error| obstacle(inside, &error, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_says_whose_it_is_and_names_the_program() {
        for text in [SERVICE_TEXT, CRON_TEXT, PERIODIC_TEXT] {
            assert!(text.contains(MARK), "{text}");
            let moved = named(text, "/opt/it/wirespeed");
            assert!(moved.contains("/opt/it/wirespeed tune --keep --quick"), "{text}");
            assert!(!moved.contains(PACKAGED), "{text}");
        }
        assert!(TIMER_TEXT.contains(MARK) && !TIMER_TEXT.contains("[Install]"));
    }

    #[test]
    fn a_file_is_open_to_its_group_and_a_folder_by_its_sticky_bit() {
        let (root, staff) = ((0, 0), (0, 50));
        for (owners, mode, is_folder, expected) in [
            (root, 0o775, false, false),
            (staff, 0o775, false, true),
            (staff, 0o2775, true, false),
            ((0, 1000), 0o775, true, true),
            (root, 0o1777, true, false),
            (root, 0o777, true, true),
            (root, 0o1777, false, true),
            ((1000, 1000), 0o755, false, true),
        ] {
            assert_eq!(is_open(owners, mode, is_folder), expected, "{owners:?} {mode:o}");
        }
    }

    #[test]
    fn a_program_that_others_may_exchange_is_refused() {
        assert_eq!(others_may_change(Path::new("/usr/bin/env")), Ok(()));
        let folder = tempfile::tempdir().unwrap();
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(folder.path(), open).unwrap();
        let said = others_may_change(folder.path()).unwrap_err();
        let name = folder.path().display().to_string();
        assert!(said.contains(&format!("others may change {name}")), "{said}");
    }
}
