//! Why a program is slow: where its processor time goes, what would shorten it, and by how much.

mod gain;
mod lever;

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use signal_hook::consts::SIGINT;
use wirespeed_bench::Host;
use wirespeed_profile::{Kind, Profile, Step, Target, profile};
use wirespeed_results::schema::doctor::{PartOfTime, Time};

use crate::finding::Finding;
pub use gain::Gain;

/// How long a program is watched.
const LONGEST: Duration = Duration::from_secs(10);
/// `EMFILE` of errno(3).
const TOO_MANY_FILES: i32 = 24;
/// With fewer samples a share is chance.
const ENOUGH: u64 = 100;

/// Watches a program, and tells where its time went and what to do. `progress` is called now and then.
///
/// # Errors
/// If the program cannot be watched, and why.
pub(crate) fn slow(
    host: &Host,
    target: &Target,
    progress: &(impl Fn(Step) + Sync),
) -> Result<(Time, Vec<Finding>), String> {
    // Ctrl-C ends a program that we run, and not us.
    let hook = matches!(target, Target::Command { .. })
        .then(|| signal_hook::flag::register(SIGINT, Arc::default()))
        .transpose()
        .map_err(|error| error.to_string())?;
    let profile = profile(target, LONGEST, progress);
    hook.map(signal_hook::low_level::unregister);
    let profile = profile.map_err(|error| match error.kind() {
        ErrorKind::PermissionDenied => {
            "Linux does not let this user sample programs: use sudo, or sudo sysctl \
             kernel.perf_event_paranoid=2 for programs of your own"
                .to_owned()
        }
        _ if error.raw_os_error() == Some(TOO_MANY_FILES) => {
            "it has more threads than this user may open files for on each CPU: use sudo, or first \
             ulimit -n $(ulimit -Hn)"
                .to_owned()
        }
        _ => error.to_string(),
    })?;
    let gain = gain(host, &profile);
    Ok((time(&profile, &gain), findings(&profile, &gain)))
}

/// How much less processor time a program needs with our module.
pub fn gain(host: &Host, profile: &Profile) -> Gain {
    Gain::of(profile, |operation| gain::measured(host, operation))
}

fn time(profile: &Profile, gain: &Gain) -> Time {
    let part = |(part, share): &(wirespeed_profile::Part, f64)| PartOfTime {
        kind: word(part.kind).to_owned(),
        name: part.name.clone(),
        share: *share,
    };
    Time {
        program: profile.name.clone(),
        seconds: profile.elapsed.as_secs_f64(),
        cpu_seconds: profile.cpu_seconds,
        busiest_thread: profile.busiest_thread,
        samples: profile.samples,
        parts: profile.parts.iter().map(part).collect(),
        gain: gain.expected,
        gain_at_most: gain.at_most,
    }
}

/// The kind as JSON has it.
const fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Bulk => "cipher",
        Kind::Handshake => "handshake",
        Kind::Module => "wirespeed",
        Kind::Fetch => "fetch",
        Kind::OpenSsl => "openssl",
        Kind::OtherLibrary => "other library",
        Kind::LinuxCrypto => "linux cipher",
        Kind::Copying => "copying",
        Kind::Linux => "linux",
        Kind::CLibrary => "c library",
        Kind::Program => "program",
        Kind::Other => "other",
    }
}

/// What is the limit, what removes it, and what our module gives.
fn findings(profile: &Profile, gain: &Gain) -> Vec<Finding> {
    let failed = profile.status.filter(|status| !status.success());
    let failed =
        failed.map(|status| Finding::note(format!("{} ended with {status}", profile.name)));
    failed.into_iter().chain(of_its_time(profile, gain)).collect()
}

fn of_its_time(profile: &Profile, gain: &Gain) -> Vec<Finding> {
    if profile.samples < ENOUGH {
        return vec![Finding::note(format!(
            "{} used {:.2} s of processor time in {:.0} s: it waits, and no cipher is its limit. \
             Watch it while it works",
            profile.name,
            profile.cpu_seconds,
            profile.elapsed.as_secs_f64()
        ))];
    }
    let mut findings = vec![Finding::note(used(profile))];
    findings.extend(lost(profile).map(Finding::note));
    findings.extend(lever::of(profile));
    findings.extend(module(profile, gain));
    findings
}

/// How much it worked at all.
fn used(profile: &Profile) -> String {
    let processors = profile.cpu_seconds / profile.elapsed.as_secs_f64();
    let used = format!("{} used {:.0} % of a processor", profile.name, 100.0 * processors);
    if profile.busiest_thread > 0.9 && processors < 1.2 {
        format!("{used}, nearly all in one thread: that thread is its limit")
    } else if processors < 0.5 {
        format!(
            "{used}: most of the time it waited, for the network, a disk, its clients or a processor"
        )
    } else {
        used
    }
}

/// Samples that nobody has seen, if they are enough to matter.
fn lost(profile: &Profile) -> Option<String> {
    let all = profile.samples + profile.lost;
    (profile.lost > all / 20).then(|| {
        format!(
            "{} of {all} samples came too fast to be read: the shares are those of the others",
            profile.lost
        )
    })
}

/// What Wirespeed gives, or has given.
fn module(profile: &Profile, &Gain { expected, at_most }: &Gain) -> Option<Finding> {
    let bulk = profile.share(Kind::Bulk);
    if profile.share(Kind::Module) > bulk {
        return Some(Finding::fine("Wirespeed's module does its ciphers"));
    }
    let text = match expected {
        Some(gain) if gain >= 1.03 => {
            let percent = |gain: f64| 100.0 / gain;
            return Some(Finding::offer(
                format!(
                    "with Wirespeed it needs about {:.0} % of this processor time, at records of \
                     16 KiB; were ciphers free, {:.0} %",
                    percent(gain),
                    percent(at_most),
                ),
                "sudo wirespeed install, and restart it",
            ));
        }
        Some(_) => "Wirespeed would not be felt: this OpenSSL is as fast, or has little to do",
        None if profile.tells_ciphers() => {
            "Wirespeed would not be felt: OpenSSL's ciphers are no part of its time"
        }
        None => {
            "what is inside its OpenSSL could not be told apart: it is not the one that \
             /usr/bin/openssl has"
        }
    };
    Some(Finding::note(text))
}

#[cfg(test)]
mod tests {
    use wirespeed_profile::Part;

    use super::*;

    /// A busy program with these shares.
    pub(super) fn made_up(parts: &[(Kind, &str, f64)]) -> Profile {
        let part = |(kind, name, share): &(Kind, &str, f64)| {
            (Part { kind: *kind, name: (*name).to_owned() }, *share)
        };
        Profile {
            name: "nginx".to_owned(),
            elapsed: Duration::from_secs(10),
            cpu_seconds: 15.0,
            samples: 15_000,
            lost: 0,
            parts: parts.iter().map(part).collect(),
            busiest_thread: 0.8,
            learned: true,
            status: None,
        }
    }

    fn says(profile: &Profile) -> String {
        let gain = Gain::of(profile, |_| Some(2.0));
        findings(profile, &gain).iter().map(Finding::words).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn large_answers_gain_and_small_ones_do_not() {
        let large = made_up(&[
            (Kind::Bulk, "AES-GCM", 0.6),
            (Kind::Linux, "Linux: system calls, network, files", 0.3),
            (Kind::Program, "nginx itself", 0.1),
        ]);
        let said = says(&large);
        assert!(said.contains("AES-GCM") && said.contains("60 %"), "{said}");
        assert!(said.contains("about 70 %") && said.contains("free, 40 %"), "{said}");
        let small = made_up(&[
            (Kind::Handshake, "RSA", 0.7),
            (Kind::Linux, "Linux: system calls, network, files", 0.25),
            (Kind::Bulk, "AES-GCM", 0.02),
        ]);
        let said = says(&small);
        assert!(said.contains("ECDSA") && said.contains("would not be felt"), "{said}");
    }

    #[test]
    fn an_idle_program_is_told_from_a_busy_one() {
        let mut idle = made_up(&[(Kind::Program, "nginx itself", 1.0)]);
        idle.cpu_seconds = 0.05;
        idle.samples = 50;
        assert!(says(&idle).contains("it waits"), "{}", says(&idle));
        let mut single = made_up(&[(Kind::Bulk, "AES-CBC", 1.0)]);
        single.cpu_seconds = 10.0;
        single.busiest_thread = 0.99;
        assert!(says(&single).contains("that thread is its limit"), "{}", says(&single));
    }

    #[test]
    fn lost_samples_are_told_where_they_matter() {
        let mut busy = made_up(&[(Kind::Program, "nginx itself", 1.0)]);
        busy.lost = 100;
        assert!(!says(&busy).contains("too fast"), "{}", says(&busy));
        busy.lost = 5000;
        assert!(says(&busy).contains("5000 of 20000 samples"), "{}", says(&busy));
    }

    #[test]
    fn what_serves_already_is_not_offered() {
        let served = made_up(&[(Kind::Module, "Wirespeed's module", 0.4), (Kind::Linux, "", 0.6)]);
        let said = says(&served);
        assert!(said.contains("does its ciphers") && !said.contains("install"), "{said}");
    }

    #[test]
    fn another_openssl_is_said_to_be_another() {
        let mut other =
            made_up(&[(Kind::OpenSsl, "the rest of OpenSSL", 0.5), (Kind::Linux, "", 0.5)]);
        other.learned = false;
        assert!(says(&other).contains("could not be told apart"), "{}", says(&other));
    }
}
