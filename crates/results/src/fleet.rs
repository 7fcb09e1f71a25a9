//! A fleet: the results of many hosts, of which only what is compared is kept, so that there may be tens of thousands.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use wirespeed_cipher::{Direction, Subject, Use};

use crate::schema::bench::Bench;
use crate::schema::stats::Stats;
use crate::schema::survey::Survey;
use crate::schema::{Document as _, HOST, Machine};

/// What was done: algorithm, direction, use and size.
pub type Work = (String, String, String, usize);

/// How fast a host does something.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// By its own OpenSSL.
    pub openssl: Option<f64>,
    /// By whatever is fastest.
    pub best: f64,
    /// What that is.
    pub route: String,
}

/// Hosts that are alike.
#[derive(Clone, Debug)]
pub struct Kind {
    /// What they are.
    pub words: String,
    /// The same without the OpenSSL: kinds in which this is equal differ by their OpenSSL alone.
    pub hardware: String,
    /// Their OpenSSL.
    pub openssl: String,
    /// Each host's rates.
    pub hosts: BTreeMap<String, BTreeMap<Work, Rates>>,
}

/// What is read of a file, of whichever kind: all else is passed over unread, for there are many.
#[derive(Deserialize)]
struct Document<'t> {
    #[serde(borrow)]
    schema: Cow<'t, str>,
    seconds: Option<f64>,
    machine: Option<Machine>,
    #[serde(borrow)]
    rows: Vec<Row<'t>>,
}

/// A row of a benchmark or of counters.
#[derive(Deserialize)]
struct Row<'t> {
    #[serde(borrow)]
    algorithm: Cow<'t, str>,
    #[serde(borrow)]
    direction: Cow<'t, str>,
    #[serde(borrow)]
    route: Cow<'t, str>,
    #[serde(rename = "use")]
    usage: Option<String>,
    size: Option<usize>,
    threads: Option<usize>,
    bytes_per_second: Option<f64>,
    lanes: Option<usize>,
    driver: Option<String>,
    without: Option<String>,
    openssl: Option<String>,
    bytes: Option<f64>,
    calls: Option<f64>,
}

impl Row<'_> {
    /// The direction by which benchmarks know it. Counters have that of the call, where both are the same work, too.
    fn direction_measured(&self) -> &str {
        match self.algorithm.parse::<Subject>() {
            Ok(subject) if subject.is_symmetric() => subject.direction(Direction::Encrypt),
            _ => &self.direction,
        }
    }

    /// The same work on every host: one thread with all instructions, by the host's own OpenSSL or ours.
    fn take_into(&self, rates: &mut BTreeMap<Work, Rates>) {
        let is_plain =
            [&self.driver, &self.without, &self.openssl].into_iter().all(Option::is_none)
                && self.threads == Some(1)
                && self.lanes.is_none_or(|lanes| lanes == 1);
        let rate = self.bytes_per_second.filter(|rate| rate.is_finite() && *rate > 0.0);
        let (Some(usage), Some(size), Some(rate), true) = (&self.usage, self.size, rate, is_plain)
        else {
            return;
        };
        let [algorithm, direction] =
            [&self.algorithm, &self.direction].map(|it| it.clone().into_owned());
        let new = || Rates { openssl: None, best: 0.0, route: String::new() };
        let it = rates.entry((algorithm, direction, usage.clone(), size)).or_insert_with(new);
        if self.route == HOST {
            it.openssl = Some(rate);
        }
        if rate > it.best {
            it.best = rate;
            it.route = self.route.clone().into_owned();
        }
    }
}

/// What programs did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Done {
    /// Bytes.
    pub bytes: f64,
    /// Calls.
    pub calls: f64,
}

impl Done {
    /// How it compares to what of this was measured: rates of messages of about that size.
    pub fn like<'r>(&self, rates: &'r BTreeMap<Work, Rates>, of: [&str; 2]) -> Option<&'r Rates> {
        let mean = (self.bytes / self.calls.max(1.0)).max(1.0);
        let of_it = |(work, _): &(&Work, &Rates)| {
            [&*work.0, &*work.1] == of && work.2 == Use::Message.name()
        };
        let far = |size: usize| (size.max(1) as f64 / mean).ln().abs();
        let nearest = rates.iter().filter(of_it);
        let nearest = nearest.min_by(|(one, _), (other, _)| far(one.3).total_cmp(&far(other.3)));
        nearest.map(|(_, rates)| rates)
    }
}

/// All of a fleet's results.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    /// By [`Machine::kind`].
    pub kinds: BTreeMap<String, Kind>,
    /// What programs of a host did in a day, by algorithm, direction and route.
    pub done_a_day: BTreeMap<String, BTreeMap<(String, String, String), Done>>,
    /// Files that were not understood, each with the reason.
    pub damaged: Vec<String>,
}

/// Seconds of a day.
const DAY: f64 = 86_400.0;

impl Fleet {
    /// Takes in a host's file: a survey, a benchmark, or what `wirespeed stats` wrote.
    pub fn add(&mut self, host: &str, text: &str) {
        if let Err(why) = self.understand(host, text) {
            self.damaged.push(format!("{host}: {why}"));
        }
    }

    fn understand(&mut self, host: &str, text: &str) -> Result<(), String> {
        let document: Document<'_> = serde_json::from_str(text).map_err(|why| why.to_string())?;
        let Document { schema, seconds, machine, rows } = document;
        match &*schema {
            Stats::SCHEMA => return self.count(host, seconds, &rows),
            Bench::SCHEMA | Survey::SCHEMA => {}
            other => return Err(format!("its schema is {other}: no survey, bench or stats")),
        }
        let machine = machine.ok_or("it names no machine")?;
        let kind = self.kinds.entry(machine.kind()).or_insert_with(|| Kind::of(&machine));
        let rates = kind.hosts.entry(host.to_owned()).or_default();
        rows.iter().for_each(|row| row.take_into(rates));
        Ok(())
    }

    fn count(&mut self, host: &str, seconds: Option<f64>, rows: &[Row<'_>]) -> Result<(), String> {
        if rows.is_empty() {
            return Ok(());
        }
        let seconds = seconds.filter(|seconds| *seconds > 0.0).ok_or("it says not how long")?;
        let done = self.done_a_day.entry(host.to_owned()).or_default();
        for row in rows {
            let what =
                [&*row.algorithm, row.direction_measured(), &*row.route].map(ToOwned::to_owned);
            let it: &mut Done = done.entry(what.into()).or_default();
            it.bytes += row.bytes.unwrap_or(0.0) * DAY / seconds;
            it.calls += row.calls.unwrap_or(0.0) * DAY / seconds;
        }
        Ok(())
    }

    /// How many hosts have figures.
    pub fn hosts(&self) -> usize {
        self.kinds.values().map(|kind| kind.hosts.len()).sum()
    }
}

impl Kind {
    fn of(machine: &Machine) -> Self {
        let without = Machine { libcrypto: None, ..machine.clone() };
        Self {
            words: machine.kind_in_words(),
            hardware: without.kind(),
            openssl: machine.openssl().unwrap_or("unknown").to_owned(),
            hosts: BTreeMap::new(),
        }
    }

    /// Everything that any of its hosts was measured at.
    pub fn works(&self) -> Vec<Work> {
        let mut works: Vec<Work> = self.hosts.values().flat_map(|it| it.keys().cloned()).collect();
        works.sort();
        works.dedup();
        works
    }

    /// What its hosts have for a piece of work, in order.
    pub fn values(&self, work: &Work, value: impl Fn(&Rates) -> Option<f64>) -> Vec<f64> {
        let mut values: Vec<f64> =
            self.hosts.values().filter_map(|rates| value(rates.get(work)?)).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// How far a host is behind the fastest of its kind where it is furthest behind, and where that is.
    pub fn behind(&self) -> Vec<(&str, &Work, f64)> {
        let fastest: BTreeMap<Work, f64> = self
            .works()
            .into_iter()
            .filter_map(|work| {
                let best = self.values(&work, |rates| Some(rates.best)).last().copied()?;
                Some((work, best))
            })
            .collect();
        let furthest = self.hosts.iter().filter_map(|(host, rates)| {
            let behind = rates
                .iter()
                .filter_map(|(work, it)| Some((work, 1.0 - it.best / fastest.get(work)?)));
            let (work, share) = behind.max_by(|one, other| one.1.total_cmp(&other.1))?;
            Some((host.as_str(), work, share))
        });
        furthest.collect()
    }
}

/// The middle of values in order.
pub fn median(values: &[f64]) -> Option<f64> {
    let middle = values.len() / 2;
    match values.len() % 2 {
        _ if values.is_empty() => None,
        0 => Some(f64::midpoint(values[middle - 1], values[middle])),
        _ => Some(values[middle]),
    }
}

/// The geometric mean of ratios.
pub fn mean(ratios: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0.0);
    for ratio in ratios {
        sum += ratio.ln();
        count += 1.0;
    }
    (count > 0.0).then(|| (sum / count).exp())
}

#[cfg(test)]
mod tests;
