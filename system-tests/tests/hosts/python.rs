//! Python's own `ssl` and `hashlib`.

use std::process::Command;

use wirespeed_cipher::Direction::{Decrypt, Encrypt};
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::certificate::Certificate;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

/// Debian's, which uses the system's libcrypto; another in the path may bring its own.
pub(crate) fn python(provided: Provided<'_>, script: &str) -> Command {
    let mut python = command("/usr/bin/python3");
    provided.to(&mut python).args(["-I", "-c", script]);
    python
}

/// A server and a client in one process: what the one sends the other receives.
const ECHO: &str = r#"
import ssl, socket, sys, threading
key, certificate, path, suite = sys.argv[1:]
data = open(path, "rb").read()
server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server.load_cert_chain(certificate, key)
client = ssl.create_default_context(cafile=certificate)
client.maximum_version = server.maximum_version = ssl.TLSVersion.TLSv1_2
client.set_ciphers(suite)
server.set_ciphers(suite)
ours, theirs = socket.socketpair()
def serve():
    with server.wrap_socket(theirs, server_side=True) as connection:
        left = len(data)
        while left:
            piece = connection.recv(65536)
            left -= len(piece)
            connection.sendall(piece)
        connection.recv(1)
thread = threading.Thread(target=serve)
thread.start()
with client.wrap_socket(ours, server_hostname="localhost") as connection:
    sending = threading.Thread(target=connection.sendall, args=(data,))
    sending.start()
    got = b""
    while len(got) < len(data):
        got += connection.recv(65536)
    sending.join()
    connection.sendall(b".")
thread.join()
sys.stdout.buffer.write(got)
"#;

pub(crate) fn tls() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let certificate = Certificate::new(&scratch)?;
    let data = painted(91, 2_000_003);
    let file = scratch.write("data", &data)?;
    for (suite, algorithm) in [
        ("ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM"),
        ("ECDHE-RSA-AES256-GCM-SHA384", "AES-256-GCM"),
        ("ECDHE-RSA-AES256-SHA384", "AES-256-CBC"),
    ] {
        let ours = Watched::new()?;
        let mut program = python(Provided::Ours(&ours), ECHO);
        program.arg(&certificate.key).arg(&certificate.certificate).arg(&file).arg(suite);
        same(|| suite.to_owned(), &data, &output(&mut program)?)?;
        for direction in [Encrypt, Decrypt] {
            ours.ran(algorithm, direction, 2 * data.len() as u64)?;
        }
    }
    Ok(())
}

/// Digests and their derivations, which are the default provider's, are the same beside us.
const DIGESTS: &str = r#"
import hashlib, hmac, sys
data = open(sys.argv[1], "rb").read()
for name in sorted(hashlib.algorithms_available):
    try:
        digest = hashlib.new(name, data)
    except ValueError:
        continue
    print(name, digest.hexdigest(16) if name.startswith("shake") else digest.hexdigest())
print(hmac.new(b"key", data, "sha256").hexdigest())
print(hashlib.pbkdf2_hmac("sha512", data, b"salt", 1000).hex())
print(hashlib.scrypt(b"password", salt=b"salt", n=16, r=8, p=1).hex())
"#;

pub(crate) fn hashlib() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let file = scratch.write("data", painted(92, 1_000_003))?;
    let right = output(python(Provided::Stock, DIGESTS).arg(&file))?;
    if right.iter().filter(|byte| **byte == b'\n').count() < 15 {
        return Err(format!("few digests: {}", String::from_utf8_lossy(&right)));
    }
    let ours = Watched::new()?;
    let got = output(python(Provided::Ours(&ours), DIGESTS).arg(&file))?;
    same(|| "digests".to_owned(), &right, &got)?;
    match ours.counted()?.loads() {
        0 => Err(format!("Python did not load the module from {:?}", ours.configuration())),
        _ => Ok(()),
    }
}
