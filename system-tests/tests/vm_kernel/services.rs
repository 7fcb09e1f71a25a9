//! What `wirespeed doctor --services` says of a kernel that encrypts itself: TLS records, WireGuard, ESP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use wirespeed_results::schema::services::{InLinux, Services, Standing};
use wirespeed_system_tests::process::{command, output};

use crate::drivers::program;

/// A connection whose sender gives the kernel its key (Documentation/networking/tls.rst): TLS 1.2, AES-128-GCM.
const SENDER: &str = "
import socket, struct, sys
server = socket.create_server(('127.0.0.1', 0))
sender = socket.create_connection(server.getsockname())
receiver, _ = server.accept()
TCP_ULP, SOL_TLS, TLS_TX, TLS_1_2, AES_GCM_128 = 31, 282, 1, 0x0303, 51
sender.setsockopt(socket.SOL_TCP, TCP_ULP, b'tls')
sender.setsockopt(SOL_TLS, TLS_TX, struct.pack('HH', TLS_1_2, AES_GCM_128) + bytes(36))
sender.send(b'x' * 1000)
print(len(receiver.recv(5, socket.MSG_WAITALL)), flush=True)
sys.stdin.read()
";

/// A connection that lasts as long as this.
struct Sender(Child);

impl Sender {
    fn start() -> Result<Self, String> {
        let mut python = command("/usr/bin/python3");
        python.args(["-c", SENDER]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = python.spawn().map_err(|error| format!("python3: {error}"))?;
        let output = child.stdout.take().expect("it was piped");
        let sender = Self(child);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).map_err(|error| error.to_string())?;
        match line.trim() {
            "5" => Ok(sender),
            _ => Err(format!("no kTLS: the receiver got '{line}'")),
        }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// What our program says, as it is started.
pub(crate) fn said(mut wirespeed: Command) -> Result<Services, String> {
    let doctor = wirespeed.args(["doctor", "--services", "--json"]);
    serde_json::from_slice(&output(doctor)?).map_err(|error| error.to_string())
}

/// Here.
pub(crate) fn said_here() -> Result<Services, String> {
    said(command(program("wirespeed")?))
}

/// Of something that Linux encrypts.
pub(crate) fn of(services: Services, name: &str) -> Result<InLinux, String> {
    let found = services.linux.into_iter().find(|it| it.name == name);
    found.ok_or_else(|| format!("nothing of {name}"))
}

fn said_of(name: &str) -> Result<InLinux, String> {
    of(said_here()?, name)
}

pub(crate) fn is(found: &InLinux, state: Standing, words: &str) -> Result<(), String> {
    match found.state == state && found.text.contains(words) {
        true => Ok(()),
        false => Err(format!("not {state:?} with '{words}': {found:?}")),
    }
}

fn ip(words: &str) -> Result<(), String> {
    output(command("ip").args(words.split(' '))).map(|_| ())
}

/// Records that the kernel encrypts: it says of how many connections.
pub(crate) fn ktls() -> Result<(), String> {
    is(&said_of("kTLS")?, Standing::Possible, "")?;
    let sender = Sender::start()?;
    let found = said_of("kTLS")?;
    is(&found, Standing::Used, "1 and 0 by Linux's own code")?;
    is(&found, Standing::Used, &format!(" of python3 ({});", sender.0.id()))?;
    drop(sender);
    let after = said_of("kTLS")?;
    is(&after, Standing::Possible, "1 have sent by it")
}

/// Tunnels of the kernel's own, while they are there.
pub(crate) fn tunnels() -> Result<(), String> {
    is(&said_of("WireGuard")?, Standing::Possible, "no tunnel uses it")?;
    ip("link add wg7 type wireguard")?;
    let found = said_of("WireGuard");
    ip("link del wg7")?;
    is(&found?, Standing::Used, "wg7 carried 0 B")?;
    let state = "src 127.0.0.1 dst 127.0.0.2 proto esp spi 0x101";
    let key = "0x0102030405060708090a0b0c0d0e0f1011121314";
    ip(&format!("xfrm state add {state} mode transport aead rfc4106(gcm(aes)) {key} 128"))?;
    let found = said_of("ESP");
    ip("xfrm state flush")?;
    is(&found?, Standing::Used, "seqiv(")
}

/// A disk that the kernel encrypts, in memory.
pub(crate) fn disk() -> Result<(), String> {
    is(&said_of("dm-crypt")?, Standing::Possible, "no disk is encrypted")?;
    output(command("/sbin/modprobe").args(["brd", "rd_nr=1", "rd_size=1024"]))?;
    let key = "42".repeat(32);
    let table = format!("0 2048 crypt aes-xts-plain64 {key} 0 /dev/ram0 0");
    let mut create = command("/sbin/dmsetup");
    create.args(["create", "secret7", "--uuid", "CRYPT-PLAIN-secret7", "--table", &table]);
    output(&mut create)?;
    let found = said_of("dm-crypt");
    output(command("/sbin/dmsetup").args(["remove", "secret7"]))?;
    is(&found?, Standing::Used, "disks: secret7;")
}

/// No guest has QAT.
pub(crate) fn absent() -> Result<(), String> {
    is(&said_of("QAT")?, Standing::Absent, "no module intel_qat")
}
