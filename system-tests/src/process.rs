//! Programs that run to their end, and facts about running ones from proc(5).

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may take: a few seconds on an idle machine, and minutes in a guest that is translated on a busy one.
const SECONDS: u32 = 900;

/// A command that will be killed when the thread that started it ends, so that an interrupted test
/// leaves nothing behind, and after a quarter of an hour, so that none waits for ever.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    // SAFETY: alarm(2) and prctl(2) are async-signal-safe and touch nothing of this process.
    unsafe {
        command.pre_exec(|| {
            libc::alarm(SECONDS);
            match libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
    command
}

/// Runs it to its end; an error holds what it said.
pub fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said[said.len().saturating_sub(4000)..]).into_owned();
    Err(format!("{command:?}: {}: {said}", output.status))
}

/// What a program makes of its input.
pub fn through(program: &mut Command, data: &[u8]) -> Result<Vec<u8>, String> {
    let piped = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(|error| format!("{program:?}: {error}"))?;
    let mut input = child.stdin.take().expect("it was piped");
    thread::scope(|scope| {
        scope.spawn(move || {
            // A program that ended reads no more; what it missed is seen in its output.
            let _ = input.write_all(data);
        });
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr)))
    })
}

/// Waits for something that takes a fraction of a second on an idle machine.
pub fn wait_until(what: &str, mut done: impl FnMut() -> bool) -> Result<(), String> {
    const STEP: Duration = Duration::from_millis(10);
    // As long as a program may take: on a busy host a translated guest gets a tenth of the time.
    const LIMIT: Duration = Duration::from_secs(SECONDS as u64);
    // By the clock: in a guest that is translated a look may take a hundred times as long as a step.
    let start = Instant::now();
    while start.elapsed() < LIMIT {
        if done() {
            return Ok(());
        }
        thread::sleep(STEP);
    }
    Err(format!("waited {SECONDS} s for {what}"))
}

/// A process and all that descend from it.
pub fn tree(root: u32) -> Vec<u32> {
    let all: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter_map(|process| Some((process, parent(process)?)))
        .collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&known) = found.get(next) {
        found.extend(all.iter().filter(|(_, parent)| *parent == known).map(|(child, _)| *child));
        next += 1;
    }
    found
}

/// A field of /proc/PID/status.
fn status_field(process: u32, name: &str) -> Option<String> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().to_owned())
}

fn parent(process: u32) -> Option<u32> {
    status_field(process, "PPid")?.parse().ok()
}

/// The name of its program, as far as the kernel keeps it.
pub fn name(process: u32) -> Option<String> {
    status_field(process, "Name")
}

/// Its effective user.
pub fn user(process: u32) -> Option<u32> {
    status_field(process, "Uid")?.split_whitespace().nth(1)?.parse().ok()
}

/// Its number in its own PID namespace.
pub fn inner_number(process: u32) -> Option<u32> {
    status_field(process, "NSpid")?.split_whitespace().last()?.parse().ok()
}

/// Whether it is confined by a seccomp filter.
pub fn is_filtered(process: u32) -> bool {
    status_field(process, "Seccomp").is_some_and(|mode| mode == "2")
}

/// Whether a file is in its address space.
pub fn maps(process: u32, file: &Path) -> bool {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
    maps.contains(&*file.to_string_lossy())
}

/// User and system seconds that a process has taken so far, and children that it has seen end.
pub fn cpu_seconds(process: u32) -> Result<f64, String> {
    let number = libc::pid_t::try_from(process).map_err(|error| error.to_string())?;
    let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
    // SAFETY: room for the answer.
    let known = unsafe { libc::clock_getcpuclockid(number, &raw mut clock) } == 0;
    // SAFETY: room for the answer. Threads that have ended count, too.
    if !known || unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return Err(format!("process {process}: no clock of its time"));
    }
    let file = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let ticks = of_ended_children(&stat).ok_or_else(|| format!("{file}: {stat}"))?;
    Ok(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9 + ticks as f64 / USER_HZ)
}

/// Ticks in a second, as /proc tells them on every x86.
const USER_HZ: f64 = 100.0;

/// User and system ticks of ended children: proc_pid_stat(5), whose second field may have spaces in it.
fn of_ended_children(stat: &str) -> Option<u64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(13)?.parse::<u64>().ok()? + fields.get(14)?.parse::<u64>().ok()?)
}

/// User and system seconds that a program and what it waits for take, from its start to its end; `begun` is told its
/// number.
pub fn cpu_seconds_of(command: &mut Command, begun: impl FnOnce(u32)) -> Result<f64, String> {
    let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
    begun(child.id());
    let number = libc::pid_t::try_from(child.id()).map_err(|error| error.to_string())?;
    let mut status = 0;
    // SAFETY: all zeros are a valid rusage.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: our own child, which nobody else waits for, and room for the answers.
    let ended = unsafe { libc::wait4(number, &mut status, 0, &mut usage) };
    if ended != number || status != 0 {
        return Err(format!("{command:?}: ended with status {status}"));
    }
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    Ok(seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_count_when_they_have_ended() {
        let stat = "7 (a) b) S 1 7 7 0 -1 0 10 20 0 0 300 40 5 6 20 0 1 0 99 0 0";
        assert_eq!(of_ended_children(stat), Some(11));
        assert_eq!(of_ended_children("7 (a) S 1"), None);
        let own = std::process::id();
        assert!(cpu_seconds(own).is_ok_and(|seconds| seconds > 0.0));
        assert!(cpu_seconds(u32::MAX).is_err());
    }
}
