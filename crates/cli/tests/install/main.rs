//! `wirespeed install` and `uninstall` on configurations of all kinds, in folders of their own: what
//! is installed works and changes nothing else, what fails leaves no trace, what is taken back is gone.

#![forbid(unsafe_code)]

mod contained;
mod failing;
mod files;
mod killed;
mod machine;
mod packaged;
mod policy;
mod scene;

use std::collections::BTreeMap;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_libcrypto::Library;

use files::{CASES, Case};
use scene::{Scene, expect};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let library = Library::host().expect("these tests need libcrypto");
    let has_engines = library.version_numbers().0 < 4;
    let mut trials: Vec<Trial> = CASES
        .iter()
        .map(|case| match case.engines && !has_engines {
            true => skipped(case.name, "this OpenSSL has no engines"),
            false => Trial::test(case.name, move || Ok(round(case)?)),
        })
        .collect();
    for (name, run) in failing::TESTS.iter().chain(policy::TESTS).chain(packaged::TESTS) {
        trials.push(Trial::test(*name, move || Ok(run()?)));
    }
    for (name, run) in machine::TESTS.iter().chain(contained::TESTS) {
        trials.push(match machine::obstacle() {
            Some(reason) => skipped(name, reason),
            None => Trial::test(*name, move || Ok(run()?)),
        });
    }
    for (name, run) in machine::KILLED {
        trials.push(match machine::obstacle().or_else(killed::obstacle) {
            Some(reason) => skipped(name, reason),
            None => Trial::test(*name, move || Ok(run()?)),
        });
    }
    for (name, run) in killed::TESTS {
        trials.push(match killed::obstacle() {
            Some(reason) => skipped(name, reason),
            None => Trial::test(*name, move || Ok(run()?)),
        });
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn skipped(name: &str, reason: impl Into<String>) -> Trial {
    let reason = reason.into();
    Trial::ignorable_test(name, move || Ok::<_, Failed>(Completion::ignored_with(reason)))
}

/// Installs, installs again, and takes it back.
fn round(case: &Case) -> Result<(), String> {
    let scene = Scene::new(case)?;
    let before = scene.values();
    let consent = if case.name == "legacy-alone" { " --activate-default" } else { "" };
    scene.run(&format!("install --dry-run{consent}"))?.is(0, "")?;
    expect(scene.state() == scene.original, "--dry-run changed something")?;

    let shown = scene.run(&format!("install{consent}"))?.is(0, "")?.output;
    expect(shown.contains("+wirespeed = wirespeed_sect # wirespeed install"), &shown)?;
    expect(shown.contains("the same bytes as stock OpenSSL"), &shown)?;
    expect(shown.contains("its calls were served by"), &shown)?;
    let listed = scene.openssl(&["list", "-providers"])?;
    let mut expected = vec!["default", "wirespeed"];
    if case.name.starts_with("legacy") {
        expected.push("legacy");
    }
    for name in expected {
        expect(listed.lines().any(|line| line.trim() == name), &format!("no {name}: {listed}"))?;
    }
    unchanged(&before, &scene.values())?;

    let installed = scene.state();
    let main = scene.path("openssl.cnf");
    let is_apart = case.name == "fedora";
    expect(is_apart == (installed.get(&main) == scene.original.get(&main)), "which file changed")?;
    let shown = scene.run("install")?.is(0, "")?.output;
    expect(shown.starts_with("Already installed: nothing to change."), &shown)?;
    expect(scene.state() == installed, "the second time changed something")?;

    let shown = scene.run("uninstall")?.is(0, "")?.output;
    let end = match case.text {
        _ if is_apart => "openssl.d/wirespeed.cnf is gone, as before.",
        Some(_) => "byte for byte",
        None => "is gone, as before",
    };
    expect(shown.contains(end), &shown)?;
    expect(scene.state() == scene.original, "it is not as it was before")?;
    let shown = scene.run("uninstall")?.is(0, "")?.output;
    expect(shown.starts_with("Not installed: nothing to change."), &shown)
}

/// Section and key, and what libcrypto itself takes for their value.
type Values = BTreeMap<(String, String), String>;

/// What was said before is said still, but for the keys that installing is about.
fn unchanged(before: &Values, now: &Values) -> Result<(), String> {
    for ((section, key), value) in before {
        let new = now.get(&(section.clone(), key.clone()));
        let new = new.ok_or_else(|| format!("{key} in [{section}] is lost"))?;
        let wanted = match key.as_str() {
            "default_properties" => {
                format!("{value},?provider=wirespeed,?wirespeed.preferred=yes")
            }
            _ => value.clone(),
        };
        expect(*new == wanted, &format!("{key} in [{section}] was {value}, is {new}"))?;
    }
    Ok(())
}
