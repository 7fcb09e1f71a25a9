//! The module in the system's nginx, by its counters.

use std::path::PathBuf;
use std::process::Command;

use wirespeed_cipher::{Direction, Route};
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::client::download;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::servers::nginx::{Nginx, Style};

use crate::machine::Machine;
use crate::module::only;

const BYTES: usize = 100_003;

/// A suite, and what of it is ours.
pub(crate) struct Suite {
    lines: &'static str,
    algorithm: &'static str,
}

const TLS_1_3: Suite = Suite {
    lines: "ssl_protocols TLSv1.3; ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;",
    algorithm: "AES-128-GCM",
};

/// With CBC, which PadLock has.
pub(crate) const TLS_1_2: Suite = Suite {
    lines: "ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES128-SHA256;",
    algorithm: "AES-128-CBC",
};

/// Its program.
pub(crate) fn program(machine: &Machine) -> PathBuf {
    machine.root.join("usr/sbin/nginx")
}

/// A file over TLS.
pub(crate) fn nginx(machine: &Machine) -> Result<(), String> {
    let watched = machine.watched()?;
    serves(&machine.command(program(machine)), &TLS_1_3, &watched, machine.tier.aes)
}

/// A worker of an nginx that is started so sends a file, all of it by this route.
pub(crate) fn serves(
    started: &Command,
    suite: &Suite,
    watched: &Watched,
    route: Route,
) -> Result<(), String> {
    let style = Style { workers: 1, lines: suite.lines };
    let nginx = Nginx::started(started, Provided::Ours(watched), style)?;
    let text = painted(4, BYTES);
    nginx.offer("file", &text)?;
    let got = download(nginx.certificate(), &nginx.address("file"), &[])?;
    same(|| format!("{}: {}", suite.algorithm, nginx.said()), &text, &got)?;
    only(watched, suite.algorithm, Direction::Encrypt, route, BYTES as u64)
}
