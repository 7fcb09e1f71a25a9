//! GnuTLS, which looks for PadLock by itself.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use wirespeed_hosts::certificate::Certificate;
use wirespeed_hosts::network::{free_port, listening};
use wirespeed_hosts::process::{command, wait_until};
use wirespeed_hosts::scratch::{Scratch, read};

use crate::emulation::{Counts, Said, compile, emulated};

/// Its library finds PadLock as it is loaded, and tries whether hashes can be computed in parts.
pub(crate) fn detects() -> Result<(), String> {
    const ACE: &str = "Padlock AES accelerator was detected";
    const PARTIAL: &str = "Padlock SHA1 and SHA256 (partial) accelerator was detected";
    const PHE2: &str = "Padlock SHA512 (partial) accelerator was detected";
    let cases =
        [("nano", &[ACE, PARTIAL][..], &[PHE2][..]), ("zhaoxin", &[ACE, PARTIAL, PHE2], &[])];
    for (cpu, present, absent) in cases {
        let mut gnutls = emulated(&["--cpu", cpu], "gnutls-cli")?;
        let said = Said::by(gnutls.arg("--list").env("GNUTLS_DEBUG_LEVEL", "4"), b"")?;
        said.output()?;
        let says = |line: &&&str| said.errors().contains(**line);
        if let Some(line) = present.iter().find(|line| !says(line)) {
            return Err(format!("{cpu}: not said: {line}: {}", said.errors()));
        }
        if let Some(line) = absent.iter().find(says) {
            return Err(format!("{cpu}: said: {line}"));
        }
        said.counts("gnutls-cli").ran(&[("xsha1", 1)])?;
    }
    Ok(())
}

/// Its own benchmark runs to its end, on PadLock.
pub(crate) fn benchmark() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let hasty = compile(&scratch, "hasty.c", &["-shared", "-fPIC"])?;
    let mut gnutls = emulated(&["--hide-aesni", "--cpu", "zhaoxin"], "gnutls-cli")?;
    let said = Said::by(gnutls.arg("--benchmark-ciphers").env("LD_PRELOAD", hasty), b"")?;
    let text = said.text()?;
    for name in ["AES-128-GCM", "AES-128-CBC-SHA1", "SHA512", "AES-256-XTS"] {
        let figure = text.lines().find(|line| line.split_whitespace().next() == Some(name));
        if !figure.is_some_and(|line| line.contains("/sec")) {
            return Err(format!("{name} has no figure: {text}"));
        }
    }
    // At least one payload of 16 KiB each.
    said.counts("gnutls-cli").ran(&[
        ("xcryptecb", 1024),
        ("xcryptcbc", 1024),
        ("xsha1", 256),
        ("xsha256", 256),
        ("xsha512", 128),
    ])
}

/// A server of GnuTLS that echoes, on an emulated PadLock.
struct Server {
    child: Child,
    port: u16,
    log: std::path::PathBuf,
}

impl Server {
    fn start(scratch: &Scratch, certificate: &Certificate) -> Result<Self, String> {
        let port = free_port()?;
        let log = scratch.path("server.log");
        let file = std::fs::File::create(&log).map_err(|error| error.to_string())?;
        let mut server = emulated(&["--hide-aesni"], "gnutls-serv")?;
        server.args(["--echo", "--quiet", "--port", &port.to_string()]);
        server.arg("--x509keyfile").arg(&certificate.key);
        server.arg("--x509certfile").arg(&certificate.certificate);
        server.stdout(Stdio::null()).stderr(file);
        let child = server.spawn().map_err(|error| format!("{server:?}: {error}"))?;
        let server = Self { child, port, log };
        wait_until("gnutls-serv to listen", || listening(server.port))?;
        Ok(server)
    }

    /// Ends it; what it counted.
    fn end(mut self) -> Result<Counts, String> {
        let id = self.child.id().to_string();
        Said::by(command("kill").args(["-TERM", &id]), b"")?.output()?;
        self.child.wait().map_err(|error| error.to_string())?;
        Ok(Counts::read(&String::from_utf8_lossy(&read(&self.log)?), "gnutls-serv"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends lines through an echo server and waits until they are back; what the client counted.
fn echo(client: &mut Command) -> Result<Counts, String> {
    let lines: String = (0..4000).map(|line| format!("line {line}\n")).collect();
    let failed = |error: std::io::Error| error.to_string();
    client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = client.spawn().map_err(failed)?;
    let (Some(mut input), Some(output)) = (running.stdin.take(), running.stdout.take()) else {
        return Err("no pipes".to_owned());
    };
    let mut seen = 0;
    thread::scope(|scope| {
        // The client ends when its input does, so that stays open until everything is back.
        let sending = scope.spawn(|| input.write_all(lines.as_bytes()));
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // Behind what the client itself says.
            seen += usize::from(line == format!("line {seen}"));
            if seen == 4000 {
                break;
            }
        }
        sending.join().is_ok()
    });
    drop(input);
    let ended = running.wait_with_output().map_err(failed)?;
    let errors = String::from_utf8_lossy(&ended.stderr);
    match seen {
        4000 => Ok(Counts::read(&errors, "gnutls-cli")),
        _ => Err(format!("{seen} of 4000 lines came back: {}: {errors}", ended.status)),
    }
}

/// Connections with AES-CBC and AES-GCM: both ends on PadLock, and one end on stock OpenSSL.
pub(crate) fn tls() -> Result<(), String> {
    const ONLY: &str = "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:-MAC-ALL";
    // Each line is hashed or encrypted in about one instruction.
    const SUITES: [(&str, &str, &str, &[(&str, u64)]); 2] = [
        ("+AES-128-CBC:+SHA1", "AES128-SHA", "cbc", &[("xcryptcbc", 2000), ("xsha1", 600)]),
        ("+AES-128-GCM:+AEAD", "AES128-GCM-SHA256", "gcm", &[("xcryptecb", 2000)]),
    ];
    let scratch = Scratch::new()?;
    let certificate = Certificate::new(&scratch)?;
    for (priority, suite, mode, expected) in SUITES {
        let server = Server::start(&scratch, &certificate)?;
        let mut client = emulated(&["--hide-aesni"], "gnutls-cli")?;
        client.args(["--port", &server.port.to_string(), "localhost"]);
        client.arg("--x509cafile").arg(&certificate.certificate);
        client.args(["--priority", &format!("{ONLY}:{priority}")]);
        echo(&mut client)?.ran(expected).map_err(|why| format!("client, {mode}: {why}"))?;
        let mut stock = command("openssl");
        stock.env("OPENSSL_CONF", "/dev/null").args(["s_client", "-quiet", "-verify_quiet"]);
        stock.args(["-tls1_2", "-cipher", suite, "-connect"]);
        echo(stock.arg(format!("localhost:{}", server.port)))?;
        server.end()?.ran(expected).map_err(|why| format!("server, {mode}: {why}"))?;
    }
    Ok(())
}
