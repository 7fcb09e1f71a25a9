//! What takes most of a program's time, and what would shorten it.

use wirespeed_profile::{Kind, Part, Profile};

use crate::finding::Finding;

/// A smaller part is no limit.
const LEAST: f64 = 0.2;

/// A kind of work as a limit, and what to do about it.
struct Lever {
    kind: Kind,
    /// What takes the time, to be followed by its share.
    what: &'static str,
    way: &'static str,
}

const LEVERS: &[Lever] = &[
    Lever {
        kind: Kind::Handshake,
        what: "handshakes",
        way: "a certificate with ECDSA P-256 in place of RSA; sessions that are resumed; connections \
              that are kept alive. No cipher changes it",
    },
    Lever {
        kind: Kind::Fetch,
        what: "OpenSSL looking for algorithms",
        way: "OpenSSL 3.5 in place of 3.0, which fetches slowly; algorithms that the program fetches \
              once",
    },
    Lever {
        kind: Kind::OpenSsl,
        what: "OpenSSL besides its ciphers: its calls and its records",
        way: "larger records and buffers (nginx: ssl_buffer_size 16k)",
    },
    Lever {
        kind: Kind::OtherLibrary,
        what: "another library of ciphers than OpenSSL",
        way: "no OpenSSL provider reaches it; where the program can be built with OpenSSL, one does",
    },
    Lever {
        kind: Kind::LinuxCrypto,
        what: "Linux's own ciphers: kTLS, WireGuard, IPsec or dm-crypt",
        way: "no OpenSSL provider reaches them; wirespeed kernel shows Linux's drivers and their speed",
    },
    Lever {
        kind: Kind::Copying,
        what: "copying, by Linux and the C library",
        way: "sendfile with kTLS; fewer filters between files and the network",
    },
    Lever {
        kind: Kind::Linux,
        what: "Linux: system calls, the network, files",
        way: "larger buffers; sendfile with kTLS; a VPN that stays inside Linux (WireGuard, OpenVPN DCO)",
    },
    Lever {
        kind: Kind::CLibrary,
        what: "the C library: above all memory",
        way: "larger buffers, which are fewer",
    },
    Lever {
        kind: Kind::Program,
        what: "the program's own code",
        way: "no cipher is its limit: look at what it does (compression, scripts, parsing)",
    },
];

/// The kinds of work that take most, two at most.
pub(super) fn of(profile: &Profile) -> Vec<Finding> {
    let kinds = [Kind::Bulk, Kind::Module].into_iter().chain(LEVERS.iter().map(|it| it.kind));
    let mut kinds: Vec<_> = kinds
        .map(|kind| (kind, profile.share(kind)))
        .filter(|(_, share)| *share >= LEAST)
        .collect();
    kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
    kinds.into_iter().take(2).map(|(kind, share)| told(profile, kind, share)).collect()
}

fn told(profile: &Profile, kind: Kind, share: f64) -> Finding {
    let percent = 100.0 * share;
    match LEVERS.iter().find(|it| it.kind == kind) {
        Some(Lever { what, way, .. }) => {
            let most = if kind == Kind::Handshake { most_of(profile, kind) } else { String::new() };
            Finding::offer(format!("{percent:.0} % of it is {what}{most}"), *way)
        }
        None if kind == Kind::Module => {
            Finding::note(format!("{percent:.0} % of it is ciphers by Wirespeed's module"))
        }
        None => Finding::note(format!(
            "{percent:.0} % of it is ciphers and hashes of OpenSSL{}",
            most_of(profile, kind)
        )),
    }
}

/// The largest part of a kind, in parentheses.
fn most_of(profile: &Profile, kind: Kind) -> String {
    let most = profile.parts.iter().filter(|(part, _)| part.kind == kind);
    let most = most.max_by(|a, b| a.1.total_cmp(&b.1));
    let tell =
        |(Part { name, .. }, share): &(Part, f64)| format!(" ({name} {:.0} %)", 100.0 * share);
    most.map(tell).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slow::tests::made_up;

    #[test]
    fn every_kind_that_can_be_a_limit_has_its_way() {
        for lever in LEVERS {
            let profile = made_up(&[(lever.kind, "x", 0.9), (Kind::Other, "y", 0.1)]);
            let said = of(&profile).first().expect("a limit").words();
            assert!(said.contains("90 %") && said.contains(" -> "), "{said}");
        }
        assert!(of(&made_up(&[(Kind::Program, "x", 0.1), (Kind::Other, "y", 0.9)])).is_empty());
    }
}
