//! Whether programs can reach the kernel's crypto: the socket family AF_ALG, told without a socket.

use std::path::{Path, PathBuf};

use crate::examined::Examined;

/// Since Linux 7.3: 0 everything, 1 what is on a short list, 2 nothing
/// (Documentation/admin-guide/sysctl/crypto.rst).
pub(super) const RESTRICT: &str = "/proc/sys/crypto/af_alg_restrict";

/// The state of the socket family, or of a kind of its sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The kernel has no such thing.
    Absent,
    /// The module is there; whoever asks loads it.
    Loadable,
    /// The module is loaded.
    Loaded,
    /// No module, but a part of the kernel: modprobe.d does not reach it.
    BuiltIn,
    /// Closed by the administrator.
    Closed,
}

impl Reach {
    /// Whether a program's asking would succeed.
    pub(crate) const fn is_open(self) -> bool {
        matches!(self, Self::Loadable | Self::Loaded | Self::BuiltIn)
    }
}

/// AF_ALG itself, on a kernel of this release.
pub(super) fn family(examined: &Examined<'_>, release: &str) -> Reach {
    if restriction(examined) == Some(2) {
        return Reach::Closed;
    }
    match module(examined, release, "af_alg") {
        // Only what is registered is listed, and nothing is registered by reading it.
        Reach::Absent if is_registered(examined) => Reach::BuiltIn,
        reach => reach,
    }
}

/// A module of the kernel's, by the name that it is loaded under.
pub(crate) fn module(examined: &Examined<'_>, release: &str, name: &str) -> Reach {
    let folder = Path::new("/lib/modules").join(release);
    let listed = |list: &str| {
        // The module dm_crypt lies in dm-crypt.ko.
        let text = examined.here.text(folder.join(list)).unwrap_or_default().replace('-', "_");
        text.contains(&format!("/{name}.ko"))
    };
    if listed("modules.builtin") {
        return Reach::BuiltIn;
    }
    if examined.here.exists(Path::new("/sys/module").join(name)) {
        return Reach::Loaded;
    }
    match listed("modules.dep") {
        true if is_forbidden(examined, name) => Reach::Closed,
        true => Reach::Loadable,
        false => Reach::Absent,
    }
}

/// How far the administrator, or Linux 7.3 by itself, restricts the family.
pub(super) fn restriction(examined: &Examined<'_>) -> Option<u32> {
    examined.here.text(RESTRICT)?.trim().parse().ok()
}

fn is_registered(examined: &Examined<'_>) -> bool {
    let protocols = examined.here.text("/proc/net/protocols").unwrap_or_default();
    protocols.lines().any(|line| line.split(' ').next() == Some("ALG"))
}

/// Whether modprobe.d(5) keeps a module away: `blacklist` does not, where a program asks by an alias.
fn is_forbidden(examined: &Examined<'_>, module: &str) -> bool {
    let folders = ["/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"];
    let files = folders.into_iter().flat_map(|folder| examined.here.inside(folder));
    let read = |file: PathBuf| examined.here.text(file);
    files.filter_map(read).any(|text| text.lines().any(|line| forbids(line, module)))
}

fn forbids(line: &str, module: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next() == Some("install")
        && words.next().is_some_and(|name| name.replace('-', "_") == module)
        && words
            .next()
            .is_some_and(|command| command.ends_with("/false") || command.ends_with("/true"))
}
