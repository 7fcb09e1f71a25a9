//! Who gets Wirespeed: the real configuration, read by root, by a user without rights and by those of the services.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use wirespeed_installation::shell;

use crate::containers::is_apart;
use crate::examined::{Examined, Installed};
use crate::finding::Finding;
use crate::module;
use crate::reading::{Asked, Obstacle, Reading, User};
use crate::services::Mapped;

/// The user without rights, nobody.
const NOBODY: u32 = 65534;

/// What a module goes without where it cannot read the plan.
const PLAN: &str = "the plan";

/// Services that are asked for even while they map no libcrypto.
const SERVICES: [&str; 10] = [
    "nginx", "sshd", "apache2", "httpd", "haproxy", "postgres", "mysqld", "mariadbd", "openvpn",
    "stunnel",
];

/// What each user's programs get of the configuration as it is.
pub(crate) fn users(examined: &Examined<'_>) -> Vec<Finding> {
    let (Some(installed), Some(_)) = (examined.installed(), &examined.file) else {
        return Vec::new();
    };
    // What nobody can load is told by its own check.
    if module::load(examined, &installed).is_err() || !is_active(examined, &installed) {
        return Vec::new();
    }
    let (mut fine, mut found) = (Vec::new(), BTreeMap::<Trouble, Vec<String>>::new());
    for (user, name) in everybody(examined) {
        let mut troubles = troubles(examined, &installed, &user);
        // What is wrong with the plan for whoever asks is told by its own check.
        troubles.retain(|it| !(user.is_this && it.goes_without == PLAN));
        match troubles {
            none if none.is_empty() => fine.push(name),
            some => some.into_iter().for_each(|it| found.entry(it).or_default().push(name.clone())),
        }
    }
    let mut findings: Vec<Finding> =
        found.into_iter().map(|(trouble, names)| trouble.finding(&names)).collect();
    if !fine.is_empty() {
        findings.push(Finding::fine(format!(
            "served by the configuration as it is: {}",
            fine.join(", ")
        )));
    }
    if examined.here.user() != 0 {
        findings
            .push(Finding::note("only root can check what other users get: sudo wirespeed doctor"));
    }
    findings
}

/// Whether this user's programs have the provider active: what OpenSSL makes of `activate` depends on its version.
pub(crate) fn is_active(examined: &Examined<'_>, installed: &Installed<'_>) -> bool {
    let reading = read(examined, installed, &this(examined));
    !matches!(reading, Some(Ok(Reading { left_out: Some(Obstacle::Inactive), .. })))
}

/// Whether this user's programs get the provider.
pub(crate) fn serves(examined: &Examined<'_>, installed: &Installed<'_>) -> bool {
    let reading = read(examined, installed, &this(examined));
    matches!(reading, Some(Ok(Reading { left_out: None, .. })))
}

/// What is wrong with what this user's programs get, a finding for each thing.
pub(crate) fn mine(examined: &Examined<'_>) -> Vec<Finding> {
    let Some(installed) = examined.installed() else { return Vec::new() };
    let troubles = troubles(examined, &installed, &this(examined));
    troubles.iter().map(|it| it.finding(&["programs started from here".to_owned()])).collect()
}

fn this(examined: &Examined<'_>) -> User {
    let number = examined.here.user();
    User { number, group: number, others: Vec::new(), is_this: true }
}

fn read(
    examined: &Examined<'_>,
    installed: &Installed<'_>,
    user: &User,
) -> Option<Result<Reading, String>> {
    let stats = installed.provider.entry("stats").map(|it| it.value.to_path());
    let asked = Asked {
        file: examined.file.as_deref()?,
        provider: &installed.provider.name.to_string(),
        module: &installed.module,
        stats: stats.as_deref(),
    };
    if user.is_this {
        let reading = examined.own_reading.get_or_init(|| examined.here.reading(&asked, user));
        return Some(reading.clone());
    }
    let first = examined.here.reading(&asked, user);
    let everything = |it: &Result<Reading, String>| *it == Ok(Reading::default());
    if everything(&first) {
        return Some(first);
    }
    // The standard library gives a process one group; one of several may be what opens a file.
    let groups = user.others.iter().map(|group| User { group: *group, ..user.clone() });
    let by_groups = groups.map(|user| examined.here.reading(&asked, &user));
    Some(by_groups.into_iter().find(everything).unwrap_or(first))
}

/// Something that keeps a user from Wirespeed, or Wirespeed from an extra; and the mend.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Trouble {
    goes_without: &'static str,
    why: String,
    mend: String,
}

impl Trouble {
    fn finding(&self, names: &[String]) -> Finding {
        let (names, without) = (names.join(", "), self.goes_without);
        Finding::mend(format!("{names}: without {without}: {}", self.why), self.mend.clone())
    }
}

fn troubles(examined: &Examined<'_>, installed: &Installed<'_>, user: &User) -> Vec<Trouble> {
    let ours = |why: String, mend: String| Trouble { goes_without: "Wirespeed", why, mend };
    match read(examined, installed, user) {
        None => Vec::new(),
        Some(Err(why)) => vec![ours(why, "please report it".to_owned())],
        Some(Ok(Reading { left_out: Some(obstacle), .. })) => vec![match obstacle {
            Obstacle::Unreadable(file, why) => ours(
                format!("{} cannot be read: {why}", file.display()),
                format!(
                    "let every user read it: sudo chmod a+rX {0}; the folders above it, too",
                    shell::path(&file)
                ),
            ),
            Obstacle::Refused(why) => ours(why, "change that line, or take it away".to_owned()),
            Obstacle::Inactive => {
                let mend = format!("write activate = 1 into [{}]", installed.section.name);
                ours("it is listed, but not active".to_owned(), mend)
            }
        }],
        Some(Ok(Reading { missing, .. })) => missing.iter().flat_map(|it| extras(it)).collect(),
    }
}

/// The extras that a module says it serves without: `stats = FILE: why: what follows; mend; plan = …`.
fn extras(missing: &str) -> Vec<Trouble> {
    let keys = [("stats = ", "counters"), ("plan = ", PLAN)];
    let mut found: Vec<Trouble> = Vec::new();
    for part in missing.split("; ") {
        let key = keys.iter().find(|(key, _)| part.starts_with(key));
        match (key, found.last_mut()) {
            (Some((_, goes_without)), _) => {
                let (why, mend) = (part.to_owned(), String::new());
                found.push(Trouble { goes_without, why, mend });
            }
            (None, Some(last)) if last.mend.is_empty() => last.mend = part.to_owned(),
            (None, Some(last)) => last.mend += &format!("; {part}"),
            (None, None) => {}
        }
    }
    found
}

/// Root and nobody, and whom services run as, with what a person calls them; without root's rights only oneself.
fn everybody(examined: &Examined<'_>) -> Vec<(User, String)> {
    let names = examined.here.text("/etc/passwd").unwrap_or_default();
    if examined.here.user() != 0 {
        let user = this(examined);
        let name = name(&names, user.number);
        return vec![(user, name)];
    }
    let user =
        |number: u32, group| User { number, group, others: Vec::new(), is_this: number == 0 };
    let mut everybody = BTreeMap::from([0, NOBODY].map(|it| (it, (user(it, it), BTreeSet::new()))));
    let here = |folder: &PathBuf| !is_apart(examined, folder);
    for folder in examined.here.inside("/proc").into_iter().filter(here) {
        let read = |file: &str| examined.here.text(folder.join(file)).unwrap_or_default();
        let service = read("comm").trim().to_owned();
        if SERVICES.contains(&service.as_str()) || Mapped::of(&read("maps")).libcrypto {
            let status = read("status");
            let numbers = |key| numbers(&status, key);
            // Real and effective; what a process may do is the second's.
            let (Some(number), Some(group)) =
                (numbers("Uid:").get(1).copied(), numbers("Gid:").get(1).copied())
            else {
                continue;
            };
            let entry = everybody.entry(number).or_insert_with(|| {
                let others = numbers("Groups:");
                (User { others, ..user(number, group) }, BTreeSet::new())
            });
            entry.1.insert(service);
        }
    }
    let described = everybody.into_iter().map(|(number, (user, services))| {
        let services: Vec<String> = services.into_iter().collect();
        let name = name(&names, number);
        let is_known = [0, NOBODY].contains(&number) || services.is_empty();
        let name = if is_known { name } else { format!("{name} ({})", services.join(" ")) };
        (user, name)
    });
    described.collect()
}

/// The numbers in a line of proc_pid_status(5).
fn numbers(status: &str, key: &str) -> Vec<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
    line.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

/// A user's name, as passwd(5) has it.
fn name(passwd: &str, user: u32) -> String {
    let fields = |line: &str| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(user)).then(|| name.to_owned())
    };
    passwd.lines().find_map(fields).unwrap_or_else(|| format!("user {user}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{CONFIGURATION, Fake};

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nwww-data:x:33:33::/:/bin/false\n\
                          nobody:x:65534:65534:nobody:/:/bin/false\n";

    fn machine() -> Fake {
        Fake::installed("stats = /run/stats")
            .file("/etc/passwd", PASSWD)
            .file("/proc/812/comm", "nginx\n")
            .file("/proc/812/status", "Name:\tnginx\nUid:\t33\t33\t33\t33\nGid:\t33\t33\t33\t33\n")
    }

    #[test]
    fn all_who_are_served_are_named() {
        let said = machine().says(users);
        let all = "root, www-data (nginx), nobody";
        assert_eq!(said, format!("fine: served by the configuration as it is: {all}"));
        let mut fake = machine();
        fake.user = 33;
        let said = fake.says(users);
        assert!(
            said.starts_with(
                "fine: served by the configuration as it is: www-data\nnote: only root"
            )
        );
        assert_eq!(Fake::configured("").says(users), "");
    }

    #[test]
    fn who_is_left_out_is_named_with_the_reason_and_the_mend() {
        let mut fake = machine();
        let why = "Permission denied (os error 13)".to_owned();
        let unreadable = Obstacle::Unreadable(CONFIGURATION.into(), why);
        let left_out = Reading { left_out: Some(unreadable), missing: None };
        fake.readings.extend([(33, left_out.clone()), (NOBODY, left_out)]);
        let said = fake.says(users);
        assert!(
            said.starts_with("MEND: www-data (nginx), nobody: without Wirespeed: /etc/ssl/openssl.cnf cannot be read"),
            "{said}"
        );
        assert!(said.contains("-> let every user read it: sudo chmod a+rX"), "{said}");
        assert!(said.ends_with("fine: served by the configuration as it is: root"), "{said}");
    }

    #[test]
    fn extras_that_are_missing_are_told_apart() {
        let mut fake = machine();
        let missing = "stats = /run/stats: the file cannot be opened: nothing is counted; write it; \
                       plan = /p: is not there: the default priority serves; tune, or install";
        let missing = Some(missing.to_owned());
        fake.readings.insert(NOBODY, Reading { left_out: None, missing });
        let said = fake.says(users);
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(
            lines[..2],
            [
                "MEND: nobody: without counters: stats = /run/stats: the file cannot be opened: nothing is \
                 counted -> write it",
                "MEND: nobody: without the plan: plan = /p: is not there: the default priority serves -> tune, or install"
            ]
        );
    }
}
