//! One suite in one direction with packets of one kind, by everybody in turns.

use std::fmt;

use wirespeed_bench::Absent;
use wirespeed_cipher::Direction;
use wirespeed_measure::Contestant;
use wirespeed_measure::statistics::Estimate;
use wirespeed_measure::{Clock, Effort, Samples, ThreadTime, WallTime, contest, noise};
use wirespeed_results::schema::vpn::Row;

use crate::candidate::{Candidate, Gateway};
use crate::sizes::Sizes;
use crate::suite::Suite;
use crate::traffic::Traffic;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// The suite.
    pub suite: Suite,
    /// Whether packets are sealed or opened.
    pub direction: Direction,
    /// How long they are.
    pub sizes: Sizes,
    /// Threads at once, each with contexts and packets of its own.
    pub threads: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { suite, direction, sizes, threads } = self;
        write!(f, "{} {direction} {sizes} x{threads}", suite.keyword)
    }
}

/// A case, measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// A row for each candidate, in the order asked for.
    pub rows: Vec<Row>,
    /// What disturbed it.
    pub noise: Vec<noise::Noise>,
}

/// Of the time for each figure, the part that goes into latencies.
const LATENCY_SHARE: f64 = 0.2;

fn effort(seconds: f64) -> Effort {
    Effort::lasting(seconds * (1.0 - LATENCY_SHARE))
}

/// How often [`measure`] ticks at most.
pub fn ticks(candidates: &[Candidate], seconds: f64) -> u64 {
    (candidates.len() * effort(seconds).rounds) as u64
}

/// Measures a case for all candidates, so many seconds for each; `tick` is called once for each slice.
///
/// One thread is measured by its CPU time; several by elapsed time, for each may wait for the others.
pub fn measure(
    gateway: &Gateway<'_>,
    case: &Case,
    candidates: &[Candidate],
    seconds: f64,
    tick: &dyn Fn(),
) -> Measured {
    let present = |candidate: &Candidate| -> Result<Vec<Box<Traffic>>, Absent> {
        let one = |_| Traffic::new(gateway, *candidate, case).map(Box::new);
        (0..case.threads).map(one).collect()
    };
    let mut parties: Vec<Vec<Box<Traffic>>> = (0..case.threads).map(|_| Vec::new()).collect();
    let here: Vec<Result<(), Absent>> = candidates
        .iter()
        .map(|candidate| {
            let each = present(candidate)?;
            parties.iter_mut().zip(each).for_each(|(party, traffic)| party.push(traffic));
            Ok(())
        })
        .collect();
    let clock: &(dyn Clock + Sync) = if case.threads > 1 { &WallTime } else { &ThreadTime };
    let latency_nanos = (seconds * LATENCY_SHARE * 1e9) as u64;
    let (cpu, wall) = (ThreadTime.now(), WallTime.now());
    let per_thread = contest::side_by_side(parties, tick, |mut turns, gate, tick| {
        let ring = contest::Ring { clock, cpu: &ThreadTime, gate, tick };
        let samples = contest::run(&ring, effort(seconds), &mut turns);
        let latencies = turns.iter_mut().map(|traffic| {
            gate();
            traffic.latencies(latency_nanos)
        });
        let latencies: Vec<_> = latencies.collect();
        let failures = turns.iter().map(|traffic| traffic.failure().map(str::to_owned));
        samples.into_iter().zip(latencies).zip(failures).collect::<Vec<_>>()
    });
    let (per_thread, here) = match per_thread {
        Ok(per_thread) => (per_thread, here),
        Err(error) => {
            let why = |one: Result<(), Absent>| one.and_then(|()| Err(Absent(error.to_string())));
            (Vec::new(), here.into_iter().map(why).collect())
        }
    };
    let busy = noise::Noise::in_share(ThreadTime.now() - cpu, WallTime.now() - wall);
    let mut measured = Measured::default();
    measured.noise.extend(busy.filter(|_| case.threads == 1));
    let mut place = 0..;
    for (candidate, here) in candidates.iter().zip(here) {
        let route = gateway.route(*candidate, case.suite);
        let row = blank(case, candidate.in_flight(), route.as_deref().unwrap_or(NO_ROUTE));
        if let Err(why) = here {
            measured.rows.push(Row { absent: Some(why.to_string()), ..row });
            continue;
        }
        let place = place.next().expect("no end of places");
        let mut failures = per_thread.iter().filter_map(|thread| thread[place].1.clone());
        if let Some(why) = failures.next() {
            measured.rows.push(Row { absent: Some(why), ..row });
            continue;
        }
        let of_candidate = per_thread.iter().map(|thread| &thread[place].0);
        let samples: Vec<Samples> = of_candidate.clone().map(|it| it.0.clone()).collect();
        let latencies: Vec<u64> = of_candidate.flat_map(|it| it.1.iter().copied()).collect();
        let samples = contest::together(&samples, wirespeed_measure::cpus());
        measured.noise.extend(noise::Noise::in_times(&samples.nanos()));
        measured.rows.push(filled(row, &samples, latencies));
    }
    measured.noise.sort_unstable();
    measured.noise.dedup();
    measured
}

/// The route of what is not there.
const NO_ROUTE: &str = "none";

/// A row without figures.
fn blank(case: &Case, in_flight: usize, route: &str) -> Row {
    Row {
        suite: case.suite.name.to_owned(),
        direction: case.direction.name().to_owned(),
        packet: case.sizes.to_string(),
        packet_bytes: case.sizes.mean(|bytes| bytes),
        threads: case.threads,
        in_flight,
        route: route.to_owned(),
        ..Row::default()
    }
}

/// A row with its figures.
fn filled(row: Row, samples: &Samples, mut latencies: Vec<u64>) -> Row {
    latencies.sort_unstable();
    let estimate = Estimate::of(&samples.nanos()).expect("an effort has rounds");
    let packets_per_second = 1e9 / estimate.median.max(1e-3);
    Row {
        packets_per_second: Some(packets_per_second),
        bytes_per_second: Some(packets_per_second * row.packet_bytes),
        median_ns: percentile(&latencies, 50),
        p90_ns: percentile(&latencies, 90),
        p99_ns: percentile(&latencies, 99),
        cpu_ns: Some(samples.mean_cpu_nanos()),
        ..row
    }
}

/// The smallest of these sorted values that is not below so many per cent of them.
fn percentile(sorted: &[u64], percent: usize) -> Option<f64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).map(|nanos| *nanos as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest-rank method on its usual example: 15 20 35 40 50.
    #[test]
    fn percentiles_by_nearest_rank() {
        let values = [15, 20, 35, 40, 50];
        assert_eq!(percentile(&values, 30), Some(20.0));
        assert_eq!(percentile(&values, 40), Some(20.0));
        assert_eq!(percentile(&values, 50), Some(35.0));
        assert_eq!(percentile(&values, 100), Some(50.0));
        assert_eq!(percentile(&[], 50), None);
    }
}
