//! `wirespeed routes`: what is here, what is absent and why, and what serves what.

use serde::Serialize;
use wirespeed_cipher::{Algorithm, Route};

use crate::arguments::RoutesArguments;
use crate::fault::Fault;
use crate::host::{Found, Host};
use crate::output::table::{Side, Table};
use crate::output::{write_json, write_text};

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    routes: Vec<RouteRow>,
    chosen_by: &'static str,
    algorithms: Vec<Served>,
}

#[derive(Serialize)]
struct RouteRow {
    route: &'static str,
    present: bool,
    reason: Option<String>,
}

#[derive(Serialize)]
struct Served {
    algorithm: &'static str,
    route: Option<&'static str>,
}

pub(crate) fn run(arguments: RoutesArguments) -> Result<(), Fault> {
    let algorithms = match arguments.algorithm {
        Some(name) => vec![name.parse::<Algorithm>().map_err(Fault::usage)?],
        None => Algorithm::ALL.to_vec(),
    };
    let host = Host::discover();
    let found = host.routes();
    let served = ladder(&found);
    let row = |found: &Found| RouteRow {
        route: found.route.name(),
        present: found.presence.is_ok(),
        reason: found.presence.as_ref().err().map(ToString::to_string),
    };
    let document = Document {
        schema: "wirespeed.routes/1",
        routes: found.iter().map(row).collect(),
        chosen_by: "ladder",
        algorithms: algorithms
            .iter()
            .map(|algorithm| Served { algorithm: algorithm.name(), route: served.map(Route::name) })
            .collect(),
    };
    if arguments.json {
        return write_json("-", &document);
    }
    write_text("-", &text(&document))
}

/// The first of our routes that is here, by the written order; else the host's own OpenSSL.
fn ladder(found: &[Found]) -> Option<Route> {
    let order = [Route::Vaes512, Route::Vaes256, Route::AesNi, Route::Libcrypto];
    let here = |route: &Route| found.iter().any(|f| f.route == *route && f.presence.is_ok());
    order.into_iter().find(here)
}

fn text(document: &Document) -> String {
    let mut table = Table::new(&[Side::Left, Side::Left]);
    for row in &document.routes {
        let state = match &row.reason {
            None => "here".to_owned(),
            Some(reason) => format!("absent: {reason}"),
        };
        table.row(vec![row.route.to_owned(), state]);
    }
    table.row(vec![String::new(), String::new()]);
    for served in &document.algorithms {
        let route =
            served.route.map_or("nothing here".to_owned(), |r| format!("{r} at every size"));
        table.row(vec![served.algorithm.to_owned(), route]);
    }
    format!(
        "{}\nNo plan: chosen by the ladder vaes512 > vaes256 > aesni > libcrypto.\n",
        table.render()
    )
}
