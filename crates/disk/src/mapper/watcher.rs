//! A process of its own that outlives a run which is killed, and takes down what that leaves.
//!
//! It reads a pipe. Nothing but the run holds the other end, so that the pipe ends when the run does, be it by SIGKILL.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use super::Trouble;
use super::record::Record;
use super::teardown::take_down;

/// What it says once no signal of a terminal's reaches it any more.
const READY: &str = "ready\n";

/// A watcher at work.
pub struct Watcher {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Watcher {
    /// Starts it: `program` is to call [`watch_over`] with its standard input.
    pub fn start(mut program: Command) -> Result<Self, Trouble> {
        let failed = |why: &dyn std::fmt::Display| {
            Trouble(format!("the process that would clean up after a crash does not start: {why}"))
        };
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = program.spawn().map_err(|error| failed(&error))?;
        let pipe = child.stdin.take();
        let mut said = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut said).map_err(|error| failed(&error))?;
        }
        let watcher = Self { child, pipe };
        match said == READY {
            true => Ok(watcher),
            false => Err(failed(&"it ended at once")),
        }
    }

    /// Gives a record into its care.
    pub(super) fn watch(&mut self, record: &Path) -> Result<(), Trouble> {
        let line = [record.as_os_str().as_bytes(), b"\n"].concat();
        let written = self.pipe.as_mut().map(|pipe| pipe.write_all(&line));
        written.unwrap_or(Ok(())).map_err(|error| {
            Trouble(format!("the process that would clean up after a crash is gone: {error}"))
        })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.pipe = None;
        let _ = self.child.wait();
    }
}

/// The watcher's whole work: waits until the process that started it is gone, then takes down what that has left.
pub fn watch_over(input: impl Read) {
    // A session of its own: what ends a terminal's programs passes it by. If it is the first of a group already,
    // whoever started it has seen to that.
    let _ = rustix::process::setsid();
    let _ = std::env::set_current_dir("/");
    watch(input, io::stdout());
}

fn watch(mut input: impl Read, mut output: impl Write) {
    if output.write_all(READY.as_bytes()).and_then(|()| output.flush()).is_err() {
        return;
    }
    let mut text = Vec::new();
    // An error ends the wait as well as the end does.
    let _ = input.read_to_end(&mut text);
    for path in text.split(|byte| *byte == b'\n').filter(|path| !path.is_empty()) {
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(path));
        // What it cannot do a later run does, and says.
        if let Ok(Some(mut record)) = Record::awaited(&path) {
            take_down(&mut record, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Cursor;

    use super::super::record::Thing;
    use super::*;

    #[test]
    fn what_its_run_has_left_is_gone() {
        let scratch = std::env::temp_dir().join(format!("wirespeed-watch-{}", std::process::id()));
        let records = scratch.join("records");
        let mut record = Record::create(&records, "1-0").expect("a record");
        let left = scratch.join("left");
        fs::write(&left, "").expect("written");
        record.add(Thing::Aside(left.clone())).expect("recorded");
        let input = format!("{0}/1-0\n{0}/1-1\n", records.display());
        drop(record);
        let mut said = Vec::new();
        watch(Cursor::new(input), &mut said);
        assert_eq!(said, READY.as_bytes());
        assert!(!left.exists());
        fs::remove_dir_all(scratch).expect("removed");
    }

    #[test]
    fn a_program_that_does_not_watch_is_refused() {
        let error = Watcher::start(Command::new("true")).err().expect("it says nothing");
        assert!(error.0.contains("ended at once"), "{error}");
        assert!(Watcher::start(Command::new("/nonexistent")).is_err());
    }

    #[test]
    fn it_gets_the_names_of_records_and_sees_the_end() {
        let scratch = std::env::temp_dir().join(format!("wirespeed-pipe-{}", std::process::id()));
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo ready; cat >\"$0\""]).arg(&scratch);
        let mut watcher = Watcher::start(shell).expect("ready");
        watcher.watch(Path::new("/run/wirespeed/1-0")).expect("written");
        drop(watcher);
        assert_eq!(fs::read_to_string(&scratch).expect("written"), "/run/wirespeed/1-0\n");
        fs::remove_file(scratch).expect("removed");
    }
}
