//! Runs that are ended from outside, at every stage: nothing of theirs is left, nothing of anybody else's is touched.

use std::fs;
use std::process::{Child, Stdio};

use wirespeed_conformance::scratch::Scratch;
use wirespeed_system_tests::process::{command, wait_until};
use wirespeed_system_tests::running::signal;

use crate::fixtures::{DISK, Device, digest};
use crate::machine::{Machine, Stage, is_abandoned, watchers};
use crate::program::{Ended, disk};

/// Ciphers with one mapping, and with several that lie on one another.
const CIPHERS: &str = "aes-cbc-plain64,aes-gcm-random";

/// What a run lies on.
#[derive(Clone, Copy, Debug)]
enum Backing {
    Brd,
    Loop,
    Disk,
}

/// Every stage, and every kind of thing that lies below.
fn moments() -> impl Iterator<Item = (Backing, Stage)> {
    let stages = Stage::ALL.into_iter().map(|stage| (Backing::Brd, stage));
    let others = [(Backing::Loop, Stage::Device), (Backing::Loop, Stage::Written)];
    stages.chain(others).chain([(Backing::Disk, Stage::Written)])
}

impl Backing {
    /// The arguments; a file for the loop device would lie in `scratch`.
    fn arguments(self, ciphers: &str, scratch: &Scratch) -> Vec<String> {
        let file = scratch.path("disk").display().to_string();
        let words: &[&str] = match self {
            Self::Brd => &["--ram", "brd"],
            Self::Loop => &["--loop", &file],
            Self::Disk => &["--device", DISK, "--yes-destroy", DISK],
        };
        let run = ["--dm-crypt", "--size", "4MiB", "--cipher", ciphers];
        run.iter().chain(words).map(|word| (*word).to_owned()).collect()
    }
}

/// What is somebody else's: a loop device with a mapping of its own on it.
struct Somebody {
    machine: Machine,
    device: Device,
    digest: u64,
    /// Where the file for our loop device lies.
    scratch: Scratch,
}

impl Somebody {
    fn new() -> Result<Self, String> {
        let device = Device::new()?;
        // Named as ours might be: the sign of ours is another.
        let (mut create, mut remove) = (command("dmsetup"), command("dmsetup"));
        let table = format!("0 2048 linear {} 0", device.path().display());
        create.args(["create", "wirespeed-1-0-crypt", "--table", &table]);
        remove.args(["remove", "wirespeed-1-0-crypt"]);
        let device = device.until(&mut create, remove)?;
        let digest = digest(device.path())?;
        Ok(Self { machine: Machine::now()?, device, digest, scratch: Scratch::new()? })
    }

    /// Everything is as it was, at the latest in a moment.
    fn is_alone(&self) -> Result<(), String> {
        let alone = || {
            self.machine.is_unchanged()?;
            let mut left =
                fs::read_dir(self.scratch.root()).map_err(|it| it.to_string())?.flatten();
            left.next().map_or(Ok(()), |file| Err(format!("{} is left", file.path().display())))
        };
        wait_until("the end", || alone().is_ok()).or_else(|_| alone())?;
        match digest(self.device.path())? == self.digest {
            true => Ok(()),
            false => Err("somebody's device has changed".to_owned()),
        }
    }

    /// Starts a run and lets it come so far.
    fn run(&self, backing: Backing, stage: Stage) -> Result<Child, String> {
        let mut command = disk(&backing.arguments(CIPHERS, &self.scratch))?;
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let mut ended = None;
        let mut seen = false;
        wait_until("the stage", || {
            ended = child.try_wait().ok().flatten();
            ended.is_some() || stage.is_reached(&self.machine, &mut seen)
        })?;
        match ended {
            None => Ok(child),
            Some(status) => Err(format!("it ended before: {status}")),
        }
    }

    /// The next run takes away what is left, and says so if anything is, whatever else it was to do.
    fn sweep(&self) -> Result<(), String> {
        // A program that it had started holds its account until it ends.
        wait_until("what a killed run has started", is_abandoned)?;
        // An account of nothing goes without a word.
        let mut left = Machine::now()?;
        left.records.clone_from(&self.machine.records);
        left.processes.clone_from(&self.machine.processes);
        let was_made = left != self.machine;
        let nothing = ["--dm-crypt", "--device", "/dev/nothing", "--yes-destroy", "/dev/nothing"];
        let ended = Ended::of(&mut disk(&nothing)?)?;
        let told = ended.output.contains("left by a run that was killed");
        // A file of ours is left where no device is yet.
        match ended.fault().is_ok() && (told || !was_made) {
            true => Ok(()),
            false => Err(format!("left: {was_made}; the next run: {ended:?}")),
        }
    }
}

/// Asked to end, by Ctrl-C or by whoever shuts the machine down: everything is gone when the program is.
pub(crate) fn interrupted() -> Result<(), String> {
    let somebody = Somebody::new()?;
    let end = |backing: Backing, stage: Stage, number: i32| {
        let child = somebody.run(backing, stage)?;
        signal(child.id(), number)?;
        let ended = Ended::from(child.wait_with_output().map_err(|error| error.to_string())?);
        let said = ended.fault()?.contains("interrupted");
        somebody.machine.is_unchanged()?;
        if said { somebody.is_alone() } else { Err(format!("{ended:?}")) }
    };
    for (backing, stage) in moments() {
        let number = if matches!(backing, Backing::Loop) { libc::SIGTERM } else { libc::SIGINT };
        end(backing, stage, number).map_err(|why| format!("{backing:?}, {stage:?}: {why}"))?;
    }
    Ok(())
}

/// Killed: its watcher takes everything away.
pub(crate) fn by_force() -> Result<(), String> {
    let somebody = Somebody::new()?;
    let end = |backing: Backing, stage: Stage| {
        let mut child = somebody.run(backing, stage)?;
        child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
        somebody.is_alone()
    };
    for (backing, stage) in moments() {
        end(backing, stage).map_err(|why| format!("{backing:?}, {stage:?}: {why}"))?;
    }
    Ok(())
}

/// Killed together with its watcher: what is left stays until the next run, which takes it away.
pub(crate) fn with_its_watcher() -> Result<(), String> {
    let somebody = Somebody::new()?;
    for (backing, stage) in moments() {
        let told = |why| format!("{backing:?}, {stage:?}: {why}");
        let mut child = somebody.run(backing, stage).map_err(told)?;
        // The watchers first: they have no time to do anything.
        for process in watchers().into_iter().chain([child.id()]) {
            signal(process, libc::SIGKILL)?;
        }
        child.wait().map_err(|error| error.to_string())?;
        let left = Machine::now()?;
        if left.mappings == somebody.machine.mappings && matches!(stage, Stage::Written) {
            return Err(told("nothing was left: somebody else has taken it down".to_owned()));
        }
        somebody.sweep().and_then(|()| somebody.is_alone()).map_err(told)?;
    }
    Ok(())
}
