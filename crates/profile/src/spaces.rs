//! Which file is where in the memory of each process.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

/// The address spaces of the processes that are watched.
#[derive(Default)]
pub(crate) struct Spaces {
    files: Vec<File>,
    of: HashMap<u32, BTreeMap<u64, Mapping>>,
    /// Whom a process was forked from.
    parents: HashMap<u32, u32>,
}

/// So many generations are looked through: numbers of processes come again, and might make a circle.
const GENERATIONS: usize = 8;

/// A file that is mapped somewhere.
pub(crate) struct File {
    /// As the process names it.
    pub(crate) path: PathBuf,
    /// The same while the process lasts, whatever its root is.
    through_process: PathBuf,
}

/// Executable memory.
#[derive(Clone, Copy)]
struct Mapping {
    end: u64,
    offset: u64,
    file: usize,
}

impl File {
    /// What can be read of it.
    pub(crate) fn readable(&self) -> &Path {
        if self.through_process.exists() { &self.through_process } else { &self.path }
    }
}

impl Spaces {
    /// Takes what a running process has: proc_pid_maps(5).
    pub(crate) fn read(&mut self, process: u32) {
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        for line in maps.lines() {
            if let Some((start, length, offset, path)) = executable(line) {
                self.map(process, start, length, offset, path);
            }
        }
    }

    /// A process maps something.
    pub(crate) fn map(&mut self, process: u32, start: u64, length: u64, offset: u64, path: &str) {
        let file = self.file(process, path);
        let space = self.of.entry(process).or_default();
        space.retain(|begins, mapping| mapping.end <= start || *begins >= start + length);
        space.insert(start, Mapping { end: start + length, offset, file });
    }

    /// A process has a child, which begins with the same. Its own mappings may be known already, told by another CPU, and
    /// its parent's not yet.
    pub(crate) fn fork(&mut self, parent: u32, child: u32) {
        if parent != child {
            self.parents.insert(child, parent);
        }
    }

    /// The number of the file at an address, and the place in it.
    pub(crate) fn find(&self, process: u32, address: u64) -> Option<(usize, u64)> {
        let line = std::iter::successors(Some(process), |it| self.parents.get(it).copied());
        line.take(GENERATIONS).find_map(|it| self.find_own(it, address))
    }

    fn find_own(&self, process: u32, address: u64) -> Option<(usize, u64)> {
        let (start, mapping) = self.of.get(&process)?.range(..=address).next_back()?;
        (address < mapping.end).then(|| (mapping.file, address - start + mapping.offset))
    }

    /// All files, by their numbers.
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    fn file(&mut self, process: u32, path: &str) -> usize {
        let path = Path::new(path);
        self.files.iter().position(|file| file.path == path).unwrap_or_else(|| {
            let inside = path.strip_prefix("/").unwrap_or(path);
            let through_process = Path::new("/proc").join(process.to_string()).join("root");
            self.files.push(File {
                path: path.to_owned(),
                through_process: through_process.join(inside),
            });
            self.files.len() - 1
        })
    }
}

/// Start, length, place in the file and path of a line about executable memory.
fn executable(line: &str) -> Option<(u64, u64, u64, &str)> {
    let mut words = line.splitn(6, ' ');
    let (range, rights, offset) = (words.next()?, words.next()?, words.next()?);
    let path = words.nth(2).unwrap_or_default().trim_start();
    let (start, end) = range.split_once('-')?;
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (start, end) = (number(start)?, number(end)?);
    let runs = rights.as_bytes().get(2) == Some(&b'x');
    runs.then(|| Some((start, end - start, number(offset)?, path)))?
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "7f01c0000000-7f01c0300000 r-xp 000cb000 fe:00 11 \
                        /usr/lib/x86_64-linux-gnu/libcrypto.so.3";

    #[test]
    fn events_come_in_any_order() {
        let mut spaces = Spaces::default();
        spaces.map(2, 0x1000, 0x1000, 0, "/b");
        spaces.fork(1, 2);
        spaces.fork(2, 1);
        spaces.map(1, 0x5000, 0x1000, 0, "/a");
        assert_eq!(spaces.find(2, 0x1010), Some((0, 0x10)));
        assert_eq!(spaces.find(2, 0x5010), Some((1, 0x10)));
        assert_eq!(spaces.find(2, 0x9000), None, "in spite of the circle");
    }

    #[test]
    fn lines_are_read() {
        let (start, length, offset, path) = executable(LINE).expect("it can be executed");
        assert_eq!((start, length, offset), (0x7f01_c000_0000, 0x30_0000, 0xcb000));
        assert_eq!(path, "/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
        assert!(executable(&LINE.replace("r-xp", "r--p")).is_none());
        assert!(executable("").is_none() && executable("x-y r-xp").is_none());
    }

    #[test]
    fn children_begin_with_what_their_parent_has() {
        let mut spaces = Spaces::default();
        spaces.map(1, 0x1000, 0x1000, 0x400, "/a");
        spaces.fork(1, 2);
        spaces.map(2, 0x1800, 0x1000, 0, "/b");
        assert_eq!(spaces.find(1, 0x1fff), Some((0, 0x13ff)));
        assert_eq!(spaces.find(2, 0x1810), Some((1, 0x10)));
        assert_eq!(spaces.find(2, 0x1010), Some((0, 0x410)), "what it does not replace stays");
        assert_eq!(spaces.find(1, 0x2000), None);
        assert_eq!(spaces.find(3, 0x1000), None);
    }
}
