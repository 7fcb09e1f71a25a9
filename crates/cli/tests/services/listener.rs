//! A program that listens, and ends with its value.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// Nobody listens there.
pub(crate) fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| error.to_string())?;
    Ok(listener.local_addr().map_err(|error| error.to_string())?.port())
}

/// A process that listens.
pub(crate) struct Listener(Child);

impl Listener {
    /// Starts it and waits until it does.
    pub(crate) fn start(command: &mut Command, port: u16) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let mut listener = Self(child);
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Ok(listener);
            }
            if let Ok(Some(status)) = listener.0.try_wait() {
                return Err(format!("{command:?} ended: {status}"));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(format!("{command:?} does not listen"))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // SIGTERM, which also has nginx end its workers.
        let kill = format!("kill {}", self.0.id());
        let _ = Command::new("sh").args(["-c", &kill]).status();
        for _ in 0..100 {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
