//! How a program comes to be traced: the tracer is its grandchild, so that the program keeps its number, its parent and its terminal.
//!
//! `padlock-run` becomes the command by exec, as with the preload library. Before that it forks twice and
//! waits until its grandchild, which the program will never see among its children, traces it.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::ptr;

use libc::{c_int, c_uint, pid_t};
use padlock_emulator::Cpu;
use padlock_runner::Settings;

use super::Tracer;
use super::cpuid::Cpuid;
use super::filter;
use super::thread::Thread;
use crate::arch::x86_64::system::can_fault_cpuid;

/// What the tracer is told before it begins: whether a filter is in place.
const FILTERED: u8 = 1;
const NOT_FILTERED: u8 = 0;

/// Makes a tracer of this process, which is to exec the command next; the error with which it was not allowed
/// to trace.
///
/// The process must have one thread.
pub(crate) fn become_traced(
    settings: &Settings,
    trace: Option<File>,
) -> io::Result<Option<io::Error>> {
    // SAFETY: takes nothing.
    let command = Thread(unsafe { libc::getpid() });
    let (mut from_tracer, to_command) = io::pipe()?;
    let (from_command, mut to_tracer) = io::pipe()?;
    // SAFETY: this process has one thread, so the child may do whatever this process may.
    let child = unsafe { libc::fork() };
    if child == 0 {
        drop((from_tracer, to_tracer));
        // SAFETY: as above.
        match unsafe { libc::fork() } {
            0 => trace_command(command, settings, trace, from_command, to_command),
            _ => end(0),
        }
    }
    drop((from_command, to_command));
    if child < 0 {
        return Err(io::Error::last_os_error());
    }
    await_end(child);
    // Nothing comes if the child could not fork.
    allow_tracer(read_number(&mut from_tracer)?);
    let filtered = !can_fault_cpuid() && filter::install().is_ok();
    to_tracer.write_all(&[if filtered { FILTERED } else { NOT_FILTERED }])?;
    Ok(match read_number(&mut from_tracer)? {
        0 => None,
        error => Some(io::Error::from_raw_os_error(error)),
    })
}

/// The tracer's life.
fn trace_command(
    command: Thread,
    settings: &Settings,
    trace: Option<File>,
    mut from_command: PipeReader,
    mut to_command: PipeWriter,
) -> ! {
    let attach = || -> io::Result<Tracer> {
        // SAFETY: takes nothing.
        to_command.write_all(&unsafe { libc::getpid() }.to_ne_bytes())?;
        let mut filtered = [0];
        from_command.read_exact(&mut filtered)?;
        let filtered = filtered == [FILTERED];
        command.seize(filtered)?;
        let cpuid = match can_fault_cpuid() {
            true => Cpuid::Faults,
            false => Cpuid::Rewritten { filtered },
        };
        Ok(Tracer::new(settings, cpuid, trace))
    };
    let attached = attach();
    let error =
        attached.as_ref().err().map_or(0, |error| error.raw_os_error().unwrap_or(libc::EIO));
    drop(from_command);
    let keep = attached.as_ref().ok().and_then(|tracer| tracer.trace.as_ref());
    leave_terminal(keep.map(File::as_raw_fd), to_command.as_raw_fd());
    let told = to_command.write_all(&error.to_ne_bytes());
    drop(to_command);
    match attached.and_then(|mut tracer| told.and_then(|()| tracer.run())) {
        Ok(()) => end(0),
        Err(_) if error != 0 => end(1),
        Err(error) => {
            eprintln!("padlock-run: the tracer stops, and ends what it traced: {error}");
            end(1)
        }
    }
}

/// Ends a forked process, which leaves all that is to be done at exit to the one that forked.
fn end(status: c_int) -> ! {
    // SAFETY: takes a number.
    unsafe { libc::_exit(status) }
}

impl Tracer {
    fn new(settings: &Settings, cpuid: Cpuid, trace: Option<File>) -> Self {
        Self {
            cpu: Cpu::new(settings.cpu),
            cpuid,
            stats: settings.stats,
            trace,
            threads: Default::default(),
            processes: Default::default(),
        }
    }
}

/// Waits for the end of a child. If SIGCHLD is ignored there is no status, but its end is waited for all the same.
fn await_end(child: pid_t) {
    // SAFETY: our own child, and no room for its status.
    while unsafe { libc::waitpid(child, ptr::null_mut(), 0) } == -1
        && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
    {}
}

fn read_number(from: &mut PipeReader) -> io::Result<c_int> {
    let mut bytes = [0; size_of::<c_int>()];
    from.read_exact(&mut bytes)?;
    Ok(c_int::from_ne_bytes(bytes))
}

/// Where Yama lets a program be traced only by its ancestors, it may name one more.
fn allow_tracer(tracer: pid_t) {
    // SAFETY: takes a number. Without Yama it fails, and nothing is needed.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, tracer) };
}

/// Lets go of all that the program's users may wait for or close: its terminal, its directory, its files.
///
/// stderr stays, for the counts, and the files named.
fn leave_terminal(trace: Option<RawFd>, pipe: RawFd) {
    // SAFETY: takes nothing. It fails for a leader of a process group, which a fresh child never is.
    unsafe { libc::setsid() };
    let _ = std::env::set_current_dir("/");
    if let Ok(null) = File::options().read(true).write(true).open("/dev/null") {
        for standard in [libc::STDIN_FILENO, libc::STDOUT_FILENO] {
            // SAFETY: nothing in this process uses its standard input and output.
            unsafe { libc::dup2(null.as_raw_fd(), standard) };
        }
    }
    let mut kept = [Some(pipe), trace].map(|file| file.unwrap_or(libc::STDERR_FILENO));
    kept.sort_unstable();
    let mut first = libc::STDERR_FILENO + 1;
    for end in kept.into_iter().chain([c_int::MAX]).filter(|end| *end > libc::STDERR_FILENO) {
        if first < end {
            // SAFETY: no value in this process owns a descriptor between those that are kept.
            unsafe { libc::close_range(first as c_uint, end as c_uint - 1, 0) };
        }
        first = end.saturating_add(1);
    }
}
