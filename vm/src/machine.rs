//! One run of QEMU, from its command line to the guest's exit status, with nothing left behind.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level;

use crate::packages::in_folder;
use crate::program::quoted;
use crate::streams::Console;
use crate::{Accelerator, Device, Kernel, Program};

/// A machine that will be booted for one program.
#[derive(Clone, Debug)]
pub struct Machine {
    kernel: Kernel,
    accelerator: Accelerator,
    cpu: String,
    processors: u32,
    memory_mib: u32,
    limit: Duration,
    modules: Vec<(PathBuf, String)>,
    devices: Vec<Device>,
    disks: Vec<u64>,
    system: Option<PathBuf>,
    folders: Vec<PathBuf>,
    self_tests: bool,
}

/// Why there is no exit status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It cannot be booted here.
    Environment(String),
    /// It ended before the program did; with the last lines of the kernel's log.
    Died(String),
    /// The program did not end in time; with the last lines of the kernel's log.
    TimedOut(Duration, String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(why) => f.write_str(why),
            Self::Died(log) => {
                write!(
                    f,
                    "the guest died before the program ended; its kernel's last words:\n{log}"
                )
            }
            Self::TimedOut(limit, log) => write!(
                f,
                "the program did not end within {} s; the kernel's last words:\n{log}",
                limit.as_secs()
            ),
        }
    }
}

impl std::error::Error for Failure {}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Environment(why)
    }
}

impl From<Failure> for String {
    fn from(failure: Failure) -> Self {
        failure.to_string()
    }
}

impl Machine {
    /// A machine with the best CPU there is here, and 1 GiB.
    ///
    /// With one CPU, because QEMU 7.2 translates two with a race: now and then one goes on running a breakpoint that the
    /// other has already taken out of the kernel's code again, and neither gets any further. One takes a quarter less time, too.
    pub fn new(kernel: Kernel) -> Self {
        let accelerator = Accelerator::best(kernel.architecture());
        Self {
            accelerator,
            cpu: accelerator.full_cpu(kernel.architecture()).to_owned(),
            kernel,
            processors: 1,
            memory_mib: 1024,
            limit: Duration::from_secs(600),
            modules: Vec::new(),
            devices: Vec::new(),
            disks: Vec::new(),
            system: None,
            folders: Vec::new(),
            self_tests: false,
        }
    }

    /// Another CPU, in QEMU's words.
    #[must_use]
    pub fn cpu(mut self, cpu: impl Into<String>) -> Self {
        self.cpu = cpu.into();
        self
    }

    /// Another way to execute its instructions.
    #[must_use]
    pub const fn accelerator(mut self, accelerator: Accelerator) -> Self {
        self.accelerator = accelerator;
        self
    }

    /// How many CPUs it has.
    #[must_use]
    pub const fn processors(mut self, count: u32) -> Self {
        self.processors = count;
        self
    }

    /// How much memory it has, of which what the guest writes to files is a part.
    #[must_use]
    pub const fn memory_mib(mut self, mebibytes: u32) -> Self {
        self.memory_mib = mebibytes;
        self
    }

    /// How long the program may take, the boot included.
    #[must_use]
    pub const fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// A module that is loaded before the program starts, with its parameters.
    #[must_use]
    pub fn module(mut self, file: PathBuf, parameters: &str) -> Self {
        self.modules.push((file, parameters.to_owned()));
        self
    }

    /// A device, whose driver is loaded before the program starts.
    #[must_use]
    pub fn device(mut self, device: Device) -> Self {
        self.devices.push(device);
        self
    }

    /// One more empty disk of so many bytes, `/dev/vda` being the first; what is written to it goes with the guest.
    #[must_use]
    pub fn disk(mut self, bytes: u64) -> Self {
        self.disks.push(bytes);
        self
    }

    /// Another system than this machine's own, unpacked in a directory, for its programs. Of this machine's files the guest
    /// sees these folders then, at the same paths.
    #[must_use]
    pub fn system(mut self, root: PathBuf, folders: Vec<PathBuf>) -> Self {
        self.system = Some(root);
        self.folders = folders;
        self
    }

    /// With Linux's own tests of its drivers for ciphers and hash functions, which take a guest that is translated longer than
    /// to boot. A machine with a device has them in any case.
    #[must_use]
    pub const fn self_tests(mut self) -> Self {
        self.self_tests = true;
        self
    }

    /// Boots, runs the program, and gives its exit status; 125 is that of a module that cannot be loaded.
    ///
    /// On SIGINT, SIGTERM and SIGHUP the machine goes away, and then this process, by that signal.
    pub fn run(
        &self,
        program: &Program,
        output: &mut (dyn Write + Send),
        complaints: &mut (dyn Write + Send),
    ) -> Result<i32, Failure> {
        let session = tempfile::Builder::new().prefix("wirespeed-vm-").tempdir();
        let session = session.map_err(|error| format!("no temporary directory: {error}"))?;
        let place = session.path();
        let command = place.join("command");
        fs::write(&command, self.script(program)).map_err(|error| in_folder(place, error))?;
        let consoles =
            ["output", "complaints", "status"].map(|name| Console::new(place.join(name)));
        let [first, second, third] = consoles;
        let consoles = [first?, second?, third?];
        let log = place.join("kernel");
        let signals = Signals::watch()?;
        let mut child = self.start(place, &consoles, &log)?;
        let mut status = Vec::new();
        let ended = thread::scope(|scope| {
            let sinks: [&mut (dyn Write + Send); 3] = [output, complaints, &mut status];
            for (console, sink) in consoles.iter().zip(sinks) {
                // A connection that breaks is the end of the guest, which shows otherwise.
                scope.spawn(move || drop(console.pass_on(sink)));
            }
            let ended = self.wait(&mut child, &signals);
            consoles.iter().for_each(Console::finish);
            ended
        });
        let qemu = self.kernel.architecture().qemu;
        let said = fs::read(place.join("qemu")).unwrap_or_default();
        let words = last_lines(&fs::read(&log).unwrap_or_default());
        drop(session);
        signals.obey();
        match (ended?, String::from_utf8_lossy(&status).trim().parse()) {
            (Some(_), Ok(status)) => Ok(status),
            (Some(ended), _) if !ended.success() => {
                let said = String::from_utf8_lossy(&said).into_owned();
                Err(Failure::Environment(format!("{qemu}: {ended}: {}", said.trim())))
            }
            (Some(_), _) => Err(Failure::Died(words)),
            (None, _) => Err(Failure::TimedOut(self.limit, words)),
        }
    }

    /// What the guest's shell does.
    fn script(&self, program: &Program) -> Vec<u8> {
        let mut script = String::new();
        for device in &self.devices {
            script += &format!("/sbin/modprobe {} || exit 125\n", device.driver());
        }
        if !self.disks.is_empty() {
            script += "/sbin/modprobe virtio_blk || exit 125\n";
        }
        for (file, parameters) in &self.modules {
            let file = quoted(file.as_os_str());
            let file = file.display();
            script += &format!(
                "for needed in $(/sbin/modinfo -F depends {file} | tr , ' '); do /sbin/modprobe $needed || exit 125; done\n\
                 /sbin/insmod {file} {parameters} || exit 125\n"
            );
        }
        [script.into_bytes(), program.script()].concat()
    }

    fn start(&self, place: &Path, consoles: &[Console; 3], log: &Path) -> Result<Child, String> {
        // QEMU goes when the thread that waits for it does, however it does.
        let mut qemu = Command::new("setpriv");
        let architecture = self.kernel.architecture();
        qemu.args(["--pdeathsig", "KILL", "--", architecture.qemu]);
        qemu.args(architecture.board);
        qemu.args(["-accel", self.accelerator.option(), "-cpu", &self.cpu]);
        qemu.arg("-smp").arg(self.processors.to_string());
        qemu.arg("-m").arg(self.memory_mib.to_string());
        qemu.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
        qemu.arg("-kernel").arg(self.kernel.image());
        qemu.arg("-initrd").arg(self.kernel.initramfs());
        qemu.arg("-serial").arg(format!("file:{}", option(log)));
        qemu.args(["-device", "virtio-serial-pci"]);
        for (number, console) in consoles.iter().enumerate() {
            let path = option(console.path());
            qemu.arg("-chardev").arg(format!("socket,id=console{number},path={path}"));
            qemu.arg("-device").arg(format!("virtconsole,chardev=console{number}"));
        }
        qemu.args([
            "-fsdev",
            "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
        ]);
        qemu.args(["-device", "virtio-9p-pci,fsdev=host,mount_tag=host"]);
        for device in &self.devices {
            qemu.args(device.options());
        }
        for (number, &bytes) in self.disks.iter().enumerate() {
            // Sparse, and gone with the directory.
            let file = place.join(format!("disk{number}"));
            let made = fs::File::create(&file).and_then(|made| made.set_len(bytes));
            made.map_err(|error| in_folder(&file, error))?;
            let file = option(&file);
            qemu.arg("-drive")
                .arg(format!("if=none,id=disk{number},format=raw,cache=unsafe,file={file}"));
            qemu.arg("-device").arg(format!("virtio-blk-pci,drive=disk{number}"));
        }
        // An oops is a panic and a panic an end. Mitigations slow down guests that are translated, without
        // KASLR the kernel starts sooner, and on a busy host it finds its timer too slow to be one.
        qemu.arg("-append").arg(format!(
            "console={} panic=-1 oops=panic mitigations=off nokaslr no_timer_check loglevel=5 rdinit=/init \
             {} vm_session=\"{}\" vm_modules=\"{}\" vm_system=\"{}\" vm_folders=\"{}\"",
            architecture.console,
            // Those of virtio-crypto keep its RSA, which would refuse Linux's own modules, from use.
            if self.self_tests || !self.devices.is_empty() { "" } else { "cryptomgr.notests=1" },
            place.display(),
            self.kernel.modules().display(),
            self.system.as_deref().unwrap_or(Path::new("")).display(),
            self.folders(place)
        ));
        let said = place.join("qemu");
        let said = fs::File::create(&said).map_err(|error| in_folder(&said, error))?;
        qemu.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said);
        qemu.spawn().map_err(|error| format!("cannot start setpriv: {error}"))
    }

    /// What of this machine's files is seen beside a system of another's, each before what is in it.
    fn folders(&self, place: &Path) -> String {
        if self.system.is_none() {
            return String::new();
        }
        let own = [place.to_owned(), self.kernel.folder().to_owned()];
        let mut all: Vec<_> = own.iter().chain(&self.folders).collect();
        all.sort();
        all.dedup();
        all.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(":")
    }

    /// Waits for the end of QEMU, which it makes when the time is up or a signal came.
    fn wait(&self, child: &mut Child, signals: &Signals) -> Result<Option<ExitStatus>, Failure> {
        const STEP: Duration = Duration::from_millis(10);
        let failed =
            |error| Failure::Environment(format!("{}: {error}", self.kernel.architecture().qemu));
        let end = Instant::now() + self.limit;
        loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                return Ok(Some(status));
            }
            if signals.came() || Instant::now() > end {
                child.kill().and_then(|()| child.wait()).map_err(failed)?;
                return Ok(None);
            }
            thread::sleep(STEP);
        }
    }
}

/// Signals that are to end this process, once it has cleaned up.
struct Signals {
    last: Arc<AtomicUsize>,
    watched: Vec<signal_hook::SigId>,
}

impl Signals {
    fn watch() -> Result<Self, String> {
        let last = Arc::new(AtomicUsize::new(0));
        let watch = |signal: i32| {
            signal_hook::flag::register_usize(signal, Arc::clone(&last), signal as usize)
                .map_err(|error| format!("signal {signal}: {error}"))
        };
        let watched = [SIGINT, SIGTERM, SIGHUP].map(watch).into_iter().collect::<Result<_, _>>()?;
        Ok(Self { last, watched })
    }

    fn came(&self) -> bool {
        self.last.load(Ordering::Relaxed) != 0
    }

    /// Ends this process if one came.
    fn obey(&self) {
        let signal = self.last.load(Ordering::Relaxed);
        if let Ok(signal @ 1..) = i32::try_from(signal) {
            // It ends this process, or there is nothing more to be done.
            let _ = low_level::emulate_default_handler(signal);
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for watched in &self.watched {
            low_level::unregister(*watched);
        }
    }
}

/// A path as the value of one of QEMU's options, where a comma ends it.
fn option(path: &Path) -> String {
    path.display().to_string().replace(',', ",,")
}

/// The end of a kernel's log, which holds the reason of most deaths.
fn last_lines(log: &[u8]) -> String {
    const LINES: usize = 60;
    let log = String::from_utf8_lossy(log).replace('\r', "");
    let lines: Vec<_> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
