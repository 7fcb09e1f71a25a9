//! `wirespeed routes`: what is here, what is absent and why, and what serves what.

use serde::Serialize;
use wirespeed_bench::Candidate;
use wirespeed_cipher::{Algorithm, Direction, Route, Subject};
use wirespeed_cpu::{Feature, Features};
use wirespeed_plan::{Plan, Row};

use crate::arguments::RoutesArguments;
use crate::fault::Fault;
use crate::host::{Found, Host, hidden_features};
use crate::output::table::{Side, Table, wrap};
use crate::output::{WIDTH, notes, write_json, write_text};
use crate::plan::{
    Effect, Listed, Offloaded, Other, PlanRow, by_size, everywhere, gains, line, offloads, others,
    title,
};

mod why;

/// The effective table: `wirespeed.routes/1`.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    routes: Vec<RouteRow>,
    /// Features of the CPU that `OPENSSL_ia32cap` hides.
    hidden_features: Vec<&'static str>,
    chosen_by: &'static str,
    /// Where in openssl.cnf routes are listed, if they are.
    listed_at: Option<String>,
    plan: Option<PlanState>,
    /// Where in openssl.cnf Linux's crypto is turned on, if it is.
    kernel_on_at: Option<String>,
    algorithms: Vec<Served>,
    offloads: Vec<Offloaded>,
    #[serde(skip)]
    others: Vec<Other>,
}

#[derive(Serialize)]
struct RouteRow {
    route: &'static str,
    present: bool,
    reason: Option<String>,
    /// Whether it is here and not turned on.
    off: bool,
}

/// The plan that was found.
#[derive(Serialize)]
struct PlanState {
    file: String,
    /// Where in openssl.cnf; null for the default place.
    named_at: Option<String>,
    /// Why it is not used, else null.
    ignored: Option<String>,
}

#[derive(Serialize)]
struct Served {
    algorithm: &'static str,
    /// Whether the provider offers it; if not, OpenSSL serves it itself.
    claimed: bool,
    /// The kernel's driver that was measured, where it serves.
    driver: Option<String>,
    rows: Vec<PlanRow>,
    #[serde(skip)]
    lines: Vec<Line>,
}

/// An algorithm in one direction, for people.
struct Line {
    direction: Direction,
    title: String,
    gains: String,
    routes: String,
}

pub(crate) fn run(arguments: RoutesArguments) -> Result<(), Fault> {
    let asked = arguments.algorithm.map(|name| name.parse::<Subject>());
    let asked = asked.transpose().map_err(Fault::usage)?;
    let wanted = |subject: Subject| asked.is_none_or(|asked| asked == subject);
    let host = Host::discover();
    let found = host.routes().into_iter().chain([host.sight_kernel()]);
    let effect = Effect::here(&host);
    let listed = effect.listed.as_ref();
    // On a CPU without AES instructions none of the default priority is here, and the provider offers nothing.
    let order = listed.map_or_else(|| Route::PRIORITY.to_vec(), Listed::routes);
    let serves = |route: &Route| host.harness.presence(host.find(*route).candidate).is_ok();
    let order = order.into_iter().filter(serves).collect();
    let here = Here { host: &host, plan: effect.in_use(), order, is_listed: listed.is_some() };
    let kernel_on_at = effect.kernel.as_ref().map(|listed| listed.place.clone());
    let is_on =
        kernel_on_at.is_some() || listed.is_some_and(|it| it.routes().contains(&Route::Kernel));
    let row = |found: Found| RouteRow {
        route: found.route.name(),
        present: found.presence.is_ok(),
        off: found.route == Route::Kernel && found.presence.is_ok() && !is_on,
        reason: found.presence.err().map(|why| why.to_string()),
    };
    let document = Document {
        schema: "wirespeed.routes/1",
        routes: found.map(row).collect(),
        hidden_features: Features::hidden_by_openssl().iter().map(Feature::name).collect(),
        chosen_by: match (listed, here.plan) {
            (Some(_), _) => "list",
            (_, Some(_)) => "plan",
            _ => "ladder",
        },
        listed_at: listed.map(|listed| listed.place.clone()),
        plan: effect.file.as_ref().map(|file| PlanState {
            file: file.display().to_string(),
            named_at: effect.named_at.clone(),
            ignored: effect.ignored.clone(),
        }),
        kernel_on_at,
        algorithms: Algorithm::ALL
            .iter()
            .filter(|algorithm| wanted((**algorithm).into()))
            .map(|algorithm| here.served(*algorithm))
            .collect(),
        offloads: here.plan.map(|plan| offloads(plan, wanted)).unwrap_or_default(),
        others: here.plan.map(|plan| others(plan, wanted)).unwrap_or_default(),
    };
    if arguments.json {
        return write_json("-", &document);
    }
    let table = if arguments.why { why::text(&document) } else { table(&document) };
    let mut end = origin(&document);
    if let Some(note) = here.plan.and_then(|plan| unheeded(plan, &document.routes)) {
        end.push_str(&note);
    }
    end.push_str(&notes(hidden_features().as_slice()));
    write_text("-", &format!("{}\n{table}\n{end}", presence(&document)))
}

/// What chooses.
struct Here<'a> {
    host: &'a Host,
    plan: Option<&'a Plan>,
    /// If no plan chooses: the routes that are here, and the first that knows an algorithm serves it.
    order: Vec<Route>,
    /// Whether openssl.cnf lists them. If not, what serves calls of every length well serves alone.
    is_listed: bool,
}

impl Here<'_> {
    /// What serves an algorithm if no plan chooses.
    fn otherwise(&self, algorithm: Algorithm) -> Option<Route> {
        let knows = |route: &&Route| {
            let candidate = Candidate::for_route(**route, self.host.api_path());
            self.host.harness.knows(candidate, algorithm.into())
        };
        let suits = |route: &Route| {
            self.is_listed
                || wirespeed_kernels::suits_every_call(*route, algorithm, Features::detect())
        };
        self.order.iter().find(knows).copied().filter(suits)
    }

    fn served(&self, algorithm: Algorithm) -> Served {
        let by_order = || self.otherwise(algorithm).is_some();
        let claimed = self.plan.map_or_else(by_order, |plan| plan.claims(algorithm));
        let line = |direction: &Direction| {
            let planned = self.plan.into_iter().flat_map(Plan::rows);
            let here = |row: &&Row| (row.algorithm, row.direction) == (algorithm, *direction);
            let planned: Vec<&Row> = planned.filter(here).collect();
            let ours = || by_size(&self.cells(algorithm, *direction));
            Line {
                direction: *direction,
                title: title(algorithm, *direction),
                gains: if claimed { gains(&planned) } else { "-".to_owned() },
                routes: if claimed { ours() } else { "left to this OpenSSL".to_owned() },
            }
        };
        Served {
            algorithm: algorithm.name(),
            claimed,
            driver: self.plan.and_then(|plan| plan.driver(algorithm.into())).map(str::to_owned),
            rows: self.rows(algorithm),
            lines: algorithm.directions().iter().map(line).collect(),
        }
    }

    /// The route at each size class.
    fn cells(&self, algorithm: Algorithm, direction: Direction) -> Vec<(usize, Route)> {
        let uniform = everywhere(self.otherwise(algorithm).unwrap_or(Route::Libcrypto));
        let Some(plan) = self.plan else { return uniform };
        let route = |size| plan.row(algorithm, direction, size).map(|row| row.route);
        let planned = uniform.iter().map(|(size, _)| (*size, route(*size)));
        planned.map(|(size, route)| (size, route.unwrap_or(Route::Libcrypto))).collect()
    }

    /// None where a plan has nothing about the algorithm.
    fn rows(&self, algorithm: Algorithm) -> Vec<PlanRow> {
        let knows = |plan: &Plan| plan.rows().any(|row| row.algorithm == algorithm);
        if !self.plan.is_none_or(knows) {
            return Vec::new();
        }
        let directions = algorithm.directions().iter();
        let row = |direction: Direction, (size, route): (usize, Route)| {
            let planned = self.plan.and_then(|plan| plan.row(algorithm, direction, size));
            let unmeasured = || PlanRow::unmeasured(direction.name(), size, route);
            planned.map_or_else(unmeasured, PlanRow::of)
        };
        directions
            .flat_map(|&direction| {
                let cells = self.cells(algorithm, direction).into_iter();
                cells.map(move |cell| row(direction, cell))
            })
            .collect()
    }
}

/// Every route, and why the absent ones are absent.
fn presence(document: &Document) -> String {
    let mut table = Table::new(&[Side::Left, Side::Left]);
    for row in &document.routes {
        let state = match (&row.reason, &document.kernel_on_at) {
            (Some(reason), _) => format!("absent: {reason}"),
            _ if row.off => "here, off: kernel = on in openssl.cnf turns it on".to_owned(),
            (_, Some(place)) if row.route == Route::Kernel.name() => format!("here, on at {place}"),
            _ => "here".to_owned(),
        };
        table.row(vec![row.route.to_owned(), state]);
    }
    table.render()
}

/// The routes by size.
fn table(document: &Document) -> String {
    let lines = document.algorithms.iter().flat_map(|served| &served.lines);
    let others = document.others.iter().map(|it| line(&it.title, "-", &it.routes));
    lines.map(|it| line(&it.title, &it.gains, &it.routes)).chain(others).collect()
}

/// Where the choice comes from, and what to do if that is not a plan.
fn origin(document: &Document) -> String {
    const PRIORITY: &str =
        "the default priority vaes512 > vaes256 > aesni serves: run wirespeed tune";
    if let Some(place) = &document.listed_at {
        return format!("Routes are listed at {place}: the first serves, and no plan is asked.\n");
    }
    let Some(PlanState { file, named_at, ignored }) = &document.plan else {
        return format!("No plan: {PRIORITY}\n");
    };
    let by = match named_at {
        Some(place) => format!("named at {place}"),
        None => "in its usual place".to_owned(),
    };
    match ignored {
        None => format!("Chosen by the plan {file}, {by}.\n"),
        Some(why) => format!("The plan {file}, {by}, is ignored: {why}.\nSo {PRIORITY}\n"),
    }
}

/// What to say where the plan has work for the kernel that the kernel will not get.
fn unheeded(plan: &Plan, routes: &[RouteRow]) -> Option<String> {
    let in_rows = plan.rows().any(|row| row.route == Route::Kernel);
    if !in_rows && plan.offloads().next().is_none() {
        return None;
    }
    let kernel = routes.iter().find(|row| row.route == Route::Kernel.name())?;
    let why = match (&kernel.reason, kernel.off) {
        (Some(reason), _) => format!("is absent ({reason})"),
        (_, true) => {
            "is off: kernel = on in Wirespeed's section of openssl.cnf turns it on".to_owned()
        }
        _ => return None,
    };
    let text = format!("The plan has calls for the kernel, which {why}. This OpenSSL serves them.");
    let words: Vec<&str> = text.split(' ').collect();
    Some(format!("{}\n", wrap(&words, " ", WIDTH, 0)))
}
