//! IPsec between two network namespaces: ESP over the PadLock drivers carries a connection.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::network::Network;

use crate::crypto::{Driver, growth, hash_driver, load};

const BYTES: usize = 64 << 10;
/// The addresses of the pair.
const ADDRESSES: [&str; 2] = ["10.9.0.1", "10.9.0.2"];

/// AES-CBC with HMAC-SHA-1, the suite that everyone has.
pub(crate) fn transfer() -> Result<(), String> {
    load(&["veth", "esp4", "xfrm_user", "padlock-aes", "padlock-sha"])?;
    let pair = Network::pair()?;
    for (network, [own, other]) in pair.iter().zip([[0, 1], [1, 0]]) {
        for (spi, from, to) in [("0x100", 0, 1), ("0x101", 1, 0)] {
            let state = ["xfrm", "state", "add", "src", ADDRESSES[from], "dst", ADDRESSES[to]];
            let esp = ["proto", "esp", "spi", spi, "reqid", "1", "mode", "transport"];
            let cipher = ["enc", "cbc(aes)", "0x000102030405060708090a0b0c0d0e0f"];
            let tag =
                ["auth-trunc", "hmac(sha1)", "0x000102030405060708090a0b0c0d0e0f10111213", "96"];
            network.ip(&[&state[..], &esp, &cipher, &tag].concat())?;
        }
        for (direction, from, to) in [("out", own, other), ("in", other, own)] {
            let policy = ["xfrm", "policy", "add", "src", ADDRESSES[from], "dst", ADDRESSES[to]];
            let template = ["dir", direction, "tmpl", "proto", "esp", "reqid", "1"];
            network.ip(&[&policy[..], &template, &["mode", "transport"]].concat())?;
        }
    }
    let (((), hashed), encrypted) =
        growth("xcrypt_blocks", || growth("xsha_blocks", || connection(&pair)))?;
    // Every byte is encrypted and authenticated here, decrypted and checked there.
    for (what, blocks, bytes) in [("xcrypt", encrypted, 16), ("xsha", hashed, 64)] {
        if blocks < 2 * BYTES as u64 / bytes {
            return Err(format!("only {blocks} blocks by {what}"));
        }
    }
    let driver = format!("authenc(hmac({}),cbc-aes-padlock)", hash_driver("sha1")?);
    Driver::named(&driver)?;
    for network in &pair {
        let counts = network.run(|| {
            let file = "/proc/thread-self/net/xfrm_stat";
            fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))
        })?;
        if let Some(error) = counts.lines().find(|line| !line.ends_with("\t0")) {
            return Err(format!("xfrm counts an error: {error}"));
        }
    }
    Ok(())
}

/// Sends some from the first to the second.
fn connection([first, second]: &[Network; 2]) -> Result<(), String> {
    let data = painted(3, BYTES);
    let listener = second
        .run(|| TcpListener::bind((ADDRESSES[1], 0)).map_err(|error| format!("listen: {error}")))?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let received = thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            let mut received = Vec::new();
            let (mut stream, _) = listener.accept()?;
            stream.read_to_end(&mut received).map(|_| received)
        });
        first.run(|| {
            let sent = TcpStream::connect((ADDRESSES[1], port))
                .and_then(|mut stream| stream.write_all(&data));
            sent.map_err(|error| format!("send: {error}"))
        })?;
        let received = receiver.join().map_err(|_| "a thread panicked".to_owned())?;
        received.map_err(|error| format!("receive: {error}"))
    })?;
    same(|| "what was received".to_owned(), &data, &received)
}
