//! `wirespeed routes`: what is here, what is absent and why, and what serves what.

use std::path::Path;

use wirespeed_bench::{Candidate, Found, Host};
use wirespeed_cipher::{Algorithm, Direction, Route, Subject};
use wirespeed_cpu::{Feature, Features};
use wirespeed_doctor::hidden_features;
use wirespeed_installation::shell;
use wirespeed_plan::{LibcryptoCode, Plan, Row, SYSTEM};
use wirespeed_results::schema::plan::{self, PlanState, Presence, Routes, Served};
use wirespeed_results::schema::{Document, VERSION};

use crate::arguments::RoutesArguments;
use crate::fault::Fault;
use crate::output::table::{Side, Table, paragraph};
use crate::output::{notes, say, write_json};
use crate::plan::{
    Effect, Listed, Other, UNNAMED, by_size, code, cost, cost_in_words, digests, everywhere, gains,
    line, offloads, others, planned, title, unmeasured,
};

mod why;

/// What is told.
struct Told {
    /// As data.
    routes: Routes,
    /// For people: each algorithm's lines, and what has no rows.
    lines: Vec<Vec<Line>>,
    others: Vec<Other>,
}

/// An algorithm in one direction, for people.
struct Line {
    direction: Direction,
    title: String,
    gains: String,
    routes: String,
    /// What the code of this OpenSSL looks up in tables.
    looked_up: Option<&'static str>,
}

pub(crate) fn run(arguments: RoutesArguments) -> Result<(), Fault> {
    let asked = arguments.algorithm.map(|name| name.parse::<Subject>());
    let asked = asked.transpose().map_err(Fault::usage)?;
    let wanted = |subject: Subject| asked.is_none_or(|asked| asked == subject);
    let host = Host::discover();
    let found = host.routes().into_iter().chain(host.sight_offloads());
    let effect = Effect::here(&host);
    let listed = effect.listed.as_ref();
    let order = listed.map_or_else(|| Route::PRIORITY.to_vec(), Listed::routes);
    let serves = |route: &Route| host.harness.presence(host.find(*route).candidate).is_ok();
    let mut order: Vec<Route> = order.into_iter().filter(serves).collect();
    // A plan that is ignored was chosen by somebody all the same.
    let is_chosen = |plan: &&Plan| effect.ignored.is_some() && plan.is_for_constant_time();
    let chosen = effect.plan.as_ref().filter(is_chosen).filter(|_| listed.is_none());
    order.extend(chosen.map(|_| Route::Portable));
    let unwanted = chosen.map(|_| code(&host));
    let is_listed = listed.is_some();
    let here = Here { host: &host, plan: effect.in_use(), order, is_listed, unwanted };
    let on_at = |route| effect.turns_on(route).map(|listed| listed.place.clone());
    let is_on =
        |route| on_at(route).is_some() || listed.is_some_and(|it| it.routes().contains(&route));
    let row = |found: Found| Presence {
        route: found.route.name().to_owned(),
        present: found.presence.is_ok(),
        off: found.route.is_offload() && found.presence.is_ok() && !is_on(found.route),
        reason: found.presence.err().map(|why| why.to_string()),
    };
    let chosen_by = match (listed, here.plan) {
        (Some(_), _) => "list",
        (_, Some(_)) => "plan",
        _ => "ladder",
    };
    let hidden = Features::hidden_by_openssl();
    let all = || Algorithm::ALL.iter().copied().filter(|algorithm| wanted((*algorithm).into()));
    let routes = Routes {
        schema: Routes::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        machine: host.machine.clone(),
        kind: host.machine.kind(),
        kind_in_words: host.machine.kind_in_words(),
        routes: found.map(row).collect(),
        hidden_features: hidden.iter().map(|it| Feature::name(it).to_owned()).collect(),
        chosen_by: chosen_by.to_owned(),
        listed_at: listed.map(|listed| listed.place.clone()),
        plan: effect.file.as_ref().map(|file| PlanState {
            file: file.display().to_string(),
            named_at: effect.named_at.clone(),
            ignored: effect.ignored.clone(),
        }),
        kernel_on_at: on_at(Route::Kernel),
        devcrypto_on_at: on_at(Route::DevCrypto),
        constant_time: here.plan.and_then(cost),
        algorithms: all().map(|algorithm| here.served(algorithm)).collect(),
        digests: here.plan.map(|plan| digests(plan, wanted)).unwrap_or_default(),
        offloads: here.plan.map(|plan| offloads(plan, wanted)).unwrap_or_default(),
    };
    if arguments.json {
        return write_json("-", &routes);
    }
    let lines: Vec<_> = all().map(|algorithm| here.lines(algorithm)).collect();
    let mut others = here.plan.map(|plan| others(plan, wanted)).unwrap_or_default();
    if let Some(asked) = asked.filter(|_| lines.is_empty() && others.is_empty()) {
        others.push(Other::left(asked, here.plan.is_some()));
    }
    let told = Told { lines, others, routes };
    let table = if arguments.why { why::text(&told) } else { table(&told) };
    let mut end = origin(&told.routes);
    if here.unwanted.is_some() {
        end.push_str(
            "That it is for constant time stands: ours serves where this OpenSSL looks up in tables.\n",
        );
    }
    for note in here.plan.into_iter().flat_map(|plan| unheeded(plan, &told.routes.routes)) {
        end.push_str(&note);
    }
    end.push_str(&here.plan.and_then(cost_in_words).unwrap_or_default());
    end.push_str(&notes(hidden_features().as_slice()));
    say(&format!("{}\n{table}\n{end}", presence(&told.routes)))
}

/// What chooses.
struct Here<'a> {
    host: &'a Host,
    plan: Option<&'a Plan>,
    /// If no plan chooses: the routes that are here, and the first that knows an algorithm serves it.
    order: Vec<Route>,
    /// Whether openssl.cnf lists them. If not, what serves calls of every length well serves alone.
    is_listed: bool,
    /// If no plan chooses: the code that is to serve nothing where it looks up in tables.
    unwanted: Option<LibcryptoCode>,
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
                || self.unwanted.is_some_and(|code| code.looks_up_anywhere(algorithm))
                || wirespeed_kernels::suits_every_call(*route, algorithm, Features::detect())
        };
        self.order.iter().find(knows).copied().filter(suits)
    }

    fn claims(&self, algorithm: Algorithm) -> bool {
        let by_order = || self.otherwise(algorithm).is_some();
        self.plan.map_or_else(by_order, |plan| plan.claims(algorithm))
    }

    fn lines(&self, algorithm: Algorithm) -> Vec<Line> {
        let claimed = self.claims(algorithm);
        let line = |direction: &Direction| {
            let planned = self.plan.into_iter().flat_map(Plan::rows);
            let here = |row: &&Row| (row.algorithm, row.direction) == (algorithm, *direction);
            let planned: Vec<&Row> = planned.filter(here).collect();
            let ours = || by_size(&self.cells(algorithm, *direction));
            Line {
                direction: *direction,
                title: title(algorithm, *direction),
                gains: if claimed { gains(&planned) } else { "-".to_owned() },
                looked_up: code(self.host).looks_up(algorithm, *direction).map(|it| it.what),
                routes: if claimed { ours() } else { "left to this OpenSSL".to_owned() },
            }
        };
        algorithm.directions().iter().map(line).collect()
    }

    fn served(&self, algorithm: Algorithm) -> Served {
        Served {
            algorithm: algorithm.name().to_owned(),
            claimed: self.claims(algorithm),
            driver: self.driver(algorithm).map(|(_, driver)| driver.to_owned()),
            rows: self.rows(algorithm),
        }
    }

    /// The way to Linux's crypto that the plan has for an algorithm, and who serves there.
    fn driver(&self, algorithm: Algorithm) -> Option<(Route, &str)> {
        self.plan?.named_driver(algorithm.into())
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
    fn rows(&self, algorithm: Algorithm) -> Vec<plan::Row> {
        let knows = |plan: &Plan| plan.rows().any(|row| row.algorithm == algorithm);
        if !self.plan.is_none_or(knows) {
            return Vec::new();
        }
        let directions = algorithm.directions().iter();
        let row = |direction: Direction, (size, route): (usize, Route)| {
            let row = self.plan.and_then(|plan| plan.row(algorithm, direction, size));
            row.map_or_else(|| unmeasured(direction, size, route), planned)
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
fn presence(told: &Routes) -> String {
    let mut table = Table::new(&[Side::Left, Side::Left]);
    for row in &told.routes {
        let on_at = match &row.route {
            route if *route == Route::Kernel.name() => told.kernel_on_at.as_ref(),
            route if *route == Route::DevCrypto.name() => told.devcrypto_on_at.as_ref(),
            _ => None,
        };
        let state = match (&row.reason, on_at) {
            (Some(reason), _) => format!("absent: {reason}"),
            _ if row.off => format!("here, off: {} = on in openssl.cnf turns it on", row.route),
            (_, Some(place)) => format!("here, on at {place}"),
            _ => "here".to_owned(),
        };
        table.row(vec![row.route.clone(), state]);
    }
    table.render()
}

/// The routes by size.
fn table(told: &Told) -> String {
    let lines = told.lines.iter().flatten();
    let others = told.others.iter().map(|it| line(&it.title, "-", &it.routes));
    lines.map(|it| line(&it.title, &it.gains, &it.routes)).chain(others).collect()
}

/// What of the default priority serves AES on this CPU, the first where it has the mode.
fn priority() -> String {
    let features = Features::detect();
    let suits = |route, aes| wirespeed_kernels::suits_every_call(route, aes, features);
    let serves = |route: &Route| Algorithm::AES.iter().any(|aes| suits(*route, *aes));
    let serves_all = |route: &Route| Algorithm::AES.iter().all(|aes| suits(*route, *aes));
    let here = || Route::PRIORITY.into_iter().filter(serves);
    // Behind one that serves all there is nothing left for one that serves some.
    let some_do_all = here().any(|route| serves_all(&route));
    let routes = here().filter(|route| !some_do_all || serves_all(route));
    routes.map(Route::name).collect::<Vec<_>>().join(" > ")
}

/// Where the choice comes from, and what to do if that is not a plan.
fn origin(told: &Routes) -> String {
    let serving = match priority() {
        none if none.is_empty() => "this OpenSSL".to_owned(),
        priority => format!("the default priority {priority}"),
    };
    let advice = match &told.plan {
        Some(PlanState { file, named_at: Some(_), .. }) if file == SYSTEM => {
            "sudo wirespeed install".to_owned()
        }
        Some(PlanState { file, named_at: Some(_), .. }) => {
            format!("sudo wirespeed tune --output {}", shell::path(Path::new(file)))
        }
        Some(PlanState { ignored: Some(why), .. }) if why == UNNAMED => {
            "sudo wirespeed install".to_owned()
        }
        _ => "wirespeed tune".to_owned(),
    };
    let priority = format!("{serving} serves: run {advice}");
    if let Some(place) = &told.listed_at {
        return format!("Routes are listed at {place}: the first serves, and no plan is asked.\n");
    }
    let Some(PlanState { file, named_at, ignored }) = &told.plan else {
        return format!("No plan: {priority}\n");
    };
    let by = match named_at {
        Some(place) => format!("named at {place}"),
        None => "in its usual place".to_owned(),
    };
    match ignored {
        None => format!("Chosen by the plan {file}, {by}.\n"),
        Some(why) if why == UNNAMED => {
            format!("The plan {file}, {by}, is not in use: {why}.\nSo {priority}\n")
        }
        Some(why) => format!("The plan {file}, {by}, is ignored: {why}.\nSo {priority}\n"),
    }
}

/// What to say where the plan has work for Linux's crypto that it will not get.
fn unheeded(plan: &Plan, routes: &[Presence]) -> Vec<String> {
    let note = |route: Route| {
        let in_rows = plan.rows().any(|row| row.route == route);
        if !in_rows && plan.offloads().all(|offload| offload.route != route) {
            return None;
        }
        let found = routes.iter().find(|row| row.route == route.name())?;
        let why = match (&found.reason, found.off) {
            (Some(reason), _) => format!("is absent ({reason})"),
            (_, true) => {
                format!("is off: {route} = on in Wirespeed's section of openssl.cnf turns it on")
            }
            _ => return None,
        };
        let who = if route == Route::Kernel { "the kernel" } else { "/dev/crypto" };
        let text = format!("The plan has calls for {who}, which {why}. This OpenSSL serves them.");
        Some(paragraph(&text, 0, 0))
    };
    Route::OFFLOADS.into_iter().filter_map(note).collect()
}
