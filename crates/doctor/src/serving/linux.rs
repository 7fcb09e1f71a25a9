//! What Linux encrypts itself, where no provider is asked: TLS records, tunnels, disks; and the devices it has for that.

use std::path::{Path, PathBuf};

use wirespeed_af_alg::drivers::{self, Driver};
use wirespeed_results::schema::services::{InLinux, Standing};

use crate::counters::volume;
use crate::examined::Examined;
use crate::finding::Finding;
use crate::kernel::{Reach, devices, module, release};
use crate::services::processes;
use crate::serving::ktls::{self, Tls};
use crate::serving::networks::{self, Network};

/// Everything that it can encrypt.
pub(super) fn all(
    examined: &Examined<'_>,
    networks: &[Network],
    tls: Option<&Tls>,
) -> Vec<InLinux> {
    let linux = Linux {
        examined,
        networks,
        release: release(examined),
        drivers: drivers::parse(&examined.here.text(drivers::LIST).unwrap_or_default()),
    };
    vec![
        linux.tls(tls),
        linux.openvpn(),
        linux.wireguard(),
        linux.esp(),
        linux.disks(),
        linux.devices(),
        linux.qat(),
    ]
}

/// What is in use, for who asks what is wrong with the machine.
pub(crate) fn findings(examined: &Examined<'_>) -> Vec<Finding> {
    let networks = networks::all(examined, &processes(examined));
    let found = all(examined, &networks, Tls::read(examined, &networks).as_ref());
    let used = found.into_iter().filter(|it| it.state == Standing::Used);
    let finding = |it: InLinux| {
        let text = format!("{}: {}", it.name, it.text);
        match it.lever {
            Some(lever) => Finding::offer(text, lever),
            None => Finding::note(text),
        }
    };
    used.map(finding).collect()
}

struct Linux<'a> {
    examined: &'a Examined<'a>,
    networks: &'a [Network],
    release: String,
    drivers: Vec<Driver>,
}

fn row(name: &str, state: Standing, text: impl Into<String>, lever: Option<&str>) -> InLinux {
    let lever = lever.map(str::to_owned);
    InLinux { name: name.to_owned(), state, text: text.into(), lever }
}

impl Linux<'_> {
    fn tls(&self, tls: Option<&Tls>) -> InLinux {
        const NAME: &str = "kTLS";
        const COUNTERS: &str = ktls::COUNTERS;
        let Some(tls) = tls else {
            return self.by_module(
                NAME,
                &["tls"],
                "no program has asked for it",
                Some(ASK_FOR_TLS),
            );
        };
        if tls.now() == 0 {
            let text =
                format!("no connection uses it now, and {} have sent by it ({COUNTERS})", tls.sent);
            return row(NAME, Standing::Possible, text, Some(ASK_FOR_TLS));
        }
        let [[send, receive], [device_send, device_receive]] = [tls.software, tls.device];
        let text = format!(
            "connections that send and receive: {send} and {receive} by Linux's own code, {device_send} \
             and {device_receive} by a network card ({COUNTERS}){}; no provider sees their records",
            tls.users()
        );
        let lever = format!(
            "to see them all: sudo ss -tpie, the lines with tcp-ulp-tls; Linux's code for it: wirespeed \
             kernel {}",
            tls.algorithm()
        );
        row(NAME, Standing::Used, text, Some(&lever))
    }

    fn openvpn(&self) -> InLinux {
        const NAME: &str = "OpenVPN DCO";
        let used = "Linux's code for it: wirespeed kernel AES-256-GCM; to have OpenVPN encrypt again: disable-dco";
        let lever =
            "OpenVPN 2.7 wants ovpn of Linux 6.16; OpenVPN 2.6 wants the package openvpn-dco-dkms";
        let modules = ["ovpn", "ovpn_dco_v2"];
        let kinds = [("ovpn", modules[0]), ("ovpn-dco", modules[1])];
        self.interfaces(&kinds, NAME, Some(used))
            .unwrap_or_else(|| self.by_module(NAME, &modules, "no tunnel uses it", Some(lever)))
    }

    fn wireguard(&self) -> InLinux {
        const NAME: &str = "WireGuard";
        self.interfaces(&[("wireguard", "wireguard")], NAME, None)
            .unwrap_or_else(|| self.by_module(NAME, &["wireguard"], "no tunnel uses it", None))
    }

    /// Interfaces of these kinds, each with its module, and what they carried.
    fn interfaces(
        &self,
        kinds: &[(&str, &str)],
        name: &str,
        lever: Option<&str>,
    ) -> Option<InLinux> {
        let mut found = Vec::new();
        for network in self.networks {
            let names = kinds.iter().flat_map(|kind| self.names(network, *kind));
            let carried = self.examined.here.text(network.file("dev")).unwrap_or_default();
            found.extend(
                names.map(|name| format!("{name} carried {}", volume(bytes_of(&carried, &name)))),
            );
        }
        let text = format!("{}; no provider sees its packets", found.join(", "));
        (!found.is_empty()).then(|| row(name, Standing::Used, text, lever))
    }

    /// Names of the interfaces of a kind. /sys shows our network's alone, and tells nothing of the kind that
    /// openvpn-dco-dkms has: ip(8) knows them all.
    fn names(&self, network: &Network, (kind, module): (&str, &str)) -> Vec<String> {
        let here = self.examined.here;
        let is_it = |folder: &PathBuf| {
            let about = here.text(folder.join("uevent")).unwrap_or_default();
            about.lines().any(|line| line.strip_prefix("DEVTYPE=") == Some(kind))
        };
        let name = |folder: PathBuf| Some(folder.file_name()?.to_string_lossy().into_owned());
        if network.is_own() {
            let folders = here.inside("/sys/class/net").into_iter().filter(is_it);
            let names: Vec<String> = folders.filter_map(name).collect();
            if !names.is_empty() {
                return names;
            }
        }
        if !here.exists(Path::new("/sys/module").join(module)) {
            return Vec::new();
        }
        let shown =
            network.printed(self.examined, &["ip", "-oneline", "link", "show", "type", kind]);
        // "3: tun0: <POINTOPOINT,…".
        shown.lines().filter_map(|line| Some(line.split(": ").nth(1)?.to_owned())).collect()
    }

    fn esp(&self) -> InLinux {
        const NAME: &str = "ESP";
        // What ESP asks for (net/ipv4/esp4.c); nothing else in Linux does.
        let is_esp = |driver: &&Driver| {
            driver.algorithm.starts_with("seqiv(") || driver.algorithm.starts_with("echainiv(")
        };
        let mut used: Vec<&str> =
            self.drivers.iter().filter(is_esp).map(|it| it.driver.as_str()).collect();
        used.sort_unstable();
        used.dedup();
        if used.is_empty() {
            return self.by_module(NAME, &["esp4", "esp6"], "no tunnel of IPsec uses it", None);
        }
        let text = format!("tunnels of IPsec use {} (/proc/crypto)", used.join(", "));
        let lever = "which tunnels: sudo ip xfrm state; the drivers: wirespeed kernel AES-128-GCM; a better \
                     suite: wirespeed vpn";
        row(NAME, Standing::Used, text, Some(lever))
    }

    fn disks(&self) -> InLinux {
        const NAME: &str = "dm-crypt";
        let here = self.examined.here;
        let name = |folder: PathBuf| {
            let read = |file: &str| here.text(folder.join("dm").join(file)).unwrap_or_default();
            read("uuid").starts_with("CRYPT-").then(|| read("name").trim().to_owned())
        };
        let names: Vec<String> = here.inside("/sys/block").into_iter().filter_map(name).collect();
        if names.is_empty() {
            return self.by_module(NAME, &["dm_crypt"], "no disk is encrypted", None);
        }
        let text = format!("disks: {}; Linux's own code encrypts them", names.join(", "));
        row(NAME, Standing::Used, text, Some("wirespeed disk says what limits them"))
    }

    fn devices(&self) -> InLinux {
        const NAME: &str = "devices";
        match devices(self.examined, &self.release) {
            None => {
                row(NAME, Standing::Absent, "/proc/crypto has none that only Linux reaches", None)
            }
            Some(text) => {
                let lever = "wirespeed kernel measures whether it is worth its way; to hand it calls of \
                             OpenSSL: docs/kernel.md";
                row(NAME, Standing::Possible, text, Some(lever))
            }
        }
    }

    fn qat(&self) -> InLinux {
        const NAME: &str = "QAT";
        let is_it = |driver: &&Driver| driver.driver.starts_with("qat_");
        let drivers = self.drivers.iter().filter(is_it).count();
        if drivers == 0 && !self.examined.here.exists("/sys/module/intel_qat") {
            return row(
                NAME,
                Standing::Absent,
                "no module intel_qat, and no driver in /proc/crypto",
                None,
            );
        }
        let text = format!(
            "drivers of it in /proc/crypto: {drivers}; programs with OpenSSL reach it by Intel's qatprovider \
             alone, and gain in RSA if they ask for many at once. A call that waits for the device gains \
             nothing, and the CPU's AES is nearer"
        );
        let lever = "nginx must be Intel's asynch_mode_nginx with ssl_asynch on; compare by openssl speed \
                     -elapsed -async_jobs 64 rsa2048";
        row(NAME, Standing::Possible, text, Some(lever))
    }

    /// Nothing uses it, and what its module says.
    fn by_module(
        &self,
        name: &str,
        modules: &[&str],
        unused: &str,
        lever: Option<&str>,
    ) -> InLinux {
        let reach = modules.iter().map(|it| (it, module(self.examined, &self.release, it)));
        let open = reach.clone().find(|(_, reach)| reach.is_open());
        match open {
            Some((module, Reach::Loadable)) => {
                let text = format!("{unused}; the module {module} is not loaded");
                row(name, Standing::Possible, text, lever)
            }
            Some((module, _)) => {
                row(name, Standing::Possible, format!("{unused}; {module} is loaded"), lever)
            }
            None => {
                let text = format!("this kernel has no module {}", modules.join(" or "));
                row(name, Standing::Absent, text, lever.filter(|_| name == "OpenVPN DCO"))
            }
        }
    }
}

/// What an interface received and sent: proc_pid_net(5), `dev`.
fn bytes_of(dev: &str, name: &str) -> u64 {
    let line = |line: &str| {
        let fields = line.trim().strip_prefix(name)?.strip_prefix(':')?;
        let fields: Vec<u64> = fields.split_whitespace().filter_map(|it| it.parse().ok()).collect();
        Some(fields.first()? + fields.get(8)?)
    };
    dev.lines().find_map(line).unwrap_or(0)
}

const ASK_FOR_TLS: &str = "nginx: ssl_conf_command Options KTLS, which gains where files are sent (sendfile). It wants an \
                           OpenSSL built for it: openssl s_server -help knows -ktls then. Debian 13's does, Debian 12's does not. \
                           Its ciphers are Linux's and not Wirespeed's: measure both";
