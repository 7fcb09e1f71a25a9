//! Whether a program really uses Wirespeed: it is run, and the counters say what it did.

mod command;
mod estimate;
mod reason;
mod run;
mod setting;
mod speed;

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;

use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
use wirespeed_cipher::{Direction, Route};
use wirespeed_installation::own_module;
use wirespeed_results::schema::doctor::Watched;
use wirespeed_stats::{Row, Snapshot};

use crate::counters::{counted, volume};
use crate::examined::Examined;
use crate::finding::Finding;
use crate::surroundings::ThisMachine;
use crate::users;
use command::Command;
use run::Ran;
use setting::Setting;

/// The signals of a program that did what no program may.
const CRASHES: [i32; 5] = [SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE];

/// Runs the command and finds out what it used. With `quiet`, what it prints goes to standard error.
pub(crate) fn watch(
    machine: &ThisMachine,
    examined: &Examined<'_>,
    words: &[OsString],
    quiet: bool,
) -> Result<(Watched, Vec<Finding>), String> {
    let command = Command::find(examined, words)?;
    let setting = Setting::prepare(examined, &own_module()?)?;
    let ran = run::run(&command, &setting, quiet).map_err(|error| error.to_string())?;
    let snapshot = Snapshot::read(&setting.counters()).map_err(|error| error.to_string())?;
    let rows: Vec<Row> = snapshot.rows().collect();
    let mut findings = vec![ended(&command, &ran)];
    findings.extend(setting.note().map(Finding::note));
    findings.extend(speed::misleading(words));
    findings.push(match (snapshot.loads(), rows.as_slice()) {
        (0, _) => reason::not_loaded(examined, &command, &ran),
        (_, []) => reason::not_used(&command, &ran, ""),
        (_, rows) if rows.iter().all(is_random) => {
            reason::not_used(&command, &ran, ", but for OpenSSL's own random numbers")
        }
        (_, rows) => used(&command, rows),
    });
    // It ran with a copy that counts elsewhere; what the configuration itself gives may be less.
    if snapshot.loads() > 0 {
        findings.extend(users::mine(examined));
    }
    findings.extend(reason::own_openssl(examined, &ran));
    findings.extend(reason::quarantined(&snapshot));
    findings.extend(still_running(&ran));
    let estimate = estimate::estimate(machine.host(), &rows, ran.cpu_seconds);
    findings.extend(estimate.as_ref().map(estimate::finding));
    let watched = Watched {
        words: words.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        status: ran.status.code(),
        cpu_seconds: ran.cpu_seconds,
        loads: snapshot.loads(),
        rows: counted(&rows),
        estimate,
    };
    Ok((watched, findings))
}

/// Whether a row is what the random generator of OpenSSL 3.0 to 3.4 asks for: AES-256, a block or a few
/// at a time (providers/implementations/rands/drbg_ctr.c). Every program that starts a session does.
fn is_random(row: &Row) -> bool {
    const LONGEST: u64 = 64;
    let generator = matches!(row.subject.name(), "AES-256-ECB" | "AES-256-CTR");
    generator && row.direction == Direction::Encrypt && row.bytes <= row.calls * LONGEST
}

/// How the command itself ended: not our fault, but not to be kept quiet.
fn ended(command: &Command, ran: &Ran) -> Finding {
    let text = format!("{} ended with {}", command.name(), ran.status);
    let crashed = ran.status.signal().is_some_and(|signal| CRASHES.contains(&signal));
    match (crashed, ran.status.success() || ran.interrupted) {
        (true, _) => Finding::mend(
            format!("{text}: it crashed"),
            "run it with OPENSSL_CONF=/dev/null: if it crashes then too, it is not Wirespeed's doing; \
             if not, please report it",
        ),
        (false, true) => Finding::fine(text),
        (false, false) => Finding::note(format!("{text}: what it did until then was watched")),
    }
}

fn used(command: &Command, rows: &[Row]) -> Finding {
    let bytes: u64 = rows.iter().map(|row| row.bytes).sum();
    let mut routes: Vec<Route> = rows.iter().map(|row| row.route).collect();
    routes.sort_unstable();
    routes.dedup();
    let names: Vec<&str> = routes.iter().map(|route| route.name()).collect();
    let text = format!("{} used {} for {}", command.name(), names.join(" "), volume(bytes));
    match routes[..] {
        [Route::Libcrypto] => Finding::note(format!("{text}: the plan leaves it all to OpenSSL")),
        _ => Finding::fine(text),
    }
}

fn still_running(ran: &Ran) -> Option<Finding> {
    (!ran.left_running.is_empty()).then(|| {
        Finding::note(format!(
            "left running in the background, and not watched any longer: {}; to watch a service, start \
             it in the foreground and end it with Ctrl-C",
            ran.left_running.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_told_from_data() {
        let row = |algorithm: &str, calls, bytes| Row {
            subject: algorithm.parse().expect("an algorithm"),
            direction: Direction::Encrypt,
            route: Route::Vaes512,
            calls,
            bytes,
        };
        assert!(is_random(&row("AES-256-ECB", 83, 3072)) && is_random(&row("AES-256-CTR", 6, 212)));
        assert!(!is_random(&row("AES-256-CTR", 10, 10_000)), "ssh, for one");
        assert!(!is_random(&row("AES-128-CTR", 6, 212)));
    }
}
