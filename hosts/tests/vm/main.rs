//! Lesser machines, booted: what is here on them, that it is proved, and that a program gets right bytes.
//!
//! `WIRESPEED_KERNEL` names a kernel of Debian's, `WIRESPEED_MODULES` the directory with the program and
//! the module, `WIRESPEED_NATIVE_TESTS` the test program of the kernels. Taking features away in one
//! process is tested elsewhere; here CPUID itself is another's.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_cipher::{Direction, Route};
use wirespeed_conformance::data::unhex;
use wirespeed_hosts::guest::{Accelerator, Answer, Guest};
use wirespeed_hosts::module::configuration;
use wirespeed_stats::Snapshot;

/// A machine and the routes that it has.
struct Model {
    cpu: &'static str,
    accelerator: Accelerator,
    routes: &'static [Route],
    /// Whether to measure a plan there, which takes a translated machine a minute.
    planned: bool,
}

use Accelerator::{Kvm, Tcg};
use Route::{AesNi, Libcrypto, Portable, Vaes256};

const MODELS: &[Model] = &[
    // Zen 3: VAES, and no AVX-512. QEMU cannot translate VAES.
    Model {
        cpu: "EPYC-Milan",
        accelerator: Kvm,
        routes: &[Vaes256, AesNi, Portable, Libcrypto],
        planned: true,
    },
    // AVX2 and no VAES.
    Model {
        cpu: "Haswell",
        accelerator: Tcg,
        routes: &[AesNi, Portable, Libcrypto],
        planned: true,
    },
    // The first with AES-NI: no AVX.
    Model {
        cpu: "Westmere",
        accelerator: Tcg,
        routes: &[AesNi, Portable, Libcrypto],
        planned: false,
    },
    // SSSE3 at most: no AES instructions.
    Model { cpu: "Penryn", accelerator: Tcg, routes: &[Portable, Libcrypto], planned: false },
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let found =
        |name: &str| env::var_os(name).map(PathBuf::from).ok_or(format!("{name} is not set"));
    let files = found("WIRESPEED_KERNEL").and_then(|kernel| {
        let (modules, tests) = (found("WIRESPEED_MODULES")?, found("WIRESPEED_NATIVE_TESTS")?);
        Ok([kernel, modules, tests])
    });
    let trials = MODELS.iter().map(|model| {
        let obstacle = model.accelerator.obstacle().map(str::to_owned);
        let files = obstacle.map_or_else(|| files.clone(), Err);
        Trial::ignorable_test(format!("vm::{}", model.cpu), move || match files {
            Err(reason) => Ok(Completion::ignored_with(reason)),
            Ok(files) => boot(model, &files).map(|()| Completion::Completed).map_err(Failed::from),
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

const PLAIN: &str = "head -c 1000000 /libwirespeed.so";
/// Without us, with us, and with us as planned.
const CONFIGURATIONS: [&str; 3] = ["/dev/null", "/openssl.cnf", "/planned.cnf"];
const CIPHERS: [(&str, &str); 2] = [("aes-128-ctr", "AES-128-CTR"), ("aes-256-cbc", "AES-256-CBC")];

fn boot(model: &Model, [kernel, modules, tests]: &[PathBuf; 3]) -> Result<(), String> {
    let mut guest = Guest::new(kernel)?;
    guest.add_program("/usr/bin/openssl".as_ref(), "/bin/openssl")?;
    guest.add_program(&modules.join("wirespeed"), "/bin/wirespeed")?;
    guest.add_program(&modules.join("libwirespeed.so"), "/libwirespeed.so")?;
    guest.add_program(tests, "/bin/native-tests")?;
    let file = configuration("/libwirespeed.so".as_ref(), "stats = /tmp/counters");
    guest.write("/openssl.cnf", &file)?;
    let planned = configuration("/libwirespeed.so".as_ref(), "plan = /etc/wirespeed/plan");
    guest.write("/planned.cnf", &planned)?;
    guest.command("wirespeed routes");
    guest.command("wirespeed --seconds 0.01 > /tmp/survey; code=$?; cat /tmp/survey; exit $code");
    guest.command("native-tests --quiet");
    if model.planned {
        // Progress goes to standard error; the plan to its usual place.
        guest
            .command("mkdir -p /etc/wirespeed; wirespeed tune --quick 2>&1 >/tmp/tune | tail -n 3");
        guest.command("wirespeed routes");
    }
    let configurations = if model.planned { &CONFIGURATIONS[..] } else { &CONFIGURATIONS[..2] };
    for (cipher, _) in CIPHERS {
        for file in configurations {
            let secret = "00112233445566778899aabbccddeeff";
            guest.command(format!(
                "{PLAIN} | OPENSSL_CONF={file} openssl enc -{cipher} -K {secret} -iv {secret} \
                 2>/dev/null | sha256sum"
            ));
        }
    }
    guest.command("hexdump -v -e '/1 \"%02x\"' /tmp/counters");
    let mut answers = guest.run(model.accelerator, model.cpu)?.into_iter();
    let mut next = |what: &str| match answers.next() {
        Some(Answer { said, status: 0 }) => Ok(said),
        other => Err(format!("{what}: {other:?}")),
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
    let tests = next("kernels' own tests")?;
    if !tests.contains("test result: ok") {
        return Err(tests);
    }
    if model.planned {
        let tune = next("tune")?;
        let planned = next("routes by plan")?;
        if !planned.contains("/etc/wirespeed/plan") || planned.contains("ignored") {
            return Err(format!("no plan: {tune}\n{planned}"));
        }
    }
    for (cipher, _) in CIPHERS {
        let right = next(cipher)?;
        for file in &configurations[1..] {
            let got = next(cipher)?;
            if right != got || right.len() < 64 {
                return Err(format!("{cipher}, {file}: {right} is right, not {got}"));
            }
        }
    }
    served(model, &unhex(&next("counters")?))
}

/// What ran is the best route of this machine; the portable one only when asked for.
fn served(model: &Model, counters: &[u8]) -> Result<(), String> {
    let counted = Snapshot::parse(counters).ok_or("no counters")?;
    if counted.loads() == 0 || !counted.quarantined().is_empty() {
        return Err(format!("{} loads, quarantined {:?}", counted.loads(), counted.quarantined()));
    }
    let best = model.routes.first().filter(|route| **route != Portable);
    for (_, name) in CIPHERS {
        let rows = || counted.rows().filter(|row| row.algorithm.name() == name);
        let by = |route: Route| {
            let rows =
                rows().filter(|row| row.route == route && row.direction == Direction::Encrypt);
            rows.map(|row| row.bytes).sum::<u64>()
        };
        match best {
            Some(route) if by(*route) < 1_000_000 => {
                return Err(format!("{name}: {route} ran {} bytes", by(*route)));
            }
            None if rows().any(|row| row.route != Libcrypto) => {
                return Err(format!("{name}: {:?}", rows().collect::<Vec<_>>()));
            }
            _ => {}
        }
    }
    Ok(())
}
