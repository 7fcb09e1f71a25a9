//! QEMU's log of a program that marks what counts: its instructions, and in which order they ran.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};

/// The function that the program calls before and after what counts.
const MARK: &str = "wirespeed_trace_mark";

#[derive(Default)]
pub(super) struct Trace {
    /// What the program printed.
    pub(super) said: Vec<String>,
    /// Each instruction that was ever translated.
    pub(super) code: HashMap<u64, [u8; 4]>,
    /// Between each pair of marks, where the instructions are that ran.
    pub(super) runs: Vec<Vec<u64>>,
}

impl Trace {
    /// Runs QEMU, whose log goes to the standard error.
    pub(super) fn of(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot run QEMU")?;
        let mut stdout = child.stdout.take().expect("piped");
        let said = thread::spawn(move || {
            let mut said = String::new();
            stdout.read_to_string(&mut said).map(|_| said)
        });
        let mut trace = Self::default();
        let mut reading = Reading::default();
        let mut log = BufReader::new(child.stderr.take().expect("piped"));
        let mut line = Vec::new();
        while log.read_until(b'\n', &mut line)? > 0 {
            reading.take(&mut trace, &String::from_utf8_lossy(&line));
            line.clear();
        }
        let status = child.wait()?;
        ensure!(status.success(), "the traced program: {status}");
        let said = said.join().expect("no panic")?;
        trace.said = said.lines().map(str::to_owned).collect();
        Ok(trace)
    }
}

/// Where the log is.
#[derive(Default)]
struct Reading {
    /// The run between two marks.
    run: Option<Vec<u64>>,
    in_mark: bool,
}

impl Reading {
    fn take(&mut self, trace: &mut Trace, line: &str) {
        if let Some((place, symbol)) = executed(line) {
            let is_mark = symbol == MARK;
            if is_mark && !self.in_mark {
                match self.run.take() {
                    None => self.run = Some(Vec::new()),
                    Some(run) => trace.runs.push(run),
                }
            } else if let (false, Some(run)) = (is_mark, &mut self.run) {
                run.push(place);
            }
            self.in_mark = is_mark;
        } else if let Some((place, word)) = translated(line) {
            trace.code.insert(place, word.to_le_bytes());
        }
    }
}

/// `Trace 0: 0x… [flags/place/…] symbol`
fn executed(line: &str) -> Option<(u64, &str)> {
    let (_, rest) = line.strip_prefix("Trace ")?.split_once('[')?;
    let (numbers, symbol) = rest.split_once(']')?;
    let place = numbers.split('/').nth(1)?;
    Some((u64::from_str_radix(place, 16).ok()?, symbol.trim()))
}

/// `0x004005c0:  d503201f  nop`
fn translated(line: &str) -> Option<(u64, u32)> {
    let (place, rest) = line.strip_prefix("0x")?.split_once(':')?;
    let word = rest.split_whitespace().next()?;
    Some((u64::from_str_radix(place, 16).ok()?, u32::from_str_radix(word, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
IN: wirespeed_trace_mark
0x00400720:  d65f03c0  ret      

Trace 0: 0x7f6c98800100 [0000000001009331/0000000000400720/00000001/00000201] wirespeed_trace_mark
0x00400800:  4e284860  aese     v0.16b, v3.16b
Trace 0: 0x7f6c98800200 [0000000001009331/0000000000400800/00000001/00000201] 
Trace 0: 0x7f6c98800200 [0000000001009331/0000000000400800/00000001/00000201] 
Trace 0: 0x7f6c98800100 [0000000001009331/0000000000400720/00000001/00000201] wirespeed_trace_mark
Trace 0: 0x7f6c98800200 [0000000001009331/0000000000400800/00000001/00000201] main
";

    #[test]
    fn what_runs_between_marks_is_kept() {
        let (mut trace, mut reading) = (Trace::default(), Reading::default());
        LOG.lines().for_each(|line| reading.take(&mut trace, line));
        assert_eq!(trace.runs, [vec![0x40_0800, 0x40_0800]]);
        assert_eq!(trace.code[&0x40_0800], [0x60, 0x48, 0x28, 0x4e]);
    }
}
