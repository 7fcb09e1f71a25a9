//! `openssl s_server` as a web server: a TLS server that any user can start.

use std::process::{Child, Stdio};

use crate::certificate::Certificate;
use crate::module::Provided;
use crate::network::{free_port, listening};
use crate::process::{command, wait_until};
use crate::scratch::Scratch;

/// A running one; it offers the files of its directory.
#[derive(Debug)]
pub struct WebServer {
    child: Child,
    port: u16,
    certificate: Certificate,
    scratch: Scratch,
}

impl WebServer {
    /// Starts one and waits until it listens.
    pub fn start(provided: Provided<'_>) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let certificate = Certificate::new(&scratch)?;
        let port = free_port()?;
        let mut program = command("openssl");
        program.args(["s_server", "-HTTP", "-quiet", "-4", "-accept", &port.to_string()]);
        program.arg("-key").arg(&certificate.key).arg("-cert").arg(&certificate.certificate);
        provided.to(&mut program).current_dir(scratch.root());
        program.stdout(Stdio::null()).stderr(Stdio::null());
        let child = program.spawn().map_err(|error| format!("{program:?}: {error}"))?;
        let server = Self { child, port, certificate, scratch };
        wait_until("s_server to listen", || listening(port))?;
        Ok(server)
    }

    /// Puts a file on offer; it is sent as it is, and must hold the head of the answer.
    pub fn offer(&self, name: &str, body: &[u8]) -> Result<(), String> {
        self.scratch.write(name, [&Self::head(body)[..], body].concat()).map(|_| ())
    }

    /// What comes before the body.
    pub fn head(body: &[u8]) -> Vec<u8> {
        format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes()
    }

    /// Its directory.
    pub const fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// The address of a file.
    pub fn address(&self, name: &str) -> String {
        format!("https://localhost:{}/{name}", self.port)
    }

    /// Where it listens.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The certificate that clients must trust.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
