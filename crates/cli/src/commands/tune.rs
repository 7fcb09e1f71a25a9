//! `wirespeed tune`: proves every route, measures everything, and writes the plan of this machine.

use std::path::{Path, PathBuf};

use clap::Args;
use wirespeed_bench::{Candidate, Host, prove_against_host};
use wirespeed_cipher::{Algorithm, Route};
use wirespeed_plan::Plan;
use wirespeed_results::schema::plan::{Quarantined, Served, Tune};
use wirespeed_results::schema::{Document, Machine, VERSION};

use crate::arguments::Switch;
use crate::commands::survey::proved_routes;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{People, check_writable, header, notes, say, write_json};
use crate::plan::{
    Destination, Effect, code, cost, digests, fingerprint, offloads, planned, summary,
};

mod keep;
mod measuring;
mod offloading;
mod pace;
mod trials;
mod verdict;

use keep::Outdated;
use trials::Trials;

const EXAMPLES: &str = "\
Examples:
  wirespeed tune                       measure for some 4 minutes, write the plan to its usual place
  wirespeed tune --quick               under a minute: the smallest keys stand for the larger ones
  wirespeed tune --output /tmp/plan    write it elsewhere
  wirespeed tune --kernel              Linux's crypto, too, for one minute more
  wirespeed tune --keep --quick        only if the plan in use fits no more
  wirespeed tune --constant-time       leave nothing to code that looks up in tables
  wirespeed routes --why               afterwards: what was chosen, and why

The usual place is /etc/wirespeed/plan for root, else ~/.config/wirespeed/plan.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TuneArguments {
    /// Write the plan there instead of its usual place
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Measure for three quarters of a minute only, each cipher with its smallest key, which stands for the larger ones
    #[arg(long)]
    quick: bool,
    /// Measure Linux's crypto (AF_ALG), too, by elapsed time; the plan's calls go there where openssl.cnf
    /// says kernel = on
    #[arg(long)]
    kernel: bool,
    /// Give ours all calls for which this OpenSSL's code looks up in tables by keys and data, even where ours is slower:
    /// Camellia and ARIA on any CPU; AES and SM4, where the CPU has no instructions for them, on x86, ARM and
    /// RISC-V. The plan says so, and it stays so whenever it is measured again, until it is turned off
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          hide_possible_values = true)]
    constant_time: Option<Switch>,
    /// Measure only if the plan that openssl.cnf names fits no more, and the machine is idle; say in one line what changed
    #[arg(long, conflicts_with_all = ["output", "kernel", "constant_time", "json"])]
    keep: bool,
    /// Measure what openssl.cnf turns on, and leave it to `install` to say what comes next
    #[arg(long, hide = true)]
    installing: bool,
    /// Write what was found as JSON, besides the plan; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

/// What an interruption leaves.
const UNCHANGED: &str = "the old plan stays as it was";

pub(crate) fn run(arguments: TuneArguments) -> Result<(), Fault> {
    check_writable(arguments.json.as_deref())?;
    if arguments.keep {
        wirespeed_af_alg::trust_own_sandbox();
    }
    let host = Host::discover();
    check_presence(&host, arguments.kernel)?;
    let outdated = match arguments.keep {
        true => due(&host)?,
        false => None,
    };
    if arguments.keep && outdated.is_none() {
        return Ok(());
    }
    let output = outdated.as_ref().map(|it| it.file.clone()).or(arguments.output);
    let follows = arguments.keep || arguments.installing;
    let kernel = arguments.kernel || follows && Effect::here(&host).has_offloads(&host);
    let destination = Destination::new(output)?;
    let before = Plan::read(destination.file()).ok();
    let chosen = Plan::is_file_for_constant_time(destination.file());
    let is_for_constant_time = arguments.constant_time.map_or(chosen, Switch::is_on);
    let code = is_for_constant_time.then(|| code(&host));
    let interruption = Interruption::watch()?;
    let people = match outdated {
        None => People::beside(arguments.json.as_deref()),
        Some(_) => People::NOBODY,
    };
    people.show(&format!("{}\n", header(&host.machine)))?;

    let (proved, mut quarantined) = prove(&host);
    let names: Vec<&str> = proved.iter().map(|route| route.name()).collect();
    people.show(&format!("\n{}", proved_routes(&names, "proved on this machine")))?;
    let mut trials = Trials::new(&host, &proved, arguments.quick, code, kernel);
    for (route, count) in trials.offloads() {
        people.show(&format!(
            "          {route:<11} {count} algorithms proved, measured by elapsed time\n"
        ))?;
    }
    trials.run(&interruption)?;
    quarantined.extend(trials.quarantined().cloned());

    let fingerprint = fingerprint(&host);
    let standing =
        before.as_ref().filter(|plan| plan.fingerprint().difference(&fingerprint).is_none());
    let mut plan = Plan::new(fingerprint);
    if is_for_constant_time {
        plan = plan.for_constant_time();
    }
    trials.judge(&mut plan, standing);
    let undecided = trials.undecided(&plan);
    let mut warnings = trials.disturbances();
    warnings.extend(undecided.advice());
    interruption.check(UNCHANGED)?;
    place(&plan, &destination, outdated.is_some())?;

    people.show(&format!("\n{}", summary(&plan)))?;
    for one in &quarantined {
        people.show(&format!("quarantined, not in the plan: {}: {}\n", one.route, one.reason))?;
    }
    people.show(&notes(&warnings.iter().map(String::as_str).collect::<Vec<_>>()))?;
    let file = destination.file().display();
    if let Some(Outdated { why, .. }) = &outdated {
        let change = verdict::change(&plan, before.as_ref());
        say(&format!("{file} was {why}: measured again, {change}\n"))?;
    }
    let change = verdict::change(&plan, standing);
    people.show(&format!("\nPlan                  {file} ({change})\n"))?;
    if !arguments.installing {
        people.show(&verdict::next(&host, destination.file()))?;
    }
    let failed: Vec<&str> = quarantined.iter().map(|one| one.route.as_str()).collect();
    let verdict = Fault::unless_proved(&failed);
    let document = Tune {
        quarantined,
        undecided: undecided.cells(),
        warnings,
        ..document(&plan, destination.file(), host.machine)
    };
    write_json(arguments.json.as_deref(), &document)?;
    verdict
}

/// What the plan says, of which no more is known yet.
fn document(plan: &Plan, file: &Path, machine: Machine) -> Tune {
    Tune {
        schema: Tune::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        plan: file.display().to_string(),
        quarantined: Vec::new(),
        constant_time: cost(plan),
        algorithms: served(plan),
        digests: digests(plan, |_| true),
        offloads: offloads(plan, |_| true),
        undecided: 0,
        warnings: Vec::new(),
        machine,
    }
}

/// The plan that openssl.cnf names, if it fits no more and the machine is idle.
fn due(host: &Host) -> Result<Option<Outdated>, Fault> {
    let Some(found) = Outdated::here(host)? else { return Ok(None) };
    if found.can_be_measured(host) {
        return Ok(Some(found));
    }
    let (file, why) = (found.file.display(), &found.why);
    say(&format!("{file} is {why}: measured when the machine is idle\n"))?;
    Ok(None)
}

/// Writes the plan; if nobody watches, only one that the module takes.
fn place(plan: &Plan, destination: &Destination, is_unattended: bool) -> Result<(), Fault> {
    let staged = destination.stage(&plan.to_string())?;
    if is_unattended {
        let refused =
            |why| Fault::NotSo(format!("the old plan stays: the module says of a new one: {why}"));
        wirespeed_doctor::try_plan(staged.file()).map_err(refused)?;
    }
    destination.place(staged)
}

/// Whether there is something to choose between, and Linux's crypto where it was asked for.
fn check_presence(host: &Host, kernel: bool) -> Result<(), Fault> {
    if let Err(why) = host.harness.library() {
        return Err(Fault::usage(format!("{why}: without it there is nothing to choose between")));
    }
    if !kernel || host.find(Route::DevCrypto).presence.is_ok() {
        return Ok(());
    }
    let absent = |why| Fault::usage(format!("route {} is absent: {why}", Route::Kernel));
    host.find(Route::Kernel).presence.map_err(absent)
}

/// The whole proof of every route that is here, libcrypto's detour included.
fn prove(host: &Host) -> (Vec<Route>, Vec<Quarantined>) {
    let (mut proved, mut quarantined) = (Vec::new(), Vec::new());
    for found in host.routes().iter().filter(|found| found.presence.is_ok()) {
        let detour = Candidate::Provider(Route::Libcrypto);
        let proof = match found.route {
            Route::Libcrypto => {
                prove_against_host(&host.harness, detour).map(|_| ()).map_err(|why| why.to_string())
            }
            _ => host.prove(found).map(|_| ()),
        };
        match proof {
            Ok(()) => proved.push(found.route),
            Err(reason) => {
                quarantined.push(Quarantined { route: found.route.name().to_owned(), reason });
            }
        }
    }
    (proved, quarantined)
}

fn served(plan: &Plan) -> Vec<Served> {
    let served = |algorithm: &Algorithm| Served {
        algorithm: algorithm.name().to_owned(),
        claimed: plan.claims(*algorithm),
        driver: plan.named_driver((*algorithm).into()).map(|(_, driver)| driver.to_owned()),
        rows: plan.rows().filter(|row| row.algorithm == *algorithm).map(planned).collect(),
    };
    Algorithm::ALL.iter().map(served).collect()
}
