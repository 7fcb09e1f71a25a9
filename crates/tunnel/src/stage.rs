//! The process in the namespaces, seen from outside.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::request::{Event, Request};

/// Why nothing can be measured at all.
#[derive(Debug)]
pub struct Trouble(String);

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Trouble {}

/// Namespaces with a process in them; they end with this value, and with the process that owns it.
#[derive(Debug)]
pub struct Stage {
    child: Child,
    /// What it lives by.
    input: Option<ChildStdin>,
    events: Receiver<Event>,
    complaints: Option<JoinHandle<String>>,
}

/// What has become of it meanwhile.
#[derive(Debug)]
pub enum Next {
    /// It has something to tell.
    Event(Event),
    /// Nothing in that time.
    Nothing,
    /// It has ended, before it was done.
    Ended,
}

impl Stage {
    /// Starts `program`, whose command `word` is to call [`crate::inside()`].
    pub fn start(program: &Path, word: &str, request: &Request) -> Result<Self, Trouble> {
        let failed =
            |error: std::io::Error| Trouble(format!("unshare (package util-linux): {error}"));
        let mut command = Command::new("unshare");
        command
            .args(["--mount", "--net", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"])
            .arg(program)
            .arg(word)
            // After `su` without a dash the places of daemons are not in the path.
            .env("PATH", format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default()))
            .env("LC_ALL", "C")
            .env_remove("OPENSSL_MODULES")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C goes to a terminal's whole group, and the program in it decides what it means.
            .process_group(0);
        let mut child = command.spawn().map_err(failed)?;
        let mut input = child.stdin.take();
        let mut errors = child.stderr.take();
        let complaints = thread::spawn(move || {
            let mut said = String::new();
            if let Some(errors) = &mut errors {
                let _ = errors.read_to_string(&mut said);
            }
            said
        });
        let (sender, events) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).lines() {
                    let event = line.ok().and_then(|line| serde_json::from_str(&line).ok());
                    if event.is_none_or(|event| sender.send(event).is_err()) {
                        break;
                    }
                }
            });
        }
        let mut text = serde_json::to_string(request).map_err(|error| failed(error.into()))?;
        text.push('\n');
        if let Some(input) = &mut input {
            // One that has ended already has said why.
            let _ = input.write_all(text.as_bytes());
        }
        Ok(Self { child, input, events, complaints: Some(complaints) })
    }

    /// Waits for what it has to tell.
    pub fn next(&self, patience: Duration) -> Next {
        match self.events.recv_timeout(patience) {
            Ok(event) => Next::Event(event),
            Err(RecvTimeoutError::Timeout) => Next::Nothing,
            Err(RecvTimeoutError::Disconnected) => Next::Ended,
        }
    }

    /// Ends it, and with it all that runs in there; what it complained of.
    pub fn end(mut self) -> Trouble {
        self.close();
        let said = self.complaints.take().and_then(|thread| thread.join().ok());
        let said = said.unwrap_or_default();
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        Trouble(last.unwrap_or("it ended without a word").to_owned())
    }

    fn close(&mut self) {
        self.input = None;
        // unshare(1) waits for process 1 of the namespace, whose end waits for all others'.
        let _ = self.child.wait();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.close();
    }
}
