use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use super::*;

/// A machine with a disk `/dev/sda` of two partitions, and `/dev/sdb` without any; tests change one thing.
struct Fake {
    files: HashMap<String, String>,
    nodes: HashMap<String, Kind>,
    busy: Vec<String>,
    open: Vec<String>,
    known: HashMap<String, Vec<String>>,
}

impl Fake {
    fn new() -> Self {
        let mut fake = Self {
            files: HashMap::new(),
            nodes: HashMap::new(),
            busy: Vec::new(),
            open: Vec::new(),
            known: HashMap::new(),
        };
        fake.set("/proc/self/mountinfo", "22 1 8:99 / / rw - ext4 /dev/root rw\n");
        fake.set("/proc/swaps", "Filename Type Size Used Priority\n");
        for (name, number, partition) in [
            ("sda", "8:0", None),
            ("sda1", "8:1", Some("1")),
            ("sda2", "8:2", Some("2")),
            ("sdb", "8:16", None),
        ] {
            fake.nodes.insert(format!("/dev/{name}"), Kind::Block(number.to_owned()));
            // By its numbers, and within its disk.
            let mut places = vec![format!("/sys/dev/block/{number}")];
            match partition {
                Some(_) => places.extend(["8:1", "8:2", "8:0"].map(|beside| match beside {
                    "8:0" => format!("/sys/dev/block/8:0/{name}"),
                    _ => format!("/sys/dev/block/{beside}/../{name}"),
                })),
                None if name == "sda" => {
                    places.extend(["8:1", "8:2"].map(|part| format!("/sys/dev/block/{part}/..")));
                }
                None => {}
            }
            for place in places {
                fake.set(&format!("{place}/size"), "131072\n");
                fake.set(&format!("{place}/ro"), "0\n");
                fake.set(&format!("{place}/dev"), &format!("{number}\n"));
                fake.set(&format!("{place}/uevent"), &format!("MAJOR=8\nDEVNAME={name}\n"));
                if let Some(partition) = partition {
                    fake.set(&format!("{place}/partition"), partition);
                }
            }
        }
        fake.set("/sys/dev/block/8:16/device/model", "Scratch Disk  \n");
        fake
    }

    fn set(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.to_owned());
    }

    fn with(mut self, path: &str, text: &str) -> Self {
        self.set(path, text);
        self
    }

    fn refusal(&self, path: &str) -> String {
        let refused = examine(self, Path::new(path), 64 << 20);
        let Trouble(line) = refused.expect_err("refused");
        assert!(line.starts_with(path) && !line.contains('\n'), "{line}");
        line
    }
}

impl Facts for Fake {
    fn kind(&self, path: &Path) -> io::Result<Kind> {
        let text = path.to_string_lossy();
        let plain = text.replace("/./", "/");
        self.nodes.get(&plain).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn canonical(&self, path: &Path) -> io::Result<PathBuf> {
        match path.to_str() {
            Some("/dev/disk/by-id/scratch") => Ok("/dev/sdb".into()),
            Some(text) => Ok(text.replace("/./", "/").into()),
            None => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn read(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }

    fn list(&self, path: &str) -> Vec<String> {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let names = self.files.keys().filter_map(|file| file.strip_prefix(&prefix));
        let mut names: Vec<String> =
            names.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
        names.sort();
        names.dedup();
        names.into_iter().filter(|name| name != "..").collect()
    }

    fn openers(&self, path: &Path) -> Vec<String> {
        let open = self.open.iter().filter(|open| Path::new(open) == path);
        open.map(|_| "qemu-system-x86 (process 42)".to_owned()).collect()
    }

    fn claim(&self, path: &Path) -> io::Result<Option<File>> {
        match self.busy.iter().any(|busy| Path::new(busy) == path) {
            true => Err(rustix::io::Errno::BUSY.into()),
            false => Ok(None),
        }
    }

    fn signatures(&self, path: &Path) -> Result<Vec<String>, Trouble> {
        Ok(self.known.get(&*path.to_string_lossy()).cloned().unwrap_or_default())
    }
}

#[test]
fn an_empty_disk_and_an_empty_partition_are_taken() {
    let (device, _) = examine(&Fake::new(), Path::new("/dev/sdb"), 64 << 20).expect("taken");
    let model = Some("Scratch Disk".to_owned());
    assert_eq!(device, Description { bytes: 64 << 20, model });
    let (device, _) = examine(&Fake::new(), Path::new("/dev/sda2"), 1 << 20).expect("taken");
    assert_eq!(device, Description { bytes: 64 << 20, model: None });
}

#[test]
fn only_a_block_device_by_its_own_path() {
    let mut fake = Fake::new();
    fake.nodes.insert("/dev/disk/by-id/scratch".to_owned(), Kind::Link);
    fake.nodes.insert("/dev/null".to_owned(), Kind::Other);
    assert!(
        fake.refusal("/dev/disk/by-id/scratch")
            .contains("link: name the device itself, now /dev/sdb")
    );
    assert!(fake.refusal("/dev/null").contains("is not a block device"));
    assert!(fake.refusal("/dev/./sdb").contains("own path: name /dev/sdb"));
    assert!(fake.refusal("/dev/sdz").contains("cannot be looked at"));
}

#[test]
fn nothing_that_is_mounted() {
    let line = "30 22 8:16 / /srv/my\\040data rw shared:1 - xfs /dev/sdb rw\n";
    let fake = Fake::new().with("/proc/self/mountinfo", line);
    assert!(fake.refusal("/dev/sdb").contains("is mounted at /srv/my data"));
    // btrfs has numbers of its own.
    let line = "30 22 0:45 /@ /home rw - btrfs /dev/sdb rw\n";
    let fake = Fake::new().with("/proc/self/mountinfo", line);
    assert!(fake.refusal("/dev/sdb").contains("is mounted at /home"));
    let mut fake = Fake::new();
    fake.files.remove("/proc/self/mountinfo");
    assert!(fake.refusal("/dev/sdb").contains("may be mounted"));
}

#[test]
fn nothing_that_is_swap_or_held() {
    let swaps = "Filename Type Size Used Priority\n/dev/sdb partition 5 0 -2\n";
    let fake = Fake::new().with("/proc/swaps", swaps);
    assert!(fake.refusal("/dev/sdb").contains("is used for swap"));
    let fake = Fake::new()
        .with("/sys/dev/block/8:16/holders/dm-3/dev", "253:3")
        .with("/sys/block/dm-3/dm/name", "vg-home\n");
    assert!(fake.refusal("/dev/sdb").contains("is in use by vg-home"));
    let fake = Fake::new().with("/sys/dev/block/8:16/holders/md0/dev", "9:0");
    assert!(fake.refusal("/dev/sdb").contains("is in use by md0"));
    let fake = Fake::new().with("/sys/dev/block/8:16/slaves/sdc1/dev", "8:33");
    assert!(fake.refusal("/dev/sdb").contains("is made of sdc1"));
    let fake = Fake::new().with("/sys/block/loop7/loop/backing_file", "/dev/sdb\n");
    assert!(fake.refusal("/dev/sdb").contains("is in use by loop7"));
    let mut fake = Fake::new();
    fake.open.push("/dev/sdb".to_owned());
    assert!(fake.refusal("/dev/sdb").contains("qemu-system-x86 (process 42) has it open"));
    fake.open = vec!["/dev/sda1".to_owned()];
    let beside = "is a partition beside sda1, which is in use";
    assert!(fake.refusal("/dev/sda2").contains(beside));
    let mut fake = Fake::new();
    fake.busy.push("/dev/sdb".to_owned());
    assert!(fake.refusal("/dev/sdb").contains("is in use"));
}

#[test]
fn no_disk_with_partitions_and_no_neighbour_of_something_used() {
    assert!(Fake::new().refusal("/dev/sda").contains("has a partition, sda1"));
    let line = "30 22 8:1 / /boot rw - ext4 /dev/sda1 rw\n";
    let fake = Fake::new().with("/proc/self/mountinfo", line);
    assert!(fake.refusal("/dev/sda2").contains("beside sda1, which is mounted at /boot"));
    let fake = Fake::new().with("/sys/dev/block/8:2/../sda1/holders/dm-0/dev", "253:0");
    assert!(fake.refusal("/dev/sda2").contains("beside sda1, which is in use by dm-0"));
    let fake = Fake::new().with("/sys/dev/block/8:2/../holders/md127/dev", "9:127");
    assert!(fake.refusal("/dev/sda2").contains("a partition of a disk that is in use by md127"));
}

#[test]
fn nothing_read_only_too_small_or_known() {
    let fake = Fake::new().with("/sys/dev/block/8:16/ro", "1\n");
    assert!(fake.refusal("/dev/sdb").contains("is read-only"));
    let fake = Fake::new().with("/sys/dev/block/8:16/size", "2048\n");
    assert!(fake.refusal("/dev/sdb").contains("is too small, 1024 KiB where 65536 KiB"));
    let mut fake = Fake::new();
    fake.known.insert("/dev/sdb".to_owned(), vec!["LVM2_member".to_owned(), "dos".to_owned()]);
    let line = fake.refusal("/dev/sdb");
    assert!(line.contains("holds LVM2_member, dos") && line.contains("wipefs --all /dev/sdb"));
}
