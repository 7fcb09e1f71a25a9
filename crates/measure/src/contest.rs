//! Contestants in turns: slices of equal length, in rotating order.

use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::thread;

use crate::clock::{Clock, ThreadTime};
use crate::gate::Gate;

/// Something that does the same work over and over.
pub trait Contestant {
    /// Does the work `calls` times. After a failure it does nothing.
    fn run(&mut self, calls: u64);
    /// Why it failed, if it did: then its times mean nothing.
    fn failure(&self) -> Option<&str> {
        None
    }
    /// Bytes that one call processes.
    fn bytes(&self) -> u64;
    /// How many calls make a whole, such as requests that run at once: a slice has a multiple of them.
    fn whole(&self) -> u64 {
        1
    }
}

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Nanoseconds that one slice should last.
    pub slice: u64,
    /// Slices for each contestant.
    pub rounds: usize,
}

impl Effort {
    /// Shorter slices feel the clock's own resolution, longer ones see more of the drift.
    const SLICE: u64 = 1_000_000;
    /// Fewer rounds give no interval for the median (see `statistics`).
    const FEWEST: usize = 7;

    /// An effort that spends about `seconds` on each contestant.
    pub fn lasting(seconds: f64) -> Self {
        let total = (seconds.max(0.0) * 1e9) as u64;
        let slice = (total / Self::FEWEST as u64).clamp(20_000, Self::SLICE);
        Self { slice, rounds: ((total / slice) as usize).max(Self::FEWEST) }
    }
}

/// One slice of one contestant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slice {
    /// Nanoseconds for one call by the deciding clock.
    pub nanos: f64,
    /// Nanoseconds of CPU time for one call.
    pub cpu_nanos: f64,
}

/// A contestant's slices, in the order of the rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// The slices.
    pub slices: Vec<Slice>,
    /// Bytes of one call.
    pub bytes: u64,
}

impl Samples {
    /// The times alone.
    pub fn nanos(&self) -> Vec<f64> {
        self.slices.iter().map(|slice| slice.nanos).collect()
    }

    /// Nanoseconds for one byte, slice by slice.
    pub fn nanos_per_byte(&self) -> Vec<f64> {
        self.slices.iter().map(|slice| slice.nanos / self.bytes.max(1) as f64).collect()
    }

    /// The CPU times alone.
    pub fn cpu_nanos(&self) -> Vec<f64> {
        self.slices.iter().map(|slice| slice.cpu_nanos).collect()
    }

    /// The mean of the CPU times.
    pub fn mean_cpu_nanos(&self) -> f64 {
        let sum: f64 = self.slices.iter().map(|slice| slice.cpu_nanos).sum();
        sum / self.slices.len().max(1) as f64
    }
}

/// The clocks of a contest, and what happens around its slices.
pub struct Ring<'a> {
    /// The clock that decides.
    pub clock: &'a dyn Clock,
    /// The clock of CPU time.
    pub cpu: &'a dyn Clock,
    /// Called before each slice: threads wait here for one another.
    pub gate: &'a dyn Fn(),
    /// Called after each slice: progress.
    pub tick: &'a dyn Fn(),
}

impl Ring<'static> {
    /// On one thread by its CPU time, with nothing around the slices.
    pub const CPU_TIME: Self =
        Ring { clock: &ThreadTime, cpu: &ThreadTime, gate: &|| (), tick: &|| () };
}

/// Runs all contestants and gives their samples in the same order.
pub fn run<C: Contestant + ?Sized>(
    ring: &Ring<'_>,
    effort: Effort,
    contestants: &mut [Box<C>],
) -> Vec<Samples> {
    let count = contestants.len();
    let batches: Vec<u64> =
        contestants.iter_mut().map(|one| calibrate(ring, effort.slice, one.as_mut())).collect();
    let mut samples: Vec<Samples> = contestants
        .iter()
        .map(|one| Samples { slices: Vec::with_capacity(effort.rounds), bytes: one.bytes() })
        .collect();
    for round in 0..effort.rounds {
        for turn in 0..count {
            let place = (round + turn) % count;
            (ring.gate)();
            samples[place].slices.push(slice(ring, batches[place], contestants[place].as_mut()));
            (ring.tick)();
        }
    }
    samples
}

fn slice<C: Contestant + ?Sized>(ring: &Ring<'_>, calls: u64, contestant: &mut C) -> Slice {
    let (start, cpu_start) = (ring.clock.now(), ring.cpu.now());
    contestant.run(calls);
    let (end, cpu_end) = (ring.clock.now(), ring.cpu.now());
    let each = |from: u64, to: u64| to.saturating_sub(from) as f64 / calls as f64;
    Slice { nanos: each(start, end), cpu_nanos: each(cpu_start, cpu_end) }
}

/// How many calls fill a slice; warms caches and branch predictors on the way. By the deciding clock: by
/// CPU time a contestant that sleeps would be called for hours. One that has failed fills none.
fn calibrate<C: Contestant + ?Sized>(ring: &Ring<'_>, slice: u64, contestant: &mut C) -> u64 {
    let whole = contestant.whole().max(1);
    let mut calls = whole;
    loop {
        let start = ring.clock.now();
        contestant.run(calls);
        if contestant.failure().is_some() {
            return 1;
        }
        let took = (ring.clock.now() - start).max(1);
        if took >= slice / 4 {
            let fill = (calls as f64 * slice as f64 / took as f64).ceil().max(1.0) as u64;
            return fill.next_multiple_of(whole);
        }
        // Not too far at once: the first calls are slower than the rest.
        calls = calls.saturating_mul((slice / took).clamp(2, 10));
    }
}

/// Runs `work` for each party on a thread of its own, the first on this one, and gives what each gave. All
/// get a gate, at which they wait for one another; the first gets `tick`, the others one that does nothing.
///
/// Where there may not be so many threads, none has come through the gate.
pub fn side_by_side<T: Send, R: Send>(
    parties: Vec<T>,
    tick: &dyn Fn(),
    work: impl Fn(T, &dyn Fn(), &dyn Fn()) -> R + Sync,
) -> Result<Vec<R>, TooManyThreads> {
    let threads = parties.len();
    let gate = Gate::new(threads);
    let run = |party, tick: &dyn Fn()| {
        let _party = gate.party();
        work(party, &|| gate.wait(), tick)
    };
    let mut parties = parties.into_iter();
    let Some(first) = parties.next() else { return Ok(Vec::new()) };
    thread::scope(|scope| {
        let mut others = Vec::new();
        for party in parties {
            let run = &run;
            let begin = move || run(party, &|| ());
            match thread::Builder::new().spawn_scoped(scope, begin) {
                Ok(thread) => others.push(thread),
                Err(error) => {
                    gate.abandon();
                    // They end at the gate, and that is no fault of theirs.
                    others.into_iter().for_each(|thread| drop(thread.join()));
                    return Err(TooManyThreads { threads, error });
                }
            }
        }
        let mut all = vec![run(first, tick)];
        for thread in others {
            all.push(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        Ok(all)
    })
}

/// The system refuses so many threads: a limit of processes, or memory for their stacks.
#[derive(Debug)]
pub struct TooManyThreads {
    threads: usize,
    error: io::Error,
}

impl fmt::Display for TooManyThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { threads, error } = self;
        write!(f, "{threads} threads may not run here: {error}; take fewer with --threads")
    }
}

impl std::error::Error for TooManyThreads {}

/// Adds up threads that ran the same contest at the same time: their joint time for one byte of any,
/// slice by slice. More threads than CPUs take turns, which a slice is too short to see: together they are no faster than
/// so many CPUs.
pub fn together(threads: &[Samples], cpus: usize) -> Samples {
    let shortest = threads.iter().map(|one| one.slices.len()).min().unwrap_or(0);
    let slices = (0..shortest).map(|i| {
        let rate: f64 = threads.iter().map(|one| 1.0 / one.slices[i].nanos.max(1e-3)).sum();
        let cpu: f64 = threads.iter().map(|one| one.slices[i].cpu_nanos).sum();
        let busy = |one: &Samples| one.slices[i].cpu_nanos / one.slices[i].nanos.max(1e-3);
        let turns = (threads.iter().map(busy).sum::<f64>() / cpus.max(1) as f64).max(1.0);
        Slice { nanos: turns / rate, cpu_nanos: cpu / threads.len() as f64 }
    });
    Samples { slices: slices.collect(), bytes: threads.first().map_or(0, |one| one.bytes) }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use super::*;

    /// A clock that only work moves.
    #[derive(Clone, Default)]
    struct Work(Rc<Cell<u64>>);

    impl Clock for Work {
        fn now(&self) -> u64 {
            self.0.get()
        }
    }

    /// Each call takes `cost` nanoseconds, more and more as the clock drifts.
    struct Fake {
        cost: u64,
        drift: bool,
        work: Work,
        name: char,
        order: Rc<RefCell<String>>,
    }

    impl Contestant for Fake {
        fn run(&mut self, calls: u64) {
            let now = self.work.0.get();
            let slow = if self.drift { 1 + now / 50_000_000 } else { 1 };
            self.work.0.set(now + calls * self.cost * slow);
            self.order.borrow_mut().push(self.name);
        }
        fn bytes(&self) -> u64 {
            16
        }
    }

    fn contest(drift: bool, rounds: usize) -> (Vec<Samples>, String) {
        let work = Work::default();
        let order = Rc::new(RefCell::new(String::new()));
        let fake = |name, cost| -> Box<dyn Contestant> {
            Box::new(Fake { cost, drift, work: work.clone(), name, order: order.clone() })
        };
        let mut all = [fake('a', 100), fake('b', 50), fake('c', 200)];
        let ring = Ring { clock: &work, cpu: &work, gate: &|| (), tick: &|| () };
        let samples = run(&ring, Effort { slice: 1_000_000, rounds }, &mut all);
        let order = order.borrow();
        let turns = order[order.len() - 3 * rounds..].to_owned();
        (samples, turns)
    }

    #[test]
    fn turns_rotate() {
        assert_eq!(contest(false, 4).1, "abcbcacababc");
    }

    #[test]
    fn times_are_per_call() {
        let (samples, _) = contest(false, 3);
        assert_eq!(samples[0].nanos(), [100.0; 3]);
        assert_eq!(samples[1].nanos(), [50.0; 3]);
        assert_eq!(samples[1].nanos_per_byte(), [3.125; 3]);
        assert_eq!(samples[2].mean_cpu_nanos(), 200.0);
    }

    /// Takes 1000 ns, of which it sleeps 990.
    struct Sleeper(Work, Work);

    impl Contestant for Sleeper {
        fn run(&mut self, calls: u64) {
            self.0.0.set(self.0.now() + calls * 1000);
            self.1.0.set(self.1.now() + calls * 10);
        }
        fn bytes(&self) -> u64 {
            16
        }
    }

    #[test]
    fn a_sleeper_is_measured_by_both_clocks_and_does_not_take_for_ever() {
        let (elapsed, cpu) = (Work::default(), Work::default());
        let ring = Ring { clock: &elapsed, cpu: &cpu, gate: &|| (), tick: &|| () };
        let mut one = [Box::new(Sleeper(elapsed.clone(), cpu.clone()))];
        let samples = run(&ring, Effort { slice: 100_000, rounds: 7 }, &mut one);
        assert_eq!(samples[0].nanos(), [1000.0; 7]);
        assert_eq!(samples[0].cpu_nanos(), [10.0; 7]);
        // Seven slices, and less than two for finding out how long they are.
        assert!((700_000..900_000).contains(&elapsed.now()), "{}", elapsed.now());
    }

    #[test]
    fn a_drifting_clock_leaves_the_ratio_alone() {
        let (samples, _) = contest(true, 90);
        let ratio = crate::statistics::paired_ratio(&samples[0].nanos(), &samples[1].nanos());
        assert!((ratio.expect("pairs").median - 2.0).abs() < 0.1);
        let times = samples[0].nanos();
        assert!(times[89] > 2.0 * times[0], "the clock did drift");
    }

    #[test]
    fn a_plan_keeps_to_its_time() {
        assert_eq!(Effort::lasting(0.1), Effort { slice: 1_000_000, rounds: 100 });
        assert_eq!(Effort::lasting(0.0), Effort { slice: 20_000, rounds: 7 });
        let short = Effort::lasting(0.001);
        assert!(short.rounds >= 7 && short.slice * short.rounds as u64 <= 1_100_000);
    }

    #[test]
    fn parties_run_at_once_and_one_of_them_ticks() {
        let ticks = Cell::new(0);
        let all =
            side_by_side(vec![1, 2, 3], &|| ticks.set(ticks.get() + 1), |party, gate, tick| {
                // Nobody comes through before all are there.
                gate();
                tick();
                10 * party
            });
        assert_eq!((all.expect("threads"), ticks.get()), (vec![10, 20, 30], 1));
        assert!(side_by_side(Vec::<u8>::new(), &|| (), |_, _, _| ()).expect("none").is_empty());
    }

    #[test]
    fn nobody_waits_for_a_party_that_has_failed() {
        for failing in [1, 2, 3] {
            let all = std::panic::catch_unwind(|| {
                side_by_side(vec![1, 2, 3], &|| (), |party, gate, _| {
                    gate();
                    assert_ne!(party, failing);
                    gate();
                    gate();
                })
            });
            assert!(all.is_err(), "{failing}");
        }
    }

    /// Calls that only make sense by fours.
    struct Fours(Work, Vec<u64>);

    impl Contestant for Fours {
        fn run(&mut self, calls: u64) {
            self.0.0.set(self.0.now() + calls * 30_000);
            self.1.push(calls);
        }
        fn bytes(&self) -> u64 {
            16
        }
        fn whole(&self) -> u64 {
            4
        }
    }

    #[test]
    fn a_slice_has_whole_rounds_however_slow_they_are() {
        for slice in [1_000, 100_000, 1_000_000] {
            let work = Work::default();
            let ring = Ring { clock: &work, cpu: &work, gate: &|| (), tick: &|| () };
            let mut one = [Box::new(Fours(work.clone(), Vec::new()))];
            let samples = run(&ring, Effort { slice, rounds: 7 }, &mut one);
            assert!(one[0].1.iter().all(|calls| calls % 4 == 0), "{:?}", one[0].1);
            assert_eq!(samples[0].nanos(), [30_000.0; 7]);
        }
    }

    #[test]
    fn threads_add_up() {
        let one = Samples { slices: vec![Slice { nanos: 10.0, cpu_nanos: 9.0 }; 2], bytes: 16 };
        let both = together(&[one.clone(), one.clone()], 2);
        assert_eq!(both.slices, [Slice { nanos: 5.0, cpu_nanos: 9.0 }; 2]);
        // On one CPU they take turns, unless they sleep.
        let turns = together(&[one.clone(), one.clone()], 1);
        assert_eq!(turns.slices, [Slice { nanos: 9.0, cpu_nanos: 9.0 }; 2]);
        let asleep = Samples { slices: vec![Slice { nanos: 10.0, cpu_nanos: 1.0 }; 2], ..one };
        assert_eq!(together(&[asleep.clone(), asleep], 1).slices[0].nanos, 5.0);
    }
}
