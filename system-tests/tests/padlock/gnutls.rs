//! GnuTLS, which looks for PadLock by itself.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

use wirespeed_system_tests::certificate::Certificate;
use wirespeed_system_tests::network::{free_port, listening};
use wirespeed_system_tests::process::{command, wait_until};
use wirespeed_system_tests::scratch::{Scratch, read};

use crate::emulation::{Counts, Said, compile, emulated};

/// Its library finds PadLock as it is loaded, and tries whether hashes can be computed in parts.
///
/// It asks for VIA's vendor: on a CPU of Zhaoxin's it takes what it takes on Intel's.
pub(crate) fn detects() -> Result<(), String> {
    const ACE: &str = "Padlock AES accelerator was detected";
    const WHOLE: &str = "Padlock SHA1 and SHA256 accelerator was detected";
    const PARTIAL: &str = "Padlock SHA1 and SHA256 (partial) accelerator was detected";
    let cases = [("c3", &[ACE][..]), ("c7", &[ACE, WHOLE]), ("nano", &[ACE, PARTIAL])];
    for (cpu, present) in cases {
        let mut gnutls = emulated(&["--cpu", cpu], "gnutls-cli")?;
        let said = Said::by(gnutls.arg("--list").env("GNUTLS_DEBUG_LEVEL", "4"), b"")?;
        said.output()?;
        let errors = said.errors();
        let found = [ACE, WHOLE, PARTIAL].into_iter().filter(|line| errors.contains(line));
        if !found.eq(present.iter().copied()) {
            return Err(format!("{cpu}: not exactly {present:?}: {errors}"));
        }
    }
    Ok(())
}

/// Its own benchmark runs to its end, on PadLock.
pub(crate) fn benchmark() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let hasty = compile(&scratch, "hasty.c", &["-shared", "-fPIC"])?;
    let mut gnutls = emulated(&["--hide-aesni"], "gnutls-cli")?;
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

/// How a connection is encrypted.
struct Suite {
    /// In GnuTLS's words.
    priority: &'static str,
    /// In OpenSSL's.
    name: &'static str,
    /// The blocks of some of its lines; each line is a record of its own, or shares one.
    expected: &'static [(&'static str, u64)],
}

const SUITES: [Suite; 2] = [
    Suite {
        priority: "+AES-128-CBC:+SHA1",
        name: "AES128-SHA",
        expected: &[("xcryptcbc", 2000), ("xsha1", 600)],
    },
    Suite {
        priority: "+AES-128-GCM:+AEAD",
        name: "AES128-GCM-SHA256",
        expected: &[("xcryptecb", 2000)],
    },
];

/// Connections with AES-CBC and AES-GCM: both ends on PadLock, and one end on stock OpenSSL.
pub(crate) fn tls() -> Result<(), String> {
    const ONLY: &str = "NORMAL:-VERS-ALL:+VERS-TLS1.2:-CIPHER-ALL:-MAC-ALL";
    let scratch = Scratch::new()?;
    let certificate = Certificate::new(&scratch)?;
    for Suite { priority, name, expected } in SUITES {
        let server = Server::start(&scratch, &certificate)?;
        let mut client = emulated(&["--hide-aesni"], "gnutls-cli")?;
        client.args(["--port", &server.port.to_string(), "localhost"]);
        client.arg("--x509cafile").arg(&certificate.certificate);
        client.args(["--priority", &format!("{ONLY}:{priority}")]);
        echo(&mut client)?.ran(expected).map_err(|why| format!("client, {name}: {why}"))?;
        let mut stock = command("openssl");
        // Quiet, it would go on when its input ends.
        let quiet = ["s_client", "-quiet", "-no_ign_eof", "-verify_quiet"];
        stock.env("OPENSSL_CONF", "/dev/null").args(quiet);
        stock.args(["-tls1_2", "-cipher", name, "-connect"]);
        echo(stock.arg(format!("localhost:{}", server.port)))?;
        server.end()?.ran(expected).map_err(|why| format!("server, {name}: {why}"))?;
    }
    Ok(())
}
