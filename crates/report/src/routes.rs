//! The routes that a survey found, and why the others are absent.

use std::fmt::Write;

use wirespeed_results::Computer;
use wirespeed_results::schema::survey::{Proof, RouteState};

use crate::table::{Cell, Table};
use crate::text::Text;

/// A table for each machine that was surveyed.
pub(crate) fn section(machines: &[Computer<'_>]) -> String {
    let mut text = String::new();
    for machine in machines {
        let Some(survey) = machine.survey().filter(|it| !it.routes.is_empty()) else { continue };
        let title = match machines.len() {
            1 => "Routes".to_owned(),
            _ => format!("Routes of {}", machine.label),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "<h2>{}</h2>", Text(&title));
        let mut table = Table::new(&title, vec![Cell::name("route"), Cell::name("state")]);
        for route in &survey.routes {
            table.row(vec![Cell::name(&route.route), Cell::words(state(route))]);
        }
        text.push_str(&table.open());
    }
    text
}

fn state(route: &RouteState) -> String {
    let unknown = "why is not told".to_owned();
    match (&route.quarantined, route.present, route.off, &route.proof) {
        (Some(why), ..) => format!("quarantined, its proof failed: {why}"),
        (None, false, ..) => format!("absent: {}", route.reason.as_ref().unwrap_or(&unknown)),
        (None, true, true, _) => "here, and not turned on".to_owned(),
        (None, true, false, Some(Proof { checks: 0, .. })) => "the reference".to_owned(),
        (None, true, false, Some(Proof { checks, against_host })) => {
            format!("proved: {checks} checks, {against_host} messages as this OpenSSL makes them")
        }
        (None, true, false, None) => "here".to_owned(),
    }
}
