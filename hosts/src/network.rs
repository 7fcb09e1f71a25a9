//! Ports and networks for a test alone.

use std::fs;
use std::net::TcpListener;

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
