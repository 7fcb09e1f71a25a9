//! Devices that the program must not touch: it says why in one line, and not a byte of theirs changes.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use wirespeed_system_tests::process::command;

use crate::fixtures::{Device, digest, told};
use crate::machine::Machine;
use crate::program::{Ended, disk};
use crate::signatures;

/// A device, the path by which the program hears of it, and what has it open meanwhile.
struct Subject {
    device: Device,
    target: PathBuf,
    _open: Option<File>,
}

impl From<Device> for Subject {
    fn from(device: Device) -> Self {
        let target = device.path().to_owned();
        Self { device, target, _open: None }
    }
}

/// What it is, a word that the refusal must hold, and how it is made.
type Case = (&'static str, &'static str, fn() -> Result<Subject, String>);

const CASES: &[Case] = &[
    ("mounted", "mounted", mounted),
    ("used for swap", "swap", swapped),
    ("below another mapping", "in use", held),
    ("opened exclusively by a program", "in use", opened),
    ("opened by a program", "has it open", read),
    ("below a loop device", "loop", looped),
    ("ext4", "ext4", || Device::new()?.by("mkfs.ext4", ["-q"]).map(Subject::from)),
    ("swap", "swap", || Device::new()?.by("mkswap", ["--quiet"]).map(Subject::from)),
    ("LUKS", "crypto_LUKS", || luks().map(Subject::from)),
    ("LVM", "LVM2_member", || signatures::lvm(Device::new()?).map(Subject::from)),
    ("RAID", "linux_raid_member", || signatures::raid(Device::new()?).map(Subject::from)),
    ("GPT without partitions", "gpt", || partitioned(&["label: gpt"]).map(Subject::from)),
    ("MBR without partitions", "dos", || partitioned(&["label: dos"]).map(Subject::from)),
    ("a disk with partitions", "partition", || partitioned(PARTS).map(Subject::from)),
    ("a partition whose neighbour is mounted", "mounted", neighbour),
    ("a symbolic link", "link", linked),
    ("too small", "small", || Device::of(16 << 10, &[]).map(Subject::from)),
    ("read-only", "read-only", || Device::with_options(&["--read-only"]).map(Subject::from)),
    ("set read-only", "read-only", set_read_only),
];

/// Two partitions.
const PARTS: &[&str] = &["label: gpt", "size=2MiB", "size=2MiB"];

fn mounted() -> Result<Subject, String> {
    let device = Device::new()?.by("mkfs.ext4", ["-q"])?;
    let place = device.beside("mounted");
    fs::create_dir(&place).map_err(|error| error.to_string())?;
    let (mut mount, mut unmount) = (command("mount"), command("umount"));
    mount.args(["-o", "ro"]).arg(device.path()).arg(&place);
    unmount.arg(&place);
    device.until(&mut mount, unmount).map(Subject::from)
}

fn swapped() -> Result<Subject, String> {
    let device = Device::new()?.by("mkswap", ["--quiet"])?;
    let (mut on, mut off) = (command("swapon"), command("swapoff"));
    on.arg(device.path());
    off.arg(device.path());
    device.until(&mut on, off).map(Subject::from)
}

fn held() -> Result<Subject, String> {
    let device = Device::new()?;
    let (mut create, mut remove) = (command("dmsetup"), command("dmsetup"));
    let table = format!("0 2048 linear {} 0", device.path().display());
    create.args(["create", "somebodys", "--table", &table]);
    remove.args(["remove", "somebodys"]);
    device.until(&mut create, remove).map(Subject::from)
}

fn opened() -> Result<Subject, String> {
    let subject = Subject::from(Device::new()?);
    let open = OpenOptions::new().read(true).custom_flags(libc::O_EXCL).open(&subject.target);
    let open = open.map_err(|error| error.to_string())?;
    Ok(Subject { _open: Some(open), ..subject })
}

/// The kernel does not mind that somebody else writes to it.
fn read() -> Result<Subject, String> {
    let subject = Subject::from(Device::new()?);
    let open = File::open(&subject.target).map_err(|error| error.to_string())?;
    Ok(Subject { _open: Some(open), ..subject })
}

fn looped() -> Result<Subject, String> {
    let device = Device::new()?;
    let (mut attach, mut detach) = (command("losetup"), command("losetup"));
    attach.arg("/dev/loop77").arg(device.path());
    detach.args(["--detach", "/dev/loop77"]);
    device.until(&mut attach, detach).map(Subject::from)
}

fn set_read_only() -> Result<Subject, String> {
    let device = Device::new()?;
    // The kernel would remember it for whoever gets this loop device next.
    let (mut set, mut reset) = (command("blockdev"), command("blockdev"));
    set.arg("--setro").arg(device.path());
    reset.arg("--setrw").arg(device.path());
    device.until(&mut set, reset).map(Subject::from)
}

fn luks() -> Result<Device, String> {
    let device = Device::new()?;
    let mut format = command("cryptsetup");
    format.args(["luksFormat", "--batch-mode", "--type", "luks1", "--pbkdf", "pbkdf2"]);
    format.args(["--pbkdf-force-iterations", "1000", "--key-file", "-"]).arg(device.path());
    told(&mut format, b"a passphrase")?;
    Ok(device)
}

fn partitioned(lines: &[&str]) -> Result<Device, String> {
    let device = Device::with_options(&["--partscan"])?;
    told(command("sfdisk").arg("--quiet").arg(device.path()), lines.join("\n").as_bytes())?;
    Ok(device)
}

fn neighbour() -> Result<Subject, String> {
    let device = partitioned(PARTS)?;
    let part = |number: u32| PathBuf::from(format!("{}p{number}", device.path().display()));
    let (first, second) = (part(1), part(2));
    wirespeed_system_tests::process::output(command("mkfs.ext4").arg("-q").arg(&first))?;
    let place = device.beside("mounted");
    fs::create_dir(&place).map_err(|error| error.to_string())?;
    let (mut mount, mut unmount) = (command("mount"), command("umount"));
    mount.args(["-o", "ro"]).arg(first).arg(&place);
    unmount.arg(&place);
    let device = device.until(&mut mount, unmount)?;
    Ok(Subject { target: second, ..Subject::from(device) })
}

fn linked() -> Result<Subject, String> {
    let device = Device::new()?;
    let target = device.beside("link");
    symlink(device.path(), &target).map_err(|error| error.to_string())?;
    Ok(Subject { target, ..Subject::from(device) })
}

/// Every device that is somebody's.
pub(crate) fn devices() -> Result<(), String> {
    let mut faults = Vec::new();
    for (what, word, make) in CASES {
        let made = || -> Result<(), String> {
            let Subject { device, target, _open } = make()?;
            let before = (Machine::now()?, digest(device.path())?);
            refuses(&target, &["--yes-destroy", &target.to_string_lossy()], word)?;
            before.0.is_unchanged()?;
            match digest(device.path())? == before.1 {
                true => Ok(()),
                false => Err("its bytes have changed".to_owned()),
            }
        };
        faults.extend(made().err().map(|why| format!("{what}: {why}")));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Paths that name no block device at all.
pub(crate) fn no_devices() -> Result<(), String> {
    let device = Device::new()?;
    let file = device.beside("file");
    fs::write(&file, [0; 1 << 16]).map_err(|error| error.to_string())?;
    let before = Machine::now()?;
    for (path, word) in [
        (file.as_path(), "not a block device"),
        ("/dev/null".as_ref(), "not a block device"),
        ("/tmp".as_ref(), "not a block device"),
        ("/dev/nothing".as_ref(), "No such file"),
    ] {
        refuses(path, &["--yes-destroy", &path.to_string_lossy()], word)?;
    }
    match fs::read(&file) {
        Ok(bytes) if bytes == [0; 1 << 16] => before.is_unchanged(),
        other => Err(format!("the file: {:?}", other.map(|it| it.len()))),
    }
}

/// Nobody has said that the device may be overwritten: there is no terminal to ask at, or another path was given.
pub(crate) fn unconfirmed() -> Result<(), String> {
    let (device, other) = (Device::new()?, Device::new()?);
    let before = (Machine::now()?, digest(device.path())?, digest(other.path())?);
    refuses(device.path(), &[], "--yes-destroy")?;
    refuses(device.path(), &["--yes-destroy", &other.path().to_string_lossy()], "--yes-destroy")?;
    before.0.is_unchanged()?;
    if (digest(device.path())?, digest(other.path())?) != (before.1, before.2) {
        return Err("its bytes have changed".to_owned());
    }
    Ok(())
}

/// It ends at once, says why in one line that names the path, and has the word in it.
fn refuses(path: &Path, confirmation: &[&str], word: &str) -> Result<(), String> {
    let path = path.to_string_lossy();
    let wanted = ["--dm-crypt", "--device", &path, "--size", "1MiB", "--cipher", "none"];
    let ended = Ended::of(&mut disk(&[&wanted[..], confirmation].concat())?)?;
    let line = ended.fault()?;
    match line.contains(&*path) && line.contains(word) {
        true => Ok(()),
        false => Err(format!("the line does not hold '{path}' and '{word}': {line}")),
    }
}
