//! Programs that take TLS off a connection and pass it on: haproxy and stunnel.

use std::fs;
use std::sync::Arc;

use crate::module::Provided;
use crate::running::Daemon;
use crate::servers::plain::serve;
use crate::servers::service::{Place, Service};

/// Which program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// haproxy, as a proxy of TCP, on one thread.
    Haproxy,
    /// stunnel as a server.
    Stunnel,
}

impl Program {
    /// Its file.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Haproxy => "/usr/sbin/haproxy",
            Self::Stunnel => "/usr/bin/stunnel4",
        }
    }

    /// Starts it before a server that answers every request with `body`.
    pub fn start(
        self,
        provided: Provided<'_>,
        suites: &str,
        body: Arc<[u8]>,
    ) -> Result<Service, String> {
        let place = Place::new()?;
        let Place { scratch, certificate, port } = &place;
        let behind = serve(body).map_err(|error| error.to_string())?;
        let mut both = fs::read(&certificate.certificate).map_err(|error| error.to_string())?;
        both.extend(fs::read(&certificate.key).map_err(|error| error.to_string())?);
        let both = scratch.write("both.pem", both)?;
        let both = both.display();
        let (options, text) = match self {
            Self::Haproxy => (
                &["-db", "-f"][..],
                format!(
                    "global\nnbthread 1\ntune.ssl.default-dh-param 2048\ndefaults\nmode tcp\n\
                     timeout connect 9s\ntimeout client 60s\ntimeout server 60s\nfrontend tls\n\
                     bind 127.0.0.1:{port} ssl crt {both} ciphersuites {suites}\n\
                     default_backend plain\nbackend plain\nserver one {behind}\n"
                ),
            ),
            Self::Stunnel => (
                &[][..],
                format!(
                    "foreground = yes\npid =\ndebug = warning\n[tls]\naccept = 127.0.0.1:{port}\n\
                     connect = {behind}\ncert = {both}\nciphersuites = {suites}\n"
                ),
            ),
        };
        let file = scratch.write("terminator.cnf", text)?;
        let daemon = Daemon::new(self.path(), provided, "").arguments(options).arguments([file]);
        place.start(daemon)
    }
}
