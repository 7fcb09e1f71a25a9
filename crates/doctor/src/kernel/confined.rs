//! Services under seccomp, where the module opens no socket of the kernel's.
//!
//! A filter may end a process for `socket()`, so the module looks before it opens one. Here it is told
//! beforehand who goes without.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::examined::Examined;
use crate::finding::Finding;
use crate::services::{self, unit_files};

/// Keys by which systemd filters system calls (systemd.exec(5)) and that say which.
const FILTERS: [&str; 2] = ["SystemCallFilter", "RestrictAddressFamilies"];

/// Services and processes with OpenSSL that run under seccomp; `allowed` as the configuration has it.
pub(super) fn services(examined: &Examined<'_>, allowed: bool) -> Option<Finding> {
    let is_concerned = |text: &str| match allowed {
        // A family that is not allowed stays so.
        true => forbids_family(text),
        false => FILTERS.iter().any(|key| !values(text, key).is_empty()),
    };
    let units = units(examined).into_iter();
    let concerned = units.filter(|(_, text)| is_concerned(text) && runs_openssl(examined, text));
    let mut names: BTreeSet<String> = concerned.map(|(name, _)| name).collect();
    if !allowed {
        names.extend(services::confined(examined));
    }
    if names.is_empty() {
        return None;
    }
    let why = match allowed {
        true => "RestrictAddressFamilies leaves AF_ALG out, so the kernel's crypto is not for",
        false => "under seccomp, where the module opens no socket of the kernel's, so without it:",
    };
    let names: Vec<String> = names.into_iter().collect();
    Some(Finding::note(format!("{why} {}", services::list(names))))
}

/// The text of each unit, what is dropped into its folder included.
fn units(examined: &Examined<'_>) -> BTreeMap<String, String> {
    let mut units: BTreeMap<String, String> = BTreeMap::new();
    let last = |path: Option<&Path>| {
        path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
    };
    let folder = |file: &Path| last(file.parent());
    // What is dropped in comes later, whichever folder it lies in.
    let mut files: Vec<_> = unit_files(examined).into_iter().collect();
    files.sort_by_key(|file| folder(file).ends_with(".d"));
    for file in files {
        let folder = folder(&file);
        let name = folder.strip_suffix(".d").map_or_else(|| last(Some(&file)), str::to_owned);
        let text = examined.here.text(&file).unwrap_or_default();
        units.entry(name).or_default().push_str(&(text + "\n"));
    }
    units
}

/// What a unit sets a key to, line by line.
fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let mut values = Vec::new();
    for (_, value) in lines.filter(|(name, _)| name.trim() == key) {
        match value.trim() {
            // It takes back those before it.
            "" => values.clear(),
            value => values.push(value),
        }
    }
    values
}

/// Whether AF_ALG is among the families that a unit forbids, or not among those that it allows.
fn forbids_family(text: &str) -> bool {
    let (denied, allowed): (Vec<&str>, Vec<&str>) =
        values(text, "RestrictAddressFamilies").into_iter().partition(|list| list.starts_with('~'));
    let names = |list: &&str| {
        list.trim_start_matches('~').split_whitespace().any(|family| family == "AF_ALG")
    };
    denied.iter().any(names) || (!allowed.is_empty() && !allowed.iter().any(names))
}

/// Whether a program that a unit starts is linked with OpenSSL.
fn runs_openssl(examined: &Examined<'_>, text: &str) -> bool {
    values(text, "ExecStart").iter().any(|command| {
        // Prefixes of systemd.service(5).
        let command = command.trim_start_matches(['@', '-', ':', '+', '!']);
        let program = Path::new(command.split_whitespace().next().unwrap_or_default());
        // No library is opened for nothing: what is no file has nothing to say.
        examined.here.exists(program)
            && examined.here.binary(program).is_ok_and(|binary| {
                ["libcrypto.so", "libssl.so"].iter().any(|name| binary.needs(name).is_some())
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn says(fake: &Fake, allowed: bool) -> String {
        fake.says(|examined| services(examined, allowed).into_iter().collect())
    }

    fn unit(lines: &str) -> Fake {
        let text = format!("[Service]\nExecStart=-/usr/sbin/nginx -g 'daemon off;'\n{lines}\n");
        let mut fake = Fake::bare().file("/usr/sbin/nginx", "").file(UNIT, text);
        fake.binary.as_mut().expect("a program").needs.push("libssl.so.3".to_owned());
        fake
    }

    const UNIT: &str = "/usr/lib/systemd/system/nginx.service";

    #[test]
    fn units_with_a_filter_and_openssl_are_named() {
        for line in ["SystemCallFilter=@system-service", "RestrictAddressFamilies=AF_INET AF_INET6"]
        {
            let said = says(&unit(line), false);
            assert!(
                said.starts_with("note: under seccomp, where the module opens no socket"),
                "{said}"
            );
            assert!(said.ends_with("without it: nginx.service"), "{said}");
        }
        assert_eq!(says(&unit("SystemCallFilter="), false), "");
        assert_eq!(says(&unit("#SystemCallFilter=x"), false), "");
        let dropped = "/etc/systemd/system/nginx.service.d/more.conf";
        let fake = unit("").file(dropped, "[Service]\nSystemCallFilter=@system-service\n");
        assert!(says(&fake, false).ends_with("without it: nginx.service"));
        let taken_back = unit("SystemCallFilter=@system-service")
            .file(dropped, "[Service]\nSystemCallFilter=\n");
        assert_eq!(says(&taken_back, false), "", "an empty value takes back those before it");
        let mut other = unit("SystemCallFilter=@system-service");
        other.binary.as_mut().expect("a program").needs.clear();
        assert_eq!(says(&other, false), "", "a program without OpenSSL goes without anyway");
    }

    #[test]
    fn where_seccomp_is_allowed_the_family_decides() {
        for (line, forbidden) in [
            ("RestrictAddressFamilies=AF_UNIX AF_INET", true),
            ("RestrictAddressFamilies=AF_UNIX AF_ALG", false),
            ("RestrictAddressFamilies=AF_UNIX\nRestrictAddressFamilies=AF_ALG", false),
            ("RestrictAddressFamilies=~AF_ALG AF_PACKET", true),
            ("RestrictAddressFamilies=~AF_PACKET", false),
            ("RestrictAddressFamilies=none", true),
            ("SystemCallFilter=@system-service", false),
        ] {
            let said = says(&unit(line), true);
            assert_eq!(said.contains("leaves AF_ALG out"), forbidden, "{line}: {said}");
        }
    }

    #[test]
    fn processes_under_seccomp_are_named() {
        let maps = "7f00-7f01 r-xp 00000000 08:01 12   /usr/lib/libcrypto.so.3\n";
        let process = |seccomp: &str| {
            Fake::bare()
                .file("/proc/812/maps", maps)
                .file("/proc/812/comm", "sshd\n")
                .file("/proc/812/status", format!("Name:\tsshd\nSeccomp:\t{seccomp}\n"))
        };
        assert!(says(&process("2"), false).ends_with("without it: sshd (812)"));
        assert_eq!(says(&process("0"), false), "");
        assert_eq!(says(&process("2"), true), "");
    }
}
