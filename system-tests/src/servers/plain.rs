//! A plain HTTP server, for what stands between it and a client.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Answers every request with `body`, as long as this process lasts.
pub(super) fn serve(body: Arc<[u8]>) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let body = Arc::clone(&body);
            // A client that goes away early is no concern of the server's.
            thread::spawn(move || answer(&connection, &body));
        }
    });
    Ok(address)
}

/// Reads a request to its empty line and answers it.
fn answer(mut connection: &TcpStream, body: &[u8]) -> std::io::Result<()> {
    for line in BufReader::new(connection).lines() {
        if line?.is_empty() {
            let head = format!("HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            connection.write_all(head.as_bytes())?;
            return connection.write_all(body);
        }
    }
    Ok(())
}
