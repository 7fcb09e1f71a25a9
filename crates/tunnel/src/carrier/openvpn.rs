//! OpenVPN over UDP, a TUN interface at either end.

use std::path::PathBuf;
use std::process::Command;

use wirespeed_vpn::Suite;

use crate::cable::{ADDRESSES, Cable};
use crate::carrier::INNER;
use crate::program::{Daemon, file, find, quick, write};
use crate::provided::Provided;
use crate::spelling::openvpn_digest;
use crate::tunnel::{Tunnel, Witness};

/// Why there is none here.
pub(super) fn obstacle() -> Option<String> {
    find("openvpn", "openvpn").and_then(|_| find("openssl", "openssl")).err()
}

/// Starts both ends, the receiving one first, and waits until they are joined.
pub(super) fn open(name: &str, suite: &Suite, provided: Provided) -> Result<Tunnel, String> {
    let certificate = Certificate::made()?;
    // The older ones end with 1 after they have told their version.
    let version = quick(Command::new("openvpn").arg("--version")).unwrap_or_default();
    let mut cipher = vec!["--data-ciphers", suite.cipher];
    if is_2_6(&version) {
        cipher.push("--disable-dco");
    } else {
        // There is no DCO, and two peers agree on no cipher by themselves.
        cipher.extend(["--cipher", suite.cipher]);
    }
    let cable = Cable::lay(name)?;
    let start = |end: usize| {
        let mut openvpn = cable.ends()[end].command("openvpn");
        openvpn
            .args(["--dev", "tun0", "--proto", "udp", "--port", "1194", "--verb", "3"])
            .args(["--ifconfig", INNER[end], INNER[1 - end]])
            .args(&cipher)
            .args(["--auth", openvpn_digest(suite)])
            .arg("--ca")
            .arg(&certificate.certificate)
            .arg("--cert")
            .arg(&certificate.certificate)
            .arg("--key")
            .arg(&certificate.key);
        match end {
            0 => openvpn.args(["--tls-client", "--nobind", "--remote", ADDRESSES[1]]),
            _ => openvpn.args(["--tls-server", "--dh", "none", "--local", ADDRESSES[1]]),
        };
        Daemon::start(provided.to(&mut openvpn), cable.ends()[end].name())
    };
    let mut daemons = vec![start(1)?, start(0)?];
    for daemon in &mut daemons {
        let joined = |it: &Daemon| it.said().contains("Initialization Sequence Completed");
        daemon.wait_until("openvpn", joined)?;
    }
    Ok(Tunnel { daemons, cable, addresses: INNER, witness: Witness::Module(provided) })
}

/// Whether OpenVPN is 2.6 or newer, by what it says of itself.
fn is_2_6(said: &str) -> bool {
    let version = said.strip_prefix("OpenVPN ").unwrap_or_default();
    let mut numbers = version.split(['.', ' ', '_']).map_while(|it| it.parse::<u32>().ok());
    (numbers.next(), numbers.next()) >= (Some(2), Some(6))
}

/// What both ends know each other by.
struct Certificate {
    key: PathBuf,
    certificate: PathBuf,
}

impl Certificate {
    /// One that signs itself, made once.
    fn made() -> Result<Self, String> {
        let (key, certificate) = (file("key.pem"), file("certificate.pem"));
        if !certificate.exists() {
            let request = write("request.cnf", "[req]\ndistinguished_name = name\n[name]\n")?;
            let mut openssl = Command::new("openssl");
            openssl
                .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
                .args(["-nodes", "-days", "2", "-subj", "/CN=tunnel", "-config"])
                .arg(request)
                .arg("-keyout")
                .arg(&key)
                .arg("-out")
                .arg(&certificate);
            quick(Provided::Default.to(&mut openssl))
                .map_err(|why| format!("openssl req: {why}"))?;
        }
        Ok(Self { key, certificate })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart() {
        assert!(is_2_6("OpenVPN 2.6.3 x86_64-pc-linux-gnu [SSL (OpenSSL)]"));
        assert!(is_2_6("OpenVPN 2.7_beta1 x86_64"));
        assert!(is_2_6("OpenVPN 3.0"));
        assert!(!is_2_6("OpenVPN 2.5.11 x86_64-pc-linux-gnu"));
        assert!(!is_2_6("what"));
    }
}
