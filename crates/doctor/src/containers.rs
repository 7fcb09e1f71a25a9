//! Programs in containers: their OpenSSL reads files of its own, and this machine's configuration does not reach it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use wirespeed_installation::shell;

use crate::examined::Examined;
use crate::finding::Finding;
use crate::services::{Mapped, list, name, processes};

/// Processes that map a libcrypto in a root of their own, by container.
pub(crate) fn containers(examined: &Examined<'_>) -> Vec<Finding> {
    let mut containers = BTreeMap::<_, Vec<PathBuf>>::new();
    for process in processes(examined) {
        if mapped(examined, &process).libcrypto
            && let Some(namespace) = namespace_apart(examined, &process)
        {
            containers.entry(namespace).or_default().push(process);
        }
    }
    // Others than root see their own processes alone.
    if containers.is_empty() && examined.here.user() == 0 {
        return vec![Finding::fine("no program in a container uses OpenSSL")];
    }
    containers.into_values().map(|processes| container(examined, &processes)).collect()
}

/// Whether a process has mounts and a root of its own. Services that systemd confines have mounts alone, and the machine's root.
pub(crate) fn is_apart(examined: &Examined<'_>, process: &Path) -> bool {
    namespace_apart(examined, process).is_some()
}

/// The mount namespace of a process with a root of its own: mount_namespaces(7).
pub(crate) fn namespace_apart(examined: &Examined<'_>, process: &Path) -> Option<(u64, u64)> {
    let identity = |path: &Path| examined.here.identity(path);
    let namespace = identity(&process.join("ns/mnt"))?;
    let is_own = namespace == identity(Path::new("/proc/self/ns/mnt"))?
        || identity(&process.join("root"))? == identity(Path::new("/"))?;
    (!is_own).then_some(namespace)
}

fn mapped(examined: &Examined<'_>, process: &Path) -> Mapped {
    Mapped::of(&examined.here.text(process.join("maps")).unwrap_or_default())
}

/// What the programs of one container get, and how they get more.
fn container(examined: &Examined<'_>, processes: &[PathBuf]) -> Finding {
    let names = |processes: &[&PathBuf]| {
        list(processes.iter().map(|process| name(examined, process)).collect())
    };
    let without: Vec<&PathBuf> =
        processes.iter().filter(|process| !mapped(examined, process).ours).collect();
    let Some(first) = without.first() else {
        let served = names(&processes.iter().collect::<Vec<_>>());
        return Finding::fine(format!("in a container, and served there: {served}"));
    };
    let root = first.join("root");
    let system = system(examined, &root).map(|name| format!(" ({name})")).unwrap_or_default();
    let text = format!("go without, in a container{system}: {}", names(&without));
    match way(examined, &root) {
        Err(why) => Finding::note(format!("{text}: {why}")),
        Ok(way) => Finding::offer(text, way),
    }
}

/// How programs below a root get more, or why they cannot.
pub(crate) fn way(examined: &Examined<'_>, root: &Path) -> Result<String, String> {
    let it = examined.here.unpacked(root)?;
    if it.is_installed {
        return Ok("it is installed there: restart them".to_owned());
    }
    Ok(it.obstacle.unwrap_or_else(|| {
        format!(
            "sudo wirespeed install --root {}; then restart them; for their image: docs/install.md",
            shell::path(root)
        )
    }))
}

/// The name of the system below a root. Its second place comes first: the first is a link, at times from the root's own.
fn system(examined: &Examined<'_>, root: &Path) -> Option<String> {
    let files = ["usr/lib/os-release", "etc/os-release"].map(|file| root.join(file));
    wirespeed_machine::pretty_name(&files.iter().find_map(|file| examined.here.text(file))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use crate::services::running;
    use crate::surroundings::Unpacked;

    const MAPS: &str = "7f00-7f01 r-xp 00000000 08:01 12   /usr/lib/libcrypto.so.3\n";
    const OURS: &str = "7f02-7f03 r-xp 0 08:01 13 /usr/lib/ossl-modules/wirespeed.so\n";

    /// Two processes of one container.
    fn machine(maps: &str) -> Fake {
        let mut fake = Fake::installed("").changed(crate::fake::MODULE, i64::MAX);
        for process in ["/proc/812", "/proc/813"] {
            let file = |name: &str| format!("{process}/{name}");
            fake = fake.file(&file("maps"), maps).file(&file("comm"), "nginx\n");
            fake.elsewhere.insert(process.to_owned(), 7);
        }
        fake.file("/proc/812/root/usr/lib/os-release", "ID=x\nPRETTY_NAME=\"X 1\"\n")
    }

    #[test]
    fn a_container_that_goes_without_is_named_with_the_command_that_reaches_it() {
        let said = machine(MAPS).says(containers);
        assert!(
            said.starts_with(
                "note: go without, in a container (X 1): nginx (812), nginx (813) -> sudo wirespeed \
                 install --root /proc/812/root; "
            ),
            "{said}"
        );
        assert_eq!(machine(MAPS).says(running).lines().count(), 1, "no service of this machine");
        assert!(machine(MAPS).says(running).starts_with("fine: "));
    }

    #[test]
    fn what_keeps_it_from_being_reached_is_told() {
        let mut fake = machine(MAPS);
        let unpacked = Unpacked { is_installed: true, obstacle: None };
        fake.unpacked = Ok(unpacked.clone());
        assert!(fake.says(containers).ends_with("-> it is installed there: restart them"));
        let obstacle = Some("it has musl".to_owned());
        fake.unpacked = Ok(Unpacked { is_installed: false, obstacle });
        assert!(fake.says(containers).ends_with("-> it has musl"));
        fake.unpacked = Err("no OpenSSL 3 or 4".to_owned());
        assert!(fake.says(containers).ends_with(": no OpenSSL 3 or 4"));
        let said = machine(&format!("{MAPS}{OURS}")).says(containers);
        assert_eq!(said, "fine: in a container, and served there: nginx (812), nginx (813)");
    }

    #[test]
    fn services_with_the_machines_root_are_in_no_container() {
        let mut fake = machine(MAPS);
        fake.elsewhere.clear();
        fake.elsewhere.insert("/proc/812/ns".to_owned(), 7);
        assert_eq!(fake.says(containers), "fine: no program in a container uses OpenSSL");
        fake.user = 33;
        assert_eq!(fake.says(containers), "");
        assert_eq!(machine("").says(containers), "fine: no program in a container uses OpenSSL");
    }
}
