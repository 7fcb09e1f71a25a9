//! Processes, their children, their threads and their time: proc_pid_stat(5).

use std::collections::BTreeSet;
use std::fs;
use std::ops::{Add, Sub};

/// Clock ticks in a second, as Linux tells them on every architecture that we build for.
const USER_HZ: f64 = 100.0;

/// Processor time in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seconds {
    pub(crate) user: f64,
    pub(crate) system: f64,
}

impl Add for Seconds {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { user: self.user + other.user, system: self.system + other.system }
    }
}

impl Sub for Seconds {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { user: self.user - other.user, system: self.system - other.system }
    }
}

/// A process and all that came from it.
pub(crate) fn tree(root: u32) -> BTreeSet<u32> {
    let mut tree = BTreeSet::from([root]);
    let parents: Vec<(u32, u32)> = numbers("/proc")
        .filter_map(|process| Some((process, stat(&format!("/proc/{process}/stat"))?.parent)))
        .collect();
    loop {
        let before = tree.len();
        let children = parents.iter().filter(|(_, parent)| tree.contains(parent));
        let children: Vec<u32> = children.map(|(child, _)| *child).collect();
        tree.extend(children);
        if tree.len() == before {
            return tree;
        }
    }
}

/// The threads of a process.
pub(crate) fn threads(process: u32) -> impl Iterator<Item = u32> {
    numbers(&format!("/proc/{process}/task"))
}

/// The time of these processes and of their children that have ended.
pub(crate) fn seconds<'p>(processes: impl IntoIterator<Item = &'p u32>) -> Seconds {
    let times = processes.into_iter().filter_map(|it| stat(&format!("/proc/{it}/stat")));
    times.fold(Seconds::default(), |sum, it| sum + it.own + it.of_children)
}

/// The time of children of ours that have ended and were waited for.
pub(crate) fn of_ended_children() -> Seconds {
    stat("/proc/self/stat").map(|it| it.of_children).unwrap_or_default()
}

/// Processor time of all children of ours that have ended and were waited for, in seconds.
pub fn children_cpu_seconds() -> f64 {
    let Seconds { user, system } = of_ended_children();
    user + system
}

/// Whether a process has stopped, and waits for SIGCONT.
pub(crate) fn is_stopped(process: u32) -> bool {
    stat(&format!("/proc/{process}/stat")).is_some_and(|it| it.state == "T")
}

/// The name of a process.
pub(crate) fn name(process: u32) -> Option<String> {
    let name = fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
    Some(name.trim_end().to_owned())
}

struct Stat {
    state: String,
    parent: u32,
    own: Seconds,
    of_children: Seconds,
}

fn stat(path: &str) -> Option<Stat> {
    let text = fs::read_to_string(path).ok()?;
    // The name may have spaces and parentheses in it.
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let seconds = |field: usize| Some(fields.get(field)?.parse::<f64>().ok()? / USER_HZ);
    Some(Stat {
        state: fields.first()?.to_string(),
        parent: fields.get(1)?.parse().ok()?,
        own: Seconds { user: seconds(11)?, system: seconds(12)? },
        of_children: Seconds { user: seconds(13)?, system: seconds(14)? },
    })
}

fn numbers(folder: &str) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;

    #[test]
    fn this_process_is_in_its_own_tree_and_in_its_parents() {
        let me = process::id();
        assert!(tree(me).contains(&me));
        let parent = stat(&format!("/proc/{me}/stat")).expect("it is there").parent;
        assert!(tree(parent).contains(&me));
        assert!(threads(me).any(|thread| thread == me));
        assert!(name(me).is_some() && !is_stopped(me));
    }
}
