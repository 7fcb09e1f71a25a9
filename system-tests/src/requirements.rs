//! What is promised of whole programs, and what a cipher that costs nothing would give.
//!
//! The bounds are 1 / (1 - the cipher's share of the CPU time), measured with perf on stock Debian 12.

use wirespeed_system_tests::module::Provided;

use crate::table::Unit;
use crate::workload::{self, Workload};

/// One line of the table.
pub(crate) struct Requirement {
    pub(crate) title: &'static str,
    /// How much work one round is, in units.
    pub(crate) amount: usize,
    pub(crate) unit: Unit,
    /// The least gain.
    pub(crate) at_least: f64,
    /// The gain if the cipher were for free.
    pub(crate) bound: f64,
    pub(crate) begin: fn(Provided<'_>, usize) -> Result<Box<dyn Workload>, String>,
}

const MIB: Unit = Unit::Mebibytes;

/// All of them.
pub(crate) const ALL: &[Requirement] = &[
    Requirement {
        title: "nginx 100 MiB file TLS 1.3 AES-128-GCM",
        amount: 100,
        unit: MIB,
        at_least: 1.15,
        bound: 1.29,
        begin: |provided, amount| workload::nginx_file(provided, "TLS_AES_128_GCM_SHA256", amount),
    },
    Requirement {
        title: "nginx 100 MiB file TLS 1.3 AES-256-GCM",
        amount: 100,
        unit: MIB,
        at_least: 1.15,
        bound: 1.36,
        begin: |provided, amount| workload::nginx_file(provided, "TLS_AES_256_GCM_SHA384", amount),
    },
    Requirement {
        title: "haproxy TLS 1.3 AES-128-GCM",
        amount: 100,
        unit: MIB,
        at_least: 1.08,
        bound: 1.23,
        begin: |provided, amount| workload::haproxy(provided, "TLS_AES_128_GCM_SHA256", amount),
    },
    Requirement {
        title: "sshd aes128-gcm@openssh.com",
        amount: 200,
        unit: MIB,
        at_least: 1.08,
        bound: 1.17,
        begin: |provided, amount| workload::sshd(provided, "aes128-gcm@openssh.com", "", amount),
    },
    Requirement {
        title: "openssl enc aes-128-ctr 1 GiB",
        amount: 1024,
        unit: MIB,
        at_least: 1.2,
        bound: 1.48,
        begin: |provided, amount| workload::enc(provided, "-aes-128-ctr", "-e", amount),
    },
    Requirement {
        title: "openssl enc -d aes-256-cbc 1 GiB",
        amount: 1024,
        unit: MIB,
        at_least: 1.2,
        bound: 1.53,
        begin: |provided, amount| workload::enc(provided, "-aes-256-cbc", "-d", amount),
    },
    Requirement {
        title: "OpenVPN AES-128-GCM, both ends",
        amount: 32,
        unit: MIB,
        at_least: 0.98,
        bound: 1.04,
        begin: |provided, amount| workload::openvpn(provided, "AES-128-GCM", amount),
    },
    Requirement {
        title: "OpenVPN AES-256-CBC SHA1, both ends",
        amount: 32,
        unit: MIB,
        at_least: 0.98,
        bound: 1.06,
        begin: |provided, amount| workload::openvpn(provided, "AES-256-CBC", amount),
    },
    Requirement {
        title: "sshd aes128-ctr hmac-sha2-256-etm",
        amount: 200,
        unit: MIB,
        at_least: 0.98,
        bound: 1.05,
        begin: |provided, amount| {
            workload::sshd(provided, "aes128-ctr", "hmac-sha2-256-etm@openssh.com", amount)
        },
    },
    Requirement {
        title: "nginx 1 KiB responses TLS 1.3 AES-128-GCM",
        amount: 8000,
        unit: Unit::Requests,
        at_least: 0.98,
        bound: 1.03,
        begin: |provided, amount| workload::nginx_small(provided, "TLS_AES_128_GCM_SHA256", amount),
    },
];
