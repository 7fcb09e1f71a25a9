//! Who is asked to compete, and for which algorithms that makes sense.

use std::collections::HashSet;

use wirespeed_bench::{Contender, Door};
use wirespeed_cipher::{Route, Subject};

use super::blocks::Block;
use crate::arguments::BenchRequest;
use crate::fault::Fault;
use crate::host::Host;
use crate::survey;

/// Those asked for, all of which must be here.
pub(super) fn of(host: &Host, request: &BenchRequest) -> Result<Vec<Contender>, Fault> {
    let mut contenders = match &request.routes {
        Some(routes) => listed(host, routes)?,
        None => usual(host),
    };
    // Plain code beside the others, so that instructions that are slower show up.
    let portable = host.find(Route::Portable).contender;
    if request.is_gateway && request.routes.is_none() && !contenders.contains(&portable) {
        contenders.push(portable);
    }
    contenders.extend(request.drivers.iter().map(|driver| Contender::Driver(driver)));
    contenders.extend(request.lanes.map(Contender::Lanes));
    let asked = contenders.iter().find(|contender| contender.may_sleep());
    if asked.is_some() {
        let absent = |why| Fault::usage(format!("route {} is absent: {why}", Route::Kernel));
        host.find(Route::Kernel).presence.map_err(absent)?;
    }
    Ok(contenders)
}

fn listed(host: &Host, routes: &[Route]) -> Result<Vec<Contender>, Fault> {
    let mut seen = HashSet::new();
    routes
        .iter()
        .filter(|route| seen.insert(**route))
        .map(|route| {
            let found = host.find(*route);
            let absent = |why| Fault::usage(format!("route {route} is absent: {why}"));
            found.presence.map(|()| found.contender).map_err(absent)
        })
        .collect()
}

/// All that are here, the host's OpenSSL first. The portable route, slow by nature, comes only on request
/// or for want of a better one, and Linux's crypto only on request.
fn usual(host: &Host) -> Vec<Contender> {
    let here = |route: &Route| host.arena.presence(host.find(*route).contender).is_ok();
    let fast = Route::LADDER.into_iter().filter(here);
    let mut routes: Vec<Route> = [Route::Libcrypto].into_iter().filter(here).chain(fast).collect();
    if routes.iter().all(|route| *route == Route::Libcrypto) {
        routes.push(Route::Portable);
    }
    routes.into_iter().map(|route| host.find(route).contender).collect()
}

/// The algorithms that somebody besides the host's OpenSSL knows.
fn there_is_a_choice(host: &Host, contenders: &[Contender]) -> Vec<Subject> {
    let knows = |other: &Contender, subject| {
        host.arena.knows(*other, subject)
            || stand_in(*other).is_some_and(|other| host.arena.knows(other, subject))
    };
    let others = || contenders.iter().filter(|contender| **contender != Contender::Host);
    Subject::all().filter(|it| others().any(|other| knows(other, *it))).collect()
}

/// What is measured where nothing is named: the survey's, of those that there is a choice for, or all of these.
pub(super) fn usual_subjects(host: &Host, contenders: &[Contender], all: bool) -> Vec<Subject> {
    let choice = there_is_a_choice(host, contenders);
    let surveyed: Vec<_> = survey::subjects().filter(|it| choice.contains(it)).collect();
    if all || surveyed.is_empty() { choice } else { surveyed }
}

/// Who serves where our provider leaves an algorithm of the kernel's to OpenSSL: a socket without EVP.
pub(super) fn stand_in(contender: Contender) -> Option<Contender> {
    let through_evp = contender == Contender::Provider(Route::Kernel);
    through_evp.then_some(Contender::for_route(Route::Kernel, Door::Direct))
}

/// That each driver asked for has something to do.
pub(super) fn drivers_exist(
    host: &Host,
    contenders: &[Contender],
    blocks: &[Block],
) -> Result<(), Fault> {
    for contender in contenders {
        let Contender::Driver(driver) = *contender else { continue };
        let mut tried = blocks.iter().map(|block| host.arena.runner(*contender, block.cases[0]));
        let first = tried.next().and_then(Result::err);
        if let Some(why) = first
            && !tried.any(|tried| tried.is_ok())
        {
            return Err(Fault::usage(format!("driver {driver} is absent: {why}")));
        }
    }
    Ok(())
}
