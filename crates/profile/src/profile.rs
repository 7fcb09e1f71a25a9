//! Samples taken, and summed up by what they hit.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::copying::Copying;
use crate::functions::{Function, Functions};
use crate::learned::{Learned, Lessons};
use crate::part::{Kind, Part};
use crate::processes::{self, Seconds, Times};
use crate::sampling::{Place, Sampling, Seen};

/// Whose time it is.
#[derive(Clone, Debug)]
pub enum Target {
    /// A program to be run, until it ends.
    Command {
        /// Its words.
        words: Vec<OsString>,
        /// Where what it prints goes.
        output: Output,
    },
    /// A process that runs, and what it started.
    Process(u32),
}

/// Where a program's standard output goes.
#[derive(Clone, Copy, Debug)]
pub enum Output {
    /// To ours.
    Ours,
    /// To our standard error.
    StandardError,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The target is sampled.
    Watching,
    /// `openssl speed` is sampled.
    Learning,
}

/// Where the time went.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The name of the program.
    pub name: String,
    /// How long it was watched.
    pub elapsed: Duration,
    /// Processor time of it and its children.
    pub cpu_seconds: f64,
    /// Samples taken.
    pub samples: u64,
    /// Samples that came too fast to be read.
    pub lost: u64,
    /// The parts of the time, with the share of each, 0 to 1; the largest first.
    pub parts: Vec<(Part, f64)>,
    /// The share of the time watched in which the busiest thread ran, 0 to 1.
    pub busiest_thread: f64,
    /// Whether what is inside libcrypto could be told apart.
    pub learned: bool,
    /// How a program that was run ended.
    pub status: Option<ExitStatus>,
}

/// Samples with what else is known of the time.
pub(crate) struct Sampled {
    pub(crate) seen: Seen,
    pub(crate) name: String,
    pub(crate) elapsed: Duration,
    pub(crate) cpu: Seconds,
    pub(crate) status: Option<ExitStatus>,
}

/// Nanoseconds of processor time between two samples.
pub(crate) const PERIOD: u64 = 1_000_000;
/// The same where little time is to tell much.
pub(crate) const CLOSE: u64 = 200_000;
/// Between two looks at the samples.
pub(crate) const PAUSE: Duration = Duration::from_millis(20);
/// Between two looks at what the processes have used, of which there may be hundreds.
const BETWEEN_READINGS: Duration = Duration::from_millis(100);
/// Below this share of libcrypto there is nothing to tell apart in it.
const WORTH_LEARNING: f64 = 0.03;

/// Watches a command until it ends, or a process for so long at most, and says where its time went. `progress` is called
/// now and then.
///
/// # Errors
/// If the target is not there, or its time may not be looked at.
pub fn profile(
    target: &Target,
    longest: Duration,
    progress: &(impl Fn(Step) + Sync),
) -> io::Result<Profile> {
    let sampled = sample(target, longest, progress)?;
    Ok(sum_up(sampled, &mut Lessons::default(), progress))
}

/// Takes the samples.
pub(crate) fn sample(
    target: &Target,
    longest: Duration,
    progress: &impl Fn(Step),
) -> io::Result<Sampled> {
    match target {
        Target::Command { words, output } => {
            let name =
                words.first().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
            // Afterwards the shell's answers could be the program's own (POSIX, "Shell Command Language", §2.8.2).
            can_be_run(words, env::var_os("PATH").as_deref())
                .map_err(|why| io::Error::new(ErrorKind::InvalidInput, format!("{name}: {why}")))?;
            let mut command = shell(words);
            if let Output::StandardError = output {
                command.stdout(Stdio::from(io::stderr().as_fd().try_clone_to_owned()?));
            }
            let mut child = stopped(&mut command)?;
            let result = of_child(&mut child, progress);
            if result.is_err() {
                child.kill()?;
                child.wait()?;
            }
            Ok(Sampled { name, ..result? })
        }
        Target::Process(process) => of_process(*process, longest, progress),
    }
}

/// Whether a shell would find the program, in one of the folders of PATH unless its name says where.
fn can_be_run(words: &[OsString], path: Option<&OsStr>) -> Result<(), &'static str> {
    let name = words.first().map(Path::new).unwrap_or(Path::new(""));
    let places: Vec<PathBuf> = match path {
        _ if name.as_os_str().as_bytes().contains(&b'/') => vec![name.to_owned()],
        Some(path) => env::split_paths(path).map(|folder| folder.join(name)).collect(),
        // The shell has folders of its own then.
        None => return Ok(()),
    };
    let files: Vec<_> = places.iter().filter_map(|place| fs::metadata(place).ok()).collect();
    let runs = |it: &fs::Metadata| it.is_file() && it.permissions().mode() & 0o111 != 0;
    match files.iter().any(runs) {
        true => Ok(()),
        false if files.iter().any(fs::Metadata::is_file) => Err("no permission to run it"),
        false => Err("command not found"),
    }
}

/// A shell that stops itself and then becomes the program: its samples are taken from the first instruction on.
fn shell(words: &[OsString]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "kill -STOP $$; exec \"$@\"", "sh"]).args(words);
    command
}

/// The same, once it has stopped.
fn stopped(command: &mut Command) -> io::Result<Child> {
    let mut child = command.spawn()?;
    while !processes::is_stopped(child.id()) {
        if let Some(status) = child.try_wait()? {
            return Err(io::Error::other(format!("sh ended with {status}")));
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(child)
}

/// Until it ends: what its processor time is a share of.
fn of_child(child: &mut Child, progress: &impl Fn(Step)) -> io::Result<Sampled> {
    let mut sampling = Sampling::of(&BTreeSet::from([child.id()]), PERIOD)?;
    let before = processes::of_ended_children();
    let began = Instant::now();
    go_on(child)?;
    let status = loop {
        let status = child.try_wait()?;
        sampling.drain();
        progress(Step::Watching);
        if let Some(status) = status {
            break status;
        }
        thread::sleep(PAUSE);
    };
    let elapsed = began.elapsed();
    let cpu = processes::of_ended_children() - before;
    Ok(Sampled { seen: sampling.seen, name: String::new(), elapsed, cpu, status: Some(status) })
}

fn go_on(child: &Child) -> io::Result<()> {
    let done = Command::new("kill").args(["-CONT", &child.id().to_string()]).status()?;
    if done.success() { Ok(()) } else { Err(io::Error::other("kill -CONT failed")) }
}

/// Runs a program without the machine's openssl.cnf, and samples it closely until that is enough, which ends it.
pub(crate) fn sample_closely(
    words: &[OsString],
    mut enough: impl FnMut(&Seen) -> bool,
) -> io::Result<Seen> {
    let mut command = shell(words);
    command.env("OPENSSL_CONF", "/dev/null");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = stopped(&mut command)?;
    let mut sampled = || {
        let mut sampling = Sampling::of(&BTreeSet::from([child.id()]), CLOSE)?;
        go_on(&child)?;
        loop {
            let is_over = child.try_wait()?.is_some();
            sampling.drain();
            if is_over || enough(&sampling.seen) {
                return Ok(sampling.seen);
            }
            thread::sleep(PAUSE);
        }
    };
    let sampled = sampled();
    // Nobody minds if it has ended by itself.
    let _ = child.kill();
    child.wait()?;
    sampled
}

fn of_process(process: u32, longest: Duration, progress: &impl Fn(Step)) -> io::Result<Sampled> {
    let name = processes::name(process).ok_or_else(|| {
        io::Error::new(ErrorKind::NotFound, format!("no process has the number {process}"))
    })?;
    let members = processes::tree(process);
    let mut sampling = Sampling::of(&members, PERIOD)?;
    let mut times = Times::of(&members);
    let (began, mut read) = (Instant::now(), Instant::now());
    while began.elapsed() < longest && processes::name(process).is_some() {
        thread::sleep(PAUSE);
        sampling.drain();
        if read.elapsed() >= BETWEEN_READINGS {
            times.read();
            read = Instant::now();
        }
        progress(Step::Watching);
    }
    let elapsed = began.elapsed();
    times.read();
    Ok(Sampled { seen: sampling.seen, name, elapsed, cpu: times.used(), status: None })
}

pub(crate) fn sum_up(
    sampled: Sampled,
    lessons: &mut Lessons,
    progress: &(impl Fn(Step) + Sync),
) -> Profile {
    let Sampled { seen, name, elapsed, cpu, status } = sampled;
    let files = Files::of(&seen, lessons, progress);
    let linux = seen.with_linux.then(Linux::read).flatten();
    let mut counts: BTreeMap<Part, f64> = BTreeMap::new();
    for (place, count) in &seen.hits {
        let part = match place {
            Place::Linux(address) => Part::of_linux(linux.as_ref().and_then(|it| it.at(*address))),
            Place::File(file, offset) => files.part(*file, *offset),
            Place::Nowhere => Part::unknown(),
        };
        *counts.entry(part).or_default() += *count as f64;
    }
    let samples: u64 = seen.hits.values().sum();
    if !seen.with_linux && cpu.user > 0.0 {
        // What may not be sampled is counted, in ticks.
        let linux = samples as f64 * cpu.system / cpu.user;
        counts.insert(Part::of_linux(None), linux);
    }
    let all: f64 = counts.values().sum();
    let mut parts: Vec<_> = counts.into_iter().map(|(part, count)| (part, count / all)).collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1));
    let busiest = seen.threads.values().max().copied().unwrap_or(0) as f64 / samples.max(1) as f64;
    let cpu_seconds = cpu.user + cpu.system;
    Profile {
        name,
        elapsed,
        cpu_seconds,
        samples,
        lost: seen.lost,
        parts,
        busiest_thread: busiest * cpu_seconds / elapsed.as_secs_f64().max(f64::MIN_POSITIVE),
        learned: files.learned.is_some(),
        status,
    }
}

/// The files that were hit, and what is known of their functions.
struct Files<'s> {
    seen: &'s Seen,
    functions: HashMap<usize, Functions>,
    /// Where the functions begin that copy.
    copying: HashMap<usize, HashSet<u64>>,
    /// The number of libcrypto, and what its functions are.
    learned: Option<(usize, Learned)>,
}

impl<'s> Files<'s> {
    fn of(seen: &'s Seen, lessons: &mut Lessons, progress: &(impl Fn(Step) + Sync)) -> Self {
        let mut hits: HashMap<usize, u64> = HashMap::new();
        for (place, count) in &seen.hits {
            if let Place::File(file, _) = place {
                *hits.entry(*file).or_default() += count;
            }
        }
        let read = |file: &usize| Functions::read(seen.spaces.files()[*file].readable());
        let functions: HashMap<usize, Functions> =
            hits.keys().filter_map(|file| Some((*file, read(file)?))).collect();
        let here = Copying::here();
        let copying = functions.iter().map(|(file, functions)| {
            (*file, here.begin_in(&seen.spaces.files()[*file], functions))
        });
        let copying = copying.collect();
        let all: u64 = seen.hits.values().sum();
        let much = |count: u64| count as f64 >= WORTH_LEARNING * all as f64;
        let crypto = hits.iter().find(|(file, count)| is_libcrypto(seen, **file) && much(**count));
        let learned = crypto.and_then(|(file, _)| {
            let library = seen.spaces.files()[*file].readable();
            let learned = lessons.of(library, functions.get(file)?, progress)?;
            (!learned.is_empty()).then(|| (*file, learned.clone()))
        });
        Self { seen, functions, copying, learned }
    }

    fn part(&self, file: usize, offset: u64) -> Part {
        let function = self.functions.get(&file).and_then(|it| it.at(offset));
        if let (Some((crypto, learned)), Some(function)) = (&self.learned, &function)
            && *crypto == file
            && let Some(part) = learned.at(function)
        {
            return part.clone();
        }
        let copies = |function: &Function<'_>| {
            self.copying.get(&file).is_some_and(|it| it.contains(&function.begins))
        };
        if function.as_ref().is_some_and(copies) {
            return Part::copying();
        }
        let path = &self.seen.spaces.files()[file].path;
        if !path.has_root() || path.starts_with("//anon") {
            return Part::unknown();
        }
        let is_program = !path.to_string_lossy().contains(".so");
        Part::of_file(path, is_program, function.and_then(|it| it.name))
    }
}

fn is_libcrypto(seen: &Seen, file: usize) -> bool {
    let name = seen.spaces.files()[file].path.file_name();
    name.is_some_and(|name| name.to_string_lossy().starts_with("libcrypto.so"))
}

/// The functions of Linux by their addresses, which are root's to see: /proc/kallsyms.
struct Linux(BTreeMap<u64, String>);

impl Linux {
    fn read() -> Option<Self> {
        let text = fs::read_to_string("/proc/kallsyms").ok()?;
        let symbol = |line: &str| {
            let mut words = line.split_whitespace();
            let address = u64::from_str_radix(words.next()?, 16).ok()?;
            (address != 0).then(|| Some((address, words.nth(1)?.to_owned())))?
        };
        let symbols: BTreeMap<_, _> = text.lines().filter_map(symbol).collect();
        (!symbols.is_empty()).then_some(Self(symbols))
    }

    fn at(&self, address: u64) -> Option<&str> {
        Some(self.0.range(..=address).next_back()?.1)
    }
}

impl Profile {
    /// The share of all parts of a kind.
    pub fn share(&self, kind: Kind) -> f64 {
        self.parts.iter().filter(|(part, _)| part.kind == kind).map(|(_, share)| share).sum()
    }

    /// How many times less processor time it would take if ciphers and hashes of OpenSSL cost nothing: Amdahl's law.
    pub fn gain_at_most(&self) -> f64 {
        1.0 / (1.0 - self.share(Kind::Bulk)).max(0.001)
    }

    /// Whether ciphers could be told from the rest of OpenSSL, if that is no trifle.
    pub fn tells_ciphers(&self) -> bool {
        self.learned || self.share(Kind::OpenSsl) < WORTH_LEARNING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_not_run_is_known_before() {
        let folder = env::temp_dir().join(format!("wirespeed-to-be-run-{}", std::process::id()));
        fs::create_dir_all(folder.join("folder")).expect("a folder");
        for (name, mode) in [("program", 0o755), ("notes", 0o644)] {
            fs::write(folder.join(name), "#!/bin/sh\n").expect("a file");
            let mode = fs::Permissions::from_mode(mode);
            fs::set_permissions(folder.join(name), mode).expect("ours");
        }
        let path = env::join_paths([Path::new("/nowhere"), &folder]).expect("folders");
        let found = ["program", "notes", "folder", "none"].map(|name| {
            let by_name = can_be_run(&[name.into()], Some(&path));
            let by_place = can_be_run(&[folder.join(name).into()], None);
            assert_eq!(by_name, by_place, "{name}");
            by_name
        });
        fs::remove_dir_all(&folder).expect("removed");
        let (denied, missing) = ("no permission to run it", "command not found");
        assert_eq!(found, [Ok(()), Err(denied), Err(missing), Err(missing)]);
        assert_eq!(can_be_run(&["program".into()], None), Ok(()));
    }

    /// As tests and scripts do.
    #[test]
    fn a_program_may_end_with_the_shell_s_numbers() {
        let words = ["sh", "-c", "exit 127"].map(OsString::from).to_vec();
        let target = Target::Command { words, output: Output::Ours };
        match sample(&target, Duration::from_secs(60), &|_| ()) {
            Ok(sampled) => assert_eq!(sampled.status.and_then(|it| it.code()), Some(127)),
            Err(error) => {
                assert_ne!(error.kind(), ErrorKind::NotFound, "{error}");
                println!("skipped: this user may not sample programs: {error}");
            }
        }
    }
}
