//! Programs that the system's configuration does not reach by itself: those with an OpenSSL of their own inside.

use std::path::{Path, PathBuf};

use crate::examined::Examined;
use crate::finding::Finding;
use crate::serving::Inside;

/// Well-known programs that are often linked statically with OpenSSL.
const KNOWN: [&str; 5] = ["node", "nodejs", "bun", "mysqld", "mongod"];

/// The known ones on `PATH`.
pub(crate) fn inside(examined: &Examined<'_>) -> Vec<Finding> {
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut findings = Vec::new();
    for name in KNOWN {
        let Some(path) = on_path(examined, name) else { continue };
        let Ok(entry) = examined.here.entry(&path) else { continue };
        if seen.contains(&entry.place) {
            continue;
        }
        seen.push(entry.place.clone());
        let Ok(binary) = examined.here.binary(&entry.place) else { continue };
        if binary.needs("libcrypto").is_some() {
            continue;
        }
        let inside = examined.here.open(&entry.place).and_then(Inside::read).unwrap_or_default();
        findings.extend(carries(examined, &path, name, &inside));
    }
    if findings.is_empty() {
        findings
            .push(Finding::fine(format!("none of {} carries its own OpenSSL", KNOWN.join(" "))));
    }
    findings
}

/// Where a command lies that is named without a slash.
pub(crate) fn on_path(examined: &Examined<'_>, name: &str) -> Option<PathBuf> {
    let folders = examined.here.text_variable("PATH")?;
    let places = folders.split(':').filter(|folder| !folder.is_empty());
    places.map(|folder| Path::new(folder).join(name)).find(|path| {
        examined.here.entry(path).is_ok_and(|entry| !entry.folder && entry.mode & 0o111 != 0)
    })
}

fn carries(examined: &Examined<'_>, path: &Path, name: &str, inside: &Inside) -> Option<Finding> {
    let version = inside.openssl.as_ref()?;
    let text = format!(
        "{} carries an OpenSSL {version} of its own, which does as the system's openssl.cnf says only if it \
         is told to",
        path.display()
    );
    // openssl #31246: statically linked, it takes the padlock engine without being asked.
    let cpu = examined.here.text("/proc/cpuinfo").unwrap_or_default();
    if cpu.contains("CentaurHauls") || cpu.contains("  Shanghai  ") {
        return Some(Finding::mend(
            format!(
                "{text}; on this CPU its padlock engine may give wrong AES-256 (openssl #31246)"
            ),
            "use a build that is linked with the system's OpenSSL",
        ));
    }
    Some(match inside.way(name, examined.installed().is_some()) {
        Some(way) => Finding::offer(text, way),
        None => Finding::note(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;

    fn machine() -> Fake {
        let node = b"\0OpenSSL 3.5.6 7 Apr 2026\0";
        Fake::bare().with("PATH", "/bin:/usr/bin").file_of("/usr/bin/node", node, 0, 0o755)
    }

    #[test]
    fn a_node_with_its_own_openssl_is_told_about() {
        let said = machine().says(inside);
        assert!(
            said.starts_with("note: /usr/bin/node carries an OpenSSL 3.5.6 of its own"),
            "{said}"
        );
        assert!(said.contains("-> sudo wirespeed install, then NODE_OPTIONS="), "{said}");
        let said = machine().file("/proc/cpuinfo", "vendor_id : CentaurHauls\n").says(inside);
        assert!(said.starts_with("MEND: ") && said.contains("#31246"), "{said}");
    }

    #[test]
    fn a_node_that_uses_the_systems_is_fine() {
        let mut fake = machine();
        fake.binary.as_mut().expect("a binary").needs.push("libcrypto.so.3".to_owned());
        assert!(fake.says(inside).starts_with("fine: "));
        assert!(Fake::bare().says(inside).starts_with("fine: "));
    }
}
