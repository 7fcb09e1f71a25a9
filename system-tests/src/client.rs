//! Debian's curl.

use std::process::Command;

use crate::certificate::Certificate;
use crate::module::Provided;
use crate::process::{command, output};

/// A download about to be made.
pub fn curl(provided: Provided<'_>, certificate: &Certificate, address: &str) -> Command {
    let mut curl = command("/usr/bin/curl");
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
