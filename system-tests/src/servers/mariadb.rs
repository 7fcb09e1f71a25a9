//! MariaDB, over TLS and with tables that it encrypts.

use std::process::Command;

use crate::module::Provided;
use crate::process::command;
use crate::running::Daemon;
use crate::servers::service::{Place, Service};

/// The program.
pub const PROGRAM: &str = "/usr/sbin/mariadbd";

/// Starts one with an empty database `test`, and a key to encrypt tables with.
///
/// Its cache is as small as can be: a table is read from its file.
pub fn start(provided: Provided<'_>) -> Result<Service, String> {
    let place = Place::new()?;
    place.scratch.folder("data")?;
    let data = format!("--datadir={}", place.path("data"));
    place.prepare(&["mariadb-install-db", "--no-defaults", "--user=root", &data])?;
    let keys = place.scratch.write("keys", format!("1;{}\n", "0123456789abcdef".repeat(4)))?;
    let daemon = Daemon::new(PROGRAM, provided, "")
        .arguments(["--no-defaults", "--user=root", "--skip-grant-tables", &data])
        .arguments(["--bind-address=127.0.0.1", &format!("--port={}", place.port)])
        // Without grant tables it would not listen.
        .arguments(["--skip-skip-networking", &format!("--socket={}", place.path("socket"))])
        .arguments([format!("--pid-file={}", place.path("pid"))])
        .arguments([format!("--ssl-cert={}", place.path("certificate.pem"))])
        .arguments([format!("--ssl-key={}", place.path("key.pem"))])
        .arguments(["--innodb-buffer-pool-size=6M", "--innodb-flush-method=fsync"])
        .arguments([
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-dump-at-shutdown=0",
        ])
        .arguments(["--plugin-load-add=file_key_management"])
        .arguments([format!("--file-key-management-filename={}", keys.display())]);
    place.start(daemon)
}

/// Its stock client over TLS, which prints the rows of an answer alone, as they come.
pub fn client(service: &Service) -> Command {
    let mut client = command("mariadb");
    client.args(["--no-defaults", "--protocol=tcp", "--host=127.0.0.1", "--port", &service.port()]);
    client.args(["--batch", "--skip-column-names", "--quick", "--unbuffered", "--database=test"]);
    Provided::Stock.to(client.arg("--ssl-ca").arg(&service.certificate().certificate));
    client
}
