//! Programs that take TLS off a connection and pass it on: haproxy and stunnel.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use crate::module::Provided;
use crate::running::Daemon;
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

/// A plain HTTP server that lasts as long as this process.
fn serve(body: Arc<[u8]>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let body = Arc::clone(&body);
            // A client that goes away early is no concern of the server's.
            thread::spawn(move || answer(&connection, &body));
        }
    });
    Ok(address)
}

/// Reads a request to its empty line and answers it.
fn answer(mut connection: &TcpStream, body: &[u8]) -> std::io::Result<()> {
    for line in BufReader::new(connection).lines() {
        if line?.is_empty() {
            let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            connection.write_all(head.as_bytes())?;
            return connection.write_all(body);
        }
    }
    Ok(())
}
