//! TLS through the real `openssl s_server` and `s_client`: our module on one side, on the other, on both.

use std::convert::Infallible;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use wirespeed_conformance::data::{painted, same};

use crate::program::{configuration, openssl, output, serving};
use crate::trial;
use wirespeed_conformance::scratch::Scratch;

/// Suites of TLS 1.2, by OpenSSL's names. CBC suites run with and without encrypt-then-MAC.
const SUITES_1_2: [&str; 9] = [
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "AES128-SHA",
    "AES256-SHA",
    "AES128-SHA256",
    "AES256-SHA256",
    "ECDHE-RSA-AES128-SHA256",
    "ECDHE-RSA-AES256-SHA384",
    "ECDHE-RSA-AES256-SHA",
];
const SUITES_1_3: [&str; 2] = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"];

/// Many records each way, the last one short.
const BYTES: usize = 200_003;
/// For what takes a fraction of a second on an idle machine, and half a minute where a busy one translates every instruction.
const PATIENCE: Duration = Duration::from_secs(120);

/// How a connection is to be made.
#[derive(Clone, Debug)]
struct Connection {
    options: Vec<&'static str>,
    /// Our module on the server, on the client.
    ours: [bool; 2],
}

pub(crate) fn trials(modules: &Path) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut add = |name: &str, options: Vec<&'static str>| {
        for (side, ours) in
            [("server", [true, false]), ("client", [false, true]), ("both", [true, true])]
        {
            let (modules, options) = (modules.to_owned(), options.clone());
            trials.push(trial(format!("program::tls::{name}::{side}"), move || {
                connect(&modules, &Connection { options, ours })
            }));
        }
    };
    for suite in SUITES_1_3 {
        add(suite, vec!["-tls1_3", "-ciphersuites", suite]);
    }
    for suite in SUITES_1_2 {
        add(suite, vec!["-tls1_2", "-cipher", suite]);
        if !suite.contains("GCM") {
            add(&format!("{suite}-no-etm"), vec!["-tls1_2", "-cipher", suite, "-no_etm"]);
        }
    }
    trials
}

/// A program that ends with its value.
struct Running {
    child: Child,
    /// Its input stays open as long as this does: the end of that would end the program before it is asked to.
    open: Option<mpsc::Sender<Infallible>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(mut command: Command) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        Ok(Self { child, open: None })
    }

    /// Whether our module is in its address space.
    fn has_module(&self) -> Result<bool, String> {
        let maps = fs::read_to_string(format!("/proc/{}/maps", self.child.id()));
        maps.map(|maps| maps.contains("libwirespeed.so")).map_err(|error| error.to_string())
    }

    /// Whether a socket of this inode is open there.
    fn has_socket(&self, inode: &str) -> bool {
        let files = fs::read_dir(format!("/proc/{}/fd", self.child.id()));
        let socket = PathBuf::from(format!("socket:[{inode}]"));
        files.is_ok_and(|files| {
            files.flatten().any(|it| fs::read_link(it.path()).is_ok_and(|to| to == socket))
        })
    }

    /// Sends `data`, and gives what comes in as it comes.
    fn exchange(&mut self, data: Vec<u8>) -> mpsc::Receiver<Vec<u8>> {
        let mut input = self.child.stdin.take().expect("it was piped");
        let mut output = self.child.stdout.take().expect("it was piped");
        let (sender, receiver) = mpsc::channel();
        let (open, closed) = mpsc::channel();
        self.open = Some(open);
        thread::spawn(move || {
            let mut buffer = [0; 65536];
            // Ends when the program does, or when nobody listens any more.
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        thread::spawn(move || {
            // A program that ended reads no more; the other side then misses its bytes and says so.
            let _ = input.write_all(&data).and_then(|()| input.flush());
            let _ = closed.recv();
        });
        receiver
    }

    /// What it complained about, once it has ended.
    fn complaint(&mut self) -> String {
        let _ = self.child.kill();
        let mut text = String::new();
        if let Some(mut stream) = self.child.stderr.take() {
            // Whatever could be read of it.
            let _ = stream.read_to_string(&mut text);
        }
        text
    }
}

fn connect(modules: &Path, connection: &Connection) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let (key, certificate) = certificate(&scratch)?;
    let module = modules.join("libwirespeed.so");
    let config = scratch.write("ours.cnf", configuration(&module, serving()))?;
    let set_up = |command: &mut Command, ours: bool| {
        command.arg("-quiet").args(&connection.options);
        if ours {
            command.env("OPENSSL_CONF", &config);
        }
    };
    let started = || {
        let port = free_port()?;
        let mut command = openssl(["s_server", "-4", "-accept", &port.to_string(), "-key"]);
        command.arg(&key).arg("-cert").arg(&certificate);
        set_up(&mut command, connection.ours[0]);
        let mut server = Running::start(command)?;
        wait_for(port, &mut server).map(|()| (port, server))
    };
    // Another may have taken the port meanwhile.
    let (port, mut server) = started().or_else(|_| started())?;
    let mut command = openssl(["s_client", "-4", "-connect", &format!("localhost:{port}")]);
    command.args(["-verify_return_error", "-CAfile"]).arg(&certificate);
    set_up(&mut command, connection.ours[1]);
    let mut client = Running::start(command)?;

    let (down, up) = (painted(81, BYTES), painted(82, BYTES));
    let at_server = server.exchange(down.clone());
    let at_client = client.exchange(up.clone());
    let arrived = |receiver: mpsc::Receiver<Vec<u8>>, right: &[u8], to: &str| {
        let mut got = Vec::new();
        while got.len() < right.len() {
            match receiver.recv_timeout(PATIENCE) {
                Ok(bytes) => got.extend(bytes),
                Err(_) => break,
            }
        }
        same(|| format!("{connection:?} to the {to}"), right, &got)
    };
    let result =
        arrived(at_server, &up, "server").and_then(|()| arrived(at_client, &down, "client"));
    for (running, ours) in [&server, &client].into_iter().zip(connection.ours) {
        if result.is_ok() && running.has_module()? != ours {
            return Err(format!("{connection:?}: module not as intended"));
        }
    }
    result.map_err(|error| format!("{error}\n{}\n{}", server.complaint(), client.complaint()))
}

fn certificate(scratch: &Scratch) -> Result<(PathBuf, PathBuf), String> {
    let (key, certificate) = (scratch.path("key.pem"), scratch.path("certificate.pem"));
    let config = scratch.write("request.cnf", "[req]\ndistinguished_name = name\n[name]\n")?;
    let mut command = openssl(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]);
    command.args(["-subj", "/CN=localhost", "-config"]).arg(config);
    command.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
    output(command).map(|_| (key, certificate))
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16, String> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| error.to_string())
}

/// Waits until the server itself listens. Trying to connect would be a connection to it, and take its input.
fn wait_for(port: u16, server: &mut Running) -> Result<(), String> {
    // proc(5): local address in hexadecimal, 0A for a listening socket, and the number of its inode.
    let listening = |line: &str| line.contains(&format!(":{port:04X} 00000000:0000 0A"));
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let sockets = fs::read_to_string("/proc/net/tcp").map_err(|error| error.to_string())?;
        let inode = sockets.lines().find(|line| listening(line));
        let inode = inode.and_then(|line| line.split_whitespace().nth(9));
        if inode.is_some_and(|inode| server.has_socket(inode)) {
            return Ok(());
        }
        if server.child.try_wait().is_ok_and(|ended| ended.is_some()) {
            break;
        }
        thread::sleep(Duration::from_millis(25));
    }
    Err(format!("the server does not listen: {}", server.complaint()))
}
