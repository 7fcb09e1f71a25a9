//! Lesser machines: what is here on them, that it is proved, and that a program gets right bytes.
//!
//! Taking features away in one process is tested elsewhere; here CPUID itself is another's.

use std::env;

use wirespeed_cipher::{Direction, Route};
use wirespeed_conformance::data::unhex;
use wirespeed_conformance::scratch::Scratch;
use wirespeed_stats::Snapshot;
use wirespeed_system_tests::module::configuration;
use wirespeed_vm::{Accelerator, Machine};

use crate::{Answer, variable};

/// A machine and the routes that it has.
pub(crate) struct Model {
    pub(crate) cpu: &'static str,
    pub(crate) accelerator: Accelerator,
    routes: &'static [Route],
    /// The ciphers that get the first of them without a plan; the others where a configuration says so.
    by_itself: &'static [&'static str],
    /// Whether a hypervisor hides AES there.
    hides: bool,
    /// Whether to measure a plan there, which takes a translated machine seven minutes.
    planned: bool,
}

use Accelerator::{Kvm, Tcg};
use Route::{AesNi, Avx2, Libcrypto, Portable, ShaNi, Sse2, Ssse3, Vaes256};

pub(crate) const MODELS: &[Model] = &[
    // Zen 3: VAES, and no AVX-512. QEMU cannot translate VAES.
    Model {
        cpu: "EPYC-Milan",
        accelerator: Kvm,
        routes: &[Vaes256, AesNi, ShaNi, Avx2, Ssse3, Sse2, Portable, Libcrypto],
        by_itself: &[CTR, CBC],
        hides: false,
        planned: true,
    },
    // AVX2 and no VAES.
    Model {
        cpu: "Haswell",
        accelerator: Tcg,
        routes: &[AesNi, Avx2, Ssse3, Sse2, Portable, Libcrypto],
        by_itself: &[CTR, CBC],
        hides: false,
        planned: false,
    },
    // The same where a hypervisor hides AES.
    Model {
        cpu: "Haswell,-aes,-pclmulqdq",
        accelerator: Tcg,
        routes: &[Avx2, Ssse3, Sse2, Portable, Libcrypto],
        by_itself: &[CTR],
        hides: true,
        planned: false,
    },
    // The first with AES-NI: no AVX.
    Model {
        cpu: "Westmere",
        accelerator: Tcg,
        routes: &[AesNi, Ssse3, Sse2, Portable, Libcrypto],
        by_itself: &[CTR, CBC],
        hides: false,
        planned: false,
    },
    // SSSE3 at most: no AES instructions.
    Model {
        cpu: "Penryn",
        accelerator: Tcg,
        routes: &[Ssse3, Sse2, Portable, Libcrypto],
        by_itself: &[],
        hides: false,
        planned: false,
    },
    // What Proxmox gives a guest unless told otherwise: SSE2 alone.
    Model {
        cpu: "kvm64",
        accelerator: Tcg,
        routes: &[Sse2, Portable, Libcrypto],
        by_itself: &[],
        hides: true,
        planned: false,
    },
];

const CTR: &str = "AES-128-CTR";
const CBC: &str = "AES-256-CBC";
const CIPHERS: [&str; 2] = [CTR, CBC];

pub(crate) fn boot(model: &Model, machine: Machine) -> Result<(), String> {
    let modules = variable("WIRESPEED_MODULES")?;
    let program = modules.join("wirespeed").display().to_string();
    let module = modules.join("libwirespeed.so");
    let tests: Vec<_> = env::split_paths(&variable("WIRESPEED_KERNEL_TESTS")?).collect();
    let scratch = Scratch::new()?;
    scratch.write("openssl.cnf", configuration(&module, "stats = /tmp/counters"))?;
    let named = format!("stats = /tmp/named\nroutes = {}", model.routes[0]);
    scratch.write("named.cnf", configuration(&module, &named))?;
    scratch.write("planned.cnf", configuration(&module, "plan = /etc/wirespeed/plan"))?;
    let mut commands = vec![
        format!("{program} routes"),
        format!("{program} --seconds 0.01 > /tmp/survey; code=$?; cat /tmp/survey; exit $code"),
    ];
    commands.extend(tests.iter().map(|program| format!("{} --quiet", program.display())));
    if model.planned {
        // Progress goes to standard error; the plan to its usual place.
        commands.push(format!("{program} tune --quick 2>&1 >/tmp/tune | tail -n 3"));
        commands.push(format!("{program} routes"));
    }
    // Without us, with us, and with us as we are told.
    let mut configurations = vec!["/dev/null", "openssl.cnf"];
    let all_by_itself = CIPHERS.iter().all(|cipher| model.by_itself.contains(cipher));
    configurations.extend((!all_by_itself).then_some("named.cnf"));
    configurations.extend(model.planned.then_some("planned.cnf"));
    for cipher in CIPHERS {
        for file in &configurations {
            let secret = "00112233445566778899aabbccddeeff";
            let folder = scratch.root().display();
            commands.push(format!(
                "cd {folder}; head -c 1000000 {} | OPENSSL_CONF={file} \
                 openssl enc -{} -K {secret} -iv {secret} 2>/dev/null | sha256sum",
                module.display(),
                cipher.to_lowercase()
            ));
        }
    }
    // Who reads brings to the file what was counted.
    let counters = |file: &str| {
        format!("{program} stats {file} >/dev/null && od -An -v -tx1 {file} | tr -d ' \\n'")
    };
    commands.push(counters("/tmp/counters"));
    commands.extend((!all_by_itself).then(|| counters("/tmp/named")));
    let machine = machine.accelerator(model.accelerator).cpu(model.cpu);
    let answer = Answer::of_script(&machine, &script(&commands))?;
    let said = answer.text();
    let mut answers = answers(&said);
    let mut next = |what: &str| match answers.next() {
        Some((said, 0)) => Ok(said),
        other => Err(format!("{what}: {other:?}; {}", answer.complaints)),
    };
    let routes = next("routes")?;
    for route in Route::ALL {
        let here = routes.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some(route.name()) && words.next() == Some("here")
        });
        if here != model.routes.contains(&route) {
            return Err(format!("{route} is here: {here}\n{routes}"));
        }
    }
    let survey = next("survey")?;
    if !survey.contains("all proved on this machine") {
        return Err(format!("the survey proves nothing: {survey}"));
    }
    if survey.contains("hides") != model.hides {
        return Err(format!("hidden: {}\n{survey}", model.hides));
    }
    if survey.contains("The hidden instructions for AES: ") != model.hides {
        return Err(format!("what that costs: {}\n{survey}", model.hides));
    }
    for program in &tests {
        let said = next("kernels' own tests")?;
        if !said.contains("test result: ok") {
            return Err(format!("{}: {said}", program.display()));
        }
    }
    if model.planned {
        let tune = next("tune")?;
        let planned = next("routes by plan")?;
        if !planned.contains("/etc/wirespeed/plan") || planned.contains("ignored") {
            return Err(format!("no plan: {tune}\n{planned}"));
        }
    }
    for cipher in CIPHERS {
        let right = next(cipher)?;
        for file in &configurations[1..] {
            let got = next(cipher)?;
            if right != got || right.len() < 64 {
                return Err(format!("{cipher}, {file}: {right} is right, not {got}"));
            }
        }
    }
    served(model.routes[0], model.by_itself, &unhex(next("counters")?))?;
    if all_by_itself {
        return Ok(());
    }
    served(model.routes[0], &CIPHERS, &unhex(next("counters of the named route")?))
}

/// Before and after every command's output, on lines of their own.
const BEGIN: &str = "-----begin";
const END: &str = "-----end";

/// Commands one after the other, whatever becomes of each.
fn script(commands: &[String]) -> String {
    let one = |line: &String| {
        format!("echo; echo {BEGIN}\n({line}) 2>&1\nstatus=$?; echo; echo {END} $status\n")
    };
    commands.iter().map(one).collect()
}

/// What each said, and its exit status.
fn answers(said: &str) -> impl Iterator<Item = (&str, i32)> {
    said.split(BEGIN).skip(1).map_while(|piece| {
        let (said, rest) = piece.split_once(END)?;
        Some((said.trim(), rest.split_whitespace().next()?.parse().ok()?))
    })
}

/// The ciphers that are `by_us` ran on that route, and the others on none of ours.
fn served(route: Route, by_us: &[&str], counters: &[u8]) -> Result<(), String> {
    let counted = Snapshot::parse(counters).ok_or("no counters")?;
    if counted.loads() == 0 || !counted.quarantined().is_empty() {
        return Err(format!("{} loads, quarantined {:?}", counted.loads(), counted.quarantined()));
    }
    for name in CIPHERS {
        let rows = || counted.rows().filter(|row| row.subject.name() == name);
        let encrypted =
            rows().filter(|row| row.route == route && row.direction == Direction::Encrypt);
        let bytes = encrypted.map(|row| row.bytes).sum::<u64>();
        if by_us.contains(&name) && bytes < 1_000_000 {
            return Err(format!("{name}: {route} ran {bytes} bytes"));
        }
        if !by_us.contains(&name) && rows().any(|row| row.route != Libcrypto) {
            return Err(format!("{name}: {:?}", rows().collect::<Vec<_>>()));
        }
    }
    Ok(())
}
