//! A CPU without CPUID, made of this one: behind each instruction bit 21 of EFLAGS is as it was, and a CPUID is an error,
//! as it is there.
//!
//! From the program's own beginning on: the loader, which is Debian's, asks without looking.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::process::{Child, Stdio};

use nix::libc::{PTRACE_EVENT_EXEC, c_long};
use nix::sys::ptrace::{self, AddressType, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::machine::Machine;
use crate::program::modules;

/// Where a tracer of 64 bits finds a program's registers: sys/user.h.
const RIP: AddressType = (16 * 8) as AddressType;
const EFLAGS: AddressType = (18 * 8) as AddressType;
const RSP: AddressType = (19 * 8) as AddressType;

/// What 32-bit code pops.
const FLAGS: c_long = 0xffff_ffff;

const POPF: u8 = 0x9d;
const CPUID: [u8; 2] = [0x0f, 0xa2];

/// What each command but `uninstall` says.
const LINE: &str = "wirespeed: this CPU has no CPUID, or it is off, so nothing tells what it can do; programs keep \
                    their OpenSSL\n";

/// The program says so in one line, and ends.
pub(crate) fn program(machine: &Machine) -> Result<(), String> {
    // A shell that waits for its tracer, and becomes the program.
    const WAITS: &str = "kill -STOP $$; exec \"$@\"";
    let mut started = machine.command("sh");
    started.args(["-c", WAITS, "sh"]).arg(modules()?.join("wirespeed"));
    let piped = started.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(|error| error.to_string())?;
    let ended = stepped(&child);
    // Whatever failed may still wait.
    let _ = child.kill();
    let said = said(&mut child).map_err(|error| error.to_string())?;
    match ended.map_err(|error| error.to_string()) {
        Ok(2) if said == LINE => Ok(()),
        ended => Err(format!("{ended:?}: {said}")),
    }
}

/// All that it wrote.
fn said(child: &mut Child) -> io::Result<String> {
    let mut said = String::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_string(&mut said)?;
    }
    if let Some(stderr) = &mut child.stderr {
        stderr.read_to_string(&mut said)?;
    }
    Ok(said)
}

/// Steps through the program that this becomes; its exit status.
fn stepped(child: &Child) -> io::Result<i32> {
    let process = Pid::from_raw(child.id().cast_signed());
    match waitpid(process, Some(WaitPidFlag::WUNTRACED))? {
        WaitStatus::Stopped(_, Signal::SIGSTOP) => {}
        other => return Err(unexpected(other)),
    }
    ptrace::seize(process, Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL)?;
    loop {
        match waitpid(process, None)? {
            WaitStatus::PtraceEvent(.., PTRACE_EVENT_EXEC) => break,
            // The shell's stop.
            WaitStatus::PtraceEvent(..) => ptrace::cont(process, None)?,
            other => return Err(unexpected(other)),
        }
    }
    past_loader(process, entry(child)?)?;
    let memory = File::open(format!("/proc/{}/mem", child.id()))?;
    let mut code = [0; 2];
    loop {
        let at = ptrace::read_user(process, RIP)?.cast_unsigned();
        // The last byte of a page may be an instruction.
        memory.read_at(&mut code, at)?;
        if code == CPUID {
            return Err(io::Error::other(format!("CPUID at {at:#x}")));
        }
        if code[0] == POPF {
            pop_flags(process, at)?;
            continue;
        }
        ptrace::step(process, None)?;
        match waitpid(process, None)? {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
            WaitStatus::Exited(_, status) => return Ok(status),
            other => return Err(unexpected(other)),
        }
    }
}

/// Carries out a POPF in the program's stead. A tracer cannot change bit 21: FLAG_MASK of Linux's arch/x86/kernel/ptrace.c.
fn pop_flags(process: Pid, at: u64) -> io::Result<()> {
    let top = ptrace::read_user(process, RSP)?;
    ptrace::write_user(process, EFLAGS, ptrace::read(process, top as AddressType)? & FLAGS)?;
    ptrace::write_user(process, RSP, top + 4)?;
    Ok(ptrace::write_user(process, RIP, at.cast_signed() + 1)?)
}

fn unexpected(status: WaitStatus) -> io::Error {
    io::Error::other(format!("{status:?}"))
}

/// Has the process go on to where the program begins, as debuggers do.
fn past_loader(process: Pid, entry: c_long) -> io::Result<()> {
    const INT3: c_long = 0xcc;
    let at = entry as AddressType;
    let code = ptrace::read(process, at)?;
    ptrace::write(process, at, code & !0xff | INT3)?;
    ptrace::cont(process, None)?;
    match waitpid(process, None)? {
        WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
        other => return Err(unexpected(other)),
    }
    ptrace::write(process, at, code)?;
    Ok(ptrace::write_user(process, RIP, entry)?)
}

/// Where the program itself begins: AT_ENTRY of getauxval(3), in pairs of words.
fn entry(child: &Child) -> io::Result<c_long> {
    const AT_ENTRY: u32 = 9;
    let words = fs::read(format!("/proc/{}/auxv", child.id()))?;
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_ne_bytes);
    let mut pairs = words.chunks_exact(8).map(|pair| (word(&pair[..4]), word(&pair[4..])));
    let entry = pairs.find(|(kind, _)| *kind == AT_ENTRY);
    entry.map(|(_, at)| at.into()).ok_or_else(|| io::Error::other("no entry in auxv"))
}
