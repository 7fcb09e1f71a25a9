//! What is wanted of the kernel: the key `kernel` or `devcrypto` in our section, and what the plan gives to it.

use std::path::Path;

use wirespeed_af_alg::Transform;
use wirespeed_af_alg::drivers::{self, Driver};
use wirespeed_cipher::{Route, Subject};
use wirespeed_installation::shell;
use wirespeed_openssl_conf::Entry;
use wirespeed_plan::Plan;

use super::reach::{self, Reach};
use crate::examined::{Examined, Installed};
use crate::finding::Finding;
use wirespeed_cipher::nearest;

/// The key, understood as the module understands it; off where it is not there.
#[derive(Debug)]
pub(super) struct Wanted {
    /// By which way, which is also the key's name.
    route: Route,
    /// Whether anything may go to the kernel.
    pub(super) on: bool,
    /// Whether also in processes under seccomp.
    pub(super) seccomp: bool,
    /// What the plan gives to the kernel and the key allows, in words.
    pub(super) planned: Option<String>,
    /// Where the key stands, and how; empty where it does not.
    pub(super) line: String,
    section: String,
    /// The file that `plan` names.
    plan: Option<String>,
    named: Vec<Named>,
    /// Whether `routes` sends everything there.
    forced: bool,
}

/// An algorithm of the list, perhaps with its driver.
#[derive(Debug)]
struct Named {
    algorithm: String,
    driver: Option<String>,
}

impl Wanted {
    pub(super) fn of(examined: &Examined<'_>, route: Route) -> Self {
        let installed = examined.installed();
        installed.map_or_else(|| Self::none(route), |it| Self::by(examined, &it, route))
    }

    /// Nothing.
    const fn none(route: Route) -> Self {
        Self {
            route,
            on: false,
            seccomp: false,
            planned: None,
            line: String::new(),
            section: String::new(),
            plan: None,
            named: Vec::new(),
            forced: false,
        }
    }

    fn by(examined: &Examined<'_>, installed: &Installed<'_>, route: Route) -> Self {
        let text = |entry: &Entry| entry.value.to_str().into_owned();
        let value = |key: &str| installed.section.entry(key).map(text);
        let mut wanted = Self { section: installed.section.name.to_string(), ..Self::none(route) };
        if let Some(entry) = installed.section.entry(route.name()) {
            wanted.line = format!("{}: {route} = {}", entry.place, entry.value);
            wanted.understand(&text(entry));
        }
        let routes = value("routes").unwrap_or_default();
        wanted.forced = routes.split([',', ' ']).any(|listed| listed == route.name());
        wanted.plan = value("plan");
        let plan = wanted.plan.as_ref().and_then(|file| examined.here.plan(Path::new(file)).ok());
        wanted.planned = plan.and_then(|plan| planned(&plan, route, &wanted.named));
        wanted
    }

    fn understand(&mut self, value: &str) {
        for word in value.split([',', ' ', '\t']).filter(|word| !word.is_empty()) {
            match word {
                "off" => return,
                "on" => self.on = true,
                "seccomp" => self.seccomp = true,
                _ => {
                    self.on = true;
                    let (algorithm, driver) = match word.split_once('@') {
                        Some((algorithm, driver)) => (algorithm, Some(driver.to_owned())),
                        None => (word, None),
                    };
                    self.named.push(Named { algorithm: algorithm.to_owned(), driver });
                }
            }
        }
    }

    /// Whether key and plan go together.
    pub(super) fn match_of_key_and_plan(&self) -> Option<Finding> {
        let tune = match &self.plan {
            Some(file) => format!("sudo wirespeed tune --kernel --output {}", shell::word(file)),
            None => "sudo wirespeed tune --kernel, then sudo wirespeed install".to_owned(),
        };
        let Self { route, line, section, .. } = self;
        let who = if *route == Route::Kernel { "the kernel" } else { "/dev/crypto" };
        Some(match (&self.planned, self.on) {
            (None, false) => return None,
            (Some(planned), false) => Finding::mend(
                format!("the plan gives {who} {planned}, and {route} = off: other routes serve"),
                format!(
                    "write {route} = on into [{section}], or wirespeed tune makes a plan without"
                ),
            ),
            _ if self.forced => Finding::note(format!("{line}, and routes forces it")),
            (None, true) => Finding::mend(
                format!("{line}, but no plan gives {who} anything: nothing uses it"),
                format!(
                    "{tune}; if it gives nothing then, nothing is to be gained: take the line away"
                ),
            ),
            (Some(planned), true) => {
                Finding::fine(format!("{line}; the plan gives {who} {planned}"))
            }
        })
    }

    /// Whether what is wanted of AF_ALG can be had.
    pub(super) fn findings(&self, examined: &Examined<'_>, reach: Reach) -> Vec<Finding> {
        let line = &self.line;
        let there = match reach {
            Reach::Closed => "AF_ALG is closed",
            _ => "there is no AF_ALG",
        };
        let mut findings: Vec<Finding> = match self.on && !reach.is_open() {
            true => vec![Finding::mend(
                format!("{line}, but {there} here: other routes serve"),
                "take the line away",
            )],
            false => self.match_of_key_and_plan().into_iter().collect(),
        };
        if !reach.is_open() {
            return findings;
        }
        let known = drivers::parse(&examined.here.text(drivers::LIST).unwrap_or_default());
        findings.extend(self.named.iter().filter_map(|named| named.fault(line, &known)));
        let by_name = self.named.iter().any(|named| named.driver.is_some());
        if by_name && reach::restriction(examined) == Some(1) {
            findings.push(Finding::mend(
                format!("{line}: with af_alg_restrict = 1 programs get no driver by its name"),
                "name the algorithms alone; the kernel chooses the driver, by its priority",
            ));
        }
        findings
    }
}

impl Named {
    fn fault(&self, line: &str, known: &[Driver]) -> Option<Finding> {
        let Self { algorithm, driver } = self;
        let Some(transform) = Transform::named(algorithm) else {
            let names = Transform::ALL.iter().map(|transform| transform.name);
            let mend = match nearest(algorithm, names) {
                Some(name) => format!("write {name}"),
                None => "use OpenSSL's names, as wirespeed kernel prints them".to_owned(),
            };
            return Some(Finding::mend(format!("{line}: {algorithm} is no algorithm"), mend));
        };
        let driver = driver.as_ref()?;
        let kernel = transform.kernel;
        Some(match known.iter().find(|it| it.driver == *driver) {
            Some(it) if it.algorithm != kernel => Finding::mend(
                format!("{line}: {driver} is a driver of {}, not of {kernel}", it.algorithm),
                match known.iter().find(|it| it.serves && it.algorithm == kernel) {
                    Some(right) => format!("write {algorithm}@{}", right.driver),
                    None => format!("write {algorithm} alone: the kernel chooses its driver"),
                },
            ),
            Some(it) if !it.self_test_passed => Finding::mend(
                format!("{line}: {driver} has not passed the kernel's own test of it"),
                format!("write {algorithm} alone: the kernel chooses another driver"),
            ),
            Some(_) => return None,
            None => {
                let near = nearest(driver, known.iter().map(|it| it.driver.as_str()));
                let near = near.map(|name| format!("; did you mean {name}?")).unwrap_or_default();
                Finding::mend(
                    format!("{line}: /proc/crypto has no driver {driver}{near}"),
                    format!(
                        "load its module; wirespeed kernel {algorithm} shows the drivers of {kernel}"
                    ),
                )
            }
        })
    }
}

/// What a plan gives to the kernel, of what is named; everything may go there where nothing is.
fn planned(plan: &Plan, route: Route, named: &[Named]) -> Option<String> {
    let kernels = plan.rows().filter(|row| row.route == route);
    let rows = kernels.map(|row| Subject::Cipher(row.algorithm));
    let offloads = plan.offloads().filter(|offload| offload.route == route);
    let offloads = offloads.map(|offload| offload.subject);
    let mut names: Vec<&str> = rows.chain(offloads).map(Subject::name).collect();
    names.dedup();
    names.retain(|name| {
        let is_it = |it: &Named| it.algorithm.eq_ignore_ascii_case(name);
        named.is_empty() || named.iter().any(is_it)
    });
    (!names.is_empty()).then(|| names.join(", "))
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::SIZE_CLASSES;

    use super::*;
    use crate::fake::Fake;

    const DRIVERS: &str = "name : cbc(aes)\ndriver : virtio_crypto_aes_cbc\nmodule : virtio_crypto\n\
        priority : 150\nselftest : passed\ninternal : no\ntype : skcipher\n\n\
        name : cbc(aes)\ndriver : broken\nmodule : broken\npriority : 900\nselftest : unknown\n\
        internal : no\ntype : skcipher\n\n\
        name : sha1\ndriver : sha1-generic\nmodule : kernel\npriority : 100\nselftest : passed\n\
        internal : no\ntype : shash\n";

    const FINGERPRINT: &str =
        "wirespeed-plan 1\ncpu x\nmicrocode x\nkernel x\nlibcrypto x\nwirespeed x\n";

    /// With this key, with these rows in the plan.
    fn machine(line: &str, rows: &str) -> Fake {
        let mut fake =
            Fake::installed(&format!("plan = /plan\n{line}")).file("/proc/crypto", DRIVERS);
        fake.plan = Plan::parse(&format!("{FINGERPRINT}{rows}")).map_err(|error| error.to_string());
        assert!(fake.plan.is_ok(), "{:?}", fake.plan);
        fake
    }

    fn says(fake: &Fake, reach: Reach) -> String {
        fake.says(|examined| Wanted::of(examined, Route::Kernel).findings(examined, reach))
    }

    /// A plan that gives the kernel something to do.
    fn rows() -> String {
        let row =
            |direction| SIZE_CLASSES.map(|size| format!("AES-128-CBC {direction} {size} kernel\n"));
        ["enc", "dec"].map(row).as_flattened().concat() + "offload SHA1 hash 4096\n"
    }

    #[test]
    fn on_needs_a_plan_and_a_plan_needs_on() {
        let said = says(&machine("kernel = on", ""), Reach::Loaded);
        assert!(said.starts_with("MEND: /etc/ssl/openssl.cnf:"), "{said}");
        assert!(said.contains("kernel = on, but no plan gives the kernel anything"), "{said}");
        assert!(said.contains("-> sudo wirespeed tune --kernel --output /plan"), "{said}");
        let said = says(&machine("kernel = off", &rows()), Reach::Loaded);
        assert!(said.contains("gives the kernel AES-128-CBC, SHA1, and kernel = off"), "{said}");
        assert_eq!(said, says(&machine("", &rows()), Reach::Loaded), "off is the default");
        assert!(said.contains("-> write kernel = on into [wirespeed_section]"), "{said}");
        let said = says(&machine("kernel = on", &rows()), Reach::Loaded);
        assert!(
            said.starts_with("fine: ") && said.ends_with("the kernel AES-128-CBC, SHA1"),
            "{said}"
        );
        assert_eq!(says(&machine("kernel = off", ""), Reach::Loaded), "");
        let said = says(&machine("kernel = SHA2-256", &rows()), Reach::Loaded);
        assert!(said.contains("no plan gives the kernel anything"), "a list is a limit: {said}");
        let said = says(&machine("kernel = on\nroutes = kernel", ""), Reach::Loaded);
        assert!(said.starts_with("note: ") && said.contains("routes forces it"), "{said}");
    }

    #[test]
    fn on_without_the_family_is_a_fault() {
        for (reach, words) in [
            (Reach::Absent, "but there is no AF_ALG here"),
            (Reach::Closed, "but AF_ALG is closed here"),
        ] {
            let said = says(&machine("kernel = on AES-1@x", &rows()), reach);
            assert!(said.contains(words) && said.contains("take the line away"), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }

    #[test]
    fn algorithms_and_drivers_that_are_not_there_are_named() {
        for (list, words) in [
            ("AES-128-CBD", "AES-128-CBD is no algorithm -> write AES-128-CBC"),
            ("nonsense", "nonsense is no algorithm -> use OpenSSL's names"),
            ("AES-128-CBC@virtio_crypto_aes_cbd", "did you mean virtio_crypto_aes_cbc?"),
            ("aes-128-cbc@sha1-generic", "sha1-generic is a driver of sha1, not of cbc(aes)"),
            ("AES-128-CBC@broken", "broken has not passed the kernel's own test"),
        ] {
            let said = says(&machine(&format!("kernel = {list} SHA1"), &rows()), Reach::Loaded);
            assert!(said.contains("MEND: ") && said.contains(words), "{list}: {said}");
        }
        let good = "kernel = aes-128-cbc@virtio_crypto_aes_cbc, SHA1";
        let said = says(&machine(good, &rows()), Reach::Loaded);
        assert!(said.starts_with("fine: ") && said.lines().count() == 1, "{said}");
    }

    #[test]
    fn where_only_algorithms_can_be_had_drivers_by_name_are_a_fault() {
        for (level, list, faulty) in [
            ("1", "SHA1@sha1-generic", true),
            ("1", "SHA1", false),
            ("0", "SHA1@sha1-generic", false),
        ] {
            let fake = machine(&format!("kernel = {list}"), &rows()).file(reach::RESTRICT, level);
            let said = says(&fake, Reach::Loaded);
            assert_eq!(said.contains("no driver by its name"), faulty, "{level} {list}: {said}");
        }
    }

    #[test]
    fn the_key_is_understood() {
        for (value, on, seccomp, names) in [
            ("off", false, false, 0),
            ("on", true, false, 0),
            ("on, seccomp", true, true, 0),
            ("AES-128-CBC SHA1@sha1-generic,seccomp", true, true, 2),
        ] {
            let mut wanted = Wanted::none(Route::Kernel);
            wanted.understand(value);
            let understood = (wanted.on, wanted.seccomp, wanted.named.len());
            assert_eq!(understood, (on, seccomp, names), "{value}");
        }
    }
}
