//! PostgreSQL over TLS. It refuses to be run by root.

use std::fs;
use std::os::unix::fs::chown;
use std::path::PathBuf;
use std::process::Command;

use crate::module::Provided;
use crate::process::command;
use crate::running::Daemon;
use crate::servers::service::{Place, Service};

/// Where Debian has a folder for each version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// What lets a program run as nobody.
const AS_NOBODY: [&str; 6] =
    ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"];
/// The number of that user.
const NOBODY: u32 = 65_534;

/// A program of the newest version that is installed.
pub fn program(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir(VERSIONS).ok()?.flatten();
    let files = versions.map(|version| version.path().join("bin").join(name));
    files.filter(|file| file.exists()).max()
}

/// A program as an argument.
fn named(name: &str) -> Result<String, String> {
    let file = program(name).ok_or_else(|| format!("no {name} below {VERSIONS}"))?;
    Ok(file.display().to_string())
}

/// Starts one with an empty database.
pub fn start(provided: Provided<'_>) -> Result<Service, String> {
    let place = Place::new()?;
    // Keys must be their reader's own.
    chown(&place.certificate.key, Some(NOBODY), None).map_err(|error| error.to_string())?;
    place.scratch.folder("postgres")?;
    let data = place.path("postgres/data");
    let initdb = named("initdb")?;
    let make = [&initdb, "--auth=trust", "--username=postgres", "--no-sync", "-D", &data];
    place.prepare(&[&AS_NOBODY[..], &make[..]].concat())?;
    let daemon = Daemon::new(AS_NOBODY[0], provided, "")
        .arguments(&AS_NOBODY[1..])
        .arguments([&named("postgres")?, "-D", &data, "-h", "127.0.0.1"])
        .arguments(["-p", &place.port.to_string(), "-k", &place.path("postgres")])
        .arguments(["-c", "ssl=on", "-c", "fsync=off", "-c", "autovacuum=off"])
        .arguments(["-c", &format!("ssl_cert_file={}", place.path("certificate.pem"))])
        .arguments(["-c", &format!("ssl_key_file={}", place.path("key.pem"))]);
    let service = place.start(daemon)?;
    let ready = || service.running().said().contains("ready to accept connections");
    service.running().wait_until("PostgreSQL to be ready", ready)?;
    Ok(service)
}

/// A stock client of PostgreSQL's, up to its own arguments.
pub fn client(service: &Service, name: &str) -> Result<Command, String> {
    let mut client = command(named(name)?);
    client.env("PGHOST", "localhost").env("PGPORT", service.port()).env("PGUSER", "postgres");
    client.env("PGSSLMODE", "require").env("PGSSLROOTCERT", "/nonexistent");
    Provided::Stock.to(&mut client);
    Ok(client)
}
