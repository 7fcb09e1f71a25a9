//! OpenVPN between two network namespaces.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use crate::certificate::Certificate;
use crate::module::Provided;
use crate::network::Network;
use crate::process::{command, output};
use crate::running::{Daemon, Running};
use crate::scratch::Scratch;

const PROGRAM: &str = "/usr/sbin/openvpn";
/// The inner end of the tunnel where data goes to.
const RECEIVER: (&str, u16) = ("10.8.0.1", 5001);

/// A tunnel with its two ends.
#[derive(Debug)]
pub struct Tunnel {
    ends: [Running; 2],
    networks: [Network; 2],
    _scratch: Scratch,
}

/// Why there can be none here.
pub fn obstacle() -> Option<String> {
    let device = Path::new("/dev/net/tun");
    if !device.exists() {
        // A guest just booted has not loaded what udev would.
        let _ = output(command("/sbin/modprobe").args(["--all", "tun", "veth"]));
    }
    if !device.exists() {
        return Some("no /dev/net/tun".to_owned());
    }
    Network::pair().err()
}

impl Tunnel {
    /// Starts both ends, the receiving one first, and waits until they are joined.
    pub fn start(provided: [Provided<'_>; 2], cipher: &str) -> Result<Self, String> {
        Self::started(&command(PROGRAM), provided, cipher, &["--disable-dco"])
    }

    /// The same for another OpenVPN, as it is started, and with options of its own.
    pub fn started(
        openvpn: &Command,
        provided: [Provided<'_>; 2],
        cipher: &str,
        options: &[&str],
    ) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let certificate = Certificate::new(&scratch)?;
        let networks = Network::pair()?;
        let roles: [&[&str]; 2] = [
            &[
                "--tls-server",
                "--dh",
                "none",
                "--local",
                "10.9.0.1",
                "--ifconfig",
                "10.8.0.1",
                "10.8.0.2",
            ],
            &[
                "--tls-client",
                "--nobind",
                "--remote",
                "10.9.0.1",
                "--ifconfig",
                "10.8.0.2",
                "10.8.0.1",
            ],
        ];
        let start = |end: usize| {
            let daemon = Daemon::of(openvpn, provided[end], "")
                .arguments(["--dev", "tun0", "--proto", "udp", "--port", "1194", "--verb", "3"])
                .arguments(["--data-ciphers", cipher, "--auth", "SHA1"])
                .arguments(options)
                .arguments([Path::new("--ca"), &certificate.certificate])
                .arguments([Path::new("--cert"), &certificate.certificate])
                .arguments([Path::new("--key"), &certificate.key])
                .arguments(roles[end]);
            daemon.inside(&networks[end]).start(&scratch.path(&format!("log{end}")))
        };
        let ends = [start(0)?, start(1)?];
        for end in &ends {
            let joined = || end.said().contains("Initialization Sequence Completed");
            end.wait_until("OpenVPN to be connected", joined)?;
        }
        Ok(Self { ends, networks, _scratch: scratch })
    }

    /// The processes of both ends.
    pub const fn ends(&self) -> &[Running; 2] {
        &self.ends
    }

    /// Sends data through the tunnel over one connection of TCP; what arrives.
    pub fn send(&self, data: &[u8]) -> Result<Vec<u8>, String> {
        let failed = |error: std::io::Error| format!("through the tunnel: {error}");
        let listener = self.networks[0].run(|| TcpListener::bind(RECEIVER).map_err(failed))?;
        std::thread::scope(|scope| {
            let sender = scope.spawn(|| {
                self.networks[1].run(|| {
                    let mut stream = TcpStream::connect(RECEIVER).map_err(failed)?;
                    stream.write_all(data).map_err(failed)?;
                    stream.shutdown(Shutdown::Write).map_err(failed)
                })
            });
            // A socket stays in the namespace that it was made in.
            let (mut stream, _) = listener.accept().map_err(failed)?;
            let mut got = Vec::with_capacity(data.len());
            stream.read_to_end(&mut got).map_err(failed)?;
            sender.join().map_err(|_| "a thread panicked".to_owned())??;
            Ok(got)
        })
    }
}
