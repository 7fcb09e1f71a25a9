//! Drivers that are to serve: PadLock's and other modules' by lines for modprobe, all others by their
//! priority, and the way back.

use std::fs;

use wirespeed_af_alg::drivers::{self, Driver};
use wirespeed_af_alg::netlink::Netlink;
use wirespeed_cipher::alike;
use wirespeed_cpu::{Feature, Features};
use wirespeed_machine::ThisMachine;
use wirespeed_results::schema::kernel::Raised;

use wirespeed_installation::{Original, Staged, advice, obstacle, remove, shell, writable};

use super::super::install::unified;
use super::lines::{self, PADLOCK, Preference};
use super::modules::Modules;
use super::raised::{self, Return, Step};
use super::release;
use crate::fault::Fault;
use crate::output::table::paragraph;
use crate::output::{notes, say};

const UNCHANGED: &str = "\nNothing was changed.\n";

/// Makes a driver serve, or shows what that would take.
pub(super) fn prefer(name: &str, dry_run: bool) -> Result<(), Fault> {
    let known = drivers::of_proc().unwrap_or_default();
    let modules = Modules::of(&release(&ThisMachine).unwrap_or_default());
    if name == PADLOCK {
        return load(&Preference::named(PADLOCK), &modules, dry_run);
    }
    if let Some(driver) = known.iter().find(|driver| driver.driver == name) {
        return outrank(&known, driver, dry_run);
    }
    if let Some(module) = modules.named(name).or_else(|| modules.with_driver(name)) {
        return load(&Preference::named(module), &modules, dry_run);
    }
    Err(unknown(name, &known, &modules))
}

/// Takes one preference back, or all of them.
pub(super) fn unprefer(name: Option<&str>, dry_run: bool) -> Result<(), Fault> {
    let is_meant = |known: &str| name.is_none_or(|name| name == known);
    let lines = fs::read(lines::FILE).ok().and_then(|bytes| lines::preferred(&bytes));
    let raised = raised::remembered()?;
    let preferred = lines.iter().map(|preference| preference.name.as_str());
    let preferred: Vec<&str> =
        preferred.chain(raised.iter().map(|it| it.driver.as_str())).collect();
    match name {
        None if preferred.is_empty() => return show("Nothing is preferred: nothing to change.\n"),
        Some(name) if !preferred.contains(&name) => {
            let those = match preferred.is_empty() {
                true => "nothing is".to_owned(),
                false => format!("preferred are {}", preferred.join(", ")),
            };
            return Err(Fault::usage(format!("{name} is not preferred: {those}")));
        }
        _ => {}
    }
    if let Some(preference) = lines.filter(|preference| is_meant(&preference.name)) {
        unload(&preference, dry_run)?;
    }
    let (back, kept): (Vec<Raised>, Vec<Raised>) =
        raised.into_iter().partition(|raised| is_meant(&raised.driver));
    if back.is_empty() { Ok(()) } else { sink(back, kept, dry_run) }
}

/// Raises a driver's priority above that of the one that serves.
fn outrank(known: &[Driver], driver: &Driver, dry_run: bool) -> Result<(), Fault> {
    let mut remembered = raised::remembered()?;
    let name = &driver.driver;
    let (raised, rival) = match raised::raise(known, driver, &remembered).map_err(Fault::usage)? {
        Step::None => {
            return show(&format!(
                "{name} serves {} already: nothing to change.\n",
                driver.algorithm
            ));
        }
        Step::Raise(raised, rival) => (raised, rival),
    };
    let algorithm = &driver.algorithm;
    let effect = format!(
        "Whoever asks the kernel for {algorithm} from then on gets {name}: programs, disks, IPsec. Who has \
         it open keeps what he has. The next start of this machine forgets it."
    );
    show(&format!(
        "{algorithm}: {name} from priority {} to {}, above {rival}, which serves now\n\n{}",
        driver.priority,
        raised.now,
        paragraph(&effect, 0, 0)
    ))?;
    if dry_run {
        return show(UNCHANGED);
    }
    let mut netlink = open("--prefer", name)?;
    // Before the change: what was is not to be lost if we are ended in between.
    let before = remembered.clone();
    remembered.retain(|it| it.driver != *name);
    remembered.push(raised.clone());
    remember(&remembered, "--prefer", name)?;
    if let Err(error) = set(&mut netlink, name, raised.now) {
        remember(&before, "--prefer", name)?;
        return Err(Fault::usage(format!("{name} stays as it is: {error}")));
    }
    show(&format!(
        "\nDone. Check it: wirespeed kernel      Undo: sudo wirespeed kernel --unprefer {}\n",
        shell::word(name)
    ))
}

/// Gives drivers their former priorities back.
fn sink(back: Vec<Raised>, mut kept: Vec<Raised>, dry_run: bool) -> Result<(), Fault> {
    let known = drivers::of_proc().unwrap_or_default();
    let (mut netlink, mut failed) = (None, Vec::new());
    for raised in back {
        let Raised { algorithm, driver, former, now } = &raised;
        match raised::lower(&known, &raised) {
            Return::Gone => show(&format!("{driver} is as it was: nothing to change\n"))?,
            Return::Changed(priority) => show(&format!(
                "{driver} has priority {priority}, not the {now} that we gave it: somebody else has \
                 changed it since, so it stays\n"
            ))?,
            Return::Lower => {
                show(&format!("{algorithm}: {driver} from priority {now} back to {former}\n"))?;
                if dry_run {
                    continue;
                }
                let netlink = match &mut netlink {
                    Some(netlink) => netlink,
                    none => none.insert(open("--unprefer", driver)?),
                };
                if let Err(error) = set(netlink, driver, *former) {
                    failed.push(format!("{driver} stays as it is: {error}"));
                    kept.push(raised);
                }
            }
        }
    }
    if dry_run {
        return show(UNCHANGED);
    }
    remember(&kept, "--unprefer", "")?;
    if failed.is_empty() { Ok(()) } else { Err(Fault::usage(failed.join("; "))) }
}

/// The way to the kernel's priorities.
fn open(option: &str, driver: &str) -> Result<Netlink, Fault> {
    Netlink::open()
        .map_err(|error| Fault::usage(format!("kernel {option} {}: {error}", shell::word(driver))))
}

/// Gives a driver a priority; the kernel's own are small numbers.
fn set(netlink: &mut Netlink, driver: &str, priority: i32) -> Result<(), String> {
    let number = u32::try_from(priority).map_err(|_| format!("{priority} is no priority"))?;
    netlink.set_priority(driver, number).map_err(|error| error.to_string())
}

fn remember(raised: &[Raised], option: &str, driver: &str) -> Result<(), Fault> {
    let driver = if driver.is_empty() { String::new() } else { shell::word(driver) };
    let command = format!("wirespeed kernel {option} {driver}");
    let path = std::path::Path::new(raised::FILE);
    raised::remember(raised)
        .map_err(|error| Fault::usage(obstacle(path, &error, command.trim_end())))
}

/// Writes the lines that load a module where it is wanted.
fn load(preference: &Preference, modules: &Modules, dry_run: bool) -> Result<(), Fault> {
    const FILE: &str = lines::FILE;
    let file = original()?;
    let command = format!("wirespeed kernel --prefer {}", preference.name);
    if let Some(other) = file.bytes().and_then(lines::preferred)
        && other.name != preference.name
    {
        // modprobe heeds the first softdep line of a module alone.
        return Err(Fault::usage(format!(
            "{FILE} prefers {} already, and holds one: first sudo wirespeed kernel --unprefer {}",
            other.name, other.name
        )));
    }
    let text = lines::added(file.bytes(), preference);
    if file.bytes() == Some(&text) {
        return show(&format!("Already preferred: nothing to change in {FILE}.\n"));
    }
    if !dry_run {
        writable(&file, &command).map_err(Fault::usage)?;
    }
    show(&unified(file.path(), file.bytes().unwrap_or_default(), &text))?;
    show(&notes(&doubts(preference, modules)))?;
    if dry_run {
        return show(UNCHANGED);
    }
    let placed = file.stage(&text).and_then(Staged::place);
    placed.map_err(|error| Fault::usage(obstacle(file.path(), &error, &command)))?;
    let modules = preference.modules.join(" ");
    let when = match preference.name == PADLOCK {
        true => "The kernel loads them the next time that it lacks a driver",
        false => "It is loaded with the next user of the kernel's crypto",
    };
    show(&format!(
        "\nWritten. {when}; now: sudo modprobe -a {modules}\n\
         A root disk under dm-crypt is opened from the initramfs, which has a copy of its own:\n\
         sudo update-initramfs -u on Debian, sudo dracut -f on Fedora.\n\
         \nCheck it: wirespeed kernel      Undo: sudo wirespeed kernel --unprefer\n"
    ))
}

/// Takes those lines out again.
fn unload(preference: &Preference, dry_run: bool) -> Result<(), Fault> {
    let command = format!("wirespeed kernel --unprefer {}", preference.name);
    let file = original()?;
    let bytes = file.bytes().unwrap_or_default();
    let kept = lines::removed(bytes);
    if !dry_run {
        writable(&file, &command).map_err(Fault::usage)?;
    }
    show(&unified(file.path(), bytes, kept.as_deref().unwrap_or_default()))?;
    if dry_run {
        return show(UNCHANGED);
    }
    let replaced = match &kept {
        Some(text) => file.stage(text).and_then(Staged::place),
        None => remove(file.path()),
    };
    replaced.map_err(|error| Fault::usage(obstacle(file.path(), &error, &command)))?;
    let end = match kept {
        None => "is gone, as before",
        Some(_) => "is as before: our lines are out, all others stay",
    };
    let name = file.path().display();
    show(&format!("\n{name} {end}. Drivers that are loaded stay until the next boot.\n"))
}

fn original() -> Result<Original, Fault> {
    let path = std::path::Path::new(lines::FILE);
    Original::read(path).map_err(|error| Fault::usage(advice(path, &error)))
}

/// Why a preference may be without effect here; that is no error, the file may be for another machine.
fn doubts(preference: &Preference, modules: &Modules) -> Vec<&'static str> {
    let features = Features::detect();
    let has_padlock = features.has(Feature::Ace) || features.has(Feature::Phe);
    let doubts = [
        (
            preference.name == PADLOCK && !has_padlock,
            "This CPU has no PadLock in use: its drivers refuse to load, and all stays as it is.",
        ),
        (
            !modules.have(&preference.modules),
            "This kernel comes without the modules padlock-aes and padlock-sha.",
        ),
    ];
    doubts.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect()
}

/// Neither a driver nor a module, and what may have been meant.
fn unknown(name: &str, known: &[Driver], modules: &Modules) -> Fault {
    let names: Vec<&str> = known
        .iter()
        .filter(|driver| !driver.internal)
        .map(|driver| driver.driver.as_str())
        .chain(modules.names())
        .collect();
    let mut alike = alike(name, &names);
    alike.truncate(5);
    let meant = match alike.is_empty() {
        true => String::new(),
        false => format!(" (is it {}?)", alike.join(", ")),
    };
    Fault::usage(format!(
        "no driver and no crypto module '{name}' here{meant}: wirespeed kernel ALGORITHM brings up \
         the drivers of an algorithm and lists them"
    ))
}

fn show(text: &str) -> Result<(), Fault> {
    say(text)
}
