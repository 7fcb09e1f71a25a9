//! A machine inside this one: a stock kernel in QEMU, with a few files of ours as its whole system.
//!
//! There is no disk and no network: programs, libraries and files travel in the initial RAM file
//! system, commands in its `/init`, and what they say comes back over the serial port.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::process::{command, output};
use crate::scratch::Scratch;

const QEMU: &str = "qemu-system-x86_64";
const BUSYBOX: &str = "/bin/busybox";

/// Who executes the guest's instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accelerator {
    /// This machine's own CPU.
    Kvm,
    /// QEMU, by translation.
    Tcg,
}

impl Accelerator {
    /// Why it cannot be used here.
    pub fn obstacle(self) -> Option<&'static str> {
        // The device alone proves nothing: a KVM in software runs kernels made for it.
        let facts = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let virtualises = facts.split_whitespace().any(|flag| matches!(flag, "vmx" | "svm"));
        let usable = fs::OpenOptions::new().read(true).write(true).open("/dev/kvm").is_ok();
        (self == Self::Kvm && !(virtualises && usable)).then_some("no KVM with vmx or svm here")
    }

    const fn option(self) -> &'static str {
        match self {
            Self::Kvm => "kvm",
            Self::Tcg => "tcg,thread=multi",
        }
    }
}

/// The files of a guest.
#[derive(Debug)]
pub struct Guest {
    scratch: Scratch,
    /// The file system that will be packed.
    root: PathBuf,
    kernel: PathBuf,
    commands: Vec<String>,
}

/// What a command said, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Standard output and standard error.
    pub said: String,
    /// The exit status.
    pub status: i32,
}

/// Before and after every command's output, on lines of their own.
const BEGIN: &str = "-----begin";
const END: &str = "-----end";

const INIT: &str = "#!/bin/busybox sh
busybox=/bin/busybox
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sysfs /sys
$busybox mount -t devtmpfs dev /dev
$busybox --install -s /bin
export PATH=/bin
";

impl Guest {
    /// A system with `busybox` alone.
    pub fn new(kernel: &Path) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let root = scratch.folder("root")?;
        for name in ["bin", "dev", "proc", "sys", "tmp"] {
            scratch.folder(&format!("root/{name}"))?;
        }
        let guest = Self { scratch, root, kernel: kernel.to_owned(), commands: Vec::new() };
        guest.add(Path::new(BUSYBOX), "/bin/busybox")?;
        Ok(guest)
    }

    /// Copies a file to a place in the guest.
    pub fn add(&self, file: &Path, place: &str) -> Result<(), String> {
        let target = self.root.join(place.trim_start_matches('/'));
        let failed = |error| format!("{} to {}: {error}", file.display(), target.display());
        fs::create_dir_all(target.parent().unwrap_or(&self.root)).map_err(failed)?;
        fs::copy(file, &target).map_err(failed)?;
        Ok(())
    }

    /// Writes a file in the guest.
    pub fn write(&self, place: &str, text: &str) -> Result<(), String> {
        self.scratch.write(&format!("root{place}"), text).map(|_| ())
    }

    /// Copies a program and all libraries that it names.
    pub fn add_program(&self, program: &Path, place: &str) -> Result<(), String> {
        self.add(program, place)?;
        let listed = output(command("ldd").arg(program))?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        for library in listed.split_whitespace().filter(|word| word.starts_with('/')) {
            self.add(Path::new(library), library)?;
        }
        Ok(())
    }

    /// Adds a command of the shell.
    pub fn command(&mut self, line: impl Into<String>) {
        self.commands.push(line.into());
    }

    /// Boots, runs the commands one after the other, and gives their answers.
    pub fn run(&self, accelerator: Accelerator, cpu: &str) -> Result<Vec<Answer>, String> {
        let mut init = INIT.to_owned();
        for line in &self.commands {
            init += &format!(
                "echo; echo {BEGIN}\n({line}) 2>&1\nstatus=$?; echo; echo {END} $status\n"
            );
        }
        // The machine stops when its first process does.
        init += "$busybox poweroff -f\n";
        self.write("/init", &init)?;
        fs::set_permissions(self.root.join("init"), fs::Permissions::from_mode(0o755))
            .map_err(|error| error.to_string())?;
        let packed = self.scratch.path("initramfs");
        let mut pack = command("sh");
        pack.current_dir(&self.root);
        output(pack.args(["-c", "find . | busybox cpio -o -H newc > \"$0\""]).arg(&packed))?;
        let console = self.scratch.path("console");
        let mut qemu = command(QEMU);
        qemu.args(["-accel", accelerator.option(), "-cpu", cpu, "-smp", "2", "-m", "512"]);
        qemu.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
        qemu.arg("-serial").arg(format!("file:{}", console.display()));
        qemu.arg("-kernel").arg(&self.kernel).arg("-initrd").arg(&packed);
        // Mitigations slow down translated guests; without KASLR the kernel starts sooner.
        qemu.args(["-append", "console=ttyS0 panic=-1 mitigations=off nokaslr quiet rdinit=/init"]);
        let ended = output(&mut qemu);
        let said =
            String::from_utf8_lossy(&fs::read(&console).unwrap_or_default()).replace('\r', "");
        ended.map_err(|error| format!("{error}\n{said}"))?;
        match answers(&said) {
            answers if answers.len() == self.commands.len() => Ok(answers),
            answers => Err(format!("only {} answers: {said}", answers.len())),
        }
    }
}

/// Finds the answers in what came over the serial port.
fn answers(console: &str) -> Vec<Answer> {
    let pieces = console.split(BEGIN).skip(1);
    let answer = |piece: &str| {
        let (said, rest) = piece.split_once(END)?;
        let status = rest.split_whitespace().next()?.parse().ok()?;
        Some(Answer { said: said.trim().to_owned(), status })
    };
    pieces.filter_map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_between_a_kernels_words() {
        let console = format!(
            "[ 0.1] Booting\n\n{BEGIN}\nhere\ntoo\n\n{END} 0\n[ 2.0] odd\n{BEGIN}\n{END} 127\n"
        );
        let right = [("here\ntoo", 0), ("", 127)];
        let right = right.map(|(said, status)| Answer { said: said.to_owned(), status });
        assert_eq!(answers(&console), right);
        assert_eq!(answers(&format!("{BEGIN}\ncut off")), []);
    }
}
