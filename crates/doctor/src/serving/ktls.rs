//! TLS connections whose records Linux encrypts (Documentation/networking/tls.rst): how many, and whose.

use std::collections::BTreeSet;

use super::networks::Network;
use crate::examined::Examined;
use crate::services::list;

/// Where Linux counts them.
pub(super) const COUNTERS: &str = "/proc/net/tls_stat";

/// What is known of them.
#[derive(Default)]
pub(super) struct Tls {
    /// Connections that send and receive now, by Linux's own code.
    pub(super) software: [u64; 2],
    /// The same by a network card.
    pub(super) device: [u64; 2],
    /// Connections that have sent since the start.
    pub(super) sent: u64,
    /// Those whose program ss(8) tells.
    connections: Vec<Connection>,
}

/// One of them.
struct Connection {
    program: String,
    process: u32,
    /// In Linux's words: `aes-gcm-256`.
    cipher: String,
}

impl Tls {
    /// None where the module is not loaded.
    pub(super) fn read(examined: &Examined<'_>, networks: &[Network]) -> Option<Self> {
        let mut found: Option<Self> = None;
        for network in networks {
            let Some(text) = examined.here.text(network.file("tls_stat")) else { continue };
            let found = found.get_or_insert_default();
            let before = found.now();
            found.add(&text);
            if found.now() > before {
                let printed = network.printed(examined, &["ss", "-HOtnpie"]);
                found.connections.extend(printed.lines().filter_map(Connection::parse));
            }
        }
        found
    }

    fn add(&mut self, text: &str) {
        let count = |key: &str| -> u64 {
            let value = text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
            value.unwrap_or(0)
        };
        for (sum, key) in self.software.iter_mut().zip(["TlsCurrTxSw", "TlsCurrRxSw"]) {
            *sum += count(key);
        }
        for (sum, key) in self.device.iter_mut().zip(["TlsCurrTxDevice", "TlsCurrRxDevice"]) {
            *sum += count(key);
        }
        self.sent += count("TlsTxSw") + count("TlsTxDevice");
    }

    /// How many there are now, in both directions.
    pub(super) fn now(&self) -> u64 {
        self.software.iter().chain(&self.device).sum()
    }

    /// Whose they are, where that is known.
    pub(super) fn users(&self) -> String {
        let user = |it: &Connection| format!("{} ({})", it.program, it.process);
        let users: BTreeSet<String> = self.connections.iter().map(user).collect();
        if users.is_empty() {
            return String::new();
        }
        format!(" of {}", list(users.into_iter().collect()))
    }

    /// The cipher of the first in OpenSSL's words; AES-128-GCM where it is none that we know.
    pub(super) fn algorithm(&self) -> &'static str {
        match self.connections.first().map_or("", |it| &it.cipher) {
            "aes-gcm-256" => "AES-256-GCM",
            "chacha20-poly1305" => "ChaCha20-Poly1305",
            _ => "AES-128-GCM",
        }
    }

    /// What a program is told whose connections these are.
    pub(super) fn told_to(&self, processes: &[u32]) -> Option<String> {
        let own = self.connections.iter().filter(|it| processes.contains(&it.process)).count();
        (own > 0).then(|| {
            format!(
                "kTLS: Linux encrypts {own} of its connections now, and no provider sees their records; \
                 without Options KTLS its OpenSSL does"
            )
        })
    }
}

impl Connection {
    /// `… users:(("nginx",pid=812,fd=5)) … tcp-ulp-tls version: 1.3 cipher: aes-gcm-256 …`.
    fn parse(line: &str) -> Option<Self> {
        let (_, tls) = line.split_once("tcp-ulp-tls")?;
        let (_, user) = line.split_once("users:((\"")?;
        let (program, user) = user.split_once("\",pid=")?;
        let cipher = tls.split_once("cipher: ").and_then(|(_, it)| it.split_whitespace().next());
        Some(Self {
            program: program.to_owned(),
            process: user.split(',').next()?.parse().ok()?,
            cipher: cipher.unwrap_or_default().to_owned(),
        })
    }
}
