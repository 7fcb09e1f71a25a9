//! Every vector and contract, through every API path, on every route that this machine has.
//!
//! `WIRESPEED_LIBCRYPTO`, `WIRESPEED_OPENSSL` and `WIRESPEED_MODULES` name a libcrypto, an `openssl`
//! program and the directory of `libwirespeed.so`; without them the host's own serve. A test that
//! cannot run here is ignored with its reason.

mod contract;
mod cts;
mod delegated;
mod differential;
mod digests;
mod extendable;
mod hash_vectors;
mod macs;
mod messages;
mod ocb;
mod overlap;
mod padding;
mod pipelines;
mod planned;
mod processes;
mod program;
mod programs;
mod records;
mod security;
mod sequences;
mod subjects;
mod tls;
mod vectors;
mod xts;

use std::fs;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_cpu::Features;

fn main() -> ExitCode {
    if let Some(verdict) = processes::child() {
        return match verdict {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                println!("{why}");
                ExitCode::FAILURE
            }
        };
    }
    let arguments = Arguments::from_args();
    let library = here::library();
    println!("{} at {}", library.version(), library.path().display());
    let measure = Provider::default(library).expect("libcrypto has a default provider");
    let mut trials = Vec::new();
    for subject in subjects::all(library) {
        match subject.api_path {
            Ok(api_path) => {
                trials.extend(vectors::trials(&subject.name, &api_path));
                trials.extend(differential::trials(&subject.name, &measure, &api_path));
            }
            Err(reason) => trials.push(skipped(&subject.name, reason)),
        }
    }
    trials.extend(hash_vectors::trials());
    trials.extend(messages::rerouting());
    trials.push(messages::kept_keys());
    for (route, obstacle) in here::routes() {
        if let (None, Ok(kernels)) = (obstacle, Kernels::new(route, Features::detect())) {
            trials.extend(cts::of_kernels(&format!("kernels::{route}"), &kernels));
            trials.extend(ocb::of_kernels(&format!("kernels::{route}"), &kernels));
            trials.extend(xts::of_kernels(&format!("kernels::{route}"), &kernels));
        }
    }
    trials.push(subjects::denial());
    trials.push(processes::priority());
    for provider in subjects::providers(library) {
        match provider.api_path {
            Ok(api_path) => {
                trials.extend(contract::trials(
                    &provider.name,
                    provider.route,
                    &measure,
                    &api_path,
                ));
                let length = sequences::Length::on(provider.route);
                trials.extend(sequences::trials(&provider.name, length, &measure, &api_path));
                trials.extend(security::trials(&provider.name, &api_path));
                trials.extend(cts::trials(&provider.name, &measure, &api_path));
                trials.extend(ocb::trials(&provider.name, &measure, &api_path));
                trials.extend(xts::trials(&provider.name, &measure, &api_path));
                trials.extend(padding::trials(&provider.name, &measure, &api_path));
                trials.extend(pipelines::trials(&provider.name, &measure, &api_path));
                trials.extend(overlap::trials(&provider.name, &measure, &api_path));
                trials.extend(records::trials(&provider.name, &measure, &api_path));
                let (name, route) = (&provider.name, provider.route);
                trials.extend(digests::trials(name, digests::of_route(route), &measure, &api_path));
                trials.extend(macs::trials(name, route, &measure, &api_path));
                trials.extend(delegated::trials(name, route, &measure, &api_path));
                trials.extend(processes::trials(
                    &provider.name,
                    provider.route,
                    &measure,
                    &api_path,
                ));
            }
            Err(reason) => trials.push(skipped(&format!("{}::contract", provider.name), reason)),
        }
    }
    trials.extend(macs::beside(library, &measure));
    trials.extend(planned::trials(library, &measure));
    match here::modules() {
        Some(modules) => {
            trials.extend(programs::trials(&modules));
            trials.extend(tls::trials(&modules));
        }
        None => trials.push(skipped("program", "WIRESPEED_MODULES is not set".to_owned())),
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    until_alone();
    conclusion.exit_code()
}

/// Waits until the threads that ran tests are gone. A scope waits for what they run, not for what their end runs, in
/// which libcrypto frees what `OPENSSL_cleanup` frees too when the process exits, without a lock: now and then all
/// tests would pass and the process be killed for a double free.
fn until_alone() {
    let others = || fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1);
    let patience = Instant::now() + Duration::from_secs(10);
    while others() && Instant::now() < patience {
        thread::sleep(Duration::from_millis(1));
    }
}

/// A test by that name.
fn trial(
    name: impl Into<String>,
    run: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    Trial::test(name, move || run().map_err(Failed::from))
}

/// A test that cannot run here.
fn skipped(name: &str, reason: String) -> Trial {
    Trial::ignorable_test(name, move || Ok(Completion::ignored_with(reason)))
}
