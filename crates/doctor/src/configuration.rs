//! Whether the configuration stands where OpenSSL reads it.

use std::io;
use std::path::Path;

use wirespeed_installation::shell;
use wirespeed_openssl_conf::{Configuration, Fault, PROVIDERS, Reference};

use crate::examined::{Examined, Installed, MODULE_NAMES, names_our_module, ours};
use crate::finding::Finding;
use crate::users::is_active;

/// The file: which one, readable, and each line in its place.
pub(crate) fn file(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(file) = &examined.file else {
        return match &examined.openssl {
            Err(why) => vec![Finding::mend(why.clone(), "install OpenSSL 3.0 or later")],
            Ok(_) => vec![Finding::mend(
                "OPENSSL_CONF is set to nothing: programs started from here read no configuration",
                "unset OPENSSL_CONF",
            )],
        };
    };
    let mut findings: Vec<Finding> = elsewhere(examined, file).into_iter().collect();
    let found = match &examined.configuration {
        Some(Ok(configuration)) => faults(configuration, examined.diagnostics()),
        Some(Err(fault)) => vec![unreadable(fault)],
        None => Vec::new(),
    };
    findings.extend(found);
    if !findings.iter().any(Finding::is_fault) {
        findings.push(Finding::fine(format!("{} is read by OpenSSL", file.display())));
    }
    findings
}

/// `OPENSSL_CONF` leads away from the file that services read.
fn elsewhere(examined: &Examined<'_>, file: &Path) -> Option<Finding> {
    let standard = examined.openssl.as_ref().ok()?.configuration_file();
    if file == standard {
        return None;
    }
    let read = |file: &Path| Configuration::read(file, examined.here).ok();
    let has_ours = |file: &Path| read(file).is_some_and(|read| ours(&read).is_some());
    let (file_name, standard_name) = (file.display(), standard.display());
    Some(match (has_ours(&standard), has_ours(file)) {
        (true, false) => Finding::mend(
            format!(
                "OPENSSL_CONF = {file_name}: programs started from here read that file, which knows \
                 nothing of Wirespeed; {standard_name} does"
            ),
            "unset OPENSSL_CONF, or have that file say .include and the other's name",
        ),
        _ => Finding::note(format!(
            "OPENSSL_CONF = {file_name}: programs started from here read that file, others \
             {standard_name}"
        )),
    })
}

fn unreadable(fault: &Fault) -> Finding {
    match fault {
        Fault::Unreadable { path, error } if error.kind() == io::ErrorKind::NotFound => {
            Finding::mend(
                format!("{} is not there: OpenSSL goes on without a configuration", path.display()),
                "sudo wirespeed install makes one; if OPENSSL_CONF names it, unset that",
            )
        }
        Fault::Unreadable { path, error } => Finding::mend(
            format!("{} cannot be read: {error}", path.display()),
            format!("let every user read it: sudo chmod a+r {}", shell::path(path)),
        ),
        Fault::Wrong { place, mistake } => Finding::mend(
            format!("{place}: {mistake}; OpenSSL takes nothing of the whole file"),
            "put that line right, or put # before it",
        ),
    }
}

fn faults(configuration: &Configuration, strict: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, place) in configuration.missing_files() {
        findings.push(Finding::mend(
            format!("{place} includes {}, which is not there or unreadable", path.display()),
            "put the file there, or take the line away: OpenSSL passes over it without a word",
        ));
    }
    for lost in configuration.misplaced() {
        let (name, section) = (&lost.entry.name, &lost.section.name);
        let where_to = match configuration.sections()[0].name == *lost.meant_for {
            true => "above the first section of the file".to_owned(),
            false => format!("into [{}]", lost.meant_for),
        };
        findings.push(Finding::mend(
            format!(
                "{}: {name} stands in [{section}], where OpenSSL never looks for it: what is \
                 appended to a file belongs to its last section",
                lost.entry.place
            ),
            format!("move the line {name} = {} {where_to}", lost.entry.value),
        ));
    }
    let providers = configuration.providers();
    let listed = providers.iter().map(|provider| provider.reference);
    let chain = [configuration.modules(), configuration.module(PROVIDERS)];
    let references = chain.into_iter().flatten().chain(listed);
    findings.extend(references.filter_map(|reference| dangling(reference, strict)));
    findings
}

/// A key that names a section which is not there.
fn dangling(reference: Reference<'_>, strict: bool) -> Option<Finding> {
    let entry = reference.entry;
    let effect = if strict { ", so with config_diagnostics programs do not start" } else { "" };
    reference.section.is_none().then(|| {
        Finding::mend(
            format!(
                "{}: {} = {}: there is no [{}]{effect}",
                entry.place, entry.name, entry.value, entry.value
            ),
            "write that section, or take the line away",
        )
    })
}

/// Whether Wirespeed is in the configuration, and active.
pub(crate) fn installed(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(configuration) = examined.readable() else { return Vec::new() };
    if let Some(installed) = examined.installed() {
        return vec![activity(examined, &installed)];
    }
    let stray = configuration.sections().iter().find_map(|section| {
        let module = section.entry("module")?;
        names_our_module(&module.value.to_str()).then_some((section, module))
    });
    vec![match (stray, ours(configuration)) {
        (_, Some(listed)) => Finding::note(format!("Wirespeed is listed as {}", listed.name)),
        (Some((section, module)), None) => Finding::mend(
            format!(
                "{}: [{}] is Wirespeed's, but no program gets to it",
                module.place, section.name
            ),
            chain_to(configuration, &section.name.to_str()),
        ),
        (None, None) => not_installed(examined),
    }]
}

/// Whether it is active: releases differ in whether the key `activate` counts or its value, so the real one is asked.
fn activity(examined: &Examined<'_>, installed: &Installed<'_>) -> Finding {
    let place = &installed.provider.reference.entry.place;
    let section = &installed.section.name;
    let written = installed.provider.entry("activate");
    match (is_active(examined, installed), written) {
        (true, Some(entry)) if !installed.provider.is_activated() => Finding::note(format!(
            "Wirespeed is active: {place}, [{section}]: for this OpenSSL the line activate = {} means yes; to \
             switch Wirespeed off, take the line away",
            entry.value
        )),
        (true, _) => Finding::fine(format!("Wirespeed is active: {place}, [{section}]")),
        (false, _) => Finding::mend(
            format!("Wirespeed is listed at {place}, but not active"),
            format!("write activate = 1 into [{section}]"),
        ),
    }
}

/// What lacks between `openssl_conf` and a provider's section.
fn chain_to(configuration: &Configuration, section: &str) -> String {
    let list = configuration.module(PROVIDERS).and_then(|reference| reference.section);
    match (list, configuration.modules()) {
        (Some(list), _) => format!("write wirespeed = {section} into [{}]", list.name),
        (None, Some(modules)) => format!(
            "write providers = … into [{}], and wirespeed = {section} into the section it names",
            modules.entry.value
        ),
        (None, None) => "sudo wirespeed install writes the lines that lead to it".to_owned(),
    }
}

fn not_installed(examined: &Examined<'_>) -> Finding {
    let folder = examined.modules_folder();
    let there = folder.and_then(|folder| {
        MODULE_NAMES.iter().map(|name| folder.join(name)).find(|path| examined.here.exists(path))
    });
    let module = match there {
        Some(path) => format!("its module lies at {}, ", path.display()),
        None => String::new(),
    };
    Finding::note(format!(
        "Wirespeed is not installed, {module}which is no fault: sudo wirespeed install does it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{CONFIGURATION, Fake};
    use crate::reading::{Obstacle, Reading};

    fn says(text: &str) -> String {
        Fake::configured(text).says(file)
    }

    #[test]
    fn a_good_file_is_fine() {
        assert_eq!(
            Fake::installed("").says(file),
            format!("fine: {CONFIGURATION} is read by OpenSSL")
        );
        let active = "fine: Wirespeed is active: /etc/ssl/openssl.cnf:7, [wirespeed_section]";
        assert_eq!(Fake::installed("").says(installed), active);
        assert!(
            Fake::configured("").says(installed).starts_with("note: Wirespeed is not installed")
        );
    }

    /// The seeds: "at first i added the openssl config options to the end of the openssl.cnf … and it
    /// didn't work … until i inserted them in the right spot".
    #[test]
    fn lines_appended_below_another_section_are_found() {
        let text = "[ req ]\ndefault_bits = 2048\n\
                    openssl_conf = openssl_def\n[openssl_def]\nengines = openssl_engines\n\
                    [openssl_engines]\naf_alg = af_alg_engine\n[af_alg_engine]\n\
                    default_algorithms = ALL\n";
        let said = says(text);
        assert!(
            said.starts_with(
                "MEND: /etc/ssl/openssl.cnf:3: openssl_conf stands in [req], where OpenSSL never looks"
            ),
            "{said}"
        );
        assert!(
            said.contains("-> move the line openssl_conf = openssl_def above the first section")
        );
    }

    #[test]
    fn a_provider_that_nothing_leads_to_is_found() {
        let text = "openssl_conf = init\n[init]\nproviders = list\n[list]\ndefault = d\n[d]\n\
                    activate = 1\n[w]\nmodule = /usr/lib/wirespeed.so\nactivate = 1\n";
        let said = Fake::configured(text).says(installed);
        assert!(said.starts_with("MEND: /etc/ssl/openssl.cnf:9: [w] is Wirespeed's"), "{said}");
        assert!(said.ends_with("-> write wirespeed = w into [list]"), "{said}");
        let said = Fake::configured(&text.replace("openssl_conf = init\n", "")).says(installed);
        assert!(said.contains("sudo wirespeed install"), "{said}");
        let mut listed =
            Fake::configured("openssl_conf = i\n[i]\nproviders = l\n[l]\nwirespeed = w\n[w]\n");
        let inactive = Reading { left_out: Some(Obstacle::Inactive), missing: None };
        listed.readings.insert(0, inactive);
        assert!(listed.says(installed).contains("write activate = 1 into [w]"));
    }

    /// OpenSSL 3.0 looks at the key alone, later releases at its value.
    #[test]
    fn what_an_openssl_makes_of_the_line_activate_is_told() {
        let text = "openssl_conf = i\n[i]\nproviders = l\n[l]\nwirespeed = w\n[w]\nactivate = 0\n";
        let mut fake = Fake::configured(text);
        let said = fake.says(installed);
        assert!(said.starts_with("note: Wirespeed is active: /etc/ssl/openssl.cnf:5"), "{said}");
        assert!(said.contains("the line activate = 0 means yes"), "{said}");
        let inactive = Reading { left_out: Some(Obstacle::Inactive), missing: None };
        fake.readings.insert(0, inactive);
        assert!(fake.says(installed).contains("but not active -> write activate = 1 into [w]"));
    }

    #[test]
    fn a_file_that_openssl_cannot_take_is_found() {
        let said = says("[ broken\nkey = value\n");
        assert!(said.starts_with("MEND: /etc/ssl/openssl.cnf:1: "), "{said}");
        assert!(said.contains("OpenSSL takes nothing of the whole file"), "{said}");
        let said = Fake::bare().file_of(CONFIGURATION, "", 0, 0o000).says(file);
        assert!(said.contains("cannot be read") && said.contains("chmod a+r"), "{said}");
        assert!(Fake::bare().says(file).contains("openssl.cnf is not there"));
        let said = says(".include /etc/ssl/more.cnf\n");
        assert!(said.contains(":1 includes /etc/ssl/more.cnf, which is not there"), "{said}");
        assert!(says("openssl_conf = init\n").contains("there is no [init]"));
        assert!(says("openssl_conf = i\n[i]\nproviders = p\n").contains("there is no [p]"));
        let said = says("openssl_conf = i\n[i]\nproviders = p\n[p]\nwirespeed = w\n");
        assert!(said.contains("cnf:5: wirespeed = w: there is no [w]"), "{said}");
    }

    #[test]
    fn a_variable_that_leads_elsewhere_is_found() {
        let said =
            Fake::installed("").with("OPENSSL_CONF", "/home/me/my.cnf").file("/home/me/my.cnf", "");
        assert!(said.says(file).starts_with("MEND: OPENSSL_CONF = /home/me/my.cnf"));
        let said = Fake::bare().with("OPENSSL_CONF", "/my.cnf").file("/my.cnf", "").says(file);
        assert!(
            said.starts_with("note: OPENSSL_CONF = /my.cnf") && said.contains("fine: "),
            "{said}"
        );
        let said = Fake::installed("").with("OPENSSL_CONF", "").says(file);
        assert!(said.contains("set to nothing") && said.ends_with("unset OPENSSL_CONF"), "{said}");
    }

    #[test]
    fn without_an_openssl_there_is_one_thing_to_do() {
        let mut fake = Fake::bare();
        fake.openssl = Err("no libcrypto here".to_owned());
        assert_eq!(fake.says(file), "MEND: no libcrypto here -> install OpenSSL 3.0 or later");
    }
}
