//! Programs that do what a file in /sys cannot: dmsetup, losetup, modprobe, blkid.

use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::io::{FdFlags, fcntl_setfd};

/// What a program has said and how it ended.
pub(super) struct Ended {
    /// Its exit status; none if a signal ended it.
    pub(super) status: Option<i32>,
    /// Its standard output.
    pub(super) output: String,
    /// The first line of its complaints.
    pub(super) complaint: String,
}

/// Runs a program to its end. It inherits `held`, a file that is locked: whoever waits for the lock waits for the
/// program too, even if this process is killed meanwhile.
pub(super) fn run(
    name: &str,
    arguments: &[&str],
    input: &str,
    held: Option<&File>,
) -> Result<Ended, String> {
    let mut command = Command::new(name);
    command
        .args(arguments)
        .env("LC_ALL", "C")
        // After `su` without a dash the place of dmsetup is not in the path.
        .env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C goes to the whole group of this process, and a step that was begun has to be ended.
        .process_group(0);
    if !Path::new("/run/udev/control").exists() {
        // Nobody would make the names under /dev/mapper, nor end libdevmapper's wait for them.
        command.env("DM_DISABLE_UDEV", "1");
    }
    let told = |error: std::io::Error| format!("{name}: {error}");
    let inherited = held.map(File::try_clone).transpose().map_err(told)?;
    if let Some(file) = &inherited {
        fcntl_setfd(file, FdFlags::empty()).map_err(|error| told(error.into()))?;
    }
    let mut child = command.spawn().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("{name} is not installed: install the package {}", package(name))
        }
        _ => told(error),
    })?;
    drop(inherited);
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends without reading says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let ended = child.wait_with_output().map_err(told)?;
    let complaint = String::from_utf8_lossy(&ended.stderr);
    Ok(Ended {
        status: ended.status.code(),
        output: String::from_utf8_lossy(&ended.stdout).into_owned(),
        complaint: complaint.lines().next().unwrap_or("it failed without a word").to_owned(),
    })
}

impl Ended {
    /// Its output, if it ended well.
    pub(super) fn well(self) -> Result<String, String> {
        if self.status == Some(0) { Ok(self.output) } else { Err(self.complaint) }
    }
}

/// Where Debian keeps it, and most others.
fn package(name: &str) -> &str {
    match name {
        "modprobe" => "kmod",
        "losetup" => "mount",
        "blkid" | "wipefs" => "util-linux",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_reads_and_speaks() {
        let ended = run("cat", &[], "a table", None).expect("cat");
        assert_eq!(ended.well(), Ok("a table".to_owned()));
        let ended = run("sh", &["-c", "echo why >&2; echo more >&2; exit 3"], "", None);
        let ended = ended.expect("sh");
        assert_eq!((ended.status, ended.well()), (Some(3), Err("why".to_owned())));
    }

    #[test]
    fn a_program_that_is_not_there_has_a_package() {
        let error = run("dmsetup-of-nobody", &[], "", None).err().expect("no such program");
        assert!(error.contains("install the package"), "{error}");
    }

    #[test]
    fn a_lock_outlives_its_owner_in_the_program() {
        let path = std::env::temp_dir().join(format!("wirespeed-held-{}", std::process::id()));
        let held = File::create(&path).expect("a file");
        held.lock().expect("locked");
        let other = File::open(&path).expect("the same file");
        // The program sees the lock's file among its own, at whatever number.
        let listed = run("sh", &["-c", "ls -l /proc/self/fd"], "", Some(&held)).expect("sh");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(listed.output.contains(&name), "{}", listed.output);
        let listed = run("sh", &["-c", "ls -l /proc/self/fd"], "", None).expect("sh");
        assert!(!listed.output.contains(&name), "{}", listed.output);
        assert!(other.try_lock().is_err());
        drop(held);
        // A child that another test has just forked holds it, too, until it becomes its program.
        other.lock().expect("free in the end");
        std::fs::remove_file(path).expect("removed");
    }
}
