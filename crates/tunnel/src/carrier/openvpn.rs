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
    let cable = Cable::lay(name)?;
    let start = |end: usize| {
        let mut openvpn = cable.ends()[end].command("openvpn");
        openvpn
            .args(["--dev", "tun0", "--proto", "udp", "--port", "1194", "--verb", "3"])
            .args(["--ifconfig", INNER[end], INNER[1 - end]])
            .args([
                "--data-ciphers",
                suite.cipher,
                "--auth",
                openvpn_digest(suite),
                "--disable-dco",
            ])
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
