//! The module: there, whole, for this machine, and taken by this OpenSSL with this configuration.

use crate::examined::{Examined, Installed};
use crate::finding::Finding;
use crate::keys::settings;
use crate::trial::Loaded;
use wirespeed_installation::this_machine;

/// A module's one symbol.
const ENTRY: &str = "OSSL_provider_init";

/// The file, and what OpenSSL says to it.
pub(crate) fn module(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(installed) = examined.installed() else { return Vec::new() };
    vec![match load(examined, &installed) {
        Ok(loaded) => loads(examined, &installed, &loaded),
        Err(fault) => fault,
    }]
}

/// Loads the module if it is whole: the dynamic loader ends the process by SIGBUS where it is not.
pub(crate) fn load(examined: &Examined<'_>, installed: &Installed<'_>) -> Result<Loaded, Finding> {
    let path = installed.module.display();
    let damaged = |fault| Finding::mend(fault, "sudo wirespeed install puts a whole one there");
    examined.here.entry(&installed.module).map_err(|error| damaged(format!("{path}: {error}")))?;
    let binary = examined.here.binary(&installed.module);
    let binary = binary.map_err(|why| damaged(format!("{path} cannot be loaded: {why}")))?;
    if binary.machine != this_machine() {
        let machine = binary.machine_name();
        return Err(damaged(format!("{path} is for {machine}, which this OpenSSL cannot load")));
    }
    if !binary.exports.iter().any(|name| name == ENTRY) {
        return Err(damaged(format!("{path} is no provider: it lacks {ENTRY}")));
    }
    let settings = tried(installed);
    let loaded = examined.here.load(&installed.module, &settings);
    loaded.map_err(|said| refused(&said, &settings))
}

/// All settings but the counters: a trial is nothing to count.
pub(crate) fn tried(installed: &Installed<'_>) -> Vec<(String, String)> {
    settings(installed).into_iter().filter(|(key, _)| key != "stats").collect()
}

fn loads(examined: &Examined<'_>, installed: &Installed<'_>, loaded: &Loaded) -> Finding {
    let path = installed.module.display();
    let Some(routes) = &loaded.routes else {
        return Finding::mend(
            format!("{path} is a provider, but not Wirespeed's"),
            "sudo wirespeed install puts ours there",
        );
    };
    let ours = env!("CARGO_PKG_VERSION");
    if let Some(version) = loaded.version.as_ref().filter(|version| *version != ours) {
        return Finding::mend(
            format!("{path} is of Wirespeed {version}, this program of {ours}"),
            "sudo wirespeed install puts the same one there",
        );
    }
    if routes.starts_with("none") {
        return Finding::note(format!("{path} loads, but leaves all to OpenSSL: {routes}"));
    }
    let version = examined.openssl.as_ref().map_or("OpenSSL", |openssl| &openssl.version);
    let version = version.split(' ').take(2).collect::<Vec<_>>().join(" ");
    Finding::fine(format!("{path} loads in {version}; routes: {routes}"))
}

/// OpenSSL's own words, and which line they are about.
fn refused(said: &str, settings: &[(String, String)]) -> Finding {
    let about = settings.iter().find(|(key, value)| said.contains(&format!("{key} = {value}")));
    let mend = match about {
        Some((key, _)) if key == "plan" => {
            "wirespeed tune writes a good plan; or take the line away".to_owned()
        }
        Some((key, value)) => format!("change the line {key} = {value}, or take it away"),
        None => "sudo wirespeed install puts a good module there".to_owned(),
    };
    Finding::mend(format!("the module does not load; programs go on without it: {said}"), mend)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Fake, MODULE};

    #[test]
    fn a_module_that_loads_is_fine() {
        let said = Fake::installed("").says(module);
        assert_eq!(said, format!("fine: {MODULE} loads in OpenSSL 3.0.19; routes: vaes512"));
        assert_eq!(Fake::configured("").says(module), "", "nothing to check");
    }

    #[test]
    fn a_damaged_module_is_not_even_tried() {
        let damaged = |change: fn(&mut Fake)| {
            let mut fake = Fake::installed("");
            fake.loaded = Err("must not be tried".to_owned());
            change(&mut fake);
            fake.says(module)
        };
        let said = damaged(|fake| fake.binary = Err("it is cut off: 40 bytes of 90".to_owned()));
        assert!(said.contains("cannot be loaded: it is cut off: 40 bytes of 90"), "{said}");
        let said = damaged(|fake| fake.binary.as_mut().expect("a binary").machine = 3);
        assert!(said.contains("is for 32-bit x86"), "{said}");
        let said = damaged(|fake| fake.binary.as_mut().expect("a binary").exports.clear());
        assert!(said.contains("lacks OSSL_provider_init"), "{said}");
        let said = damaged(|fake| fake.remove(MODULE));
        assert!(said.starts_with(&format!("MEND: {MODULE}: No such file")), "{said}");
        assert!(said.ends_with("sudo wirespeed install puts a whole one there"), "{said}");
    }

    #[test]
    fn a_refused_configuration_is_told_in_openssls_words_with_the_line() {
        let mut fake = Fake::installed("routes = warp");
        fake.loaded = Err("routes = warp: unknown route 'warp'".to_owned());
        let said = fake.says(module);
        assert!(said.contains("programs go on without it: routes = warp: unknown route"), "{said}");
        assert!(said.ends_with("-> change the line routes = warp, or take it away"), "{said}");
        let mut fake = Fake::installed("plan = /etc/plan");
        fake.loaded = Err("plan = /etc/plan: line 3".to_owned());
        assert!(fake.says(module).contains("wirespeed tune"));
    }

    #[test]
    fn another_module_and_another_version_are_told() {
        let mut fake = Fake::installed("");
        fake.loaded = Ok(Loaded::default());
        assert!(fake.says(module).contains("not Wirespeed's"));
        let version = Some("0.0.1".to_owned());
        fake.loaded = Ok(Loaded { routes: Some("aesni".to_owned()), version, ..Loaded::default() });
        assert!(fake.says(module).contains("is of Wirespeed 0.0.1"));
    }
}
