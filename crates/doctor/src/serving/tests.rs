//! Services of machines that are made up.

use wirespeed_results::schema::services::{InLinux, Service, Standing};

use super::*;
use crate::fake::Fake;
use crate::surroundings::Unpacked;

const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

/// One that listens at port 443, with a number of its socket.
fn machine(installed: bool) -> Fake {
    let sockets = format!(
        "{TCP}   0: 00000000:01BB 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 701 1 0 100 0 0 10 0\n   \
         1: 0100007F:0050 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 702 1 0 100 0 0 10 0\n"
    );
    let fake = if installed { Fake::installed("") } else { Fake::bare() };
    fake.file("/proc/net/tcp", sockets)
        .file("/usr/lib/libcrypto.so.3", "OpenSSL 3.0.19 27 Jan 2026\0")
}

/// A process that listens there, with what it maps and has inside.
fn process(fake: Fake, name: &str, maps: &str, program: &[u8]) -> Fake {
    let file = |file: &str| format!("/proc/812/{file}");
    let maps = maps.lines().map(|path| format!("7f00-7f01 r-xp 0 08:01 12   {path}\n"));
    fake.file(&file("comm"), format!("{name}\n"))
        .file(&file("maps"), maps.collect::<String>())
        .file(&file("exe"), program)
        .file("/proc/812/stat", "812 (x) S 1 0 0 0\n")
        .link(&file("fd/3"), "socket:[701]")
}

fn only(fake: &Fake) -> Service {
    let mut found = services(&Examined::new(fake)).services;
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// Each program that owners ask about: what encrypts, whether a provider reaches it, and the other lever.
#[test]
fn who_encrypts_is_told_for_each_kind_of_program() {
    const HOSTS: &str = "/usr/lib/libcrypto.so.3";
    for (name, maps, program, crypto, reach, lever) in [
        ("nginx", HOSTS, "", "OpenSSL 3.0.19", Reach::Possible, "sudo wirespeed install"),
        ("sshd", HOSTS, "", "OpenSSL 3.0.19", Reach::Possible, "sudo wirespeed install"),
        ("postgres", "/x/libcrypto.so.1.1", "", "OpenSSL", Reach::Never, "OpenSSL 3 or later"),
        ("rsyslogd", "/x/libgcrypt.so.20", "", "", Reach::Nothing, ""),
        ("exim4", "/x/libgnutls.so.30", "", "GnuTLS", Reach::Never, "nginx, haproxy or stunnel"),
        ("pluto", "/x/libnss3.so", "", "NSS", Reach::Never, "a build for OpenSSL"),
        ("java", "/opt/jdk/lib/server/libjvm.so", "", "Java", Reach::Never, "grep UseAES"),
        (
            "node",
            "/x/libm.so.6",
            "OpenSSL 3.5.6 7 Apr 2026\0",
            "OpenSSL 3.5.6",
            Reach::Possible,
            "linked with",
        ),
        (
            "mongod",
            "/x/libm.so.6",
            "OpenSSL 1.1.1w  11 Sep 2023\0",
            "OpenSSL 1.1.1w",
            Reach::Never,
            "OpenSSL 1 knows no providers",
        ),
        ("envoy", "/x/libm.so.6", "\0BoringSSL\0", "BoringSSL", Reach::Never, "takes no providers"),
        ("mosquitto", "/x/libm.so.6", "", "", Reach::Nothing, ""),
        ("python3", "/x/libcrypto-3fa1b2c4.so.3", "", "OpenSSL", Reach::Possible, "OPENSSL_CONF="),
        (
            "openssl",
            &format!("{HOSTS}\n/x/ossl-modules/fips.so"),
            "",
            "OpenSSL 3.0.19",
            Reach::Never,
            "not validated",
        ),
    ] {
        let found = only(&process(
            machine(false),
            name,
            &format!("/usr/bin/x\n{maps}"),
            program.as_bytes(),
        ));
        let first = found.crypto.first();
        let said = first.map(|it| [&*it.name, it.version.as_deref().unwrap_or("")].join(" "));
        assert_eq!(said.unwrap_or_default().trim(), crypto, "{name}");
        assert_eq!(found.wirespeed, reach, "{name}");
        let levers = found.levers.join("; ");
        assert!(levers.contains(lever), "{name}: {levers}");
        assert_eq!(found.listens, ["tcp 443"], "{name}");
    }
}

#[test]
fn our_module_is_seen_where_it_serves_and_missed_where_it_is_installed() {
    let maps = "/usr/lib/libcrypto.so.3";
    let found = only(&process(machine(true), "nginx", maps, b""));
    assert_eq!(found.wirespeed, Reach::Restart);
    assert!(found.levers[0].starts_with("restart it"), "{found:?}");
    assert!(found.crypto[0].is_hosts);
    assert!(found.levers[1].contains("KTLS"), "{found:?}");
    let maps = format!("{maps}\n{}", crate::fake::MODULE);
    assert_eq!(only(&process(machine(true), "nginx", &maps, b"")).wirespeed, Reach::Serves);
}

#[test]
fn a_container_is_reached_by_its_own_root() {
    let mut fake = process(machine(true), "nginx", "/usr/lib/libcrypto.so.3", b"")
        .file("/proc/812/root/usr/lib/libcrypto.so.3", "OpenSSL 3.5.6 7 Apr 2026\0");
    fake.elsewhere.insert("/proc/812".to_owned(), 7);
    let sockets = fake.bytes("/proc/net/tcp");
    fake = fake.file("/proc/812/net/tcp", sockets);
    let found = only(&fake);
    assert!(found.in_container && !found.crypto[0].is_hosts, "{found:?}");
    assert!(
        found.levers[0].starts_with("sudo wirespeed install --root /proc/812/root"),
        "{found:?}"
    );
    assert_eq!(found.crypto[0].version.as_deref(), Some("3.5.6"));
    // Only its root was changed: Linux tells the whole path.
    let maps = "7f00-7f01 r-xp 0 08:01 12   /srv/web/usr/lib/libcrypto.so.3\n";
    fake = fake.file("/proc/812/maps", maps).link("/proc/812/root", "/srv/web");
    let crypto = &only(&fake).crypto[0];
    assert_eq!(crypto.version.as_deref(), Some("3.5.6"));
    assert_eq!(crypto.file.as_deref(), Some("/usr/lib/libcrypto.so.3"));
    fake.unpacked = Ok(Unpacked { is_installed: false, obstacle: Some("it has musl".to_owned()) });
    assert_eq!(only(&fake).levers[0], "it has musl");
}

#[test]
fn processes_that_are_alike_are_one_line_and_the_unseen_is_named() {
    let mut fake = process(machine(false), "nginx", "/usr/lib/libcrypto.so.3", b"");
    for file in ["comm", "maps", "exe", "stat"] {
        let bytes = fake.bytes(&format!("/proc/812/{file}"));
        fake = fake.file(&format!("/proc/813/{file}"), bytes);
    }
    fake = fake.link("/proc/813/fd/7", "socket:[701]");
    assert_eq!(only(&fake).processes, [812, 813]);
    // In containers each needs a command of its own.
    fake.elsewhere.extend([("/proc/812".to_owned(), 7), ("/proc/813".to_owned(), 8)]);
    let found = services(&Examined::new(&fake)).services;
    let lever =
        |it: &Service| it.levers[0].contains(&format!("--root /proc/{}/root", it.processes[0]));
    assert!(found.len() == 2 && found.iter().all(lever), "{found:?}");
    fake.elsewhere.clear();
    // Another user's: neither its sockets nor its libraries can be seen.
    fake.user = 1000;
    for process in [812, 813] {
        fake.remove(&format!("/proc/{process}/maps"));
    }
    let found = services(&Examined::new(&fake));
    assert_eq!((found.services.len(), found.only_own), (0, true));
    assert_eq!(found.unseen, ["tcp 443"]);
}

#[test]
fn a_vpn_that_listens_nowhere_is_told_about_too() {
    let mut fake = process(machine(false), "openvpn", "/usr/lib/libcrypto.so.3", b"");
    fake.remove("/proc/812/fd/3");
    let found = only(&fake);
    assert!(found.listens.is_empty() && found.levers[1].contains("DCO"), "{found:?}");
}

fn in_linux(fake: &Fake, name: &str) -> InLinux {
    let all = services(&Examined::new(fake)).linux;
    all.into_iter().find(|it| it.name == name).expect(name)
}

/// Two connections, of which one is the kernel's.
const SS: &str = "ESTAB 0 0 127.0.0.1:443 127.0.0.1:5 users:((\"nginx\",pid=813,fd=9)) ino:1 sk:1 cubic tcp-ulp-tls version: \
                  1.2 cipher: aes-gcm-128 rxconf: none txconf: sw\n\
                  ESTAB 0 0 127.0.0.1:22 127.0.0.1:6 users:((\"sshd\",pid=9,fd=3)) ino:2 sk:2 cubic\n";

#[test]
fn ktls_is_told_by_its_counters() {
    let absent = in_linux(&Fake::bare(), "kTLS");
    assert_eq!((absent.state, &*absent.text), (Standing::Absent, "this kernel has no module tls"));
    let release = "/proc/sys/kernel/osrelease";
    let modules = "kernel/net/tls/tls.ko.xz:\n";
    let loadable =
        Fake::bare().file(release, "6.1.0\n").file("/lib/modules/6.1.0/modules.dep", modules);
    let possible = in_linux(&loadable, "kTLS");
    assert_eq!(possible.state, Standing::Possible);
    assert!(possible.lever.expect("a lever").contains("ssl_conf_command Options KTLS"));
    let stat = |now: u32| {
        format!(
            "TlsCurrTxSw                     \t{now}\nTlsCurrRxSw                     \t0\nTlsTxSw    \t9\n"
        )
    };
    let used = in_linux(&Fake::bare().file("/proc/net/tls_stat", stat(3)), "kTLS");
    assert_eq!(used.state, Standing::Used);
    assert!(used.text.contains("3 and 0 by Linux's own code"), "{used:?}");
    assert!(used.text.ends_with("no provider sees their records"), "{used:?}");
    let mut fake = Fake::bare().file("/proc/net/tls_stat", stat(1));
    fake.printed.insert("ss", SS);
    let InLinux { text: used, lever, .. } = in_linux(&fake, "kTLS");
    assert!(used.contains("(/proc/net/tls_stat) of nginx (813); no provider"), "{used}");
    assert!(lever.is_some_and(|it| it.ends_with("wirespeed kernel AES-128-GCM")), "{used}");
    let unused = in_linux(&Fake::bare().file("/proc/net/tls_stat", stat(0)), "kTLS");
    assert_eq!(unused.state, Standing::Possible);
    assert!(unused.text.contains("9 have sent by it"), "{unused:?}");
    // Whose connections they are is told that in its own line, in place of how to ask for it.
    let maps = "/usr/lib/libcrypto.so.3";
    for (number, words) in [(813, "ssl_conf_command Options KTLS"), (812, "Linux encrypts 1 of")] {
        let ss: &'static str = SS.replace("pid=813", &format!("pid={number}")).leak();
        let mut fake =
            process(machine(false), "nginx", maps, b"").file("/proc/net/tls_stat", stat(1));
        fake.printed.insert("ss", ss);
        let levers = only(&fake).levers;
        assert!(levers.len() == 2 && levers[1].contains(words), "{levers:?}");
    }
}

/// As proc_pid_net(5) has it.
const DEV: &str = "Inter-|   Receive                            |  Transmit\n \
                   face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n \
                   tun77: 5 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n  \
                   tun7: 1048000 9 0 0 0 0 0 0 576 9 0 0 0 0 0 0\n";

#[test]
fn tunnels_of_linux_are_told_by_their_interfaces() {
    for (kind, name) in [("ovpn", "OpenVPN DCO"), ("wireguard", "WireGuard")] {
        let fake = Fake::bare()
            .file("/sys/class/net/tun7/uevent", format!("DEVTYPE={kind}\nINTERFACE=tun7\n"))
            .file("/proc/net/dev", DEV);
        let found = in_linux(&fake, name);
        assert_eq!(found.state, Standing::Used, "{kind}");
        assert!(found.text.starts_with("tun7 carried 1.0 MiB; no provider"), "{found:?}");
    }
    // openvpn-dco-dkms says less of its own.
    let mut fake = Fake::bare()
        .file("/sys/class/net/tun7/uevent", "INTERFACE=tun7\nIFINDEX=3\n")
        .file("/proc/net/dev", DEV)
        .file("/sys/module/ovpn_dco_v2/refcnt", "0\n");
    let possible = in_linux(&fake, "OpenVPN DCO");
    assert_eq!(possible.text, "no tunnel uses it; ovpn_dco_v2 is loaded");
    fake.printed.insert("ip", "3: tun7: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1500\n");
    let found = in_linux(&fake, "OpenVPN DCO");
    assert!(found.text.starts_with("tun7 carried 1.0 MiB; no provider"), "{found:?}");
    assert!(found.lever.expect("a lever").contains("disable-dco"));
    // One in another network, as a container's.
    let mut fake = process(machine(false), "openvpn", "/usr/lib/libcrypto.so.3", b"")
        .file("/proc/812/net/dev", DEV)
        .file("/proc/812/net/tls_stat", "TlsCurrTxSw 2\n")
        .file("/sys/module/ovpn/refcnt", "0\n");
    fake.elsewhere.insert("/proc/812/ns/net".to_owned(), 9);
    fake.printed.insert("nsenter", "3: tun7: <POINTOPOINT,MULTICAST,NOARP,UP,LOWER_UP> mtu 1500\n");
    let found = in_linux(&fake, "OpenVPN DCO");
    assert!(found.text.starts_with("tun7 carried 1.0 MiB; no provider"), "{found:?}");
    assert!(in_linux(&fake, "kTLS").text.contains("2 and 0 by Linux's own code"));
    let absent = in_linux(&Fake::bare(), "OpenVPN DCO");
    assert_eq!(absent.state, Standing::Absent);
    assert!(absent.lever.expect("a lever").contains("openvpn-dco-dkms"));
}

fn driver(name: &str, driver: &str) -> String {
    format!(
        "name : {name}\ndriver : {driver}\nmodule : m\npriority : 4001\nselftest : passed\ninternal : no\n\
         type : aead\nasync : yes\n"
    )
}

#[test]
fn ipsec_disks_and_devices_are_told() {
    let drivers = driver("seqiv(rfc4106(gcm(aes)))", "seqiv(rfc4106-gcm-aesni)");
    let found = in_linux(&Fake::bare().file("/proc/crypto", drivers), "ESP");
    assert_eq!(found.state, Standing::Used);
    assert!(found.text.contains("seqiv(rfc4106-gcm-aesni)"), "{found:?}");
    let loadable = Fake::bare()
        .file("/proc/sys/kernel/osrelease", "6.1.0\n")
        .file("/lib/modules/6.1.0/modules.dep", "kernel/drivers/md/dm-crypt.ko: x\n");
    let found = in_linux(&loadable, "dm-crypt");
    assert_eq!(found.state, Standing::Possible);
    assert_eq!(found.text, "no disk is encrypted; the module dm_crypt is not loaded");
    let disk = Fake::bare()
        .file("/sys/block/dm-0/dm/uuid", "CRYPT-LUKS2-0123-root\n")
        .file("/sys/block/dm-0/dm/name", "root\n")
        .file("/sys/block/dm-1/dm/uuid", "LVM-0123\n");
    let found = in_linux(&disk, "dm-crypt");
    assert_eq!((found.state, found.text.contains("disks: root;")), (Standing::Used, true));
    assert!(disk.says(findings).starts_with("note: dm-crypt: disks: root;"));
    assert_eq!(in_linux(&Fake::bare(), "devices").state, Standing::Absent);
}

/// intel/QAT_Engine#71, intel/asynch_mode_nginx#34.
#[test]
fn why_qat_gains_nothing_is_told_and_that_there_is_none() {
    assert_eq!(in_linux(&Fake::bare(), "QAT").state, Standing::Absent);
    let fake = Fake::bare()
        .file("/proc/crypto", driver("authenc(hmac(sha1),cbc(aes))", "qat_aes_cbc_hmac_sha1"));
    let found = in_linux(&fake, "QAT");
    assert!(found.text.starts_with("drivers of it in /proc/crypto: 1;"), "{found:?}");
    assert!(found.lever.expect("a lever").contains("-async_jobs"));
}
