//! Processes, their children, their threads and their time: proc_pid_stat(5).

use std::collections::{BTreeMap, BTreeSet};
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

/// The time of processes, of which some may end meanwhile, and of their children that have ended.
pub(crate) struct Times {
    before: Seconds,
    last: BTreeMap<u32, Stat>,
    /// Of those that have ended, as far as nobody among the others has it as a child's.
    ended: Seconds,
}

impl Times {
    /// Begins with what they have used until now.
    pub(crate) fn of(processes: &BTreeSet<u32>) -> Self {
        let last = stats(processes.iter());
        Self { before: total(last.values()), last, ended: Seconds::default() }
    }

    /// Reads them again: what a process has used is not told any more once it has ended.
    pub(crate) fn read(&mut self) {
        let now = stats(self.last.keys());
        self.ended = self.ended + left_behind(&self.last, &now);
        self.last = now;
    }

    /// What they have used since the beginning, as far as it was read.
    pub(crate) fn used(&self) -> Seconds {
        total(self.last.values()) + self.ended - self.before
    }
}

fn stats<'p>(processes: impl Iterator<Item = &'p u32>) -> BTreeMap<u32, Stat> {
    processes.filter_map(|it| Some((*it, stat(&format!("/proc/{it}/stat"))?))).collect()
}

fn total<'s>(stats: impl Iterator<Item = &'s Stat>) -> Seconds {
    stats.fold(Seconds::default(), |sum, it| sum + it.own + it.of_children)
}

/// The time of those that have ended between two readings. Who has waited for a child has its time; a parent that has
/// ended, too, handed both to its own.
fn left_behind(before: &BTreeMap<u32, Stat>, now: &BTreeMap<u32, Stat>) -> Seconds {
    let mut ended: BTreeMap<Option<u32>, Seconds> = BTreeMap::new();
    for (process, stat) in before.iter().filter(|(process, _)| !now.contains_key(process)) {
        let mut heir = stat.parent;
        // Nobody is its own parent's parent, but numbers come again.
        for _ in 0..before.len() {
            match before.get(&heir).filter(|_| !now.contains_key(&heir) && heir != *process) {
                Some(parent) => heir = parent.parent,
                None => break,
            }
        }
        let heir = now.contains_key(&heir).then_some(heir);
        let sum = ended.entry(heir).or_default();
        *sum = *sum + stat.own + stat.of_children;
    }
    let lost = |(heir, time): (Option<u32>, Seconds)| {
        let grown =
            heir.and_then(|it| Some(now.get(&it)?.of_children - before.get(&it)?.of_children));
        let left = time - grown.unwrap_or_default();
        Seconds { user: left.user.max(0.0), system: left.system.max(0.0) }
    };
    ended.into_iter().map(lost).fold(Seconds::default(), Add::add)
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

    /// With whole seconds of user time: its own, and its children's.
    fn used(parent: u32, own: f64, of_children: f64) -> Stat {
        let seconds = |user| Seconds { user, system: 0.0 };
        let (own, of_children) = (seconds(own), seconds(of_children));
        Stat { state: "S".to_owned(), parent, own, of_children }
    }

    #[test]
    fn what_has_ended_is_counted_once() {
        let before = || {
            BTreeMap::from([
                (10, used(1, 5.0, 2.0)),
                (11, used(10, 3.0, 0.0)),
                (12, used(11, 1.0, 0.0)),
            ])
        };
        for (now, left) in [
            // Nobody has ended.
            (
                BTreeMap::from([
                    (10, used(1, 6.0, 2.0)),
                    (11, used(10, 4.0, 0.0)),
                    (12, used(11, 1.0, 0.0)),
                ]),
                0.0,
            ),
            // 10 has waited for 11, with what 11 had used since.
            (BTreeMap::from([(10, used(1, 5.0, 5.5)), (12, used(1, 1.0, 0.0))]), 0.0),
            // And 11 for 12 before.
            (BTreeMap::from([(10, used(1, 5.0, 6.0))]), 0.0),
            // It did not wait: it ignores SIGCHLD.
            (BTreeMap::from([(10, used(1, 5.0, 2.0)), (12, used(1, 1.0, 0.0))]), 3.0),
            // The first ends, and leaves children.
            (BTreeMap::from([(11, used(1, 3.0, 0.0)), (12, used(11, 1.0, 0.0))]), 7.0),
            (BTreeMap::new(), 11.0),
        ] {
            let found = left_behind(&before(), &now).user;
            assert!((found - left).abs() < 1e-9, "{found} and not {left}");
        }
        // Numbers that came again.
        let circle = BTreeMap::from([(10, used(11, 1.0, 0.0)), (11, used(10, 1.0, 0.0))]);
        assert!(left_behind(&circle, &BTreeMap::new()).user > 1.9);
    }

    #[test]
    fn a_process_that_ends_takes_no_time_back() {
        let busy = "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done; read line";
        let mut command = process::Command::new("sh");
        command.args(["-c", busy]).stdin(process::Stdio::piped());
        let mut child = command.spawn().expect("a shell");
        let path = format!("/proc/{}/stat", child.id());
        while stat(&path).is_some_and(|it| it.own.user + it.own.system < 0.05) {
            std::thread::yield_now();
        }
        let mut times = Times::of(&BTreeSet::from([child.id()]));
        drop(child.stdin.take());
        child.wait().expect("it ends");
        times.read();
        let Seconds { user, system } = times.used();
        assert!(user >= 0.0 && system >= 0.0, "{user} {system}");
    }

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
