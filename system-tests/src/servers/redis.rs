//! Redis over TLS.

use std::fs::File;
use std::process::Command;

use crate::module::Provided;
use crate::process::{command, output};
use crate::running::Daemon;
use crate::servers::service::{Place, Service};

/// The program.
pub const PROGRAM: &str = "/usr/bin/redis-server";
/// The one key.
pub const KEY: &str = "key";

/// Starts one that has a value.
pub fn start(provided: Provided<'_>, suite: &str, value: &[u8]) -> Result<Service, String> {
    let place = Place::new()?;
    let daemon = Daemon::new(PROGRAM, provided, "")
        .arguments(["--port", "0", "--bind", "127.0.0.1", "--tls-port", &place.port.to_string()])
        .arguments(["--tls-auth-clients", "no", "--tls-protocols", "TLSv1.3"])
        .arguments(["--tls-ciphersuites", suite, "--save", "", "--dir", &place.path("")])
        .arguments(["--tls-cert-file", &place.path("certificate.pem")])
        .arguments(["--tls-ca-cert-file", &place.path("certificate.pem")])
        .arguments(["--tls-key-file", &place.path("key.pem")]);
    let value = place.scratch.write("value", value)?;
    let service = place.start(daemon)?;
    let value = File::open(value).map_err(|error| error.to_string())?;
    output(client(&service, "redis-cli").args(["-x", "SET", KEY]).stdin(value))?;
    Ok(service)
}

/// A stock client of Redis's, up to its own arguments.
pub fn client(service: &Service, program: &str) -> Command {
    let mut client = command(program);
    client.args(["-h", "localhost", "-p", &service.port(), "--tls", "--cacert"]);
    Provided::Stock.to(client.arg(&service.certificate().certificate));
    client
}
