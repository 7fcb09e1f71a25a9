//! The emulated PadLock from outside: a tracer that stops programs at what their CPU refuses, and does it for them.
//!
//! It serves what no preload library can enter: static, 32-bit and privileged programs. It follows every
//! child, ends with the last one, and takes all of them with it when it is killed.
//!
//! Three things differ from the hardware:
//!
//! - A program that blocks SIGILL while an instruction traps loses its own handler of SIGILL, because Linux resets
//!   it before a tracer is asked (`force_sig` in kernel/signal.c). At a CPUID that faults so does one that blocks
//!   SIGSEGV.
//! - A handler of a fault sees the right address and registers, but not CR2 and the error code, which belong to
//!   the #UD that brought the tracer in.
//! - A SIGBUS that is blocked or ignored ends the program by SIGSEGV.

mod cpuid;
mod emulation;
mod filter;
mod injection;
mod mappings;
mod memory;
mod start;
mod stop;
mod thread;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::mem;

use libc::{c_int, pid_t};
use padlock_emulator::Cpu;
use padlock_runner::{Counts, Trace};

use cpuid::Cpuid;
use emulation::{Answer, Trapped};
use stop::Stop;
use thread::{Resume, Thread};

pub(crate) use start::become_traced;

/// What is traced, and how.
struct Tracer {
    cpu: Cpu,
    cpuid: Cpuid,
    stats: bool,
    trace: Option<File>,
    /// The process of each thread.
    threads: HashMap<Thread, pid_t>,
    processes: HashMap<pid_t, Process>,
}

/// A traced process.
struct Process {
    name: Vec<u8>,
    counts: Counts,
    /// Whether it was said that not all of it is served.
    is_reported: bool,
}

impl Tracer {
    /// Serves all that is traced until the last of it has ended.
    ///
    /// What goes wrong with one program is said, and leaves the others alone.
    fn run(&mut self) -> io::Result<()> {
        while let Some((thread, stop)) = stop::next()? {
            if let Err(error) = self.serve(thread, stop) {
                // It does not stand still if it was killed meanwhile; its end will be told.
                if thread.registers().is_ok() {
                    self.say(thread, &error);
                    let signal = if let Stop::Signal(signal) = stop { signal } else { 0 };
                    // Killed now, at the latest.
                    let _ = self.resume(thread, signal);
                }
            }
        }
        Ok(())
    }

    /// Says, once for each program, that it could not be served.
    fn say(&mut self, thread: Thread, error: &io::Error) {
        let process = self.process(thread).ok();
        if process.is_none_or(|process| !mem::replace(&mut process.is_reported, true)) {
            let number = self.threads.get(&thread).unwrap_or(&thread.0);
            complain(format_args!("{number}: not all of it runs on the emulated CPU: {error}"));
        }
    }

    fn serve(&mut self, thread: Thread, stop: Stop) -> io::Result<()> {
        match stop {
            Stop::Ended => {
                self.forget(thread);
                stop::reap(thread);
                Ok(())
            }
            Stop::Signal(signal @ (libc::SIGILL | libc::SIGSEGV)) => {
                let answer = emulation::answer(&self.cpu, thread, signal)?;
                let Answer::Given(trapped, signal) = answer else {
                    return self.resume(thread, signal);
                };
                // What was answered is not to be answered again: from here on nothing may fail.
                if let Ok(Process { counts, .. }) = self.process(thread) {
                    match trapped.operation {
                        Some((operation, _)) => counts.count(operation, trapped.blocks),
                        None => counts.count_cpuid(),
                    }
                }
                self.write_trace(thread, &trapped);
                self.resume(thread, signal)
            }
            Stop::Signal(signal) => self.resume(thread, signal),
            Stop::Group => thread.resume(Resume::InGroupStop, 0),
            Stop::Nothing => self.resume(thread, 0),
            Stop::Exec => {
                // The other threads are gone, and the one that remains bears the process's number.
                self.threads.remove(&Thread(thread.event_message()? as pid_t));
                self.process(thread)?;
                if let Some(process) = self.processes.get_mut(&thread.0) {
                    // What was counted belongs to the program that was.
                    if self.stats && !process.counts.is_empty() {
                        process.report(thread);
                        process.counts.clear();
                    }
                    process.is_reported = false;
                    process.name = name(thread)?;
                }
                thread.resume(self.cpuid.after_exec(thread)?, 0)
            }
            Stop::Filtered if thread.event_message()? == u64::from(filter::DATA) => {
                thread.resume(Resume::ToSystemCall, 0)
            }
            Stop::Filtered => {
                // As without a tracer.
                thread.refuse_system_call()?;
                self.resume(thread, 0)
            }
            Stop::SystemCall => {
                self.cpuid.at_system_call(thread)?;
                self.resume(thread, 0)
            }
        }
    }

    fn resume(&self, thread: Thread, signal: c_int) -> io::Result<()> {
        thread.resume(self.cpuid.resume(), signal)
    }

    /// The process of a thread.
    fn process(&mut self, thread: Thread) -> io::Result<&mut Process> {
        let number = match self.threads.get(&thread) {
            Some(number) => *number,
            None => {
                let number = process_of(thread)?;
                self.threads.insert(thread, number);
                number
            }
        };
        Ok(match self.processes.entry(number) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let name = name(Thread(number))?;
                place.insert(Process { name, counts: Counts::new(), is_reported: false })
            }
        })
    }

    fn write_trace(&mut self, thread: Thread, trapped: &Trapped) {
        let Some(mut file) = self.trace.as_ref() else { return };
        let Trapped { address, operation, blocks } = *trapped;
        let mappings = mappings::of(thread).unwrap_or_default();
        let line = Trace {
            process: self.threads.get(&thread).unwrap_or(&thread.0).cast_unsigned(),
            thread: thread.0.cast_unsigned(),
            signal: if operation.is_some() { "SIGILL" } else { self.cpuid.signal() },
            address,
            object: mappings::object(&mappings, address),
            operation: operation.map_or("cpuid", |(operation, _)| operation.name()),
            blocks,
            operands: operation.map(|(_, operands)| operands),
        };
        let (before, object, behind) = line.line();
        let line = [before.as_bytes(), object, behind.as_bytes()].concat();
        if let Err(error) = file.write_all(&line) {
            complain(format_args!("the trace ends here: {error}"));
            self.trace = None;
        }
    }

    /// The thread has ended, and its process if it was the one that bears its number.
    fn forget(&mut self, thread: Thread) {
        self.threads.remove(&thread);
        let Some(process) = self.processes.remove(&thread.0) else { return };
        if self.stats {
            process.report(thread);
        }
    }
}

impl Process {
    fn report(&self, number: Thread) {
        let line = self.counts.line(number.0.cast_unsigned(), &self.name);
        // Who closed the other end does not want to know.
        let _ = io::stderr().write_all(line.as_bytes());
    }
}

/// Says something on standard error, if anybody listens.
fn complain(what: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr(), "padlock-run: {what}");
}

/// The process of a thread, from proc(5).
fn process_of(thread: Thread) -> io::Result<pid_t> {
    let number = thread.status("Tgid")?.parse();
    number.map_err(|_| io::Error::other("/proc/PID/status has no Tgid"))
}

/// The name that the kernel keeps for a process.
fn name(process: Thread) -> io::Result<Vec<u8>> {
    let mut name = fs::read(format!("/proc/{}/comm", process.0))?;
    name.truncate(name.len().saturating_sub(1));
    Ok(name)
}
