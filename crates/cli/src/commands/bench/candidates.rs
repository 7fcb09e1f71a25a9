//! Who is asked to compete, and for which algorithms that makes sense.

use std::collections::HashSet;

use wirespeed_bench::{ApiPath, Candidate, Host};
use wirespeed_cipher::{Route, Subject};

use super::blocks::Block;
use super::request::Request;
use crate::fault::Fault;
use crate::survey;

/// Those asked for, all of which must be here.
pub(super) fn of(host: &Host, request: &Request) -> Result<Vec<Candidate>, Fault> {
    let mut candidates = match &request.routes {
        Some(routes) => listed(host, routes)?,
        None => usual(host),
    };
    // Plain code beside the others, so that instructions that are slower show up.
    let portable = host.find(Route::Portable).candidate;
    if request.is_gateway && request.routes.is_none() && !candidates.contains(&portable) {
        candidates.push(portable);
    }
    candidates.extend(request.drivers.iter().map(|driver| Candidate::Driver(driver)));
    candidates.extend(request.lanes.map(Candidate::Lanes));
    let asked = candidates.iter().filter(|candidate| candidate.may_sleep());
    for route in asked.filter_map(|candidate| candidate.route()) {
        let absent = |why| Fault::usage(format!("route {route} is absent: {why}"));
        host.find(route).presence.map_err(absent)?;
    }
    Ok(candidates)
}

fn listed(host: &Host, routes: &[Route]) -> Result<Vec<Candidate>, Fault> {
    let mut seen = HashSet::new();
    routes
        .iter()
        .filter(|route| seen.insert(**route))
        .map(|route| {
            let found = host.find(*route);
            let absent = |why| Fault::usage(format!("route {route} is absent: {why}"));
            found.presence.map(|()| found.candidate).map_err(absent)
        })
        .collect()
}

/// All that are here, the host's OpenSSL first. The portable route, slow by nature, comes only on request
/// or for want of a better one, and Linux's crypto only on request.
fn usual(host: &Host) -> Vec<Candidate> {
    let here = |route: &Route| host.harness.presence(host.find(*route).candidate).is_ok();
    let fast = Route::PRIORITY.into_iter().filter(here);
    let mut routes: Vec<Route> = [Route::Libcrypto].into_iter().filter(here).chain(fast).collect();
    if routes.iter().all(|route| *route == Route::Libcrypto) {
        routes.push(Route::Portable);
    }
    routes.into_iter().map(|route| host.find(route).candidate).collect()
}

/// The algorithms that somebody besides the host's OpenSSL knows.
fn there_is_a_choice(host: &Host, candidates: &[Candidate]) -> Vec<Subject> {
    let knows = |other: &Candidate, subject| {
        host.harness.knows(*other, subject)
            || stand_in(*other).is_some_and(|other| host.harness.knows(other, subject))
    };
    let others = || candidates.iter().filter(|candidate| **candidate != Candidate::Host);
    Subject::all().filter(|it| others().any(|other| knows(other, *it))).collect()
}

/// What is measured where nothing is named: the survey's, of those that there is a choice for, or all of these.
pub(super) fn usual_subjects(host: &Host, candidates: &[Candidate], all: bool) -> Vec<Subject> {
    let choice = there_is_a_choice(host, candidates);
    let surveyed: Vec<_> = survey::subjects().filter(|it| choice.contains(it)).collect();
    if all || surveyed.is_empty() { choice } else { surveyed }
}

/// Who serves where our provider leaves an algorithm of the kernel's to OpenSSL: a socket without EVP.
pub(super) fn stand_in(candidate: Candidate) -> Option<Candidate> {
    match candidate {
        Candidate::Provider(route) if route.is_offload() => {
            Some(Candidate::for_route(route, ApiPath::Direct))
        }
        _ => None,
    }
}

/// That each driver asked for has something to do.
pub(super) fn drivers_exist(
    host: &Host,
    candidates: &[Candidate],
    blocks: &[Block],
) -> Result<(), Fault> {
    for candidate in candidates {
        let Candidate::Driver(driver) = *candidate else { continue };
        let mut tried = blocks.iter().map(|block| host.harness.runner(*candidate, block.cases[0]));
        let first = tried.next().and_then(Result::err);
        if let Some(why) = first
            && !tried.any(|tried| tried.is_ok())
        {
            return Err(Fault::usage(format!("driver {driver} is absent: {why}")));
        }
    }
    Ok(())
}
