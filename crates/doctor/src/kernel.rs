//! The kernel's crypto for programs (AF_ALG, and /dev/crypto): what is open, what is wanted of it, and who gains.
//!
//! Nothing is tried: security software takes a socket of that family, opened by an ordinary user, for
//! the beginning of an attack. What is read here tells as much.

mod confined;
mod copy_fail;
mod cryptodev;
mod gain;
mod reach;
mod wanted;

use wirespeed_af_alg::devcrypto::PATH;
use wirespeed_cipher::Route;

use crate::examined::Examined;
use crate::finding::Finding;
use copy_fail::{Number, Verdict};
pub(crate) use gain::devices;
pub(crate) use reach::{Reach, module};
use wanted::Wanted;

const RELEASE: &str = "/proc/sys/kernel/osrelease";
const VERSION: &str = "/proc/sys/kernel/version";

/// Programs that are known to use AF_ALG, and files of theirs.
const USERS: [(&str, &[&str]); 4] = [
    ("iwd", &["/usr/libexec/iwd", "/usr/lib/iwd/iwd"]),
    ("bluez", &["/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd"]),
    ("cryptsetup", &["/usr/sbin/cryptsetup", "/sbin/cryptsetup"]),
    ("libkcapi", &["/usr/bin/kcapi-enc", "/usr/bin/kcapi-dgst", "/usr/bin/kcapi-hasher"]),
];

/// The release of the kernel that runs.
pub(crate) fn release(examined: &Examined<'_>) -> String {
    examined.here.text(RELEASE).unwrap_or_default().trim().to_owned()
}

/// What there is to say about AF_ALG.
pub(crate) fn af_alg(examined: &Examined<'_>) -> Vec<Finding> {
    let kernel = Kernel::of(examined);
    let wanted = Wanted::of(examined, Route::Kernel);
    let mut findings = Vec::new();
    // Where something is wanted of what is not there, that is said, and no more.
    if kernel.reach.is_open() || !wanted.on {
        findings.push(kernel.state());
    }
    if kernel.reach.is_open() {
        findings.extend(kernel.deprecation());
        findings.push(kernel.copy_fail(examined));
        findings.extend(kernel.gain(examined, &wanted));
    } else {
        findings.extend(kernel.out_of_reach(examined));
    }
    findings.extend(wanted.findings(examined, kernel.reach));
    if wanted.on && kernel.reach.is_open() {
        findings.extend(confined::services(examined, wanted.seccomp));
    }
    let wanted = Wanted::of(examined, Route::DevCrypto);
    findings.extend(cryptodev::device(examined, &wanted, &kernel.release));
    findings
}

/// The kernel, as far as AF_ALG goes.
struct Kernel {
    release: String,
    version: String,
    number: Option<Number>,
    reach: Reach,
    restriction: Option<u32>,
}

impl Kernel {
    fn of(examined: &Examined<'_>) -> Self {
        let read = |path: &str| examined.here.text(path).unwrap_or_default().trim().to_owned();
        let release = release(examined);
        Self {
            number: copy_fail::number(&release),
            reach: reach::family(examined, &release),
            restriction: reach::restriction(examined),
            version: read(VERSION),
            release,
        }
    }

    /// Open or not, and how far.
    fn state(&self) -> Finding {
        let open = match self.reach {
            Reach::Absent => {
                return Finding::fine("this kernel has no AF_ALG, and that is a good thing");
            }
            Reach::Closed => return Finding::fine("AF_ALG is closed, and that is a good thing"),
            Reach::Loadable => "AF_ALG is not in use, but any program's asking loads it",
            Reach::Loaded => "AF_ALG is open, its module loaded",
            Reach::BuiltIn => "AF_ALG is open, a part of this kernel",
        };
        let restriction = match self.restriction {
            None => "",
            Some(0) => "; af_alg_restrict = 0: every algorithm, for every user",
            Some(_) => {
                "; af_alg_restrict = 1: what iwd, bluez and cryptsetup need, AES-GCM, SHA3 and \
                 ChaCha20 for nobody (0 would open all, 2 close it)"
            }
        };
        Finding::note(format!(
            "{open}{restriction} (not probed: such a socket is an alarm to security software)"
        ))
    }

    /// Upstream's own words, where they hold.
    fn deprecation(&self) -> Option<Finding> {
        let deprecated = self.number.is_some_and(|number| number >= (7, 2, 0));
        deprecated.then(|| {
            Finding::note(
                "upstream: \"AF_ALG is insecure and is deprecated. … Support for hardware \
                 accelerators, which was the original purpose of AF_ALG, has been removed.\" \
                 (Documentation/crypto/userspace-if.rst, Linux 7.2)",
            )
        })
    }

    fn copy_fail(&self, examined: &Examined<'_>) -> Finding {
        const NAME: &str = "CVE-2026-31431 (Copy Fail)";
        let verdict = copy_fail::verdict(&self.release, &self.version);
        if let Verdict::Cured(why) = verdict {
            return Finding::fine(format!("safe from {NAME}: {why}"));
        }
        let close = match module(examined, &self.release, "algif_aead") {
            Reach::Absent | Reach::Closed => {
                return Finding::fine(format!("safe from {NAME}: no algif_aead for anybody"));
            }
            Reach::BuiltIn => "close the hole: boot with initcall_blacklist=algif_aead_init",
            Reach::Loadable | Reach::Loaded => {
                "close the hole: echo install algif_aead /bin/false | sudo tee \
                 /etc/modprobe.d/no-algif-aead.conf; sudo modprobe -r algif_aead"
            }
        };
        match verdict {
            Verdict::Open(why) => Finding::mend(
                format!("{NAME}: any user may become root through AF_ALG, for {why}"),
                format!("install the newest kernel and boot it; until then {close}"),
            ),
            _ => Finding::note(format!(
                "{NAME}: the version does not tell whether the fix is present, the distribution's \
                 security notes do; to {close}"
            )),
        }
    }

    /// A device that no program reaches.
    fn out_of_reach(&self, examined: &Examined<'_>) -> Option<Finding> {
        let devices = devices(examined, &self.release)?;
        (!examined.here.exists(PATH)).then(|| {
            Finding::note(format!(
                "{devices}: Linux itself uses such a device, for IPsec and dm-crypt; programs would need AF_ALG or \
                 /dev/crypto"
            ))
        })
    }

    /// Who gains here; where nobody does, how to close it, and who would miss it.
    fn gain(&self, examined: &Examined<'_>, wanted: &Wanted) -> Option<Finding> {
        if wanted.planned.is_some() {
            return None;
        }
        if let Some(devices) = devices(examined, &self.release) {
            return Some(Finding::note(match self.number {
                Some(number) if number >= (7, 2, 0) => {
                    format!("{devices}, which AF_ALG does not reach from Linux 7.2 on")
                }
                _ => format!(
                    "{devices}: wirespeed kernel measures what it is worth, wirespeed tune --kernel \
                     decides where (docs/kernel.md)"
                ),
            }));
        }
        let is_here = |files: &&[&str]| files.iter().any(|file| examined.here.exists(file));
        let here: Vec<&str> =
            USERS.iter().filter(|(_, files)| is_here(files)).map(|(name, _)| *name).collect();
        let missed = match here.as_slice() {
            [] => "of its known users (iwd, bluez, cryptsetup, libkcapi) none is here".to_owned(),
            here => format!("of its known users {} is here: see to that first", here.join(", ")),
        };
        let how = match (self.restriction, self.reach) {
            (Some(_), _) => "sysctl crypto.af_alg_restrict=2 turns it off",
            (None, Reach::BuiltIn) => "only a kernel without CONFIG_CRYPTO_USER_API is without it",
            (None, _) => "a line install af_alg /bin/false in /etc/modprobe.d turns it off",
        };
        Some(Finding::note(format!(
            "nothing here gains by AF_ALG: /proc/crypto knows no device for it, and no plan names it; \
             {how}; {missed}"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::reach::RESTRICT;
    use super::*;
    use crate::fake::Fake;

    const DEBIAN: &str = "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-12)";
    const UBUNTU: &str = "#110-Ubuntu SMP PREEMPT_DYNAMIC Thu Mar 19 15:09:20 UTC 2026";
    const MODULES: &str = "kernel/crypto/af_alg.ko.xz:\nkernel/crypto/algif_aead.ko.xz:\n";

    fn machine(release: &str, version: &str, dep: &str) -> Fake {
        let file = format!("/lib/modules/{release}/modules.dep");
        Fake::bare().file(RELEASE, release).file(VERSION, version).file(&file, dep)
    }

    #[test]
    fn a_kernel_without_it_is_fine() {
        let said = machine("6.18.5", UBUNTU, "kernel/crypto/aes.ko:\n").says(af_alg);
        assert_eq!(said, "fine: this kernel has no AF_ALG, and that is a good thing");
        let closed = machine("6.8.0-110-generic", UBUNTU, MODULES)
            .file("/etc/modprobe.d/no.conf", "# x\ninstall af_alg /bin/false\n");
        assert_eq!(closed.says(af_alg), "fine: AF_ALG is closed, and that is a good thing");
        let closed = machine("7.3.1", "", MODULES).file(RESTRICT, "2\n");
        assert_eq!(closed.says(af_alg), "fine: AF_ALG is closed, and that is a good thing");
    }

    #[test]
    fn a_kernel_from_before_the_cure_is_a_fault() {
        let old = || machine("6.8.0-110-generic", UBUNTU, MODULES);
        let said = old().says(af_alg);
        assert!(
            said.contains("MEND: CVE-2026-31431 (Copy Fail): any user may become root"),
            "{said}"
        );
        assert!(said.contains("echo install algif_aead /bin/false"), "{said}");
        let built_in = old().file(
            "/lib/modules/6.8.0-110-generic/modules.builtin",
            "kernel/crypto/af_alg.ko\nkernel/crypto/algif_aead.ko\n",
        );
        let said = built_in.says(af_alg);
        assert!(
            said.contains("initcall_blacklist=algif_aead_init"),
            "modprobe.d is of no use: {said}"
        );
        let line = "install algif_aead /bin/false\n";
        let said = old().file("/etc/modprobe.d/no-algif-aead.conf", line).says(af_alg);
        assert!(said.contains("fine: safe from") && !said.contains("MEND"), "{said}");
        let loaded =
            old().file("/etc/modprobe.d/x.conf", line).file("/sys/module/algif_aead/x", "");
        assert!(loaded.says(af_alg).contains("MEND: CVE"), "what is loaded stays loaded");
    }

    #[test]
    fn open_is_told_with_how_far_and_what_upstream_says() {
        let said = machine("6.1.0-56-amd64", DEBIAN, MODULES).says(af_alg);
        assert!(said.starts_with("note: AF_ALG is not in use, but any program's asking"), "{said}");
        assert!(said.contains("(not probed: "), "{said}");
        assert!(
            said.contains("fine: safe from CVE-2026-31431 (Copy Fail): Debian's 6.1.192-1"),
            "{said}"
        );
        assert!(!said.contains("upstream"), "{said}");
        for (level, words) in [("0", "every algorithm, for every user"), ("1", "for nobody")] {
            let fake = machine("7.3.0", "", MODULES).file(RESTRICT, level);
            let said = fake.file("/sys/module/af_alg/x", "").says(af_alg);
            assert!(said.starts_with("note: AF_ALG is open, its module loaded"), "{said}");
            assert!(said.contains(words), "{said}");
            assert!(said.contains("upstream: \"AF_ALG is insecure and is deprecated."), "{said}");
            assert!(said.contains("sysctl crypto.af_alg_restrict=2 turns it off"), "{said}");
        }
        let protocols = "protocol  size sockets\nALG  1 2\n";
        let said = machine("6.19.12", "", "").file("/proc/net/protocols", protocols).says(af_alg);
        assert!(said.starts_with("note: AF_ALG is open, a part of this kernel"), "{said}");
        assert!(said.contains("only a kernel without CONFIG_CRYPTO_USER_API"), "{said}");
    }

    #[test]
    fn what_cannot_be_told_is_not_claimed() {
        let later = "#117-Ubuntu SMP PREEMPT_DYNAMIC Tue May 12 08:00:00 UTC 2026";
        let said = machine("6.8.0-117-generic", later, MODULES).says(af_alg);
        assert!(said.contains("the version does not tell whether the fix is present"), "{said}");
        assert!(!said.contains("MEND") && !said.contains("safe from"), "{said}");
    }

    #[test]
    fn who_would_miss_it_is_named_before_it_is_turned_off() {
        let here = || machine("6.1.0-56-amd64", DEBIAN, MODULES);
        let said = here().says(af_alg);
        assert!(said.contains("nothing here gains by AF_ALG"), "{said}");
        assert!(said.contains("(iwd, bluez, cryptsetup, libkcapi) none is here"), "{said}");
        let said =
            here().file("/usr/sbin/cryptsetup", "").file("/usr/libexec/iwd", "").says(af_alg);
        assert!(said.contains("iwd, cryptsetup is here: see to that first"), "{said}");
    }

    #[test]
    fn a_device_is_worth_measuring() {
        let driver = "name         : cbc(aes)\ndriver       : virtio_crypto_aes_cbc\n\
                      module       : virtio_crypto\npriority     : 150\nselftest     : passed\n\
                      internal     : no\ntype         : skcipher\nasync        : yes\n";
        let said = machine("6.1.0-56-amd64", DEBIAN, MODULES).file("/proc/crypto", driver);
        let said = said.says(af_alg);
        assert!(said.contains("virtio_crypto_aes_cbc (virtio device)"), "{said}");
        assert!(said.contains("wirespeed tune --kernel") && !said.contains("nothing here gains"));
        let new = machine("7.2.12", "", MODULES).file("/proc/crypto", driver).says(af_alg);
        assert!(new.contains("does not reach from Linux 7.2 on"), "{new}");
    }
}
