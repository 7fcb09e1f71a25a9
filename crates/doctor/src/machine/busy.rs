//! Who else uses the CPUs, in a moment that is watched: the hypervisor, siblings, interrupts, one daemon on one core.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use wirespeed_results::figures::percent;

use super::clock::{cpus, number};
use crate::examined::Examined;
use crate::finding::Finding;
use crate::services::{name, processes};
use crate::serving;

/// How long it is watched: ticks of 10 ms make a figure of two digits.
const MOMENT: Duration = Duration::from_millis(400);

/// What happened in a moment.
pub(super) fn busy(examined: &Examined<'_>) -> Vec<Finding> {
    let before = Seen::now(examined);
    examined.here.wait(MOMENT);
    let Some(moment) = before.until(&Seen::now(examined)) else { return Vec::new() };
    let found = [
        stolen(&moment),
        interrupts(&moment),
        siblings(examined, &moment),
        one_core(examined, &moment),
    ];
    let found: Vec<Finding> = found.into_iter().flatten().collect();
    match found.is_empty() {
        true => vec![Finding::fine(moment.quiet())],
        false => found,
    }
}

/// Ticks of a CPU: proc_stat(5).
#[derive(Clone, Copy, Default)]
struct Ticks {
    busy: u64,
    interrupts: u64,
    stolen: u64,
    all: u64,
}

/// What was counted until now.
struct Seen {
    cpus: BTreeMap<usize, Ticks>,
    processes: BTreeMap<PathBuf, Spent>,
}

/// What a process spent: its ticks, and its threads.
#[derive(Clone, Copy)]
struct Spent {
    ticks: u64,
    threads: u64,
}

/// What happened between two looks, as shares of 1.
struct Moment {
    cpus: BTreeMap<usize, Share>,
    /// The process that was busiest, in CPUs.
    busiest: Option<(PathBuf, f64, u64)>,
}

#[derive(Clone, Copy)]
struct Share {
    busy: f64,
    interrupts: f64,
    stolen: f64,
}

impl Seen {
    fn now(examined: &Examined<'_>) -> Self {
        let text = examined.here.text("/proc/stat").unwrap_or_default();
        let processes = processes(examined).into_iter();
        let spent = |folder: PathBuf| Some((folder.clone(), spent(examined, &folder)?));
        Self {
            cpus: text.lines().filter_map(ticks).collect(),
            processes: processes.filter_map(spent).collect(),
        }
    }

    fn until(&self, later: &Self) -> Option<Moment> {
        let share = |(cpu, after): (&usize, &Ticks)| {
            let before = self.cpus.get(cpu)?;
            let all = after.all.checked_sub(before.all).filter(|all| *all > 0)? as f64;
            let part = |of: fn(&Ticks) -> u64| of(after).saturating_sub(of(before)) as f64 / all;
            let (busy, stolen) = (part(|it| it.busy), part(|it| it.stolen));
            Some((*cpu, Share { busy, interrupts: part(|it| it.interrupts), stolen }))
        };
        let cpus: BTreeMap<usize, Share> = later.cpus.iter().filter_map(share).collect();
        let all = |seen: &Self| seen.cpus.values().map(|it| it.all).sum::<u64>();
        // Linux's count of idle time may go backwards (proc_stat(5)).
        let of_one = all(later).saturating_sub(all(self)) as f64 / cpus.len() as f64;
        let share = |(folder, after): (&PathBuf, &Spent)| {
            let before = self.processes.get(folder)?;
            let ticks = after.ticks.saturating_sub(before.ticks) as f64;
            Some((folder.clone(), ticks / of_one, after.threads))
        };
        let shares = later.processes.iter().filter_map(share);
        let busiest = shares.max_by(|a, b| a.1.total_cmp(&b.1));
        (!cpus.is_empty()).then_some(Moment { cpus, busiest })
    }
}

/// A line such as `cpu0 1 2 3 …`.
fn ticks(line: &str) -> Option<(usize, Ticks)> {
    let (name, rest) = line.split_once(' ')?;
    let cpu = number(Path::new(name))?;
    let fields: Vec<u64> = rest.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    let [user, nice, system, idle, waiting, hard, soft, stolen, ..] = fields[..] else {
        return None;
    };
    let interrupts = hard + soft;
    let busy = user + nice + system + interrupts;
    Some((cpu, Ticks { busy, interrupts, stolen, all: busy + idle + waiting + stolen }))
}

/// proc_pid_stat(5), fields 14, 15 and 20.
fn spent(examined: &Examined<'_>, folder: &Path) -> Option<Spent> {
    let stat = examined.here.text(folder.join("stat"))?;
    let fields: Vec<&str> = stat[stat.rfind(')')? + 1..].split_whitespace().collect();
    let field = |number: usize| fields.get(number)?.parse::<u64>().ok();
    Some(Spent { ticks: field(11)? + field(12)?, threads: field(17)? })
}

impl Moment {
    fn mean(&self, of: fn(&Share) -> f64) -> f64 {
        self.cpus.values().map(of).sum::<f64>() / self.cpus.len() as f64
    }

    /// The CPU with the most, and how much it is.
    fn most(&self, of: fn(&Share) -> f64) -> (usize, f64) {
        let all = self.cpus.iter().map(|(cpu, share)| (*cpu, of(share)));
        all.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default()
    }

    fn quiet(&self) -> String {
        format!(
            "in {} ms: CPUs {} busy, {} with interrupts, {} stolen by the hypervisor",
            MOMENT.as_millis(),
            percent(self.mean(|it| it.busy)),
            percent(self.mean(|it| it.interrupts)),
            percent(self.mean(|it| it.stolen))
        )
    }
}

fn stolen(moment: &Moment) -> Option<Finding> {
    let stolen = moment.mean(|it| it.stolen);
    (stolen >= 0.05).then(|| {
        Finding::offer(
            format!(
                "the hypervisor gives {} of this guest's time to others (steal in /proc/stat)",
                percent(stolen)
            ),
            "an instance of its own CPUs, or another host; figures measured here vary by as much",
        )
    })
}

fn interrupts(moment: &Moment) -> Option<Finding> {
    let (cpu, most) = moment.most(|it| it.interrupts);
    let others =
        moment.cpus.iter().filter(|(it, _)| **it != cpu).map(|(_, share)| share.interrupts);
    let others: Vec<f64> = others.collect();
    let mean = others.iter().sum::<f64>() / others.len().max(1) as f64;
    (most >= 0.3 && most >= 3.0 * mean).then(|| {
        let spends = format!("CPU {cpu} spends {} of its time on interrupts", percent(most));
        if others.is_empty() {
            return Finding::offer(
                format!("{spends} (/proc/stat), and there is no other to spread them to"),
                "fewer of them: larger packets, or interrupt coalescing (ethtool -C)",
            );
        }
        Finding::offer(
            format!("{spends}, the others {} (/proc/stat)", percent(mean)),
            "spread them: irqbalance, /proc/irq/*/smp_affinity, or rps_cpus of the network card's queues",
        )
    })
}

/// Cores whose two threads both work: they share one unit for AES.
fn siblings(examined: &Examined<'_>, moment: &Moment) -> Option<Finding> {
    let siblings = |folder: &PathBuf| {
        let text = examined.here.text(folder.join("topology/thread_siblings_list"))?;
        Some(numbers(text.trim()))
    };
    let mut cores: Vec<Vec<usize>> = cpus(examined).iter().filter_map(siblings).collect();
    cores.sort_unstable();
    cores.dedup();
    cores.retain(|core| core.len() > 1);
    let works = |cpu: &usize| moment.cpus.get(cpu).is_some_and(|share| share.busy >= 0.7);
    let both = cores.iter().filter(|core| core.iter().all(works)).count();
    (both > 0).then(|| {
        Finding::note(format!(
            "{both} of {} cores have all their threads busy (thread_siblings_list): each gets a part of the \
             core's units for AES, so figures of one thread do not add up",
            cores.len()
        ))
    })
}

/// Numbers such as `0-1` or `0,4`.
fn numbers(text: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(',').filter_map(range).flatten().collect()
}

/// A daemon that has one core, and needs more.
fn one_core(examined: &Examined<'_>, moment: &Moment) -> Option<Finding> {
    let (process, share, threads) = moment.busiest.as_ref()?;
    let idle = moment.cpus.len() as f64 * (1.0 - moment.mean(|it| it.busy));
    // Several threads may be one that works and others that wait.
    (0.9..1.1).contains(share).then_some(())?;
    (idle >= 0.5 && moment.cpus.len() > 1).then_some(())?;
    let text = |file: &str| examined.here.text(process.join(file));
    let way = match serving::lever(text("comm").unwrap_or_default().trim()) {
        Some(way) => way,
        // A thread of Linux's own has no command line.
        None if text("cmdline").is_some_and(|it| it.is_empty()) => {
            "it is Linux's: wirespeed kernel shows the drivers of its ciphers, wirespeed disk what they do"
        }
        None => "more processes or threads, if it can; else only a faster cipher helps it",
    };
    Some(Finding::offer(
        format!(
            "{} fills one core ({} of it, {}), while others idle",
            name(examined, process),
            percent(*share),
            match threads {
                1 => "with one thread".to_owned(),
                several => format!("with {several} threads"),
            }
        ),
        way,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    /// User, idle, interrupts and steal of each CPU, in ticks, 40 later.
    fn machine(cpus: &[[u32; 4]]) -> Fake {
        let stat = |cpus: &[[u32; 4]]| {
            let line = |(number, [user, idle, soft, stolen]): (usize, &[u32; 4])| {
                format!("cpu{number} {user} 0 0 {idle} 0 0 {soft} {stolen} 0 0\n")
            };
            format!(
                "cpu 1 2 3\n{}btime 100\n",
                cpus.iter().enumerate().map(line).collect::<String>()
            )
        };
        let zeros = vec![[0; 4]; cpus.len()];
        Fake::bare().file("/proc/stat", stat(&zeros)).later("/proc/stat", stat(cpus))
    }

    #[test]
    fn a_quiet_machine_is_fine_with_its_figures() {
        let said = machine(&[[2, 38, 0, 0], [2, 37, 1, 0]]).says(busy);
        assert_eq!(
            said,
            "fine: in 400 ms: CPUs 6 % busy, 1 % with interrupts, 0 % stolen by the hypervisor"
        );
        assert_eq!(Fake::bare().says(busy), "", "without /proc nothing is claimed");
    }

    #[test]
    fn steal_and_interrupts_are_told_by_their_share() {
        let said = machine(&[[10, 20, 0, 10], [10, 30, 0, 0]]).says(busy);
        assert!(said.starts_with("note: the hypervisor gives 12 % of this guest's time"), "{said}");
        let said = machine(&[[0, 20, 20, 0], [0, 40, 0, 0], [0, 39, 1, 0]]).says(busy);
        assert!(
            said.starts_with("note: CPU 0 spends 50 % of its time on interrupts, the others 1 %"),
            "{said}"
        );
        assert!(said.contains("irqbalance"), "{said}");
        let said = machine(&[[0, 20, 20, 0]]).says(busy);
        assert!(said.starts_with("note: CPU 0 spends 50 % of its time on interrupts"), "{said}");
        assert!(said.contains("ethtool -C") && !said.contains("irqbalance"), "{said}");
    }

    #[test]
    fn busy_siblings_are_counted() {
        let list =
            |cpu: u32| format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let fake = machine(&[[39, 1, 0, 0], [1, 39, 0, 0], [39, 1, 0, 0], [1, 39, 0, 0]]);
        let fake = fake
            .file(&list(0), "0,2\n")
            .file(&list(2), "0,2\n")
            .file(&list(1), "1,3\n")
            .file(&list(3), "1,3\n");
        let said = fake.says(busy);
        assert!(said.starts_with("note: 1 of 2 cores have all their threads busy"), "{said}");
        assert_eq!(numbers("0-1,4"), [0, 1, 4]);
    }

    /// OpenVPN/openvpn#576: far below the line.
    #[test]
    fn a_daemon_that_fills_one_core_is_named_with_its_lever() {
        let stat =
            |ticks: u32| format!("812 (openvpn) R 1 0 0 0 0 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 9\n");
        let fake = machine(&[[40, 0, 0, 0], [0, 40, 0, 0]])
            .file("/proc/812/comm", "openvpn\n")
            .file("/proc/812/stat", stat(100))
            .later("/proc/812/stat", stat(139));
        let said = fake.says(busy);
        assert!(
            said.starts_with("note: openvpn (812) fills one core (98 % of it, with one thread)"),
            "{said}"
        );
        assert!(said.contains("-> without DCO one thread does everything"), "{said}");
        let full = machine(&[[40, 0, 0, 0], [40, 0, 0, 0]])
            .file("/proc/812/stat", stat(100))
            .later("/proc/812/stat", stat(139));
        assert!(full.says(busy).starts_with("fine: "), "no other core idles");
    }
}
