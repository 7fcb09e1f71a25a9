//! `wirespeed`: the machine, its routes and their proofs, one table, and what to do next.

use wirespeed_bench::{Candidate, Case, Contest, Found, Host, Measured};
use wirespeed_cipher::Route;
use wirespeed_doctor::{hidden_aes, hidden_features};
use wirespeed_machine::{Folder, Source, ThisMachine, has_vectors};
use wirespeed_measure::Effort;
use wirespeed_measure::limit::cycles_per_second;
use wirespeed_results::schema::survey::{Gain, Proof, RouteState, Survey};
use wirespeed_results::schema::{Document, VERSION};

use crate::arguments::{SurveyArguments, library, seconds};
use crate::commands::bench::releases::Other;
use crate::fault::Fault;
use crate::output::table::{Side, Table, paragraph, wrap};
use crate::output::{
    People, Progress, check_writable, figures, header, notes, say, warnings, write_json,
};
use crate::plan::Effect;
use crate::survey::{cases, device_for_aes, gain, state, state_of_offload};

mod advice;
mod releases;

pub(crate) fn run(arguments: SurveyArguments) -> Result<(), Fault> {
    if let Some(folder) = arguments.files.folder()? {
        return describe(&folder);
    }
    let seconds = seconds(arguments.seconds)?;
    check_writable(arguments.json.as_deref())?;
    let files: Vec<_> =
        arguments.openssl.iter().map(|file| library(file)).collect::<Result<_, _>>()?;
    let others = Other::all(&files)?;
    let host = Host::discover();
    let people = People::beside(arguments.json.as_deref());
    people.show(&format!("{}\n\n", header(&host.machine)))?;
    let found = host.routes();
    let mut routes: Vec<RouteState> = found.iter().map(|found| state(&host, found)).collect();
    let effect = Effect::here(&host);
    // Hardly a machine has /dev/crypto: that it is missing is no news.
    let is_news = |it: &Found| it.route != Route::DevCrypto || it.presence.is_ok();
    let offloads = host.sight_offloads().filter(is_news);
    routes.extend(offloads.map(|it| state_of_offload(&it, effect.turns_on(it.route).is_some())));
    people.show(&routes_text(&routes))?;
    let hidden_aes = hidden_aes();
    let is_hidden = wirespeed_machine::hidden_aes().is_some_and(|it| !it.is_multiplication);
    let extensions = host.machine.extensions(&ThisMachine);
    let remarks = extensions.into_iter().chain(hidden_features()).chain(hidden_aes);
    people.show(&notes(&remarks.collect::<Vec<_>>()))?;

    let contest = Contest {
        harness: &host.harness,
        effort: Effort::lasting(seconds),
        threads: 1,
        limits: true,
        elapsed: false,
    };
    let candidates = candidates(&found, &routes);
    let measured = measure(&contest, &candidates)?;
    let gain = |one: &Measured| Some((one.case.title(), gain(one)?));
    let (titles, gains): (Vec<String>, Vec<Gain>) = measured.iter().filter_map(gain).unzip();
    let warnings = warnings(measured.iter().flat_map(|it| it.noise.clone()));
    people.show(&table(&titles, &gains))?;
    let cost = is_hidden.then(cycles_per_second).flatten();
    let cost = cost.and_then(|cycles| advice::cost_of_hidden_aes(&gains, cycles));
    let words = cost.map(advice::words_of_hidden_aes);
    people.show(&notes(&words.into_iter().chain(warnings.iter().cloned()).collect::<Vec<_>>()))?;
    let has_aes = host.harness.features().has_aes();
    people.show(&advice::text(
        &gains,
        host.harness.library().is_ok(),
        has_aes,
        device_for_aes(&ThisMachine),
    ))?;
    let elsewhere = releases::measure(&others, seconds)?;
    people.show(&releases::text(&others, &elsewhere, &gains))?;

    let failed: Vec<&str> =
        routes.iter().filter(|r| r.quarantined.is_some()).map(|r| r.route.as_str()).collect();
    let verdict = Fault::unless_proved(&failed);
    let document = Survey {
        schema: Survey::SCHEMA.to_owned(),
        version: Some(VERSION.to_owned()),
        rows: measured.iter().flat_map(Measured::rows).chain(elsewhere).collect(),
        openssl: others.iter().map(Other::described).collect(),
        machine: Some(host.machine),
        routes,
        gains,
        warnings,
        hidden_aes_would_gain: cost,
    };
    write_json(arguments.json.as_deref(), &document)?;
    verdict
}

/// What the files of another machine tell of it.
fn describe(folder: &Folder) -> Result<(), Fault> {
    let machine = Host::of_files(folder).machine;
    let (described, extensions) = (header(&machine), notes(machine.extensions(folder).as_slice()));
    let next = match has_vectors(folder.architecture(), folder.features()) {
        true => advice::routes(),
        false => advice::device(device_for_aes(folder)),
    };
    say(&format!("{described}\n{extensions}\n{next}\n"))
}

/// Where reasons begin.
const INDENT: usize = 10;

/// "Routes", their names, and what is said of them all.
pub(super) fn proved_routes(names: &[&str], said: &str) -> String {
    let said = format!("    {said}");
    let words: Vec<&str> = names.iter().copied().chain([said.as_str()]).collect();
    format!("{:<INDENT$}{}\n", "Routes", wrap(&words, "  ", INDENT, INDENT))
}

/// The routes in a line, how they were proved, then each that is absent or failed with its reason.
fn routes_text(routes: &[RouteState]) -> String {
    let proved: Vec<&RouteState> = routes.iter().filter(|r| r.proof.is_some()).collect();
    let names: Vec<&str> = proved.iter().map(|r| r.route.as_str()).collect();
    let sum = |count: fn(&Proof) -> usize| -> usize {
        proved.iter().filter_map(|r| r.proof.as_ref()).map(count).sum()
    };
    let (known, compared) = (sum(|proof| proof.checks), sum(|proof| proof.against_host));
    let against = match compared {
        0 => String::new(),
        _ => format!(", {compared} messages equal to this OpenSSL's"),
    };
    let mut text = proved_routes(&names, "all proved on this machine");
    text.push_str(&format!("{:INDENT$}({known} known answers and comparisons{against})\n", ""));
    for route in routes {
        let is_offload = Route::OFFLOADS.iter().any(|it| it.name() == route.route);
        let reason = match (&route.reason, &route.quarantined) {
            // Documentation/crypto/userspace-if.rst since Linux 7.2: deprecated, for its attack surface.
            (Some(why), _) if is_offload => {
                format!("absent: {why}; and that is a good thing (wirespeed doctor)")
            }
            (Some(why), _) => format!("absent: {why}"),
            (_, Some(why)) => format!("quarantined, not used: {why}"),
            _ if is_offload => {
                let state = if route.off { "off" } else { "on in openssl.cnf" };
                let bench = format!("wirespeed bench --routes {},libcrypto", route.route);
                format!("present, {state} ({bench} shows what it is worth)")
            }
            _ => continue,
        };
        let lines = paragraph(&format!("{} {reason}", route.route), INDENT, INDENT + 2);
        text.push_str(&format!("{:INDENT$}{lines}", ""));
    }
    text
}

/// The host's OpenSSL and every proved native route; the portable one only for want of a better.
fn candidates(found: &[Found], routes: &[RouteState]) -> Vec<Candidate> {
    let proved = |found: &&Found| {
        routes.iter().any(|state| state.route == found.route.name() && state.proof.is_some())
    };
    let all: Vec<&Found> = found.iter().filter(proved).collect();
    let fast = |found: &&&Found| !matches!(found.route, Route::Portable | Route::Libcrypto);
    let any_fast = all.iter().any(|found| fast(&found));
    let wanted = |found: &&&Found| !any_fast || found.route != Route::Portable;
    all.iter().filter(wanted).map(|found| found.candidate).collect()
}

fn measure(contest: &Contest<'_>, candidates: &[Candidate]) -> Result<Vec<Measured>, Fault> {
    // A route may leave an algorithm to OpenSSL.
    let takes_part = |one: &Candidate, case: Case| {
        contest.harness.competes(*one, case.subject) && contest.harness.runner(*one, case).is_ok()
    };
    let here = |case| candidates.iter().copied().filter(|one| takes_part(one, case)).collect();
    let cases: Vec<(Case, Vec<Candidate>)> =
        cases().into_iter().map(|case| (case, here(case))).collect();
    let progress = Progress::new(cases.iter().map(|(case, here)| contest.ticks(*case, here)).sum());
    let mut all = Vec::new();
    for (case, here) in cases {
        progress.at(case.to_string());
        all.push(contest.measure(case, &here, &|| progress.tick())?);
    }
    progress.done();
    Ok(all)
}

/// The table: a title only where it changes, the unit once.
fn table(titles: &[String], gains: &[Gain]) -> String {
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
    for (title, gain) in titles.iter().zip(gains) {
        let rate = |rate: f64| format!("{}{unit:<5}", figures::gigabytes(rate));
        let route = if gain.openssl_stays { "this OpenSSL stays" } else { &gain.best_route };
        table.row(vec![
            if title == last { String::new() } else { title.clone() },
            figures::size(gain.size),
            gain.libcrypto_bytes_per_second.map_or("-".to_owned(), rate),
            rate(gain.best_bytes_per_second),
            gain.gain.map_or("-".to_owned(), figures::times),
            gain.limit_share.map_or("-".to_owned(), figures::percent),
            route.to_owned(),
        ]);
        last = title;
        unit = "";
    }
    format!("\n{}", table.render())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_proof_is_shown_with_its_reason() {
        let state =
            |route: &str, proof, reason: Option<&str>, quarantined: Option<&str>| RouteState {
                route: route.to_owned(),
                present: reason.is_none(),
                reason: reason.map(str::to_owned),
                proof,
                quarantined: quarantined.map(str::to_owned),
                off: false,
            };
        let kernel = |reason: Option<&str>| RouteState {
            off: reason.is_none(),
            ..state("kernel", None, reason, None)
        };
        let text = routes_text(&[
            state("vaes512", None, None, Some("wrong bytes: AES-128-CTR")),
            state("vaes256", None, Some("this CPU has no vaes"), None),
            state("aesni", Some(Proof { checks: 10, against_host: 5 }), None, None),
            kernel(None),
            kernel(Some("this kernel has no AF_ALG")),
            RouteState { off: false, ..kernel(None) },
        ]);
        let expected = "\
Routes    aesni      all proved on this machine
          (10 known answers and comparisons, 5 messages equal to this OpenSSL's)
          vaes512 quarantined, not used: wrong bytes: AES-128-CTR
          vaes256 absent: this CPU has no vaes
          kernel present, off (wirespeed bench --routes kernel,libcrypto shows what it is worth)
          kernel absent: this kernel has no AF_ALG; and that is a good thing (wirespeed doctor)
          kernel present, on in openssl.cnf (wirespeed bench --routes kernel,libcrypto shows what it
            is worth)
";
        assert_eq!(text, expected);
    }
}
