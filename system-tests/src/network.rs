//! Ports and networks for a test alone.

use std::fs::{self, File};
use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread;

use crate::process::{command, output};

/// A port of the loopback interface that was free a moment ago.
pub fn free_port() -> Result<u16, String> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| error.to_string())
}

/// Whether someone listens there. Trying to connect would be a connection.
pub fn listening(port: u16) -> bool {
    // proc(5): local address in hexadecimal, and 0A for a listening socket.
    let entry = format!(":{port:04X} 00000000:0000 0A");
    fs::read_to_string("/proc/net/tcp").is_ok_and(|sockets| sockets.contains(&entry))
}

/// A network namespace without a name or a process: it ends with its value.
#[derive(Debug)]
pub struct Network(OwnedFd);

impl Network {
    /// An empty one; an error says what is missing here.
    pub fn new() -> Result<Self, String> {
        // A namespace belongs to a thread first; this one is made for it.
        let made = thread::spawn(|| {
            // SAFETY: unshare(2) changes the namespace of this thread alone.
            match unsafe { libc::unshare(libc::CLONE_NEWNET) } {
                0 => File::open("/proc/thread-self/ns/net"),
                _ => Err(io::Error::last_os_error()),
            }
        });
        let made = made.join().map_err(|_| "a thread panicked".to_owned())?;
        made.map(|file| Self(file.into())).map_err(|error| format!("a network namespace: {error}"))
    }

    /// Two that are joined by a cable; their addresses are 10.9.0.1 and 10.9.0.2.
    pub fn pair() -> Result<[Self; 2], String> {
        let pair = [Self::new()?, Self::new()?];
        // ip(8) takes the path of a namespace for its name.
        let other = format!("/proc/{}/fd/{}", std::process::id(), pair[1].0.as_raw_fd());
        pair[0].ip(&[
            "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", &other,
        ])?;
        for (network, address) in pair.iter().zip(["10.9.0.1/24", "10.9.0.2/24"]) {
            network.ip(&["link", "set", "lo", "up"])?;
            network.ip(&["address", "add", address, "dev", "cable"])?;
            network.ip(&["link", "set", "cable", "up"])?;
        }
        Ok(pair)
    }

    /// Runs ip(8) in here.
    pub fn ip(&self, arguments: &[&str]) -> Result<(), String> {
        let mut ip = command("ip");
        self.hold(&mut ip);
        output(ip.args(arguments)).map(|_| ())
    }

    /// Lets a program run in here.
    pub fn hold(&self, command: &mut Command) {
        let network = self.0.as_raw_fd();
        // SAFETY: setns(2) is async-signal-safe; should the descriptor be closed by then, it fails.
        unsafe {
            command.pre_exec(move || enter(network));
        }
    }

    /// Runs a piece of this program in here.
    pub fn run<T: Send>(
        &self,
        work: impl FnOnce() -> Result<T, String> + Send,
    ) -> Result<T, String> {
        let network = self.0.as_raw_fd();
        thread::scope(|scope| {
            let inside = scope.spawn(move || {
                enter(network).map_err(|error| error.to_string())?;
                work()
            });
            inside.join().map_err(|_| "a thread panicked".to_owned())?
        })
    }
}

/// Moves the calling thread there.
fn enter(network: i32) -> io::Result<()> {
    // SAFETY: setns(2) takes any numbers, and changes the namespace of this thread alone.
    match unsafe { libc::setns(network, libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
