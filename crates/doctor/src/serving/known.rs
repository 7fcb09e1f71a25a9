//! Programs whose encryption has a lever of its own, beside what encrypts in them.

/// A program.
struct Known {
    /// What the kernel calls it: fifteen letters at most.
    names: &'static [&'static str],
    /// Whether it is worth a line while it listens nowhere.
    always: bool,
    lever: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        names: &["nginx"],
        always: false,
        lever: "kTLS: ssl_conf_command Options KTLS, where openssl s_server -help knows -ktls; then Linux encrypts \
                what it sends, and no provider does",
    },
    Known {
        names: &["openvpn"],
        always: true,
        lever: "without DCO one thread does everything: wirespeed vpn compares suites for it; with DCO Linux encrypts, \
                and no provider does",
    },
    Known {
        names: &["charon", "charon-systemd", "charon-cmd", "starter", "pluto"],
        always: true,
        lever: "this is IKE; the packets are Linux's ESP, unless the plugin kernel-libipsec is loaded",
    },
    Known {
        names: &["sshd", "sshd-session"],
        always: false,
        lever: "its first choice is ChaCha20-Poly1305; AES-GCM is faster on a CPU with AES: Ciphers \
                ^aes128-gcm@openssh.com",
    },
    Known {
        names: &["haproxy"],
        always: false,
        lever: "it has a thread for each CPU, unless nbthread says less",
    },
    Known {
        names: &["wireguard-go", "boringtun-cli"],
        always: true,
        lever: "Linux has WireGuard itself: modprobe wireguard, and wg-quick takes that",
    },
];

fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.names.contains(&name))
}

/// What there is to know about a program.
pub(crate) fn lever(name: &str) -> Option<&'static str> {
    known(name).map(|known| known.lever)
}

/// Whether it is told about while it listens nowhere.
pub(super) fn always(name: &str) -> bool {
    known(name).is_some_and(|known| known.always)
}
