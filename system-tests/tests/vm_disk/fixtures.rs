//! Devices that the tests make and take away themselves: somebody else's, to the program.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use wirespeed_conformance::data::painted;
use wirespeed_conformance::scratch::Scratch;
use wirespeed_system_tests::process::{command, output};

/// The first disk of the guest, whose content is nobody's.
pub(crate) const DISK: &str = "/dev/vda";
/// Room for every signature.
const DEVICE_BYTES: u64 = 8 << 20;

/// A loop device over a file, and what was done with it; all undone in reverse when it goes away.
pub(crate) struct Device {
    path: PathBuf,
    undo: Vec<Command>,
    scratch: Scratch,
}

impl Device {
    /// A loop device that holds bytes of somebody's that no probe knows.
    pub(crate) fn new() -> Result<Self, String> {
        Self::with_options(&[])
    }

    /// The same, with options for losetup.
    pub(crate) fn with_options(options: &[&str]) -> Result<Self, String> {
        Self::of(DEVICE_BYTES, options)
    }

    /// One of another size.
    pub(crate) fn of(bytes: u64, options: &[&str]) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let file = scratch.path("backing");
        let made = File::create(&file).and_then(|made| {
            made.set_len(bytes)?;
            // Not where any signature lies.
            made.write_all_at(&painted(1, 4096), bytes / 2)
        });
        made.map_err(|error| format!("{}: {error}", file.display()))?;
        if !Path::new("/dev/loop-control").exists() {
            output(command("modprobe").arg("loop"))?;
        }
        let mut attach = command("losetup");
        attach.args(["--find", "--show"]).args(options).arg(&file);
        let path = said(&mut attach)?.into();
        let mut device = Self { path, undo: Vec::new(), scratch };
        let mut detach = command("losetup");
        detach.arg("--detach").arg(device.path());
        device.undo.push(detach);
        Ok(device)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A name beside its file.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.scratch.path(name)
    }

    /// Runs a program on it.
    pub(crate) fn by<A: AsRef<OsStr>>(
        self,
        program: &str,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Self, String> {
        output(command(program).args(arguments).arg(&self.path))?;
        Ok(self)
    }

    /// Runs a program that `reverse` undoes.
    pub(crate) fn until(mut self, run: &mut Command, undo: Command) -> Result<Self, String> {
        output(run)?;
        self.undo.push(undo);
        Ok(self)
    }

    /// Writes bytes somewhere on it.
    pub(crate) fn holding(self, offset: u64, bytes: &[u8]) -> Result<Self, String> {
        let open = OpenOptions::new().write(true).open(&self.path);
        let written = open.and_then(|file| file.write_all_at(bytes, offset));
        written.map_err(|error| format!("{}: {error}", self.path.display()))?;
        Ok(self)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        for undo in self.undo.iter_mut().rev() {
            // What fails here the next comparison of the machine shows.
            let _ = undo.output();
        }
    }
}

/// What a program printed, without the end of the line.
pub(crate) fn said(command: &mut Command) -> Result<String, String> {
    let said = output(command)?;
    Ok(String::from_utf8_lossy(&said).trim().to_owned())
}

/// A command with words on its standard input.
pub(crate) fn told(command: &mut Command, words: &[u8]) -> Result<(), String> {
    let child = command.stdin(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("{command:?}: {error}"))?;
    let mut input = child.stdin.take().ok_or("it was piped")?;
    input.write_all(words).map_err(|error| error.to_string())?;
    drop(input);
    let status = child.wait().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}

/// A number for all the bytes of a device or a file.
pub(crate) fn digest(path: &Path) -> Result<u64, String> {
    let failed = |error| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(failed)?;
    let mut hasher = DefaultHasher::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(hasher.finish()),
            count => hasher.write(&buffer[..count]),
        }
    }
}

/// Writes a word into a file of the kernel's.
pub(crate) fn tell(file: impl AsRef<Path>, word: &str) -> Result<(), String> {
    let file = file.as_ref();
    fs::write(file, word).map_err(|error| format!("{}: {error}", file.display()))
}
