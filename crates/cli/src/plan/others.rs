//! What a plan says of everything that has no rows: hash functions, and ciphers that are not ours.

use wirespeed_cipher::{Direction, Route, Subject};
use wirespeed_plan::Plan;
use wirespeed_results::schema::plan::{Digest, Offloaded};

use crate::output::figures;

/// A line for people.
pub(crate) struct Other {
    pub(crate) title: String,
    pub(crate) routes: String,
    /// The way to Linux's crypto, and who serves there.
    pub(crate) driver: Option<(Route, String)>,
}

impl Other {
    /// What nothing is said of, because OpenSSL keeps it.
    pub(crate) fn left(subject: Subject, is_planned: bool) -> Self {
        let routes = match subject {
            Subject::Digest(_) if !is_planned => "left to this OpenSSL: a plan may give it a route",
            _ => "left to this OpenSSL",
        };
        Self { title: subject.to_string(), routes: routes.to_owned(), driver: None }
    }
}

/// The hash functions that a plan gives to routes.
pub(crate) fn digests(plan: &Plan, wanted: impl Fn(Subject) -> bool) -> Vec<Digest> {
    let wanted = plan.digests().filter(|(digest, _)| wanted((*digest).into()));
    let served = wanted.map(|(digest, route)| Digest {
        digest: digest.name().to_owned(),
        route: route.name().to_owned(),
    });
    served.collect()
}

/// What a plan gives to Linux's crypto from some size on.
pub(crate) fn offloads(plan: &Plan, wanted: impl Fn(Subject) -> bool) -> Vec<Offloaded> {
    let offloads = plan.offloads().filter(|offload| wanted(offload.subject));
    offloads
        .map(|offload| Offloaded {
            algorithm: offload.subject.name().to_owned(),
            direction: offload.subject.direction(offload.direction).to_owned(),
            size: offload.bytes,
            route: offload.route.name().to_owned(),
            driver: plan.driver(offload.subject, offload.route).map(str::to_owned),
        })
        .collect()
}

/// Everything that goes another way than OpenSSL's own.
pub(crate) fn others(plan: &Plan, wanted: impl Fn(Subject) -> bool) -> Vec<Other> {
    let subjects = Subject::all().filter(|subject| subject.cipher().is_none() && wanted(*subject));
    subjects.flat_map(|subject| of(plan, subject)).collect()
}

fn of(plan: &Plan, subject: Subject) -> Vec<Other> {
    let digest = plan.digests().find(|(digest, _)| Subject::from(*digest) == subject);
    let below = digest.map_or("this OpenSSL", |(_, route)| route.name());
    let line = |direction: &Direction| {
        let from = plan.offload(subject, *direction);
        let routes = match from {
            Some(it) => format!("{below}, {} from {}", it.route, figures::size(it.bytes)),
            None => below.to_owned(),
        };
        (from.is_some() || digest.is_some()).then(|| Other {
            title: match subject.is_symmetric() {
                true => subject.to_string(),
                false => format!("{subject} {direction}"),
            },
            routes,
            driver: from
                .and_then(|it| Some((it.route, plan.driver(subject, it.route)?.to_owned()))),
        })
    };
    subject.directions().iter().filter_map(line).collect()
}
