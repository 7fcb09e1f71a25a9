//! Takes down what a record says was made, last things first: for the run itself, for its watcher, and for a later
//! run that finds the record.

use std::path::Path;
use std::thread;
use std::time::Duration;

use super::backing::{brd, loop_file, module, null_blk, zram};
use super::record::{Record, Thing};
use super::{Trouble, dmsetup, record};

/// How often, and how far apart, a thing that is in use is tried again: udev looks at every new device.
const TRIES: u32 = 25;
const PAUSE: Duration = Duration::from_millis(200);

/// What became of the things of a record.
#[derive(Default)]
pub(super) struct Outcome {
    /// What was there and is gone.
    pub(super) removed: Vec<String>,
    /// What is still there, why, and how to remove it by hand.
    pub(super) left: Vec<String>,
}

impl Outcome {
    /// What is left, as one line.
    pub(super) fn trouble(&self) -> Result<(), Trouble> {
        match self.left.is_empty() {
            true => Ok(()),
            false => Err(Trouble(self.left.join("; "))),
        }
    }
}

/// Takes down the things that were made after the first `keep`; the record ends with the last of them.
pub(super) fn take_down(record: &mut Record, keep: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let mut tries = TRIES;
    for thing in
        record.things()[keep.min(record.things().len())..].iter().rev().cloned().collect::<Vec<_>>()
    {
        match patiently(&mut tries, || remove(record, &thing)) {
            Ok(was_there) => {
                record.forget(&thing);
                outcome.removed.extend(was_there.then(|| describe(&thing)));
            }
            Err(why) => outcome.left.push(format!(
                "cannot remove {}: {why}: end what uses it, then run {}",
                describe(&thing),
                by_hand(&thing)
            )),
        }
    }
    if record.things().is_empty()
        && let Err(Trouble(why)) = record.finish()
    {
        outcome.left.push(why);
    }
    outcome
}

/// Takes down every record that was abandoned.
pub(super) fn sweep(directory: &Path) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    let failed = |path: &Path, error| Trouble(format!("{}: {error}", path.display()));
    for path in record::all(directory).map_err(|error| failed(directory, error))? {
        let found = Record::abandoned(&path).map_err(|error| failed(&path, error))?;
        if let Some(mut record) = found {
            let Outcome { removed, left } = take_down(&mut record, 0);
            outcome.removed.extend(removed);
            outcome.left.extend(left);
        }
    }
    Ok(outcome)
}

/// All things of one record share the patience: what lies below a thing that stays will stay too.
fn patiently(tries: &mut u32, attempt: impl Fn() -> Result<bool, String>) -> Result<bool, String> {
    loop {
        match attempt() {
            Err(_) if *tries > 0 => {
                *tries -= 1;
                thread::sleep(PAUSE);
            }
            other => return other,
        }
    }
}

fn remove(record: &Record, thing: &Thing) -> Result<bool, String> {
    match thing {
        Thing::Mapped(name) => dmsetup::remove(record, name),
        Thing::Loop(path) => loop_file::detach(record, path),
        Thing::File { path, device, inode } => loop_file::remove(path, *device, *inode),
        Thing::Aside(path) => loop_file::discard(path),
        Thing::Brd { kibibytes } => brd::remove(record, *kibibytes),
        Thing::NullBlk(name) => null_blk::remove(name),
        Thing::Zram { number, bytes } => zram::remove(*number, *bytes),
        Thing::Module(name) => module::unload(record, name),
        Thing::Mount(path) => null_blk::dismount(path),
    }
}

/// A thing in words.
fn describe(thing: &Thing) -> String {
    match thing {
        Thing::Mapped(name) => format!("the device {}", dmsetup::path(name).display()),
        Thing::Loop(path) => format!("the loop device of {}", path.display()),
        Thing::File { path, .. } | Thing::Aside(path) => format!("the file {}", path.display()),
        Thing::Brd { .. } => "the RAM disk of brd".to_owned(),
        Thing::NullBlk(name) => format!("the device {name} of null_blk"),
        Thing::Zram { number, .. } => format!("the device /dev/zram{number}"),
        Thing::Module(name) => format!("the module {name}"),
        Thing::Mount(path) => format!("the mount at {}", path.display()),
    }
}

/// The command that removes it.
fn by_hand(thing: &Thing) -> String {
    match thing {
        Thing::Mapped(name) => format!("dmsetup remove {name}"),
        Thing::Loop(path) => {
            format!("losetup --detach on what losetup --associated {} names", word(path))
        }
        Thing::File { path, .. } | Thing::Aside(path) => format!("rm {}", word(path)),
        Thing::Brd { .. } => "modprobe --remove brd".to_owned(),
        Thing::NullBlk(name) => format!("rmdir /sys/kernel/config/nullb/{name}"),
        Thing::Zram { number, .. } => format!("echo {number} >/sys/class/zram-control/hot_remove"),
        Thing::Module(name) => format!("modprobe --remove {name}"),
        Thing::Mount(path) => format!("umount {}", word(path)),
    }
}

/// A path as a shell takes it for one word.
fn word(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;

    #[test]
    fn what_is_in_use_is_tried_again() {
        let calls = Cell::new(0);
        let attempt = || {
            calls.set(calls.get() + 1);
            if calls.get() < 3 { Err("busy".to_owned()) } else { Ok(true) }
        };
        let mut tries = 2;
        assert_eq!(patiently(&mut tries, attempt), Ok(true));
        assert_eq!((calls.get(), tries), (3, 0));
        assert_eq!(patiently(&mut tries, || Err("busy".to_owned())), Err("busy".to_owned()));
    }

    #[test]
    fn an_abandoned_record_is_taken_down_and_a_living_one_is_not() {
        let scratch = std::env::temp_dir().join(format!("wirespeed-sweep-{}", std::process::id()));
        let records = scratch.join("records");
        let mine = scratch.join("mine");
        let mut living = Record::create(&records, "1-0").expect("a record");
        fs::write(&mine, "").expect("written");
        living.add(Thing::Aside(mine.clone())).expect("recorded");
        let mut dead = Record::create(&records, "1-1").expect("a record");
        for name in ["first", "second", "third"] {
            dead.add(Thing::Aside(scratch.join(name))).expect("recorded");
        }
        for name in ["first", "third"] {
            fs::write(scratch.join(name), "").expect("written");
        }
        drop(dead);
        let outcome = sweep(&records).expect("swept");
        let file = |name: &str| format!("the file {}", scratch.join(name).display());
        assert_eq!(outcome.removed, [file("third"), file("first")]);
        assert!(outcome.left.is_empty() && mine.exists());
        assert_eq!(record::all(&records).expect("listed").len(), 1);
        let outcome = take_down(&mut living, 0);
        assert_eq!(outcome.removed, [file("mine")]);
        assert!(record::all(&records).expect("listed").is_empty());
        fs::remove_dir_all(scratch).expect("removed");
    }

    #[test]
    fn what_cannot_be_removed_is_said() {
        let scratch = std::env::temp_dir().join(format!("wirespeed-left-{}", std::process::id()));
        // A directory is no file, so that it stays.
        let stubborn = scratch.join("stubborn");
        fs::create_dir_all(&stubborn).expect("a directory");
        let mut record = Record::create(&scratch.join("records"), "1-0").expect("a record");
        record.add(Thing::Aside(stubborn.clone())).expect("recorded");
        let mut tries = 0;
        let thing = record.things()[0].clone();
        assert!(patiently(&mut tries, || remove(&record, &thing)).is_err());
        let by_hand = by_hand(&thing);
        assert_eq!(by_hand, format!("rm '{}'", stubborn.display()));
        fs::remove_dir_all(scratch).expect("removed");
    }
}
