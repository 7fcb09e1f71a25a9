//! nginx with `ssl_conf_command Options KTLS`: Linux encrypts the records, the doctor says so, and our module sees none.
//!
//! It is the newer Debian's, in the system that `WIRESPEED_ROOT` names: Debian 12's OpenSSL was built without.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use wirespeed_cipher::Direction;
use wirespeed_conformance::data::{painted, same};
use wirespeed_results::schema::doctor::Doctor;
use wirespeed_results::schema::services::{Reach, Service, Services, Standing};
use wirespeed_system_tests::client::download;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::servers::nginx::{Nginx, Style};

use crate::drivers::program;
use crate::{services, system};

const CIPHER: &str = "AES-256-GCM";
const BYTES: usize = 4_000_037;

const STOCK: &str = "sendfile on; keepalive_timeout 300;";
const ASKING: &str = "sendfile on; keepalive_timeout 300; ssl_conf_command Options KTLS;";

/// A client that keeps its connection.
struct Client(Child);

impl Client {
    /// Fetches a file of that length.
    fn fetch(nginx: &Nginx, name: &str, length: usize) -> Result<(Self, Vec<u8>), String> {
        let place = format!("localhost:{}", nginx.port);
        let mut client = command("openssl");
        client.args(["s_client", "-quiet", "-servername", "localhost", "-connect", &place]);
        client.args(["-ciphersuites", "TLS_AES_256_GCM_SHA384"]);
        Provided::Stock.to(&mut client).stdin(Stdio::piped()).stdout(Stdio::piped());
        let failed = |error: std::io::Error| format!("{error}: {}", nginx.said());
        let mut client = Self(client.stderr(Stdio::null()).spawn().map_err(failed)?);
        let request = format!("GET /{name} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let input = client.0.stdin.as_mut().expect("it was piped");
        input.write_all(request.as_bytes()).map_err(failed)?;
        let mut answer = BufReader::new(client.0.stdout.take().expect("it was piped"));
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if answer.read_line(&mut line).map_err(failed)? == 0 {
                return Err(format!("no answer: {}", nginx.said()));
            }
        }
        let mut got = vec![0; length];
        answer.read_exact(&mut got).map_err(failed)?;
        Ok((client, got))
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A count of Linux's.
fn count(key: &str) -> Result<u64, String> {
    let text = fs::read_to_string("/proc/net/tls_stat").map_err(|error| error.to_string())?;
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok());
    value.ok_or_else(|| format!("no {key} in {text}"))
}

/// nginx's line, as a container's with an OpenSSL of its own and our module in it.
fn line(said: &Services) -> Result<&Service, String> {
    let found = said.services.iter().find(|it| it.name == "nginx");
    let found = found.ok_or_else(|| format!("no nginx: {said:?}"))?;
    let is_own = found.crypto.first().is_some_and(|it| {
        let file = it.file.as_deref().unwrap_or_default();
        let is_newer = it.version.as_deref().is_some_and(|it| it.starts_with("3.5"));
        it.name == "OpenSSL" && is_newer && !it.is_hosts && file.ends_with("/libcrypto.so.3")
    });
    match is_own && found.in_container && found.wirespeed == Reach::Serves {
        true => Ok(found),
        false => Err(format!("not as in a container: {found:?}")),
    }
}

/// Where its time goes while it serves: to Linux's ciphers, and not to OpenSSL's or ours.
fn time(nginx: &Nginx) -> Result<(), String> {
    let is_over = AtomicBool::new(false);
    let said = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // What goes wrong is seen in the samples.
                let _ = download(nginx.certificate(), &nginx.address("file"), &[]);
            }
        });
        let mut doctor = command(program("wirespeed")?);
        doctor.args(["doctor", "--json", "--why-slow", "--pid", &nginx.master()?.to_string()]);
        let said = output(&mut doctor);
        is_over.store(true, Ordering::Relaxed);
        said
    })?;
    let doctor: Doctor = serde_json::from_slice(&said).map_err(|error| error.to_string())?;
    let time = doctor.time.as_ref().ok_or("no time")?;
    let share = |kind: &str| -> f64 {
        time.parts.iter().filter(|it| it.kind == kind).map(|it| it.share).sum()
    };
    let by_linux = share("linux cipher");
    let is_told = doctor.findings.iter().any(|it| it.text.contains("Linux's own ciphers: kTLS"));
    match by_linux > 0.2 && is_told && share("cipher") + share("wirespeed") < by_linux / 4.0 {
        true => Ok(()),
        false => Err(format!("Linux's ciphers are not what takes its time: {doctor:?}")),
    }
}

/// The same file by OpenSSL, with our module, and by Linux.
pub(crate) fn nginx() -> Result<(), String> {
    let root = env::var_os("WIRESPEED_ROOT").ok_or("WIRESPEED_ROOT is not set")?;
    output(command("/sbin/modprobe").arg("tls"))?;
    let data = painted(5, BYTES);
    for (lines, in_linux) in [(STOCK, false), (ASKING, true)] {
        let ours = Watched::new()?;
        let before = count("TlsTxSw")?;
        let nginx = system::program(&root, "/usr/sbin/nginx")?;
        let nginx = Nginx::started(&nginx, Provided::Ours(&ours), Style { workers: 1, lines })?;
        nginx.offer("file", &data)?;
        let (client, got) = Client::fetch(&nginx, "file", BYTES)?;
        same(|| format!("the file: {}", nginx.said()), &data, &got)?;
        let said = services::said_here()?;
        let lever = line(&said)?.levers.last().cloned().unwrap_or_default();
        let workers = nginx.workers()?;
        let found = services::of(said, "kTLS")?;
        if !in_linux {
            services::is(&found, Standing::Possible, "no connection uses it now")?;
            ours.ran(CIPHER, Direction::Encrypt, BYTES as u64)?;
            if count("TlsTxSw")? != before || !lever.starts_with("kTLS: ssl_conf_command") {
                return Err(format!("kTLS without having asked for it: {lever}"));
            }
            continue;
        }
        if count("TlsTxSw")? != before + 1 || count("TlsCurrTxSw")? != 1 {
            return Err(format!("Linux counts no connection: {}", nginx.said()));
        }
        // Since OpenSSL 3.2 Linux decrypts TLS 1.3, too.
        services::is(&found, Standing::Used, "1 and 1 by Linux's own code")?;
        let user = format!(" of nginx ({}); no provider sees their records", workers[0]);
        services::is(&found, Standing::Used, &user)?;
        if !found.lever.is_some_and(|it| it.contains("wirespeed kernel AES-256-GCM"))
            || !lever.contains("Linux encrypts 1 of its connections now, and no provider sees")
        {
            return Err(format!("no lever: {lever}"));
        }
        system::only_handshakes(&ours, CIPHER, BYTES)?;
        drop(client);
        time(&nginx)?;
        system::only_handshakes(&ours, CIPHER, BYTES)?;
    }
    Ok(())
}
