use super::super::teardown::sweep;
use super::*;

/// A directory of a test's own.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("wirespeed-{name}-{}", std::process::id()));
        fs::create_dir(&path).expect("a directory");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn every_kind() -> [Thing; 9] {
    [
        Thing::Module("null_blk".to_owned()),
        Thing::Mount("/sys/kernel/config".into()),
        Thing::NullBlk("wirespeed-1-0".to_owned()),
        Thing::Brd { kibibytes: 4100 },
        Thing::Zram { number: 3, bytes: 4096 },
        Thing::Aside("/srv/a file.wirespeed-1-0".into()),
        Thing::File { path: "/srv/a file".into(), device: 2049, inode: 77 },
        Thing::Loop("/srv/a file".into()),
        Thing::Mapped("wirespeed-1-0-raw".to_owned()),
    ]
}

#[test]
fn what_was_written_is_read() {
    for thing in every_kind() {
        assert_eq!(Thing::read(&thing.to_string()), Some(thing));
    }
    assert_eq!(Thing::read("disk /dev/sda"), None);
}

#[test]
fn a_record_is_its_owners_while_he_lives() {
    let scratch = Scratch::new("owner");
    let mut record = Record::create(&scratch.0, "1-0").expect("a record");
    for thing in every_kind() {
        record.add(thing).expect("written");
    }
    let gone = Thing::Brd { kibibytes: 4100 };
    record.forget(&gone);
    let path = scratch.0.join("1-0");
    assert!(Record::abandoned(&path).expect("looked at").is_none(), "it is locked");
    let left = record.things().to_vec();
    assert!(left.len() == 8 && !left.contains(&gone));
    drop(record);
    let found = Record::abandoned(&path).expect("looked at").expect("nobody's");
    assert_eq!(found.things(), left);
    found.finish().expect("removed");
    assert!(Record::abandoned(&path).expect("looked at").is_none());
    assert!(Record::awaited(&path).expect("looked at").is_none());
    assert!(all(&scratch.0).expect("listed").is_empty());
}

#[test]
fn a_line_that_was_cut_short_made_nothing() {
    assert_eq!(things("+ brd 5\n+ modu").expect("read"), [Thing::Brd { kibibytes: 5 }]);
    assert_eq!(things("+ brd 5\n- brd 5\n").expect("read"), []);
    assert!(things("+ spaceship 5\n").is_err(), "better nothing than half of it");
}

/// `wirespeed kernel --prefer` remembers priorities in /run/wirespeed.
#[test]
fn what_others_remember_is_no_record_and_stays_readable() {
    let scratch = Scratch::new("beside");
    let priorities = scratch.0.join("wirespeed/priorities");
    let directory = Path::new(DIRECTORY).strip_prefix("/run").expect("lost with the power");
    let directory = scratch.0.join(directory);
    drop(Record::create(&directory, "1-0").expect("a record"));
    let mode = |folder: PathBuf| fs::metadata(folder).expect("made").mode();
    assert_eq!(mode(scratch.0.join("wirespeed")), mode(scratch.0.clone()));
    fs::write(&priorities, "{").expect("written");
    assert_eq!(sweep(&directory).expect("swept").left, [""; 0]);
    assert!(priorities.exists() && all(&directory).expect("listed").is_empty());
}

#[test]
fn nobody_has_left_anything_where_nothing_is() {
    assert!(all(Path::new("/nonexistent")).expect("no records").is_empty());
}
