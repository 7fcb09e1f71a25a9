//! Debian's curl.

use std::process::Command;

use crate::certificate::Certificate;
use crate::module::Provided;
use crate::process::{command, output};
use crate::trixie;

/// A download about to be made.
pub fn curl(provided: Provided<'_>, certificate: &Certificate, address: &str) -> Command {
    asked(command("/usr/bin/curl"), provided, certificate, address)
}

/// The same by HTTP/3, with Debian 13's.
pub fn curl_http3(
    provided: Provided<'_>,
    certificate: &Certificate,
    address: &str,
) -> Result<Command, String> {
    let mut curl = trixie::command("usr/bin/curl")?;
    curl.arg("--http3-only");
    Ok(asked(curl, provided, certificate, address))
}

fn asked(
    mut curl: Command,
    provided: Provided<'_>,
    certificate: &Certificate,
    address: &str,
) -> Command {
    curl.args(["--silent", "--show-error", "--fail", "--max-time", "60", "--cacert"]);
    curl.arg(&certificate.certificate).arg(address);
    provided.to(&mut curl);
    curl
}

/// What stock curl finds at an address.
pub fn download(
    certificate: &Certificate,
    address: &str,
    options: &[&str],
) -> Result<Vec<u8>, String> {
    output(curl(Provided::Stock, certificate, address).args(options))
}
