//! Databases over TLS, and one that encrypts its files.

use wirespeed_system_tests::process::{output, wait_until};
use wirespeed_system_tests::servers::service::Service;
use wirespeed_system_tests::servers::{mariadb, postgres, redis};

use super::conversation::{Session, newcomers};
use super::{MIB, Meter, Provided, Ready};

/// Bytes of a row as the clients print it, with the end of its line.
const ROW: usize = 1024;

/// Values of 1 MiB from Redis, which is measured.
pub(crate) fn redis(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    let server = redis::start(provided, suite, &[0x5a; MIB])?;
    Ok(Box::new(move |meter: &Meter| {
        let mut client = redis::client(&server, "redis-benchmark");
        client.args(["-c", "1", "-n", &mebibytes.to_string(), "GET", redis::KEY]);
        meter.during(server.running().processes(), || output(&mut client).map(drop))
    }))
}

/// COPY of a table to a client; PostgreSQL's process for it is measured.
pub(crate) fn postgres_copy(provided: Provided<'_>, mebibytes: usize) -> Ready {
    let server = postgres::start(provided)?;
    let (rows, payload) = (mebibytes * MIB / ROW, ROW - 1);
    let mut make = postgres::client(&server, "psql")?;
    make.args(["--no-psqlrc", "--quiet", "--command"]);
    output(make.arg(format!(
        "CREATE TABLE rows AS SELECT repeat('x', {payload}) FROM generate_series(1, {rows})"
    )))?;
    // Not its clients' processes, which the one before may not have left yet.
    let own = settled(&server)?;
    Ok(Box::new(move |meter: &Meter| {
        let mut client = postgres::client(&server, "psql")?;
        client.args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only"]);
        let mut session = Session::start(&mut client)?;
        session.say("SELECT 1;\n")?;
        session.receive(2)?;
        let spent = meter.during(newcomers(server.running(), "postgres", &own), || {
            session.say("COPY rows TO STDOUT;\n")?;
            session.receive(rows * ROW)
        })?;
        session.end()?;
        Ok(spent)
    }))
}

/// Small queries; all of PostgreSQL is measured, with its process for the client.
pub(crate) fn pgbench(provided: Provided<'_>, transactions: usize) -> Ready {
    let server = postgres::start(provided)?;
    output(postgres::client(&server, "pgbench")?.args(["--initialize", "--quiet"]))?;
    let own = settled(&server)?;
    Ok(Box::new(move |meter: &Meter| {
        let mut client = postgres::client(&server, "pgbench")?;
        client.args(["--select-only", "--no-vacuum", "--transactions", &transactions.to_string()]);
        meter.during(own.iter().copied(), || {
            output(&mut client)?;
            let none_left = || newcomers(server.running(), "postgres", &own).is_empty();
            wait_until("PostgreSQL's process for the client to end", none_left)
        })
    }))
}

/// The processes of a server once no client has one.
fn settled(server: &Service) -> Result<Vec<u32>, String> {
    let mut own = server.running().processes();
    wait_until("the server to settle", || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let now = server.running().processes();
        std::mem::replace(&mut own, now.clone()) == now
    })?;
    Ok(own)
}

/// A table to a client; MariaDB is measured.
pub(crate) fn mariadb_tls(provided: Provided<'_>, mebibytes: usize) -> Ready {
    mariadb(provided, mebibytes, "NO", "SELECT payload FROM wide", mebibytes * MIB)
}

/// A search through a table that is encrypted in its file and larger than the cache; MariaDB is measured.
pub(crate) fn mariadb_encrypted(provided: Provided<'_>, mebibytes: usize) -> Ready {
    let search = "SELECT COUNT(*) FROM wide WHERE payload LIKE 'y%'";
    mariadb(provided, mebibytes, "YES", search, "0\n".len())
}

/// A query of a table, whose answer is so many bytes.
fn mariadb(
    provided: Provided<'_>,
    mebibytes: usize,
    encrypted: &str,
    query: &'static str,
    answer: usize,
) -> Ready {
    let server = mariadb::start(provided)?;
    let (rows, payload) = (mebibytes * MIB / ROW, ROW - 1);
    output(mariadb::client(&server).arg("--execute").arg(format!(
        "CREATE TABLE wide (payload VARBINARY({ROW})) ENGINE=InnoDB ENCRYPTED={encrypted} \
         SELECT REPEAT('x', {payload}) AS payload FROM seq_1_to_{rows}"
    )))?;
    Ok(Box::new(move |meter: &Meter| {
        meter.during(server.running().processes(), || {
            match output(mariadb::client(&server).args(["--execute", query]))?.len() {
                length if length == answer => Ok(()),
                length => Err(format!("an answer of {length} bytes")),
            }
        })
    }))
}
