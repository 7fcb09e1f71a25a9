//! The judgement: from measured gains to routes. Pure; the figures come from outside.
//!
//! A route of ours takes a cell from the host's libcrypto only by a clear margin in some use, and only
//! if it is clearly worse in none. What stands in an earlier plan of the same machine stays until
//! something beats it clearly, so that two runs of `wirespeed tune` agree. Among routes of ours of
//! which none clearly beats the others in a cell, that one serves which stands so in most cells: a
//! plan that changes its route with every size would show nothing but noise.
//!
//! Where the code of libcrypto looks up in tables, whoever asks for constant time has the cell for a route of ours
//! whatever it costs, see [`judge_constant_time`].

use wirespeed_cipher::{Algorithm, Direction, Route, SIZE_CLASSES, Use};

use crate::look_ups::LibcryptoCode;
use crate::row::{Reason, Row};
use crate::sizes::size_bucket;
use crate::table::Plan;
use crate::time::Time;

/// What a clear margin is: two runs on a quiet machine differ by about as much.
pub const MARGIN: f64 = 0.03;

/// What a call may lose at most for the sake of others.
const MOST: f64 = 0.1;

/// What a packet has, of those that were measured.
const PACKET: usize = 1420;

/// How many times as fast: a median and its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The lower end.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// The upper end.
    pub high: f64,
}

/// The host's libcrypto against itself.
const EQUAL: Ratio = Ratio { low: 1.0, median: 1.0, high: 1.0 };

/// What was measured of one route in one case, beside the host's libcrypto.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// The direction; encryption for modes that are the same both ways.
    pub direction: Direction,
    /// The use.
    pub usage: Use,
    /// The size class.
    pub size: usize,
    /// The route. `libcrypto` is our provider handing the call on to the host's.
    pub route: Route,
    /// How many times as fast as the host's libcrypto, pair by pair. Of the kernel in elapsed time, not in
    /// CPU time as of all others: whoever waits for a device that works costs little, and waits.
    pub gain: Ratio,
    /// One call.
    pub time: Time,
    /// One call by the host's libcrypto, in the same turns.
    pub host: Time,
}

/// Whether a route takes a hash function from the host's libcrypto: faster by a clear margin over all
/// cases of some use, and clearly slower in none.
pub fn judge_digest(gains: &[(Use, Ratio)]) -> bool {
    let is_faster = |usage: Use| {
        let cases = gains.iter().filter(|(it, _)| *it == usage);
        mean_logarithm(cases.map(|(_, gain)| gain.median)) > MARGIN.ln_1p()
    };
    Use::ALL.into_iter().any(is_faster) && gains.iter().all(|(_, it)| it.high >= 1.0 - MARGIN)
}

/// From which size on a way to Linux's crypto serves something that has no rows: the smallest at which, and at all
/// above, it clearly beats whoever else was measured in some use, and is clearly slower in none. Where an
/// earlier plan gave it a size, it keeps it until it falls behind.
pub fn judge_offload(
    route: Route,
    direction: Direction,
    trials: &[Trial],
    incumbent: Option<usize>,
) -> Option<usize> {
    let size_buckets = SIZE_CLASSES.chunk_by(|a, b| size_bucket(*a) == size_bucket(*b));
    let cells: Vec<Cell<'_>> = size_buckets
        .map(|size_bucket| Cell { direction, sizes: size_bucket.to_vec(), trials })
        .collect();
    let serves = |cell: &&Cell<'_>| {
        let others = cell.own().filter(|other| *other != route).map(Some).chain([None]);
        let stands = incumbent.is_some_and(|size| cell.sizes[0] >= size);
        stands && cell.holds(route) || others.into_iter().all(|other| cell.beats(route, other))
    };
    cells.iter().rev().take_while(serves).last().map(|cell| cell.sizes[0])
}

/// Chooses the routes of one algorithm from all that was measured of it; `incumbents` is an earlier
/// plan with the same fingerprint. No rows if a size class was not measured.
///
/// If nothing of ours wins, or if in a cell that the host wins both our routes and handing calls on to
/// it would be slower by clearly more than the margin, every row is `libcrypto`: the algorithm is not
/// claimed, for it can only be claimed whole, and nothing is to be slower than it was. Short calls that are handed on may
/// lose a tenth where a packet wins thirty times as much time: [`Cell::is_made_up_for`].
pub fn judge(algorithm: Algorithm, trials: &[Trial], incumbents: Option<&Plan>) -> Vec<Row> {
    decide(algorithm, trials, incumbents, |_| false)
}

/// The same where a cell in which libcrypto looks up in tables goes to the best of our own routes, even if that is
/// slower. Such an algorithm is always claimed. A row says so if speed alone had left it to libcrypto.
///
/// Linux's crypto gets no cell: nobody knows how its drivers look up.
pub fn judge_constant_time(
    algorithm: Algorithm,
    trials: &[Trial],
    incumbents: Option<&Plan>,
    libcrypto: LibcryptoCode,
) -> Vec<Row> {
    let own: Vec<Trial> =
        trials.iter().filter(|trial| !trial.route.is_offload()).copied().collect();
    let looks_up = |direction| libcrypto.looks_up(algorithm, direction).is_some();
    let mut rows = decide(algorithm, &own, incumbents, looks_up);
    let by_speed = judge(algorithm, &own, incumbents);
    for (row, by_speed) in rows.iter_mut().zip(by_speed) {
        let forced = by_speed.route == Route::Libcrypto && row.route != Route::Libcrypto;
        if !forced || !looks_up(row.direction) {
            continue;
        }
        let cell = Cell { direction: row.direction, sizes: vec![row.size], trials: &own };
        row.reason = cell.reason(Some(row.route), row.size, true);
    }
    rows
}

/// Cells in a direction that `takes` go to a route of ours.
fn decide(
    algorithm: Algorithm,
    trials: &[Trial],
    incumbents: Option<&Plan>,
    takes: impl Fn(Direction) -> bool,
) -> Vec<Row> {
    let cells: Vec<Cell<'_>> = algorithm
        .directions()
        .iter()
        .flat_map(|&direction| {
            let size_buckets = SIZE_CLASSES.chunk_by(|a, b| size_bucket(*a) == size_bucket(*b));
            size_buckets.map(move |size_bucket| (direction, size_bucket.to_vec()))
        })
        .map(|(direction, sizes)| Cell { direction, sizes, trials })
        .collect();
    if !cells.iter().all(Cell::is_measured) {
        return Vec::new();
    }
    let incumbent = |cell: &Cell<'_>| {
        let row = incumbents?.row(algorithm, cell.direction, cell.sizes[0])?;
        Some(row.route).filter(|route| *route != Route::Libcrypto)
    };
    let winners = cells.iter().map(|cell| {
        let winners = cell.winners(incumbent(cell));
        match winners.is_empty() && takes(cell.direction) {
            true => cell.least_losses(incumbent(cell)),
            false => winners,
        }
    });
    let winners: Vec<Vec<Route>> = winners.collect();
    let routes: Vec<Route> = cells
        .iter()
        .zip(&winners)
        .map(|(cell, alike)| {
            let serves = |route: &Route| {
                let others = cells.iter().zip(&winners);
                let there = others.filter(|(other, _)| other.direction == cell.direction);
                there.filter(|(_, winners)| winners.contains(route)).count()
            };
            let most = alike.iter().map(serves).max();
            let widest = alike.iter().copied().filter(|route| Some(serves(route)) == most);
            cell.best(widest).unwrap_or_else(|| cell.stand_in())
        })
        .collect();
    let is_faster = winners.iter().any(|alike| !alike.is_empty());
    let packets = cells.iter().zip(&routes).filter(|(cell, _)| cell.sizes.contains(&PACKET));
    let won = packets.map(|(cell, route)| -cell.cost(*route, PACKET)).fold(0.0, f64::max);
    let is_slower = cells
        .iter()
        .zip(&routes)
        .any(|(cell, route)| cell.is_slow(*route) && !cell.is_made_up_for(*route, won));
    let is_taken = cells.iter().any(|cell| takes(cell.direction)) && is_faster;
    let claimed = is_taken || is_faster && !is_slower;
    let chosen = cells.iter().zip(routes);
    chosen.flat_map(|(cell, route)| cell.rows(algorithm, claimed.then_some(route))).collect()
}

/// The logarithm of the geometric mean; 0, which is no gain and no loss, without any ratios.
fn mean_logarithm(ratios: impl Iterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = ratios.map(|ratio| ratio.max(f64::MIN_POSITIVE).ln()).collect();
    logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64
}

/// The size classes of one size bucket in one direction: they get one route.
struct Cell<'a> {
    direction: Direction,
    sizes: Vec<usize>,
    /// Of all cells.
    trials: &'a [Trial],
}

impl Cell<'_> {
    /// What was measured here.
    fn here(&self) -> impl Iterator<Item = &Trial> {
        let here =
            |trial: &&Trial| trial.direction == self.direction && self.sizes.contains(&trial.size);
        self.trials.iter().filter(here)
    }

    /// What was measured of a route, in all uses.
    fn of(&self, route: Route, size: usize) -> impl Iterator<Item = &Trial> {
        self.here().filter(move |trial| (trial.route, trial.size) == (route, size))
    }

    fn is_measured(&self) -> bool {
        self.sizes.iter().all(|size| self.here().any(|trial| trial.size == *size))
    }

    /// Our own routes, and never twice the same.
    fn own(&self) -> impl Iterator<Item = Route> {
        let measured = |route: &Route| self.here().any(|trial| trial.route == *route);
        Route::ALL.into_iter().filter(|route| *route != Route::Libcrypto).filter(measured)
    }

    /// The gain of a route in a case; without a route, of the host itself.
    fn gain(&self, route: Option<Route>, usage: Use, size: usize) -> Option<Ratio> {
        let Some(route) = route else { return Some(EQUAL) };
        let same = |trial: &&Trial| (trial.route, trial.usage, trial.size) == (route, usage, size);
        self.here().find(same).map(|trial| trial.gain)
    }

    /// Whether at every size the challenger is clearly faster in some use, and clearly slower in none.
    fn beats(&self, challenger: Route, holder: Option<Route>) -> bool {
        self.sizes.iter().all(|&size| {
            let pair = |usage| {
                Some((self.gain(Some(challenger), usage, size)?, self.gain(holder, usage, size)?))
            };
            let pairs: Vec<(Ratio, Ratio)> = Use::ALL.into_iter().filter_map(pair).collect();
            let wins = pairs.iter().any(|(a, b)| a.low > b.high * (1.0 + MARGIN));
            let loses = pairs.iter().any(|(a, b)| a.high < b.low);
            wins && !loses
        })
    }

    /// Whether an incumbent need not go: at every size ahead of the host in some use, if not clearly,
    /// and clearly slower in none.
    fn holds(&self, incumbent: Route) -> bool {
        self.sizes.iter().all(|&size| {
            let gain = |usage| self.gain(Some(incumbent), usage, size);
            let gains: Vec<Ratio> = Use::ALL.into_iter().filter_map(gain).collect();
            gains.iter().any(|gain| gain.median > 1.0) && gains.iter().all(|gain| gain.high >= 1.0)
        })
    }

    /// Our routes that have earned this cell: the best, and those that it does not clearly beat.
    fn winners(&self, incumbent: Option<Route>) -> Vec<Route> {
        let incumbent = incumbent.filter(|route| self.holds(*route));
        let earned = |route: &Route| self.beats(*route, None);
        let ahead = |route: &Route| incumbent.is_none() || self.beats(*route, incumbent);
        let fit: Vec<Route> = self.own().filter(earned).filter(ahead).collect();
        let Some(best) = self.best(fit.iter().copied()) else {
            return incumbent.into_iter().collect();
        };
        let alike = |route: &Route| *route == best || !self.beats(best, Some(*route));
        fit.into_iter().filter(alike).collect()
    }

    /// Our route that loses least, and those that it does not clearly beat. The incumbent stays until it is beaten so.
    fn least_losses(&self, incumbent: Option<Route>) -> Vec<Route> {
        let Some(best) = self.best(self.own()) else { return Vec::new() };
        let alike = |route: &Route| *route == best || !self.beats(best, Some(*route));
        let alike: Vec<Route> = self.own().filter(alike).collect();
        match incumbent.filter(|it| alike.contains(it)) {
            Some(incumbent) => vec![incumbent],
            None => alike,
        }
    }

    /// Where the host stays, but the algorithm is ours: calls are handed on to it, unless that detour
    /// is slow and a route of ours is not, or is clearly faster.
    fn stand_in(&self) -> Route {
        const DETOUR: Route = Route::Libcrypto;
        let ahead = |route: &Route| {
            self.beats(*route, Some(DETOUR)) || self.is_slow(DETOUR) && !self.is_slow(*route)
        };
        let measured = self.here().any(|trial| trial.route == DETOUR);
        let fast = self.own().filter(|route| measured && *route != Route::Portable);
        self.best(fast.filter(ahead)).unwrap_or(DETOUR)
    }

    /// Whether at any size a route is slower than the host by clearly more than the margin, its uses
    /// taken together: a little less for packets may be made up for by new keys. No use may lose more than
    /// [`MOST`] by a route of ours.
    fn is_slow(&self, route: Route) -> bool {
        let loses_much = |trial: &Trial| trial.gain.high < 1.0 - MOST;
        self.sizes.iter().any(|&size| {
            let mean = mean_logarithm(self.of(route, size).map(|trial| trial.gain.high));
            mean < (-MARGIN).ln_1p()
                || route != Route::Libcrypto && self.of(route, size).any(loses_much)
        })
    }

    /// What a call by this route costs more than by the host, in nanoseconds: the mean of its uses.
    fn cost(&self, route: Route, size: usize) -> f64 {
        let costs: Vec<f64> =
            self.of(route, size).map(|trial| trial.time.nanos() - trial.host.nanos()).collect();
        costs.iter().sum::<f64>() / costs.len().max(1) as f64
    }

    /// Whether calls that are handed on lose a tenth at most, and a packet wins thirty times what one of them loses, in
    /// whatever direction. The way there takes the same few nanoseconds for a call of any length.
    fn is_made_up_for(&self, route: Route, won: f64) -> bool {
        const TIMES: f64 = 30.0;
        route == Route::Libcrypto
            && self.sizes.iter().all(|&size| {
                let gain = mean_logarithm(self.of(route, size).map(|trial| trial.gain.high));
                gain >= (-MOST).ln_1p() && TIMES * self.cost(route, size) <= won
            })
    }

    /// The route with the greatest gain.
    fn best(&self, routes: impl Iterator<Item = Route>) -> Option<Route> {
        routes.max_by(|a, b| self.mean_gain(*a).total_cmp(&self.mean_gain(*b)))
    }

    /// The logarithm of a route's mean gain over sizes and uses: 0 is as fast as the host.
    fn mean_gain(&self, route: Route) -> f64 {
        let of_route = self.here().filter(|trial| trial.route == route);
        mean_logarithm(of_route.map(|trial| trial.gain.median))
    }

    /// The rows; without a route, those of the host alone.
    fn rows(&self, algorithm: Algorithm, route: Option<Route>) -> impl Iterator<Item = Row> {
        self.sizes.iter().map(move |&size| Row {
            algorithm,
            direction: self.direction,
            size,
            route: route.unwrap_or(Route::Libcrypto),
            reason: self.reason(route, size, false),
        })
    }

    /// The figures of the use in which the route gains most; for libcrypto, of the use that speaks most
    /// against the best of ours; for a route that serves for constant time, of the use in which it costs most.
    fn reason(&self, route: Option<Route>, size: usize, constant_time: bool) -> Option<Reason> {
        let at_size = || self.here().filter(|trial| trial.size == size);
        let own = |trial: &&Trial| trial.route != Route::Libcrypto;
        let by = |route| at_size().filter(move |trial| trial.route == route);
        let most = |route| by(route).max_by(|a, b| a.gain.low.total_cmp(&b.gain.low));
        let least = |route| by(route).min_by(|a, b| a.gain.high.total_cmp(&b.gain.high));
        let deciding = match route.filter(|route| *route != Route::Libcrypto) {
            Some(route) if constant_time => least(route)?,
            Some(route) => most(route)?,
            None => least(self.best(self.own())?)?,
        };
        let (usage, libcrypto) = (deciding.usage, deciding.host);
        let in_use = || at_size().filter(|trial| trial.usage == usage);
        let by_route = |route| in_use().find(|trial| trial.route == route).map(|trial| trial.time);
        let time = route.map_or(Some(libcrypto), by_route).unwrap_or(libcrypto);
        let route = route.unwrap_or(Route::Libcrypto);
        let others = in_use().filter(own).map(|trial| (trial.route, trial.time));
        let (second, second_time) = others
            .chain([(Route::Libcrypto, libcrypto)])
            .filter(|(other, _)| *other != route)
            .min_by(|(_, a), (_, b)| a.nanos().total_cmp(&b.nanos()))?;
        Some(Reason { usage, time, second, second_time, libcrypto, constant_time })
    }
}
