//! nginx, which serves files over TLS.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::certificate::Certificate;
use crate::module::Provided;
use crate::network::{free_port, listening};
use crate::process::{self, command};
use crate::running::{Daemon, Running, signal};
use crate::scratch::Scratch;
use crate::trixie;

const PROGRAM: &str = "/usr/sbin/nginx";

/// How nginx is to serve.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Worker processes.
    pub workers: u32,
    /// Lines for the server block: protocols and ciphers. `PORT` stands for where it listens.
    pub lines: &'static str,
}

/// A running nginx.
#[derive(Debug)]
pub struct Nginx {
    running: Running,
    /// Where it listens for TLS.
    pub port: u16,
    certificate: Certificate,
    scratch: Scratch,
}

impl Nginx {
    /// Starts this machine's and waits until it listens.
    pub fn start(provided: Provided<'_>, style: Style) -> Result<Self, String> {
        Self::started(&command(PROGRAM), provided, style)
    }

    /// Starts Debian 13's, for HTTP/3 as well.
    pub fn http3(provided: Provided<'_>) -> Result<Self, String> {
        const LINES: &str = "listen 127.0.0.1:PORT quic; ssl_protocols TLSv1.3;";
        let program = trixie::command("usr/sbin/nginx")?;
        Self::started(&program, provided, Style { workers: 1, lines: LINES })
    }

    /// The same for another's, as it is started.
    pub fn started(nginx: &Command, provided: Provided<'_>, style: Style) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let certificate = Certificate::new(&scratch)?;
        scratch.folder("www")?;
        scratch.folder("temporary")?;
        let port = free_port()?;
        let file =
            scratch.write("nginx.conf", configuration(&scratch, &certificate, port, style))?;
        let daemon = Daemon::of(nginx, provided, "").arguments(["-c"]).arguments([file]);
        let running = daemon.start(&scratch.path("log"))?;
        running.wait_until("nginx to listen", || listening(port))?;
        Ok(Self { running, port, certificate, scratch })
    }

    /// Puts a file on offer.
    pub fn offer(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.scratch.write(&format!("www/{name}"), bytes).map(|_| ())
    }

    /// The address of a file.
    pub fn address(&self, name: &str) -> String {
        format!("https://localhost:{}/{name}", self.port)
    }

    /// The certificate that clients must trust.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The processes.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// What it logged and said.
    pub fn said(&self) -> String {
        let log = fs::read_to_string(self.scratch.path("error.log")).unwrap_or_default();
        format!("{}{log}", self.running.said())
    }

    fn pid_file(&self, suffix: &str) -> PathBuf {
        self.scratch.path(&format!("nginx.pid{suffix}"))
    }

    /// The master process.
    pub fn master(&self) -> Result<u32, String> {
        let file = self.pid_file("");
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let inner = text.trim().parse::<u32>().map_err(|error| error.to_string())?;
        self.running.numbered(inner).ok_or_else(|| format!("no process {inner}: {}", self.said()))
    }

    /// The workers of the master process.
    pub fn workers(&self) -> Result<Vec<u32>, String> {
        let master = self.master()?;
        Ok(process::tree(master).into_iter().filter(|process| *process != master).collect())
    }

    /// Reads its configuration again: new workers take over from the old ones.
    pub fn reload(&self) -> Result<(), String> {
        let old = self.workers()?;
        signal(self.master()?, libc::SIGHUP)?;
        self.running.wait_until("new workers", || {
            self.workers()
                .is_ok_and(|new| !new.is_empty() && new.iter().all(|it| !old.contains(it)))
        })
    }

    /// Replaces the program file on the fly (nginx's manual, "Upgrading Executable on the Fly").
    pub fn upgrade(&self) -> Result<(), String> {
        let old = self.master()?;
        signal(old, libc::SIGUSR2)?;
        let oldbin = self.pid_file(".oldbin");
        self.running.wait_until("a new master process", || {
            oldbin.exists() && self.workers().is_ok_and(|workers| !workers.is_empty())
        })?;
        signal(old, libc::SIGQUIT)?;
        self.running.wait_until("the old master process to end", || !oldbin.exists())?;
        match self.master()? {
            new if new != old => Ok(()),
            _ => Err(format!("the old master process stayed: {}", self.said())),
        }
    }
}

fn configuration(scratch: &Scratch, tls: &Certificate, port: u16, style: Style) -> String {
    let root = scratch.root().display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|what| format!("{what}_temp_path {root}/temporary/{what};\n"))
        .collect();
    format!(
        "worker_processes {};\npid {root}/nginx.pid;\nerror_log {root}/error.log \
         notice;\n\
         # nginx gives a new program file only the variables named here.\n\
         env OPENSSL_CONF;\n\
         events {{ worker_connections 256; }}\n\
         http {{\naccess_log off;\n{temporary}keepalive_requests 1000000;\n\
         server {{\nlisten 127.0.0.1:{port} ssl;\nserver_name localhost;\nroot {root}/www;\n\
         ssl_certificate {};\nssl_certificate_key {};\n{}\n}}\n}}\n",
        style.workers,
        tls.certificate.display(),
        tls.key.display(),
        style.lines.replace("PORT", &port.to_string()),
    )
}
