//! Who may change what every program on the machine loads: the module, the configuration, the plan.

use std::path::{Path, PathBuf};

use wirespeed_installation::shell;

use crate::examined::Examined;
use crate::finding::Finding;

const OTHERS: u32 = 0o002;
const GROUP: u32 = 0o020;
/// Only the owner of a file may move it away.
const STICKY: u32 = 0o1000;

/// The files and every folder above them.
pub(crate) fn permissions(examined: &Examined<'_>) -> Vec<Finding> {
    let mut files: Vec<PathBuf> = Vec::new();
    if let Some(configuration) = examined.readable() {
        files.extend(configuration.files().map(Path::to_owned));
    }
    if let Some(installed) = examined.installed() {
        files.push(installed.module.clone());
        let plan = installed.provider.entry("plan");
        files.extend(plan.map(|entry| entry.value.to_path()));
    }
    // Where links lead matters as much as where they lie.
    let real = files.iter().filter_map(|file| Some(examined.here.entry(file).ok()?.place));
    let real: Vec<PathBuf> = real.collect();
    let mut places: Vec<&Path> =
        files.iter().chain(&real).flat_map(|file| file.ancestors()).collect();
    places.retain(|place| place.is_absolute());
    places.sort();
    places.dedup();
    let mut findings: Vec<Finding> =
        places.iter().filter_map(|place| judge(examined, place)).collect();
    if findings.is_empty() && !files.is_empty() {
        let whom = if examined.here.user() == 0 { "root" } else { "root and you" };
        let what =
            if files.len() == 1 { "the configuration" } else { "module, configuration and plan" };
        findings.push(Finding::fine(format!("only {whom} may change {what}")));
    }
    findings
}

fn judge(examined: &Examined<'_>, place: &Path) -> Option<Finding> {
    let entry = examined.here.entry(place).ok()?;
    let (name, word) = (entry.place.display(), shell::path(&entry.place));
    let user = examined.here.user();
    if entry.owner != 0 && entry.owner != user {
        return Some(Finding::mend(
            format!("{name} belongs to user {}, who may change it", entry.owner),
            format!("sudo chown root {word}"),
        ));
    }
    let sticky = entry.folder && entry.mode & STICKY != 0;
    if entry.mode & OTHERS != 0 && !sticky {
        return Some(Finding::mend(
            format!("{name} may be changed by every user"),
            format!("sudo chmod o-w {word}"),
        ));
    }
    // A group of root, or the one that many distributions give each user.
    let others = entry.group != 0 && entry.group != user;
    if entry.mode & GROUP == 0 || sticky || !others {
        return None;
    }
    let text = format!("{name} may be changed by group {}", entry.group);
    Some(match entry.folder {
        // Debian's /usr/local belongs to the group staff.
        true => Finding::note(text),
        false => Finding::mend(text, format!("sudo chmod g-w {word}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{CONFIGURATION, Fake, MODULE};

    #[test]
    fn what_only_root_may_change_is_fine() {
        let said = Fake::installed("").says(permissions);
        assert_eq!(said, "fine: only root may change module, configuration and plan");
        assert_eq!(Fake::bare().says(permissions), "");
    }

    #[test]
    fn what_others_may_change_is_found() {
        let said = Fake::installed("").file_of(MODULE, "", 0, 0o666).says(permissions);
        assert_eq!(
            said,
            format!("MEND: {MODULE} may be changed by every user -> sudo chmod o-w {MODULE}")
        );
        let said = Fake::configured("").file_of(CONFIGURATION, "", 1000, 0o644).says(permissions);
        assert!(said.ends_with(&format!("sudo chown root {CONFIGURATION}")), "{said}");
        let said = Fake::installed("plan = /p/plan").file_of("/p/plan", "", 0, 0o664);
        assert!(said.says(permissions).starts_with("fine: "), "root's own group");
    }

    #[test]
    fn a_command_has_a_path_with_blanks_as_one_word() {
        let plan = "/old plans/plan";
        let said = Fake::installed(&format!("plan = {plan}")).file_of(plan, "", 0, 0o666);
        let said = said.says(permissions);
        let command = format!("{plan} may be changed by every user -> sudo chmod o-w '{plan}'");
        assert!(said.contains(&command), "{said}");
    }

    #[test]
    fn my_own_files_are_mine_to_change() {
        let mut fake = Fake::configured("").file_of(CONFIGURATION, "", 1000, 0o664);
        fake.user = 1000;
        assert_eq!(fake.says(permissions), "fine: only root and you may change the configuration");
        fake.user = 1001;
        assert!(fake.says(permissions).contains("belongs to user 1000"));
    }
}
