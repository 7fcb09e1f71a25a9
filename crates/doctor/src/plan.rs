//! The plan, and the proof of every route: what was measured still holds, what serves gives right bytes.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use wirespeed_installation::shell;
use wirespeed_plan::{Plan, SYSTEM};
use wirespeed_stats::{FILE_OF, Snapshot};

use crate::counters;
use crate::examined::Examined;
use crate::finding::Finding;
use crate::module;
use crate::surroundings::{Surroundings, ThisMachine};

/// The plan of the configuration.
pub(crate) fn plan(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(installed) = examined.installed() else { return Vec::new() };
    let install = "sudo wirespeed install measures one; with --keep it does so after every update";
    let Some(entry) = installed.provider.entry("plan") else {
        let made = wirespeed_plan::default_file().filter(|file| examined.here.exists(file));
        return vec![Finding::note(match made {
            Some(file) => format!(
                "{} is not in use, so the default priority serves: sudo wirespeed install names it",
                file.display()
            ),
            None => format!("there is none, so the default priority serves: {install}"),
        })];
    };
    let path = entry.value.to_path();
    // The machine's plan is renewed with all that belongs to it, another one by itself.
    let tune = match path == Path::new(SYSTEM) {
        true => install.to_owned(),
        false => format!("sudo wirespeed tune --output {}", shell::path(&path)),
    };
    if let Err(why) = examined.here.plan(&path) {
        return vec![Finding::mend(format!("{}: {why}", path.display()), tune)];
    }
    // The module itself says whether the plan is for this machine and this OpenSSL.
    let loaded = module::load(examined, &installed).unwrap_or_default();
    vec![match loaded.plan {
        Some(said) if said.contains("ignored") => Finding::mend(said, tune),
        Some(said) if said.starts_with("none") => {
            Finding::note(format!("{} is not used: {said}", path.display()))
        }
        _ => Finding::fine(format!("{} is for this machine", path.display())),
    }]
}

/// The file that the configuration names.
pub(crate) fn named(examined: &Examined<'_>) -> Option<PathBuf> {
    let installed = examined.installed()?;
    Some(installed.provider.entry("plan")?.value.to_path())
}

/// The plan that the module follows, if it follows one.
pub(crate) fn in_use(examined: &Examined<'_>) -> Option<Plan> {
    let (installed, path) = (examined.installed()?, named(examined)?);
    let said = module::load(examined, &installed).ok()?.plan;
    let follows = said.is_none_or(|it| !it.contains("ignored") && !it.starts_with("none"));
    follows.then(|| examined.here.plan(&path).ok()).flatten()
}

/// Has the module load as the configuration of this machine says, but with another plan.
///
/// # Errors
/// Why it does not follow that one.
pub fn try_plan(plan: &Path) -> Result<(), String> {
    let machine = ThisMachine::discover();
    let examined = Examined::new(&machine);
    let installed = examined.installed().ok_or("openssl.cnf does not name it")?;
    let plan = plan.display().to_string();
    let with_plan = |(key, value)| match key == "plan" {
        true => (key, plan.clone()),
        false => (key, value),
    };
    let settings: Vec<_> = module::tried(&installed).into_iter().map(with_plan).collect();
    let loaded = machine.load(&installed.module, &settings)?;
    match (loaded.plan, loaded.quarantined) {
        (Some(said), None) if said == plan => Ok(()),
        (_, Some(routes)) => Err(format!("wrong bytes by {routes}")),
        (said, None) => Err(said.unwrap_or_else(|| "it is no module of ours".to_owned())),
    }
}

/// Routes that were quarantined: by the module when it was loaded, in the counters, or by the full proof
/// that is made now.
pub(crate) fn proof(examined: &Examined<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for (route, why) in examined.failed_proofs() {
        findings.push(Finding::mend(
            format!("{route} gives wrong bytes on this machine: {why}"),
            "do not force that route; please report it with the output of wirespeed --json -",
        ));
    }
    if let Some(installed) = examined.installed() {
        let loaded = module::load(examined, &installed).unwrap_or_default();
        findings
            .extend(loaded.quarantined.map(|routes| quarantined(&routes, "when it was loaded")));
        findings.extend(counted(examined));
    }
    if !findings.iter().any(Finding::is_fault) {
        findings.push(Finding::fine("every route of this machine gives right bytes"));
    }
    findings
}

fn quarantined(routes: &str, when: &str) -> Finding {
    Finding::mend(
        format!("quarantined {when}, for it gave wrong bytes: {routes}; another route serves"),
        "wirespeed tune measures without it; please report it with the output of wirespeed --json -",
    )
}

/// What the counters of the configuration hold against a route: those of a file, or of all files in a folder.
fn counted(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(place) = counters::place(examined) else { return Vec::new() };
    match examined.here.list(&place) {
        Some(names) => {
            // Anybody may put files there. Those of no user count for nobody, and are not worth a word.
            let is_of_user = |name: &OsString| {
                let number = name.to_str().and_then(|it| it.strip_prefix(FILE_OF));
                number.is_some_and(|it| it.parse::<u32>().is_ok())
            };
            let ours = names.into_iter().filter(is_of_user);
            let of = |name: OsString| {
                counted_in(&place.join(&name), examined.here.counted(&place, Some(&name)))
            };
            ours.filter_map(of).collect()
        }
        None => counted_in(&place, examined.here.counted(&place, None)).into_iter().collect(),
    }
}

fn counted_in(file: &Path, counted: io::Result<Snapshot>) -> Option<Finding> {
    let path = file.display();
    let counted = match counted {
        Ok(counted) => counted,
        Err(why) if why.kind() == io::ErrorKind::InvalidData => {
            return Some(Finding::mend(
                format!("{path} holds no counters of this Wirespeed, so nothing is counted"),
                format!("rm {}; the module makes it anew", shell::path(file)),
            ));
        }
        Err(why) if why.kind() == io::ErrorKind::Unsupported => {
            return Some(Finding::note(format!(
                "{path} is of another version of Wirespeed; the next program that starts begins it anew"
            )));
        }
        Err(_) => return None,
    };
    let routes: Vec<&str> =
        counted.quarantined().into_iter().map(wirespeed_cipher::Route::name).collect();
    (!routes.is_empty()).then(|| quarantined(&routes.join(" "), &format!("according to {path}")))
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Route;

    use super::*;
    use crate::fake::Fake;
    use crate::trial::Loaded;

    fn with(plan: Option<&str>, quarantined: Option<&str>) -> Fake {
        let mut fake = Fake::installed("plan = /etc/wirespeed/plan");
        fake.loaded = Ok(Loaded {
            routes: Some("vaes512".to_owned()),
            plan: plan.map(str::to_owned),
            quarantined: quarantined.map(str::to_owned),
            ..Loaded::default()
        });
        fake
    }

    #[test]
    fn a_plan_for_this_machine_is_fine() {
        let said = with(Some("/etc/wirespeed/plan"), None).says(plan);
        assert_eq!(said, "fine: /etc/wirespeed/plan is for this machine");
        assert!(Fake::installed("").says(plan).starts_with("note: there is none"));
    }

    #[test]
    fn a_plan_of_another_machine_missing_or_malformed_is_found() {
        let stale = "/etc/wirespeed/plan ignored: made for libcrypto 3.0.18, this is 3.0.19";
        let said = with(Some(stale), None).says(plan);
        assert!(said.starts_with(&format!("MEND: {stale} -> sudo wirespeed install ")), "{said}");
        let mut own = Fake::installed("plan = /p/plan");
        own.loaded = Ok(Loaded { plan: Some(stale.to_owned()), ..Loaded::default() });
        assert!(own.says(plan).ends_with("-> sudo wirespeed tune --output /p/plan"));
        let mut fake = with(None, None);
        fake.plan = Err("line 3: not a route".to_owned());
        assert!(fake.says(plan).starts_with("MEND: /etc/wirespeed/plan: line 3: not a route"));
        assert!(with(Some("none: routes are listed"), None).says(plan).starts_with("note: "));
    }

    #[test]
    fn a_quarantined_route_is_named() {
        assert!(with(None, None).says(proof).starts_with("fine: "));
        let said = with(None, Some("vaes256")).says(proof);
        assert!(said.contains("quarantined when it was loaded") && said.contains("vaes256"));
        let mut fake = Fake::bare();
        fake.failed = vec![(Route::AesNi, "wrong bytes: AES-128-CTR".to_owned())];
        assert!(fake.says(proof).starts_with("MEND: aesni gives wrong bytes on this machine"));
    }

    #[test]
    fn a_damaged_module_is_not_loaded_for_its_plan_either() {
        let mut fake = with(None, Some("vaes256"));
        fake.binary = Err("it is cut off".to_owned());
        assert!(fake.says(proof).starts_with("fine: "));
        assert!(fake.says(plan).starts_with("fine: "), "its own check tells");
    }

    #[test]
    fn the_counters_are_looked_into() {
        let fake = Fake::installed("stats = /run/stats").file("/run/stats", "something else");
        assert!(fake.says(proof).contains("/run/stats holds no counters"));
        let old = [b"wirespeed stats 0.0.9\n".as_slice(), &[0; 80]].concat();
        let said = Fake::installed("stats = /run/stats").file("/run/stats", old).says(proof);
        assert!(said.starts_with("note: /run/stats is of another version of Wirespeed;"), "{said}");
        let mut bytes = vec![0; wirespeed_stats::BYTES];
        bytes[..wirespeed_stats::MAGIC.len()].copy_from_slice(wirespeed_stats::MAGIC);
        bytes[wirespeed_stats::QUARANTINED * 8] = 1;
        for (file, others) in
            [("/run/stats", "/elsewhere"), ("/run/stats/stats-7", "/run/stats/stats-x")]
        {
            let fake = Fake::installed("stats = /run/stats").file(file, &bytes).file(others, "");
            let said = fake.says(proof);
            let wanted = format!("according to {file}, for it gave wrong bytes: vaes512");
            assert!(said.contains(&wanted) && said.lines().count() == 1, "{said}");
        }
    }
}
