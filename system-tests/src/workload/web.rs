//! Files and small answers over TLS.

use std::process::{Command, Stdio};
use std::sync::Arc;

use wirespeed_system_tests::certificate::Certificate;
use wirespeed_system_tests::client::{self, curl};
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::servers::apache;
use wirespeed_system_tests::servers::nginx::{Nginx, Style};
use wirespeed_system_tests::servers::terminator::Program;

use super::{MIB, Meter, Provided, Ready, alone};

const ONE_WORKER: Style = Style { workers: 1, lines: "ssl_protocols TLSv1.3;" };

/// A download of what nobody looks at.
fn download(
    provided: Provided<'_>,
    certificate: &Certificate,
    address: &str,
    suite: &str,
) -> Command {
    unseen(curl(provided, certificate, address), suite)
}

fn unseen(mut client: Command, suite: &str) -> Command {
    client.args(["--tls13-ciphers", suite, "--output", "/dev/null"]).stdout(Stdio::null());
    client
}

/// A file over TLS; nginx's worker is measured.
pub(crate) fn nginx_file(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    nginx(provided, suite, &vec![0x5a; mebibytes * MIB], "")
}

/// Many requests on one connection; nginx's worker is measured.
pub(crate) fn nginx_small(provided: Provided<'_>, suite: &'static str, requests: usize) -> Ready {
    nginx(provided, suite, &[0x5a; 1024], &format!("?[1-{requests}]"))
}

fn nginx(provided: Provided<'_>, suite: &'static str, file: &[u8], query: &str) -> Ready {
    let nginx = Nginx::start(provided, ONE_WORKER)?;
    nginx.offer("file", file)?;
    let address = format!("{}{query}", nginx.address("file"));
    Ok(Box::new(move |meter: &Meter| {
        meter.during(nginx.workers()?, || {
            output(&mut download(Provided::Stock, nginx.certificate(), &address, suite)).map(drop)
        })
    }))
}

/// A file from a stock nginx; curl is measured, from its start to its end.
pub(crate) fn curl_download(
    provided: Provided<'_>,
    suite: &'static str,
    mebibytes: usize,
) -> Ready {
    let nginx = Nginx::start(Provided::Stock, ONE_WORKER)?;
    nginx.offer("file", &vec![0x5a; mebibytes * MIB])?;
    let client = download(provided, nginx.certificate(), &nginx.address("file"), suite);
    alone(client, nginx)
}

/// A file over HTTP/3 between Debian 13's programs; nginx's worker is measured.
pub(crate) fn nginx_http3(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    let (nginx, mut client) = over_http3([provided, Provided::Stock], suite, mebibytes)?;
    Ok(Box::new(move |meter: &Meter| {
        meter.during(nginx.workers()?, || output(&mut client).map(drop))
    }))
}

/// The same; curl is measured, from its start to its end.
pub(crate) fn curl_http3(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    let (nginx, client) = over_http3([Provided::Stock, provided], suite, mebibytes)?;
    alone(client, nginx)
}

/// A server of HTTP/3 and its client.
fn over_http3(
    [server, client]: [Provided<'_>; 2],
    suite: &str,
    mebibytes: usize,
) -> Result<(Nginx, Command), String> {
    let nginx = Nginx::http3(server)?;
    nginx.offer("file", &vec![0x5a; mebibytes * MIB])?;
    let client = client::curl_http3(client, nginx.certificate(), &nginx.address("file"))?;
    Ok((nginx, unseen(client, suite)))
}

/// A file over TLS; all of Apache httpd is measured.
pub(crate) fn apache(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    let server = apache::start(provided, suite, &vec![0x5a; mebibytes * MIB])?;
    Ok(Box::new(move |meter: &Meter| {
        meter.during(server.running().processes(), || {
            let address = server.address("file");
            output(&mut download(Provided::Stock, server.certificate(), &address, suite)).map(drop)
        })
    }))
}

/// A download through a program that takes TLS off, which is measured.
pub(crate) fn terminator(
    program: Program,
    provided: Provided<'_>,
    suite: &'static str,
    mebibytes: usize,
) -> Ready {
    let body: Arc<[u8]> = vec![0x5a; mebibytes * MIB].into();
    let server = program.start(provided, suite, body)?;
    Ok(Box::new(move |meter: &Meter| {
        meter.during(server.running().processes(), || {
            let address = server.address("");
            output(&mut download(Provided::Stock, server.certificate(), &address, suite)).map(drop)
        })
    }))
}
