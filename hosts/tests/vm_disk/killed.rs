//! Runs that are ended from outside, at every stage: nothing of theirs is left, nothing of anybody else's is touched.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

use wirespeed_conformance::scratch::Scratch;
use wirespeed_hosts::process::{command, output, wait_until};
use wirespeed_hosts::running::signal;

use crate::fixtures::{DISK, Device, digest};
use crate::machine::{Machine, Stage, is_abandoned, is_recorded, watchers};
use crate::program::{Ended, disk, path};

/// Ciphers with one mapping, and with several that lie on one another.
const CIPHERS: &str = "aes-cbc-plain64,aes-gcm-random";

/// What a run lies on.
#[derive(Clone, Copy, Debug)]
enum Backing {
    Brd,
    Loop,
    Disk,
}

impl Backing {
    const ALL: [Self; 3] = [Self::Brd, Self::Loop, Self::Disk];

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
    for stage in Stage::ALL {
        end(Backing::Brd, stage, libc::SIGINT).map_err(|why| format!("{stage:?}: {why}"))?;
    }
    end(Backing::Loop, Stage::Written, libc::SIGTERM)?;
    end(Backing::Disk, Stage::Written, libc::SIGINT)
}

/// Killed: its watcher takes everything away.
pub(crate) fn by_force() -> Result<(), String> {
    let somebody = Somebody::new()?;
    let end = |backing: Backing, stage: Stage| {
        let mut child = somebody.run(backing, stage)?;
        child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
        somebody.is_alone()
    };
    for backing in Backing::ALL {
        for stage in Stage::ALL {
            end(backing, stage).map_err(|why| format!("{backing:?}, {stage:?}: {why}"))?;
        }
    }
    Ok(())
}

/// Killed together with its watcher: what is left stays until the next run, which takes it away.
pub(crate) fn with_its_watcher() -> Result<(), String> {
    let somebody = Somebody::new()?;
    for backing in Backing::ALL {
        for stage in Stage::ALL {
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
    }
    Ok(())
}

/// Killed at system calls all over its life, by turns with its watcher and without.
pub(crate) fn anywhere() -> Result<(), String> {
    const TIMES: usize = 12;
    let somebody = Somebody::new()?;
    let arguments = Backing::Loop.arguments("aes-gcm-random", &somebody.scratch);
    let traced = |options: &[&str]| -> Result<Command, String> {
        let mut strace = command("strace");
        // The program's first thread, which sets everything up.
        strace.arg("--quiet=all").args(options).arg(path()?).arg("disk").args(&arguments);
        strace.stdout(Stdio::null()).stderr(Stdio::piped());
        Ok(strace)
    };
    let log = Scratch::new()?;
    let calls = log.path("calls");
    output(&mut traced(&["--output", &calls.to_string_lossy()])?)?;
    let calls = fs::read_to_string(calls).map_err(|error| error.to_string())?;
    let calls = calls.lines().filter(|line| line.contains('(')).count();
    let mut left = 0;
    for time in 1..=TIMES {
        let place = calls * time / (TIMES + 1);
        let told = |why| format!("at call {place} of {calls}: {why}");
        let inject = format!("inject=all:signal=KILL:when={place}");
        let with_its_watcher = time % 2 == 0;
        let mut child = traced(&["-e", &inject])?.spawn().map_err(|error| error.to_string())?;
        wait_until("its death", || {
            // A run whose watcher is gone before it has anything to watch ends by itself.
            for watcher in watchers().into_iter().filter(|_| with_its_watcher && is_recorded()) {
                // It may be gone already.
                let _ = signal(watcher, libc::SIGKILL);
            }
            child.try_wait().is_ok_and(|ended| ended.is_some())
        })?;
        let ended = child.wait_with_output().map_err(|error| error.to_string())?;
        if ended.status.signal() != Some(libc::SIGKILL) {
            return Err(told(format!("it was not killed: {:?}", Ended::from(ended))));
        }
        if with_its_watcher {
            left += usize::from(somebody.machine.is_unchanged().is_err());
            somebody.sweep().map_err(told)?;
        }
        somebody.is_alone().map_err(told)?;
    }
    // Otherwise nothing was shown.
    if left > 0 { Ok(()) } else { Err("there was never anything to take away".to_owned()) }
}
