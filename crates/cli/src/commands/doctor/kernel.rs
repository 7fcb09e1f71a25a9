//! The kernel's crypto for programs (AF_ALG): reachable or not, and when to close it.
//!
//! Nothing is tried: security software takes a socket of that family, opened by an ordinary user, for
//! the beginning of an attack. What is read here tells as much.

use std::path::Path;

use super::examined::Examined;
use super::finding::Finding;

const RELEASE: &str = "/proc/sys/kernel/osrelease";
const VERSION: &str = "/proc/sys/kernel/version";
/// Since Linux 7.3: 0 everything, 1 what is on a short list, 2 nothing.
const RESTRICT: &str = "/proc/sys/crypto/af_alg_restrict";

/// The state of the socket family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The kernel has no such thing.
    Absent,
    /// The module is there; whoever asks for the family loads it.
    Loadable,
    /// In use, or built in.
    Present,
    /// Closed by the administrator.
    Closed,
}

/// What there is to say about AF_ALG.
pub(crate) fn af_alg(examined: &Examined<'_>) -> Vec<Finding> {
    let read = |path: &str| examined.here.text(path).unwrap_or_default().trim().to_owned();
    let release = read(RELEASE);
    let reach = reach(examined, &release);
    let close = "close it: printf 'install af_alg /bin/false\\ninstall algif_aead /bin/false\\n' | sudo \
                 tee /etc/modprobe.d/no-af-alg.conf; sudo modprobe -r algif_aead af_alg";
    vec![match (reach, copy_fail(&release, &read(VERSION))) {
        (Reach::Absent, _) => Finding::fine("this kernel has no AF_ALG, and that is a good thing"),
        (Reach::Closed, _) => Finding::fine("AF_ALG is closed, and that is a good thing"),
        (_, CopyFail::Open) => Finding::mend(
            format!(
                "any user becomes root through AF_ALG on this kernel ({release}, made before the cure \
                 of CVE-2026-31431)"
            ),
            format!("install the newest kernel and boot it; until then {close}"),
        ),
        (reach, copy_fail) => Finding::note(advice(&release, reach, copy_fail, &read(RESTRICT))),
    }]
}

fn advice(release: &str, reach: Reach, copy_fail: CopyFail, restrict: &str) -> String {
    let open = match reach {
        Reach::Present => "AF_ALG is open",
        _ => "AF_ALG is not in use, but any program's asking loads it",
    };
    let fate = match restrict {
        "1" => "; this kernel restricts it to a short list (af_alg_restrict = 1)",
        _ if number(release).is_some_and(|number| number >= (7, 2, 0)) => {
            "; upstream calls it deprecated, and slower than any program's own code"
        }
        _ => "; from Linux 7.2 on it is deprecated, from 7.3 on restricted",
    };
    let cure = match copy_fail {
        CopyFail::Unknown => {
            "; whether this kernel is cured of CVE-2026-31431 its number does not tell, its maker's \
             security notes do"
        }
        CopyFail::Cured | CopyFail::Open => "",
    };
    let how = match restrict {
        "0" | "1" => "sysctl crypto.af_alg_restrict=2 closes it",
        _ => "a line install af_alg /bin/false in /etc/modprobe.d closes it",
    };
    format!(
        "{open}{fate}{cure}. Wirespeed does not use it; if nothing here does (iwd, bluez, cryptsetup \
         benchmark, kcapi), {how}"
    )
}

fn reach(examined: &Examined<'_>, release: &str) -> Reach {
    let here = examined.here;
    if here.text(RESTRICT).is_some_and(|text| text.trim() == "2") {
        return Reach::Closed;
    }
    // Only what is registered is listed, and nothing is registered by reading it.
    let protocols = here.text("/proc/net/protocols").unwrap_or_default();
    let registered = protocols.lines().any(|line| line.split(' ').next() == Some("ALG"));
    if registered || here.exists("/sys/module/af_alg") {
        return Reach::Present;
    }
    let modules = Path::new("/lib/modules").join(release);
    let lists = |name: &str, word: &str| {
        here.text(modules.join(name)).is_some_and(|text| text.contains(word))
    };
    if lists("modules.builtin", "/af_alg.ko") {
        return Reach::Present;
    }
    if !lists("modules.dep", "/af_alg.ko") {
        return Reach::Absent;
    }
    if forbidden(examined, "af_alg") { Reach::Closed } else { Reach::Loadable }
}

/// Whether modprobe.d(5) keeps a module away: `blacklist` does not, where a program asks by an alias.
fn forbidden(examined: &Examined<'_>, module: &str) -> bool {
    let folders = ["/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"];
    let files = folders.into_iter().flat_map(|folder| examined.here.inside(folder));
    let mut texts = files.filter_map(|file| examined.here.text(file));
    texts.any(|text| {
        text.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("install")
                && words.next() == Some(module)
                && words.next().is_some_and(|command| {
                    command.ends_with("/false") || command.ends_with("/true")
                })
        })
    })
}

/// CVE-2026-31431, "Copy Fail": came with 4.14, cured upstream on 1 April 2026.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CopyFail {
    Cured,
    /// Made before the cure existed.
    Open,
    /// Distributions cure kernels without changing their numbers.
    Unknown,
}

fn copy_fail(release: &str, version: &str) -> CopyFail {
    let Some(number) = number(release) else { return CopyFail::Unknown };
    match number {
        (..4, ..) | (4, ..14, _) | (7.., ..) => CopyFail::Cured,
        (6, 19, patch) if patch >= 12 => CopyFail::Cured,
        (6, 18, patch) if patch >= 22 => CopyFail::Cured,
        _ => match built(version) {
            Some(date) if date < (2026, 4, 1) => CopyFail::Open,
            _ => CopyFail::Unknown,
        },
    }
}

/// "6.1.0-18-amd64" is (6, 1, 0).
fn number(release: &str) -> Option<(u32, u32, u32)> {
    let end = release.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let mut parts = release[..end.unwrap_or(release.len())].split('.').map(str::parse);
    let mut next = || parts.next()?.ok();
    Some((next()?, next()?, next().unwrap_or(0)))
}

/// The day in "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-12)" or in "#110-Ubuntu SMP Thu Mar 19
/// 15:09:20 UTC 2026".
fn built(version: &str) -> Option<(u32, u32, u32)> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = version.split_whitespace().collect();
    let last = words.last()?;
    let digits: Vec<u32> =
        last.trim_matches(['(', ')']).split('-').map_while(|part| part.parse().ok()).collect();
    match digits[..] {
        [year, month, day] => Some((year, month, day)),
        [year] => {
            let month = words.iter().position(|word| MONTHS.contains(word))?;
            let name = MONTHS.iter().position(|name| *name == words[month])? as u32;
            Some((year, name + 1, words.get(month + 1)?.parse().ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    const DEBIAN: &str = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-12)";
    const UBUNTU: &str = "#110-Ubuntu SMP PREEMPT_DYNAMIC Thu Mar 19 15:09:20 UTC 2026";

    fn machine(release: &str, version: &str, dep: &str) -> Fake {
        let file = format!("/lib/modules/{release}/modules.dep");
        Fake::bare().file(RELEASE, release).file(VERSION, version).file(&file, dep)
    }

    const MODULE: &str = "kernel/crypto/af_alg.ko.xz:\n";

    #[test]
    fn a_kernel_without_it_is_fine() {
        let said = machine("6.18.5", UBUNTU, "kernel/crypto/aes.ko:\n").says(af_alg);
        assert_eq!(said, "fine: this kernel has no AF_ALG, and that is a good thing");
        let closed = machine("6.8.0-110-generic", UBUNTU, MODULE)
            .file("/etc/modprobe.d/no.conf", "# x\ninstall af_alg /bin/false\n");
        assert!(closed.says(af_alg).starts_with("fine: AF_ALG is closed"));
        let closed = machine("7.3.1", "", MODULE).file(RESTRICT, "2\n");
        assert!(closed.says(af_alg).starts_with("fine: AF_ALG is closed"));
    }

    #[test]
    fn a_kernel_from_before_the_cure_is_a_fault() {
        let said = machine("6.8.0-110-generic", UBUNTU, MODULE).says(af_alg);
        assert!(said.starts_with("MEND: any user becomes root through AF_ALG"), "{said}");
        assert!(said.contains("install algif_aead /bin/false"), "{said}");
    }

    #[test]
    fn a_kernel_that_may_be_cured_is_told_about() {
        let said = machine("6.1.0-56-amd64", DEBIAN, MODULE).says(af_alg);
        assert!(said.starts_with("note: AF_ALG is not in use, but any program's asking"), "{said}");
        assert!(said.contains("its maker's security notes do"), "{said}");
        let said =
            machine("7.3.0", "", MODULE).file(RESTRICT, "1\n").file("/sys/module/af_alg/x", "");
        let said = said.says(af_alg);
        assert!(said.contains("AF_ALG is open; this kernel restricts it"), "{said}");
        assert!(said.contains("sysctl crypto.af_alg_restrict=2 closes it"), "{said}");
        let protocols = "protocol  size sockets\nALG  1 2\n";
        let said = machine("6.19.12", "", "").file("/proc/net/protocols", protocols).says(af_alg);
        assert!(said.starts_with("note: AF_ALG is open") && !said.contains("CVE"), "{said}");
    }

    #[test]
    fn what_a_number_and_a_date_tell() {
        for (release, version, expected) in [
            ("4.13.9", "", CopyFail::Cured),
            ("6.18.21", DEBIAN, CopyFail::Unknown),
            ("6.18.22", UBUNTU, CopyFail::Cured),
            ("6.19.12-1-arch", "", CopyFail::Cured),
            ("7.0.0", UBUNTU, CopyFail::Cured),
            ("5.15.0-173-generic", UBUNTU, CopyFail::Open),
            ("6.1.0-18-amd64", "#1 SMP Debian 6.1.76-1 (2024-02-01)", CopyFail::Open),
            ("nonsense", UBUNTU, CopyFail::Unknown),
        ] {
            assert_eq!(copy_fail(release, version), expected, "{release} {version}");
        }
    }
}
