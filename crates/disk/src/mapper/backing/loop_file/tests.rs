use super::*;

/// A directory with room for a record and a file.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> (Self, Record) {
        let path = std::env::temp_dir().join(format!("wirespeed-{name}-{}", std::process::id()));
        fs::create_dir(&path).expect("a directory");
        let path = path.canonicalize().expect("its path");
        let record = Record::create(&path.join("records"), "1-0").expect("a record");
        (Self(path), record)
    }

    fn files(&self) -> usize {
        fs::read_dir(&self.0).expect("listed").count() - 1
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_is_made_and_removed_as_ours() {
    let (scratch, mut record) = Scratch::new("file");
    let path = place(&scratch.0.join("disk")).expect("a new file");
    create(&mut record, &path, "wirespeed-1-0", 1 << 20).expect("made");
    assert_eq!(path.metadata().expect("there").len(), 1 << 20);
    let [Thing::File { device, inode, .. }] = record.things() else {
        panic!("{:?}", record.things())
    };
    assert_eq!(remove(&path, *device, inode + 1), Ok(false), "somebody else's");
    assert_eq!(remove(&path, *device, *inode), Ok(true));
    assert_eq!(remove(&path, *device, *inode), Ok(false));
    assert_eq!(scratch.files(), 0);
}

#[test]
fn what_is_there_stays() {
    let (scratch, mut record) = Scratch::new("there");
    let path = scratch.0.join("mine");
    fs::write(&path, "precious").expect("written");
    let error = place(&path).expect_err("it exists");
    assert!(error.0.contains("exists already"), "{error}");
    // As if somebody had made it between the two looks.
    create(&mut record, &path, "wirespeed-1-0", 1 << 20).expect_err("it exists");
    for thing in record.things().to_vec() {
        match thing {
            Thing::Aside(path) => assert_eq!(discard(&path), Ok(true)),
            Thing::File { path, device, inode } => {
                assert_eq!(remove(&path, device, inode), Ok(false));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fs::read_to_string(&path).expect("still there"), "precious");
    assert_eq!(scratch.files(), 1);
}

#[test]
fn no_room_and_no_such_place() {
    let (scratch, mut record) = Scratch::new("room");
    let path = scratch.0.join("disk");
    let error = create(&mut record, &path, "wirespeed-1-0", 1 << 60).expect_err("an exbibyte");
    assert!(error.0.contains("no room"), "{error}");
    assert!(place(&scratch.0.join("nowhere/disk")).is_err());
    assert!(place(&scratch.0.join("two\nlines")).is_err());
    assert!(record.things().is_empty());
}
