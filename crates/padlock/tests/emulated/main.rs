//! Every unit on every emulated CPU: this program runs itself under `padlock-run`.
//!
//! Outside it starts itself once for each CPU and each way to be strict; inside it compares bytes with
//! published vectors and with other implementations, or makes one call whose instructions are counted
//! outside.

mod calls;
mod checks;
mod ciphers;
mod hashes;
mod numbers;
mod place;
mod randomness;
mod runner;
mod unconfirmed;

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// What is to be done inside: `all`, `short`, `points`, or the name of a call.
const INSIDE: &str = "WIRESPEED_EMULATED";

/// The CPUs, and the units that are to be checked on each.
const MODELS: [(&str, &str); 4] = [
    ("c3", "rng ace"),
    ("c7", "rng ace ace2 phe pmm"),
    ("nano", "rng ace ace2 phe pmm"),
    ("zhaoxin", "rng ace ace2 phe phe2 pmm ccs"),
];

/// Ways to run all checks: options of `padlock-run`.
const WAYS: [&[&str]; 4] =
    [&["--strict"], &["--iv-writeback"], &["--interrupt-every", "1"], &["--interrupt-every", "5"]];

fn main() -> ExitCode {
    match env::var(INSIDE) {
        Ok(name) if name == "all" || name == "short" => checks::all(),
        Ok(name) if name == "points" => unconfirmed::look(),
        Ok(name) => calls::make(&name),
        Err(_) => return libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
    ExitCode::SUCCESS
}

fn trials() -> Vec<Trial> {
    let mut trials = vec![
        Trial::test("examples::one_block", || {
            runner::example("one_block", &[], "right, both ways")
        }),
        Trial::test("examples::power", || runner::example("power", &[], "65 -> 2790 -> 65")),
        Trial::test("examples::checksum", || {
            // FIPS 180-4's "abc", in a file.
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("abc");
            fs::write(&file, "abc")?;
            let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
            runner::example("checksum", &[&file], digest)
        }),
    ];
    for (model, units) in MODELS {
        for way in WAYS {
            // Of a 32-bit program every interrupt wakes a tracer, which takes its time.
            let traced = usize::BITS == 32 && way[0] == "--interrupt-every";
            if traced && model != "c7" {
                continue;
            }
            let name = format!("{model}::{}", way.join(" ").trim_start_matches("--"));
            trials.push(Trial::test(name, move || {
                let said = runner::inside(model, way, if traced { "short" } else { "all" })?;
                let checked = said.text.lines().next_back().unwrap_or_default();
                let expected = format!("checked: {units}");
                if checked == expected { Ok(()) } else { Err(format!("{checked:?}").into()) }
            }));
        }
        trials.push(Trial::test(format!("{model}::unconfirmed"), move || {
            let said = runner::inside(model, &[], "points")?;
            let last = said.text.lines().next_back().unwrap_or_default();
            if last == "points: 26" { Ok(()) } else { Err(said.text.into()) }
        }));
        for call in calls::ALL {
            let Some(expected) = call.expected(model) else { continue };
            trials.push(Trial::test(format!("{model}::counts::{}", call.name), move || {
                let said = runner::inside(model, &["--stats"], call.name)?;
                let counted = said.counts();
                let same = counted == expected;
                if same { Ok(()) } else { Err(format!("{counted}, not {expected}").into()) }
            }));
        }
    }
    trials
}
