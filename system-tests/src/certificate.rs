//! A certificate for localhost, which signs itself.

use std::path::PathBuf;

use crate::module::Provided;
use crate::process::{command, output};
use crate::scratch::Scratch;

/// A private key and its certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The private key.
    pub key: PathBuf,
    /// The certificate.
    pub certificate: PathBuf,
}

impl Certificate {
    /// Makes one with the stock `openssl`.
    pub fn new(scratch: &Scratch) -> Result<Self, String> {
        let (key, certificate) = (scratch.path("key.pem"), scratch.path("certificate.pem"));
        let request = "[req]\ndistinguished_name = name\nx509_extensions = names\n[name]\n\
                       [names]\nsubjectAltName = DNS:localhost,IP:127.0.0.1\n";
        let request = scratch.write("request.cnf", request)?;
        let mut make = command("openssl");
        // RSA, so that suites without elliptic curves can be used with it.
        make.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]);
        make.args(["-subj", "/CN=localhost", "-config"]).arg(request);
        make.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
        output(Provided::Stock.to(&mut make))?;
        Ok(Self { key, certificate })
    }
}
