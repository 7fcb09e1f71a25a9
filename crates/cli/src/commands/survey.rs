//! `wirespeed`: the machine, its routes and their proofs, one table, and what to do next.

use wirespeed_bench::{Contender, Contest, Measured, Trouble};
use wirespeed_cipher::Route;
use wirespeed_measure::Plan;

use crate::arguments::{SurveyArguments, seconds};
use crate::fault::Fault;
use crate::host::{Found, Host};
use crate::output::table::{Side, Table, wrap};
use crate::output::{Progress, WIDTH, figures, header, write_json, write_text};
use crate::survey::{Document, Gain, RouteState, cases};

mod advice;

pub(crate) fn run(arguments: SurveyArguments) -> Result<(), Fault> {
    let seconds = seconds(arguments.seconds)?;
    let host = Host::discover();
    let to_people = arguments.json.as_deref() != Some("-");
    let show = |text: &str| if to_people { write_text("-", text) } else { Ok(()) };

    show(&format!("{}\n\n", header(&host.machine)))?;
    let found = host.routes();
    let routes: Vec<RouteState> = found.iter().map(|found| state(&host, found)).collect();
    show(&routes_text(&routes))?;

    let contest =
        Contest { arena: &host.arena, plan: Plan::lasting(seconds), threads: 1, limits: true };
    let contenders = contenders(&found, &routes);
    let measured = measure(&contest, &contenders)?;
    let gains: Vec<Gain> = measured.iter().filter_map(Gain::of).collect();
    let warnings = warnings(&measured);
    show(&table(&gains))?;
    show(&notes(&warnings))?;
    show(&advice::text(&gains, host.arena.library().is_ok()))?;

    let failed: Vec<&str> =
        routes.iter().filter(|r| r.quarantined.is_some()).map(|r| r.route).collect();
    let verdict = match failed[..] {
        [] => Ok(()),
        _ => Err(Fault::NotSo(format!("quarantined, for its proof failed: {}", failed.join(" ")))),
    };
    let document = Document {
        schema: "wirespeed.survey/1",
        version: env!("CARGO_PKG_VERSION"),
        rows: measured.iter().flat_map(Measured::rows).collect(),
        machine: host.machine,
        routes,
        gains,
        warnings,
    };
    arguments.json.map_or(Ok(()), |target| write_json(&target, &document))?;
    verdict
}

fn state(host: &Host, found: &Found) -> RouteState {
    let proof = found.presence.is_ok().then(|| host.prove(found));
    let (proof, quarantined) = match proof {
        Some(Ok(proof)) => (Some(proof), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    RouteState {
        route: found.route.name(),
        present: found.presence.is_ok(),
        reason: found.presence.as_ref().err().map(ToString::to_string),
        proof,
        quarantined,
    }
}

/// The routes in a line, then each that is absent or quarantined with its reason.
fn routes_text(routes: &[RouteState]) -> String {
    const INDENT: usize = 10;
    let proved: Vec<&str> = routes.iter().filter(|r| r.proof.is_some()).map(|r| r.route).collect();
    let known: usize = routes.iter().filter_map(|r| r.proof).map(|proof| proof.checks).sum();
    let compared: usize = routes.iter().filter_map(|r| r.proof).map(|p| p.against_host).sum();
    let against = match compared {
        0 => String::new(),
        _ => format!(", {compared} messages equal to this OpenSSL's"),
    };
    let mut text = format!("{:<INDENT$}{}\n", "Routes", proved.join("  "));
    text.push_str(&format!(
        "{:INDENT$}all proved here: {known} known answers and comparisons{against}\n",
        ""
    ));
    for route in routes {
        let reason = match (&route.reason, &route.quarantined) {
            (Some(why), _) => format!("absent: {why}"),
            (_, Some(why)) => format!("quarantined: {why}"),
            _ => continue,
        };
        let words: Vec<&str> = reason.split(' ').collect();
        let line = wrap(&words, " ", WIDTH - INDENT - 10, 0).replace('\n', &format!("\n{:20}", ""));
        text.push_str(&format!("{:INDENT$}{:<10}{line}\n", "", route.route));
    }
    text
}

/// The host's OpenSSL and every proved native route; the portable one only for want of a better.
fn contenders(found: &[Found], routes: &[RouteState]) -> Vec<Contender> {
    let proved = |found: &&Found| {
        routes.iter().any(|state| state.route == found.route.name() && state.proof.is_some())
    };
    let all: Vec<&Found> = found.iter().filter(proved).collect();
    let fast = |found: &&&Found| !matches!(found.route, Route::Portable | Route::Libcrypto);
    let any_fast = all.iter().any(|found| fast(&found));
    let wanted = |found: &&&Found| !any_fast || found.route != Route::Portable;
    all.iter().filter(wanted).map(|found| found.contender).collect()
}

fn measure(contest: &Contest<'_>, contenders: &[Contender]) -> Result<Vec<Measured>, Fault> {
    let cases = cases();
    let progress = Progress::new(cases.iter().map(|case| contest.ticks(*case, contenders)).sum());
    let mut all = Vec::new();
    for case in cases {
        progress.at(case.to_string());
        // A route may leave an algorithm to OpenSSL.
        let here: Vec<Contender> = contenders
            .iter()
            .copied()
            .filter(|one| contest.arena.runner(*one, case).is_ok())
            .collect();
        match contest.measure(case, &here, &|| progress.tick()) {
            Ok(measured) => all.push(measured),
            Err(Trouble::Absent(..)) => {}
            Err(wrong @ Trouble::Wrong(..)) => return Err(Fault::NotSo(wrong.to_string())),
        }
    }
    progress.done();
    Ok(all)
}

fn warnings(measured: &[Measured]) -> Vec<&'static str> {
    let mut noise: Vec<_> = measured.iter().flat_map(|one| one.noise.iter().copied()).collect();
    noise.sort_unstable();
    noise.dedup();
    noise.into_iter().map(wirespeed_measure::noise::Noise::advice).collect()
}

fn notes(warnings: &[&str]) -> String {
    let note = |warning: &&str| {
        let words: Vec<&str> = ["note:"].into_iter().chain(warning.split(' ')).collect();
        wrap(&words, " ", WIDTH, 6) + "\n"
    };
    if warnings.is_empty() {
        return String::new();
    }
    format!("\n{}", warnings.iter().map(note).collect::<String>())
}

/// The table: a title only where it changes, the unit once.
fn table(gains: &[Gain]) -> String {
    let mut table = Table::new(&[
        Side::Left,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Left,
    ]);
    let heading = ["", "", "this OpenSSL", "best here", "gain", "of limit", "route"];
    table.row(heading.map(str::to_owned).to_vec());
    let mut unit = " GB/s";
    let mut last = "";
    for gain in gains {
        let rate = |rate: f64| format!("{}{unit:<5}", figures::gigabytes(rate));
        let route = if gain.openssl_stays { "this OpenSSL stays" } else { gain.best_route };
        table.row(vec![
            if gain.title == last { String::new() } else { gain.title.clone() },
            figures::size(gain.size),
            gain.libcrypto_bytes_per_second.map_or("-".to_owned(), rate),
            rate(gain.best_bytes_per_second),
            gain.gain.map_or("-".to_owned(), figures::times),
            gain.limit_share.map_or("-".to_owned(), figures::percent),
            route.to_owned(),
        ]);
        last = &gain.title;
        unit = "";
    }
    format!("\n{}", table.render())
}
