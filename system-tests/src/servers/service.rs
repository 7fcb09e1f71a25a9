//! What servers of TLS have in common: a port, a certificate, a folder, and a daemon that listens.

use std::path::PathBuf;

use crate::certificate::Certificate;
use crate::module::Provided;
use crate::network::{free_port, listening};
use crate::process::{command, output};
use crate::running::{Daemon, Running};
use crate::scratch::Scratch;

/// Where a server is to be.
#[derive(Debug)]
pub struct Place {
    /// Its files.
    pub scratch: Scratch,
    /// What it shows to clients.
    pub certificate: Certificate,
    /// Where it is to listen for TLS.
    pub port: u16,
}

impl Place {
    /// A new one.
    pub fn new() -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let certificate = Certificate::new(&scratch)?;
        Ok(Self { port: free_port()?, certificate, scratch })
    }

    /// A file as arguments and configurations name it.
    pub fn path(&self, name: &str) -> String {
        self.scratch.path(name).display().to_string()
    }

    /// Runs a stock program that prepares something.
    pub fn prepare(&self, words: &[&str]) -> Result<(), String> {
        let mut program = command(words[0]);
        program.args(&words[1..]).current_dir(self.scratch.root());
        output(Provided::Stock.to(&mut program)).map(|_| ())
    }

    /// Starts the server and waits until it listens.
    pub fn start(self, daemon: Daemon) -> Result<Service, String> {
        let running = daemon.start(&self.scratch.path("log"))?;
        running.wait_until("the server to listen", || listening(self.port))?;
        Ok(Service { running, place: self })
    }
}

/// A running server.
#[derive(Debug)]
pub struct Service {
    running: Running,
    place: Place,
}

impl Service {
    /// The processes.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// The address of a file, for those that speak HTTP.
    pub fn address(&self, name: &str) -> String {
        format!("https://localhost:{}/{name}", self.place.port)
    }

    /// Where it listens, as an argument.
    pub fn port(&self) -> String {
        self.place.port.to_string()
    }

    /// The certificate that clients must trust.
    pub fn certificate(&self) -> &Certificate {
        &self.place.certificate
    }

    /// A name in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.place.scratch.path(name)
    }
}
