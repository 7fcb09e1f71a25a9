//! Configurations that are wrong: the program starts all the same and works on the default provider.

use std::path::Path;

use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::client;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::scratch::Scratch;
use wirespeed_system_tests::servers::nginx::{Nginx, Style};
use wirespeed_system_tests::servers::openssl::WebServer;
use wirespeed_system_tests::servers::sshd::Sshd;

use crate::python::python;

/// What an owner may get wrong.
fn each(works: impl Fn(Provided<'_>) -> Result<(), String>) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let not_a_plan = scratch.write("plan", [0xff; 4096])?;
    let not_a_module = scratch.write("module.so", "not a module")?;
    let here = |path: &Path| path.display().to_string();
    let missing = "/nonexistent/libwirespeed.so";
    let lines = [
        "routes = nonsense".to_owned(),
        "routes = vaes512 pad-lock".to_owned(),
        "route = auto".to_owned(),
        "CIPHERS = ALL".to_owned(),
        "cipher = AES-128-GCM".to_owned(),
        "ciphers = AES-128-GCM;AES-256-GCM".to_owned(),
        "verify = sometimes".to_owned(),
        "kernel = yes".to_owned(),
        "digests = SHA3".to_owned(),
        // A second line of a key counts, in openssl.cnf.
        format!("module = {missing}"),
        format!("module = {}", here(&not_a_module)),
        format!("module = {}", here(scratch.root())),
    ];
    for line in lines {
        let ours = Watched::with(&line)?;
        works(Provided::Ours(&ours)).map_err(|error| format!("{line}: {error}"))?;
        ours.not_loaded().map_err(|error| format!("{line}: {error}"))?;
    }
    // Extras that cannot be had are no reason to do without the module.
    for line in [
        format!("plan = {}", here(&not_a_plan)),
        "plan = /nonexistent/plan".to_owned(),
        format!("plan = {}", here(scratch.root())),
    ] {
        let ours = Watched::with(&line)?;
        works(Provided::Ours(&ours)).map_err(|error| format!("{line}: {error}"))?;
        ours.loaded().map_err(|error| format!("{line}: {error}"))?;
    }
    // Nobody counts there.
    for line in [
        "stats = /nonexistent/counters".to_owned(),
        "stats = /dev/null".to_owned(),
        format!("stats = {}", here(&not_a_plan)),
    ] {
        let ours = Watched::with(&line)?;
        works(Provided::Ours(&ours)).map_err(|error| format!("{line}: {error}"))?;
    }
    Ok(())
}

/// Much the same, for programs that take long to start.
const BYTES: usize = 100_003;

pub(crate) fn curl() -> Result<(), String> {
    let server = WebServer::start(Provided::Stock)?;
    let data = painted(101, BYTES);
    server.offer("file", &data)?;
    each(|provided| {
        let mut program = client::curl(provided, server.certificate(), &server.address("file"));
        same(|| "download".to_owned(), &data, &output(&mut program)?)
    })
}

pub(crate) fn python_with() -> Result<(), String> {
    let server = WebServer::start(Provided::Stock)?;
    let data = painted(102, BYTES);
    server.offer("file", &data)?;
    let script = "import ssl, sys, urllib.request\n\
                  context = ssl.create_default_context(cafile=sys.argv[2])\n\
                  answer = urllib.request.urlopen(sys.argv[1], context=context)\n\
                  sys.stdout.buffer.write(answer.read())";
    each(|provided| {
        let mut program = python(provided, script);
        program.arg(server.address("file")).arg(&server.certificate().certificate);
        same(|| "download".to_owned(), &data, &output(&mut program)?)
    })
}

pub(crate) fn nginx() -> Result<(), String> {
    let data = painted(103, BYTES);
    each(|provided| {
        let nginx = Nginx::start(provided, Style { workers: 1, lines: "" })?;
        nginx.offer("file", &data)?;
        let got = client::download(nginx.certificate(), &nginx.address("file"), &[])?;
        same(|| "download".to_owned(), &data, &got)
    })
}

pub(crate) fn sshd() -> Result<(), String> {
    each(|provided| {
        let sshd = Sshd::start(provided)?;
        let mut client = sshd.ssh("aes128-ctr", &[]);
        Provided::Stock.to(&mut client).arg("echo well");
        same(|| "session".to_owned(), b"well\n", &output(&mut client)?)
    })
}
