//! The measurements: each suite by all who can carry it, in turns with the plain cable.

use wirespeed_measure::statistics::median;
use wirespeed_results::schema::tunnel::Row;
use wirespeed_vpn::Suite;

use crate::carrier::{Carrier, Provider};
use crate::provided::Provided;
use crate::request::{Case, Event, Request};
use crate::spelling::name;
use crate::traffic;
use crate::tunnel::{Sample, Tunnel};

/// One tunnel in the contest, and what was measured of it.
struct Contestant {
    provider: Provider,
    tunnel: Result<Tunnel, String>,
    samples: Vec<Sample>,
}

/// Does what was asked for, and tells what comes of it.
pub(crate) fn run(request: &Request, say: &mut dyn FnMut(&Event)) {
    let plain = match traffic::obstacle() {
        Some(why) => Err(why),
        None => Tunnel::plain(),
    };
    for case in &request.cases {
        let Ok(suite) = case.suite.parse::<Suite>() else { continue };
        let rows = match (&plain, case.carrier.obstacle()) {
            (Err(why), _) => absent(case.carrier, &suite, why),
            (_, Some(why)) => absent(case.carrier, &suite, &why),
            (Ok(plain), None) => measure(request, case, &suite, plain, say),
        };
        for row in rows {
            say(&Event::Row(row));
        }
    }
}

fn absent(carrier: Carrier, suite: &Suite, why: &str) -> Vec<Row> {
    let row = |provider: &Provider| Row {
        absent: Some(why.to_owned()),
        ..blank(carrier, suite, *provider)
    };
    carrier.providers().iter().map(row).collect()
}

/// A row without figures.
fn blank(carrier: Carrier, suite: &Suite, provider: Provider) -> Row {
    Row {
        carrier: carrier.name().to_owned(),
        suite: name(suite).to_owned(),
        provider: provider.name().to_owned(),
        ..Row::default()
    }
}

fn measure(
    request: &Request,
    case: &Case,
    suite: &Suite,
    plain: &Tunnel,
    say: &mut dyn FnMut(&Event),
) -> Vec<Row> {
    let title = format!("{} {}", case.carrier.name(), name(suite));
    say(&Event::At(title));
    let begin = |provider: &Provider| Contestant {
        provider: *provider,
        tunnel: open(request, case.carrier, suite, *provider),
        samples: Vec::new(),
    };
    let mut contestants: Vec<Contestant> = case.carrier.providers().iter().map(begin).collect();
    let mut without = Vec::new();
    for round in 0..request.rounds {
        // If nothing is up there is nothing to compare.
        if contestants.iter().all(|it| it.tunnel.is_err()) {
            break;
        }
        without.extend(plain.measure(request.seconds).ok());
        // Whoever comes first in one round comes last in the next.
        if round > 0 {
            contestants.reverse();
        }
        for contestant in &mut contestants {
            contestant.measure(request.seconds);
            say(&Event::Measured);
        }
    }
    contestants.sort_by_key(|it| it.provider != Provider::Default);
    let rates: Vec<f64> = without.iter().map(|it| it.bits_per_second).collect();
    let row = |contestant: Contestant| contestant.row(case.carrier, suite, median(&rates));
    contestants.into_iter().map(row).collect()
}

/// Sets up one of them.
fn open(
    request: &Request,
    carrier: Carrier,
    suite: &Suite,
    provider: Provider,
) -> Result<Tunnel, String> {
    let place = provider.name();
    let provided = match (provider, &request.module) {
        (Provider::Wirespeed, Ok(module)) => Provided::ours(place, module)?,
        (Provider::Wirespeed, Err(why)) => return Err(why.clone()),
        _ => Provided::Default,
    };
    carrier.open(place, suite, provided)
}

impl Contestant {
    /// Measures once; what fails is not tried again.
    fn measure(&mut self, seconds: u32) {
        let Ok(tunnel) = &self.tunnel else { return };
        match tunnel.measure(seconds) {
            Ok(sample) => self.samples.push(sample),
            Err(why) => self.tunnel = Err(why),
        }
    }

    /// The result, if its cipher was the one that it was to be.
    fn row(self, carrier: Carrier, suite: &Suite, plain: Option<f64>) -> Row {
        let bytes: u64 = self.samples.iter().map(|it| it.bytes).sum();
        let blank = blank(carrier, suite, self.provider);
        let proved = self.tunnel.and_then(|tunnel| tunnel.prove(suite.subject(), bytes));
        let routes = match proved {
            Ok(routes) => routes,
            Err(why) => return Row { absent: Some(why), ..blank },
        };
        let rates: Vec<f64> = self.samples.iter().map(|it| it.bits_per_second).collect();
        let costs: Vec<f64> = self.samples.iter().map(|it| it.cpu_s_per_gib).collect();
        let (low, high) = rates
            .iter()
            .fold((f64::MAX, 0.0_f64), |(low, high), rate| (low.min(*rate), high.max(*rate)));
        let rate = median(&rates);
        Row {
            bits_per_second: rate,
            plain_bits_per_second: plain,
            cpu_s_per_gib: median(&costs),
            spread: rate.map(|rate| (high - low) / rate),
            routes,
            ..blank
        }
    }
}
