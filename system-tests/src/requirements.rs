//! What is promised of whole programs.

use std::path::Path;
use std::process::Command;

use wirespeed_cipher::Direction::{self, Decrypt, Encrypt};
use wirespeed_system_tests::module::Provided;
use wirespeed_system_tests::process::command;
use wirespeed_system_tests::servers::terminator::Program::{Haproxy, Stunnel};
use wirespeed_system_tests::servers::{apache, dovecot, mariadb, postfix, postgres, redis, tor};
use wirespeed_system_tests::trixie;

use crate::table::Unit;
use crate::workload::{self, Cms, Workload};

/// One line of the table.
pub(crate) struct Requirement {
    pub(crate) title: &'static str,
    /// What is missing here.
    pub(crate) missing: fn() -> Option<&'static str>,
    /// A program with the same libcrypto, which tells its version.
    pub(crate) openssl: fn() -> Result<Command, String>,
    /// How much work one round is, in units.
    pub(crate) amount: usize,
    pub(crate) unit: Unit,
    /// The cipher of the work, which our routes must have run.
    pub(crate) cipher: (&'static str, Direction),
    /// The least gain.
    pub(crate) at_least: f64,
    pub(crate) begin: fn(Provided<'_>, usize) -> Result<Box<dyn Workload>, String>,
}

const MIB: Unit = Unit::Mebibytes;

/// Less is slower by more than chance.
pub(crate) const NO_SLOWER: f64 = 0.98;

const SUITE: &str = "TLS_AES_128_GCM_SHA256";

/// What every line is but for what it says itself.
const LINE: Requirement = Requirement {
    title: "",
    missing: || None,
    openssl: || Ok(command("openssl")),
    amount: 100,
    unit: MIB,
    cipher: ("AES-128-GCM", Encrypt),
    at_least: NO_SLOWER,
    begin: |_, _| Err("nothing to do".to_owned()),
};

/// The package that a program is in, if it is not there.
fn unless(file: &str, package: &'static str) -> Option<&'static str> {
    (!Path::new(file).exists()).then_some(package)
}

fn no_postgres() -> Option<&'static str> {
    postgres::program("postgres").is_none().then_some("postgresql")
}

fn no_mariadb() -> Option<&'static str> {
    unless(mariadb::PROGRAM, "mariadb-server")
}

fn no_borg() -> Option<&'static str> {
    unless("/usr/bin/borg", "borgbackup")
}

fn no_cryptography() -> Option<&'static str> {
    unless("/usr/lib/python3/dist-packages/cryptography", "python3-cryptography")
}

/// What HTTP/3 has in common.
const HTTP3: Requirement = Requirement {
    missing: || trixie::obstacle().map(|_| "13, for HTTP/3,"),
    amount: 50,
    openssl: || trixie::command("usr/bin/openssl"),
    ..LINE
};

/// All of them.
pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        title: "nginx 100 MiB file TLS 1.3 AES-128-GCM",
        at_least: 1.15,
        begin: |provided, amount| workload::nginx_file(provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "nginx 100 MiB file TLS 1.3 AES-256-GCM",
        cipher: ("AES-256-GCM", Encrypt),
        at_least: 1.15,
        begin: |provided, amount| workload::nginx_file(provided, "TLS_AES_256_GCM_SHA384", amount),
        ..LINE
    },
    Requirement {
        title: "Apache httpd 100 MiB file AES-128-GCM",
        missing: || unless(apache::PROGRAM, "apache2"),
        begin: |provided, amount| workload::apache(provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "haproxy TLS 1.3 AES-128-GCM",
        at_least: 1.08,
        begin: |provided, amount| workload::terminator(Haproxy, provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "stunnel TLS 1.3 AES-128-GCM",
        begin: |provided, amount| workload::terminator(Stunnel, provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "curl 100 MiB download AES-128-GCM",
        cipher: ("AES-128-GCM", Decrypt),
        begin: |provided, amount| workload::curl_download(provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "nginx 50 MiB file HTTP/3 AES-128-GCM",
        begin: |provided, amount| workload::nginx_http3(provided, SUITE, amount),
        ..HTTP3
    },
    Requirement {
        title: "curl 50 MiB download HTTP/3 AES-128-GCM",
        cipher: ("AES-128-GCM", Decrypt),
        begin: |provided, amount| workload::curl_http3(provided, SUITE, amount),
        ..HTTP3
    },
    Requirement {
        title: "Dovecot IMAP, 100 MiB message AES-128-GCM",
        missing: || unless(dovecot::PROGRAM, "dovecot-imapd"),
        begin: |provided, amount| workload::dovecot(provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "Postfix SMTP, 100 MiB message AES-256-GCM",
        missing: || unless(postfix::PROGRAM, "postfix"),
        cipher: ("AES-256-GCM", Decrypt),
        begin: workload::postfix,
        ..LINE
    },
    Requirement {
        title: "sshd aes128-gcm@openssh.com",
        amount: 200,
        at_least: 1.08,
        begin: |provided, amount| workload::sshd(provided, "aes128-gcm@openssh.com", "", amount),
        ..LINE
    },
    Requirement {
        title: "rsync from an sshd aes128-gcm@openssh.com",
        missing: || unless("/usr/bin/rsync", "rsync"),
        amount: 200,
        cipher: ("AES-128-GCM", Decrypt),
        begin: |provided, amount| workload::rsync(provided, "aes128-gcm@openssh.com", amount),
        ..LINE
    },
    Requirement {
        title: "openssl enc aes-128-ctr 1 GiB",
        amount: 1024,
        cipher: ("AES-128-CTR", Encrypt),
        at_least: 1.2,
        begin: |provided, amount| workload::enc(provided, "-aes-128-ctr", "-e", amount),
        ..LINE
    },
    Requirement {
        title: "openssl enc -d aes-256-cbc 1 GiB",
        amount: 1024,
        cipher: ("AES-256-CBC", Decrypt),
        at_least: 1.2,
        begin: |provided, amount| workload::enc(provided, "-aes-256-cbc", "-d", amount),
        ..LINE
    },
    Requirement {
        title: "openssl cms -encrypt -aes-256-gcm",
        amount: 512,
        cipher: ("AES-256-GCM", Encrypt),
        begin: |provided, amount| workload::cms(provided, Cms::Encrypt, "-aes-256-gcm", amount),
        ..LINE
    },
    Requirement {
        title: "openssl cms -decrypt, AES-256-CBC",
        amount: 128,
        cipher: ("AES-256-CBC", Decrypt),
        begin: |provided, amount| workload::cms(provided, Cms::Decrypt, "-aes-256-cbc", amount),
        ..LINE
    },
    Requirement {
        title: "Python cryptography AES-GCM 16 KiB",
        missing: no_cryptography,
        amount: 1024,
        begin: |provided, amount| workload::python(provided, 16384, amount),
        ..LINE
    },
    Requirement {
        title: "Python cryptography AES-GCM 1420 B",
        missing: no_cryptography,
        begin: |provided, amount| workload::python(provided, 1420, amount),
        ..LINE
    },
    Requirement {
        title: "Redis TLS, GET of 1 MiB",
        missing: || unless(redis::PROGRAM, "redis-server"),
        amount: 200,
        begin: |provided, amount| workload::redis(provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "PostgreSQL TLS, COPY",
        missing: no_postgres,
        amount: 200,
        cipher: ("AES-256-GCM", Encrypt),
        begin: workload::postgres_copy,
        ..LINE
    },
    Requirement {
        title: "MariaDB TLS, SELECT of a table",
        missing: no_mariadb,
        cipher: ("AES-256-GCM", Encrypt),
        begin: workload::mariadb_tls,
        ..LINE
    },
    Requirement {
        title: "MariaDB search of an encrypted table",
        missing: no_mariadb,
        cipher: ("AES-128-CBC", Decrypt),
        begin: workload::mariadb_encrypted,
        ..LINE
    },
    Requirement {
        title: "borg create, repokey",
        missing: no_borg,
        cipher: ("AES-256-CTR", Encrypt),
        begin: workload::borg_create,
        ..LINE
    },
    Requirement {
        title: "borg extract, repokey",
        missing: no_borg,
        cipher: ("AES-256-CTR", Decrypt),
        begin: workload::borg_extract,
        ..LINE
    },
    Requirement {
        title: "Tor, client and three relays",
        missing: || unless(tor::PROGRAM, "tor"),
        amount: 48,
        cipher: ("AES-128-CTR", Encrypt),
        begin: workload::tor,
        ..LINE
    },
    Requirement {
        title: "OpenVPN AES-128-GCM, both ends",
        amount: 32,
        begin: |provided, amount| workload::openvpn(provided, "AES-128-GCM", amount),
        ..LINE
    },
    Requirement {
        title: "OpenVPN AES-256-CBC SHA1, both ends",
        amount: 32,
        cipher: ("AES-256-CBC", Decrypt),
        begin: |provided, amount| workload::openvpn(provided, "AES-256-CBC", amount),
        ..LINE
    },
    Requirement {
        title: "sshd aes128-ctr hmac-sha2-256-etm",
        amount: 200,
        cipher: ("AES-128-CTR", Encrypt),
        begin: |provided, amount| {
            workload::sshd(provided, "aes128-ctr", "hmac-sha2-256-etm@openssh.com", amount)
        },
        ..LINE
    },
    Requirement {
        title: "nginx 1 KiB responses TLS 1.3 AES-128-GCM",
        amount: 8000,
        unit: Unit::Requests,
        begin: |provided, amount| workload::nginx_small(provided, SUITE, amount),
        ..LINE
    },
    Requirement {
        title: "PostgreSQL TLS, pgbench -S",
        missing: no_postgres,
        amount: 20000,
        unit: Unit::Requests,
        cipher: ("AES-256-GCM", Encrypt),
        begin: workload::pgbench,
        ..LINE
    },
];
