//! The run by the kernel's dm-crypt: who may, on what, and taking it down again.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

use wirespeed_disk::mapper::{self, Backing, Description, Setup, Trouble, Watcher};
use wirespeed_disk::run;
use wirespeed_disk::{Candidate, Specification};
use wirespeed_results::schema::disk::{Disk, Row};

use super::advice::fastest_fit;
use super::listener::Listener;
use super::pace::Pace;
use super::process::{keep, setting};
use super::request::Request;
use super::table::Subject;
use crate::fault::Fault;
use crate::output::People;
use crate::units;

/// The hidden command that takes everything down when this program is killed.
pub(crate) const WATCHER: &str = "disk-watcher";

/// What the watcher does.
pub(crate) fn watch_over() {
    mapper::watch_over(io::stdin().lock());
}

/// Whoever may and wants to goes on. What an earlier run left is taken down, so that its device is free.
pub(super) fn may_begin(
    backing: &Backing,
    agreed: bool,
    request: &Request,
    people: People,
) -> Result<(), Fault> {
    if !rustix::process::geteuid().is_root() {
        return Err(Fault::usage("--dm-crypt needs root: sudo wirespeed disk --dm-crypt …"));
    }
    for line in mapper::sweep()? {
        people.show(&format!("left by a run that was killed, and taken down: {line}\n"))?;
    }
    if let (Backing::Device(path), false) = (backing, agreed) {
        ask(path, &mapper::examine(path, request.settings.bytes)?)?;
    }
    Ok(())
}

pub(super) fn run(
    backing: &Backing,
    request: &Request,
    listener: &Listener<'_>,
    document: &mut Disk,
) -> Result<(), Fault> {
    let mut watcher = Command::new(std::env::current_exe()?);
    watcher.arg(WATCHER);
    let mut setup = Setup::open(backing, request.settings.bytes, Watcher::start(watcher)?)?;
    document.warnings.extend(setup.remarks().iter().cloned());
    let ended = measure(backing, &mut setup, request, listener, document);
    listener.end_pace();
    match (ended, setup.close()) {
        (Ok(()), closed) => Ok(closed?),
        (ended, Ok(())) => ended,
        (Err(fault), Err(left)) => Err(fault.and(left)),
    }
}

/// What lies below dm-crypt, in words.
pub(super) fn ground(backing: &Backing) -> String {
    match backing {
        Backing::Ram(None) => "a disk in memory".to_owned(),
        Backing::Ram(Some(driver)) => format!("a disk in memory ({})", driver.name()),
        Backing::Loop(path) | Backing::Device(path) => path.display().to_string(),
    }
}

fn measure(
    backing: &Backing,
    setup: &mut Setup,
    request: &Request,
    listener: &Listener<'_>,
    document: &mut Disk,
) -> Result<(), Fault> {
    let settings = &request.settings;
    listener.pace(Pace::of(&settings.candidates, 1).with_options(run::OPTIONS));
    let title = format!(
        "By dm-crypt on {}, {}; CPU time is the whole machine's",
        ground(backing),
        setting(settings)
    );
    listener.table(&title, Subject::Ciphers, settings.bytes);
    let ended = run::dm_crypt(setup, settings, listener);
    keep(listener.end_table(), request, listener, document);
    ended?;
    let Some(candidate) = fastest(&settings.candidates, &document.rows) else { return Ok(()) };
    let title = format!("Options of dm-crypt, {candidate}, {} bits", candidate.key_bits);
    listener.table(&title, Subject::Options, settings.bytes);
    let ended = run::options(setup, candidate, settings, listener);
    document.options = listener.end_table();
    Ok(ended.map(|_| ())?)
}

/// The fastest cipher that one may use, and otherwise the fastest, for the table of options.
fn fastest(candidates: &[Candidate], rows: &[Row]) -> Option<Candidate> {
    let found = fastest_fit(rows)?;
    candidates.iter().copied().find(|it| {
        it.specification != Specification::Plain
            && it.specification.to_string() == found.cipher
            && it.key_bits == found.key_bits
            && it.variant.name() == found.variant
    })
}

/// Asks for the device's path once more.
fn ask(path: &Path, device: &Description) -> Result<(), Fault> {
    let shown = path.display();
    if !io::stdin().is_terminal() {
        return Err(Fault::usage(format!(
            "everything on {shown} would be lost, and there is no terminal to ask on: say --yes-destroy {shown}"
        )));
    }
    let model = device.model.as_ref().map(|name| format!("{name}, ")).unwrap_or_default();
    let mut terminal = io::stderr().lock();
    writeln!(
        terminal,
        "Everything on {shown} ({model}{}) WILL BE LOST.",
        units::format(device.bytes)
    )?;
    write!(terminal, "Type its path again to go on: ")?;
    terminal.flush()?;
    let mut typed = String::new();
    io::stdin().lock().read_line(&mut typed)?;
    Ok(mapper::confirmed(path, &typed)?)
}

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        Self::usage(trouble)
    }
}
