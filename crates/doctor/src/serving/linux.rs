//! What Linux encrypts itself, where no provider is asked: TLS records, tunnels, disks; and the devices it has for that.

use std::path::PathBuf;

use wirespeed_af_alg::drivers::{self, Driver};
use wirespeed_results::schema::services::{InLinux, Standing};

use crate::counters::volume;
use crate::examined::Examined;
use crate::finding::Finding;
use crate::kernel::{Reach, devices, module, release};
use crate::services::list;

/// Connections that Linux encrypts (Documentation/networking/tls.rst).
const TLS: &str = "/proc/net/tls_stat";

/// Everything that it can encrypt.
pub(super) fn all(examined: &Examined<'_>) -> Vec<InLinux> {
    let linux = Linux {
        examined,
        release: release(examined),
        drivers: drivers::parse(&examined.here.text(drivers::LIST).unwrap_or_default()),
    };
    vec![
        linux.tls(),
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
    let used = all(examined).into_iter().filter(|it| it.state == Standing::Used);
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
    release: String,
    drivers: Vec<Driver>,
}

fn row(name: &str, state: Standing, text: impl Into<String>, lever: Option<&str>) -> InLinux {
    let lever = lever.map(str::to_owned);
    InLinux { name: name.to_owned(), state, text: text.into(), lever }
}

impl Linux<'_> {
    fn tls(&self) -> InLinux {
        const NAME: &str = "kTLS";
        let Some(text) = self.examined.here.text(TLS) else {
            return self.by_module(
                NAME,
                &["tls"],
                "no program has asked for it",
                Some(ASK_FOR_TLS),
            );
        };
        let count = |key: &str| -> u64 {
            let value = text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
            value.unwrap_or(0)
        };
        let [send, receive] = [count("TlsCurrTxSw"), count("TlsCurrRxSw")];
        let [device_send, device_receive] = [count("TlsCurrTxDevice"), count("TlsCurrRxDevice")];
        let until_now = count("TlsTxSw") + count("TlsTxDevice");
        if send + receive + device_send + device_receive == 0 {
            let text =
                format!("no connection uses it now, and {until_now} have sent by it ({TLS})");
            return row(NAME, Standing::Possible, text, Some(ASK_FOR_TLS));
        }
        let text = format!(
            "connections that send and receive: {send} and {receive} by Linux's own code, {device_send} \
             and {device_receive} by a network card ({TLS}){}; no provider sees their records",
            self.tls_programs()
        );
        let lever = "to see them all: sudo ss -tpie, the lines with tcp-ulp-tls; Linux's code for it: wirespeed \
                     kernel AES-128-GCM";
        row(NAME, Standing::Used, text, Some(lever))
    }

    /// Whose connections they are, where ss(8) tells: `users:(("nginx",pid=812,fd=5))`.
    fn tls_programs(&self) -> String {
        let printed = self.examined.here.printed("ss", &["-HOtnpie"]).unwrap_or_default();
        let user = |line: &str| {
            let (_, rest) = line.split_once("users:((\"")?;
            let (name, rest) = rest.split_once("\",pid=")?;
            Some(format!("{name} ({})", rest.split(',').next()?))
        };
        let lines = printed.lines().filter(|line| line.contains("tcp-ulp-tls"));
        let mut programs: Vec<String> = lines.filter_map(user).collect();
        programs.sort_unstable();
        programs.dedup();
        if programs.is_empty() { String::new() } else { format!(" of {}", list(programs)) }
    }

    fn openvpn(&self) -> InLinux {
        const NAME: &str = "OpenVPN DCO";
        let lever =
            "OpenVPN 2.7 wants ovpn of Linux 6.16; OpenVPN 2.6 wants the package openvpn-dco-dkms";
        self.interfaces("ovpn", NAME).unwrap_or_else(|| {
            let modules = ["ovpn", "ovpn_dco_v2"];
            self.by_module(NAME, &modules, "no tunnel uses it", Some(lever))
        })
    }

    fn wireguard(&self) -> InLinux {
        const NAME: &str = "WireGuard";
        self.interfaces("wireguard", NAME)
            .unwrap_or_else(|| self.by_module(NAME, &["wireguard"], "no tunnel uses it", None))
    }

    /// Interfaces of a kind, with what they carried.
    fn interfaces(&self, kind: &str, name: &str) -> Option<InLinux> {
        let here = self.examined.here;
        let is_it = |folder: &PathBuf| {
            let about = here.text(folder.join("uevent")).unwrap_or_default();
            about
                .lines()
                .any(|line| line.strip_prefix("DEVTYPE=").is_some_and(|it| it.starts_with(kind)))
        };
        let described = |folder: PathBuf| {
            let bytes = |name: &str| -> u64 {
                let text = here.text(folder.join("statistics").join(name)).unwrap_or_default();
                text.trim().parse().unwrap_or(0)
            };
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            format!("{name} carried {}", volume(bytes("rx_bytes") + bytes("tx_bytes")))
        };
        let found: Vec<String> =
            here.inside("/sys/class/net").into_iter().filter(is_it).map(described).collect();
        let text = format!("{}; no provider sees its packets", found.join(", "));
        (!found.is_empty()).then(|| row(name, Standing::Used, text, None))
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

const ASK_FOR_TLS: &str = "nginx: ssl_conf_command Options KTLS, which gains where files are sent (sendfile). It wants an \
                           OpenSSL built for it: openssl s_server -help knows -ktls then, and Debian 12's does not. \
                           Its ciphers are Linux's and not Wirespeed's: measure both";
