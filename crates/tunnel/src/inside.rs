//! The process in the namespaces: process 1, with whose end everything else in there ends.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::thread;

use rustix::mount::{MountFlags, mount};

use crate::contest;
use crate::request::{Event, Request};

/// Files, sockets and names of namespaces: in memory, and visible to nobody outside.
pub(crate) const FOLDER: &str = "/run/wirespeed";

/// Its whole work: reads a request, measures, tells lines of [`Event`]s, and stays until its input ends.
pub fn inside() -> Result<(), String> {
    // What follows hides /run, which a machine needs.
    if std::process::id() != 1 {
        return Err("this is a part of wirespeed vpn --real, and no command by itself".to_owned());
    }
    let mut input = io::stdin().lock();
    let mut line = String::new();
    input.read_line(&mut line).map_err(|error| error.to_string())?;
    let request: Request = serde_json::from_str(&line).map_err(|error| error.to_string())?;
    let told = |error: io::Error| format!("/run in memory: {error}");
    mount("tmpfs", "/run", "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, None)
        .map_err(|error| told(error.into()))?;
    fs::create_dir(Path::new(FOLDER)).map_err(told)?;
    thread::spawn(move || {
        let _done = Done;
        contest::run(&request, &mut say);
    });
    // Nobody writes any more: this ends with the program that holds the other end.
    io::copy(&mut input, &mut io::sink()).map(|_| ()).map_err(|error| error.to_string())
}

fn say(event: &Event) {
    let mut output = io::stdout().lock();
    let line = serde_json::to_string(event).unwrap_or_default();
    // Nobody listens: the input will end as well.
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

/// Says that all is done, however it was.
struct Done;

impl Drop for Done {
    fn drop(&mut self) {
        say(&Event::Done);
    }
}
