//! `wirespeed tune`: proves every route, measures everything, and writes the plan of this machine.

use std::path::PathBuf;

use clap::Args;
use wirespeed_bench::{Candidate, Host, prove_against_host};
use wirespeed_cipher::{Algorithm, Route};
use wirespeed_measure::{WallTime, noise::Noise};
use wirespeed_plan::Plan;
use wirespeed_results::schema::plan::{Digest, Quarantined, Served, Tune};
use wirespeed_results::schema::{Document, VERSION};

use crate::arguments::Switch;
use crate::commands::survey::proved_routes;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{Progress, check_writable, header, notes, say, write_json};
use crate::plan::{Destination, code, cost, fingerprint, offloads, planned, summary};

mod keep;
mod measuring;
mod offloading;
mod pace;
mod verdict;

use keep::Outdated;
use measuring::Measuring;
use offloading::Offloading;
use pace::Pace;
use verdict::undecided;

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
    /// AES on a CPU without AES instructions, Camellia, ARIA and SM4 on any. The plan says so, and it stays so whenever
    /// it is measured again, until it is turned off
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          hide_possible_values = true)]
    constant_time: Option<Switch>,
    /// Measure only if the plan that openssl.cnf names fits no more, and the machine is idle; say in one line what changed
    #[arg(long, conflicts_with_all = ["output", "kernel", "constant_time", "json"])]
    keep: bool,
    /// Write what was found as JSON, besides the plan; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

/// Seconds of measuring, besides the proofs.
const SECONDS: u64 = 240;
const QUICK_SECONDS: u64 = 30;
/// The same for the kernel.
const KERNEL_SECONDS: u64 = 60;
const QUICK_KERNEL_SECONDS: u64 = 15;

pub(crate) fn run(arguments: TuneArguments) -> Result<(), Fault> {
    check_writable(arguments.json.as_deref())?;
    let host = Host::discover();
    if let Err(why) = host.harness.library() {
        return Err(Fault::usage(format!("{why}: without it there is nothing to choose between")));
    }
    if arguments.kernel {
        let absent = |why| Fault::usage(format!("route {} is absent: {why}", Route::Kernel));
        let usual = host.find(Route::Kernel).presence.map_err(absent);
        usual.or_else(|why| host.find(Route::DevCrypto).presence.map_err(|_| why))?;
    }
    let outdated = match arguments.keep {
        true => match Outdated::here(&host)? {
            Some(outdated) if outdated.can_be_measured(&host) => Some(outdated),
            Some(Outdated { file, why, .. }) => {
                let file = file.display();
                return say(&format!("{file} is {why}: measured when the machine is idle\n"));
            }
            None => return Ok(()),
        },
        false => None,
    };
    let output = outdated.as_ref().map(|it| it.file.clone()).or(arguments.output);
    let kernel = arguments.kernel || outdated.as_ref().is_some_and(|it| it.kernel);
    let destination = Destination::new(output)?;
    let before = Plan::read(destination.file()).ok();
    let chosen = before.as_ref().is_some_and(Plan::is_for_constant_time);
    let is_for_constant_time = arguments.constant_time.map_or(chosen, Switch::is_on);
    let code = is_for_constant_time.then(|| code(&host));
    let interruption = Interruption::watch()?;
    let to_people = arguments.json.as_deref() != Some("-") && outdated.is_none();
    let show = |text: &str| if to_people { say(text) } else { Ok(()) };
    show(&format!("{}\n", header(&host.machine)))?;

    let (proved, mut quarantined) = prove(&host);
    let names: Vec<&str> = proved.iter().map(|route| route.name()).collect();
    show(&format!("\n{}", proved_routes(&names, "proved on this machine")))?;

    let mut offloading = kernel.then(|| Offloading::new(&host));
    for (route, count) in offloading.iter().flat_map(Offloading::counts) {
        show(&format!(
            "          {route:<11} {count} algorithms proved, measured by elapsed time\n"
        ))?;
    }

    let (seconds, kernel_seconds) = match arguments.quick {
        true => (QUICK_SECONDS, QUICK_KERNEL_SECONDS),
        false => (SECONDS, KERNEL_SECONDS),
    };
    let mut measuring = Measuring::new(&host.harness, &proved, arguments.quick, code);
    let cases = measuring.cases();
    let outside = offloading.as_ref().map(Offloading::cases).unwrap_or_default();
    let progress = Progress::new((cases.len() + outside.len()) as u64);
    let mut pace = Pace::new(&WallTime, seconds_allowed(seconds), cases.len());
    for (case, class) in cases {
        interruption.check("the old plan stays as it was")?;
        progress.at(case.to_string());
        measuring.measure(case, class, &mut pace)?;
        progress.tick();
    }
    let mut pace = Pace::new(&WallTime, seconds_allowed(kernel_seconds), outside.len());
    for (case, class) in outside {
        interruption.check("the old plan stays as it was")?;
        progress.at(case.to_string());
        if let Some(offloading) = &mut offloading {
            let cipher = case.subject.cipher();
            let is_alone = cipher.is_some_and(|cipher| !measuring.is_of_interest(cipher));
            offloading.measure(case, class, is_alone, &mut pace)?;
        }
        progress.tick();
    }
    progress.done();
    quarantined.extend(offloading.iter().flat_map(|it| it.quarantined.iter().cloned()));
    quarantined.extend(measuring.quarantined.iter().cloned());

    let fingerprint = fingerprint(&host);
    let standing =
        before.as_ref().filter(|plan| plan.fingerprint().difference(&fingerprint).is_none());
    let mut plan = Plan::new(fingerprint);
    if is_for_constant_time {
        plan = plan.for_constant_time();
    }
    for &algorithm in Algorithm::ALL {
        if let Some(offloading) = &offloading {
            measuring.take(algorithm, offloading.trials(algorithm.into()));
        }
        for row in measuring.judge(algorithm, standing) {
            plan.put(row);
        }
    }
    for (digest, route) in measuring.judge_digests() {
        plan.put_digest(digest, route);
    }
    if let Some(offloading) = &offloading {
        offloading.complete(&mut plan, standing);
    }
    let undecided = undecided(&plan, &measuring);
    let mut warnings: Vec<String> =
        measuring.disturbances().into_iter().map(Noise::advice).map(str::to_owned).collect();
    warnings.extend(undecided.advice());
    interruption.check("the old plan stays as it was")?;
    let staged = destination.stage(&plan.to_string())?;
    if outdated.is_some() {
        let refused =
            |why| Fault::NotSo(format!("the old plan stays: the module says of a new one: {why}"));
        wirespeed_doctor::try_plan(staged.file()).map_err(refused)?;
    }
    staged.place()?;

    show(&format!("\n{}", summary(&plan)))?;
    for one in &quarantined {
        show(&format!("quarantined, not in the plan: {}: {}\n", one.route, one.reason))?;
    }
    show(&notes(&warnings.iter().map(String::as_str).collect::<Vec<_>>()))?;
    let file = destination.file().display();
    if let Some(Outdated { why, .. }) = &outdated {
        let change = verdict::change(&plan, before.as_ref());
        say(&format!("{file} was {why}: measured again, {change}\n"))?;
    }
    let change = verdict::change(&plan, standing);
    show(&format!("\nPlan                  {file} ({change})\n"))?;
    show(&verdict::next(&host, destination.file()))?;
    let names: Vec<&str> = quarantined.iter().map(|one| one.route.as_str()).collect();
    let verdict = match names[..] {
        [] => Ok(()),
        _ => Err(Fault::NotSo(format!(
            "quarantined and left out of the plan, for their proof failed: {}",
            names.join(" ")
        ))),
    };
    let digests = plan.digests().map(|(digest, route)| Digest {
        digest: digest.name().to_owned(),
        route: route.name().to_owned(),
    });
    let document = Tune {
        schema: Tune::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        plan: file.to_string(),
        quarantined,
        constant_time: cost(&plan),
        algorithms: served(&plan),
        digests: digests.collect(),
        offloads: offloads(&plan, |_| true),
        undecided: undecided.cells(),
        warnings,
        machine: host.machine,
    };
    arguments.json.map_or(Ok(()), |target| write_json(&target, &document))?;
    verdict
}

/// The time for measuring; in tests of debug builds none, so that every figure is as short as can be.
fn seconds_allowed(seconds: u64) -> u64 {
    #[cfg(debug_assertions)]
    if std::env::var_os("WIRESPEED_HURRY").is_some() {
        return 0;
    }
    seconds
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
