//! What is known of a block device: its node, sysfs, /proc, and libblkid's look at its content.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{OFlags, major, minor};

use super::super::{Trouble, program};

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// A block device, by its numbers as `8:1`.
    Block(String),
    Link,
    Other,
}

/// Where the checks learn what they decide on.
pub(in super::super) trait Facts {
    /// What a path names.
    fn kind(&self, path: &Path) -> io::Result<Kind>;
    /// The path without links and detours.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;
    /// A file of the kernel's; none if there is no such file.
    fn read(&self, path: &str) -> Option<String>;
    /// The names in a directory of the kernel's; none if there is no such directory.
    fn list(&self, path: &str) -> Vec<String>;
    /// The programs that have a device open: a virtual machine, a database, somebody's dd.
    fn openers(&self, path: &Path) -> Vec<String>;
    /// Opens a device for this process alone, as the kernel does for a file system. (Fakes open nothing.)
    fn claim(&self, path: &Path) -> io::Result<Option<File>>;
    /// What is known to be on a device.
    fn signatures(&self, path: &Path) -> Result<Vec<String>, Trouble>;
}

/// This machine.
pub(in super::super) struct Machine;

impl Facts for Machine {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        let metadata = path.symlink_metadata()?;
        let device = metadata.rdev();
        Ok(match metadata.file_type() {
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_block_device() => {
                Kind::Block(format!("{}:{}", major(device), minor(device)))
            }
            _ => Kind::Other,
        })
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    fn list(&self, path: &str) -> Vec<String> {
        let listed = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// udev looks at a device for a moment whenever somebody has closed it, so whoever has it open is looked for again.
    fn openers(&self, path: &Path) -> Vec<String> {
        let mut found = openers(path);
        for _ in 0..TRIES {
            if found.is_empty() {
                break;
            }
            thread::sleep(PAUSE);
            found = openers(path);
        }
        found
    }

    fn claim(&self, path: &Path) -> io::Result<Option<File>> {
        let exclusive = OFlags::EXCL.bits() as i32;
        let file = OpenOptions::new().read(true).write(true).custom_flags(exclusive).open(path)?;
        // What cannot be read cannot be looked at either.
        file.read_exact_at(&mut [0; 512], 0)?;
        Ok(Some(file))
    }

    /// wipefs finds signatures wherever they are, such as the second copy of a partition table at the end; blkid
    /// knows what contradicts itself. Either is enough.
    fn signatures(&self, path: &Path) -> Result<Vec<String>, Trouble> {
        let text = path.to_string_lossy();
        let failed = |why: String| Trouble(format!("cannot look what is on {text}: {why}"));
        let arguments = ["--no-act", "--noheadings", "--output", "TYPE", &text];
        let listed = program::run("wipefs", &arguments, "", None).and_then(program::Ended::well);
        let mut found: Vec<String> =
            listed.map_err(failed)?.split_whitespace().map(str::to_owned).collect();
        let arguments = ["--probe", "--output", "export", &text];
        let probed = program::run("blkid", &arguments, "", None).map_err(failed)?;
        match probed.status {
            Some(0) => found.extend(types(&probed.output)),
            // blkid(8): nothing was found; more than one thing was.
            Some(2) => {}
            Some(8) => found.push("more than one thing at once".to_owned()),
            _ => return Err(failed(probed.complaint)),
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// How often, and how far apart, a device is looked at that some program has open.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(100);

/// Other processes with an open descriptor of this path, by name and number.
fn openers(path: &Path) -> Vec<String> {
    let own = std::process::id().to_string();
    let has_open = |process: &String| {
        let descriptors = format!("/proc/{process}/fd");
        Machine.list(&descriptors).iter().any(|number| {
            fs::read_link(format!("{descriptors}/{number}")).is_ok_and(|target| target == path)
        })
    };
    let described = |process: String| {
        let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
        format!("{} (process {process})", name.trim())
    };
    let others = Machine.list("/proc").into_iter().filter(|name| *name != own && is_number(name));
    others.filter(has_open).map(described).collect()
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// What `blkid --output export` has found.
fn types(text: &str) -> Vec<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        matches!(key, "TYPE" | "PTTYPE").then(|| value.to_owned())
    };
    let found: Vec<String> = text.lines().filter_map(value).collect();
    // Something was found, if under none of these names.
    if found.is_empty() { vec!["something that blkid knows".to_owned()] } else { found }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn this_machines_files() {
        let machine = Machine;
        assert_eq!(machine.kind(Path::new("/dev/null")).expect("there"), Kind::Other);
        assert_eq!(machine.kind(Path::new("/proc/self")).expect("there"), Kind::Link);
        assert!(machine.kind(Path::new("/dev/nothing")).is_err());
        assert!(machine.read("/proc/self/mountinfo").is_some_and(|text| text.contains(" - ")));
        assert!(machine.list("/proc/self").contains(&"mountinfo".to_owned()));
        assert!(machine.list("/nonexistent").is_empty());
    }

    #[test]
    fn whoever_has_a_file_open_is_named() {
        let path = std::env::temp_dir().join(format!("wirespeed-open-{}", std::process::id()));
        fs::write(&path, "").expect("written");
        let path = path.canonicalize().expect("its own path");
        // A child of another test has what this process has, until it becomes its own program.
        let nobody = || {
            let try_again = || thread::sleep(Duration::from_millis(10));
            (0..500).any(|_| openers(&path).is_empty() || (try_again(), false).1)
        };
        assert!(nobody());
        let file = File::open(&path).expect("there");
        // Ours does not count, that of another does.
        assert!(nobody());
        let mut other =
            Command::new("cat").stdin(Stdio::piped()).stdout(file).spawn().expect("cat");
        assert!(openers(&path).contains(&format!("cat (process {})", other.id())));
        drop(other.stdin.take());
        other.wait().expect("ended");
        fs::remove_file(path).expect("removed");
    }

    #[test]
    fn blkids_words() {
        assert_eq!(types("DEVNAME=/dev/x\nTYPE=ext4\nUSAGE=filesystem\n"), ["ext4"]);
        assert_eq!(types("PTUUID=1\nPTTYPE=gpt\n"), ["gpt"]);
        assert_eq!(types("DEVNAME=/dev/x\nPART_ENTRY_SCHEME=dos\n").len(), 1);
    }

    /// libblkid looks at files as it does at devices.
    #[test]
    fn signatures_are_found() {
        let path = std::env::temp_dir().join(format!("wirespeed-known-{}", std::process::id()));
        let file = File::create(&path).expect("a file");
        file.set_len(4 << 20).expect("its size");
        assert_eq!(Machine.signatures(&path), Ok(Vec::new()));
        // mkswap's mark, at the end of the first page.
        file.write_all_at(b"SWAPSPACE2", 4086).expect("written");
        file.write_all_at(&[1, 0, 0, 0, 0xff, 3], 1024).expect("its version");
        assert_eq!(Machine.signatures(&path), Ok(vec!["swap".to_owned()]));
        fs::remove_file(path).expect("removed");
    }
}
