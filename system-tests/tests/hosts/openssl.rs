//! The `openssl` program: files, mail, its benchmark, its TLS server and client.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use wirespeed_cipher::Direction::{self, Decrypt, Encrypt};
use wirespeed_cipher::Route;
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::certificate::Certificate;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::{Scratch, read};
use wirespeed_system_tests::servers::openssl::WebServer;

const MIB: usize = 1 << 20;

fn openssl<const N: usize>(provided: Provided<'_>, arguments: [&str; N]) -> Command {
    let mut program = command("openssl");
    provided.to(&mut program).args(arguments);
    program
}

/// `openssl enc` over a file.
fn encrypt_file(
    provided: Provided<'_>,
    algorithm: &str,
    direction: Direction,
    input: &Path,
) -> Result<Vec<u8>, String> {
    let cipher = format!("-{}", algorithm.to_lowercase());
    let way = if direction == Encrypt { "-e" } else { "-d" };
    // 32 digits are the key of AES-128 and every IV; longer keys are filled up with zeros.
    let digits = "00112233445566778899aabbccddeeff";
    let mut program = openssl(provided, ["enc", &cipher, way, "-K", digits, "-iv", digits, "-in"]);
    output(program.arg(input))
}

/// A file there with us and back without, and the other way round.
pub(crate) fn enc() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let plain_text = painted(1, 5 * MIB + 3);
    let plain = scratch.write("plain", &plain_text)?;
    for algorithm in ["AES-128-CTR", "AES-256-CBC", "AES-192-CFB", "AES-256-OFB", "AES-128-ECB"] {
        let ours = Watched::new()?;
        let right = encrypt_file(Provided::Stock, algorithm, Encrypt, &plain)?;
        let got = encrypt_file(Provided::Ours(&ours), algorithm, Encrypt, &plain)?;
        same(|| format!("{algorithm} encrypted"), &right, &got)?;
        ours.ran(algorithm, Encrypt, plain_text.len() as u64)?;
        let encrypted = scratch.write("encrypted", &right)?;
        let ours = Watched::new()?;
        let back = encrypt_file(Provided::Ours(&ours), algorithm, Decrypt, &encrypted)?;
        same(|| format!("{algorithm} decrypted"), &plain_text, &back)?;
        ours.ran(algorithm, Decrypt, plain_text.len() as u64)?;
    }
    Ok(())
}

/// With one route in the configuration, that one runs and no other.
pub(crate) fn forced_route() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let plain_text = painted(2, MIB);
    let plain = scratch.write("plain", &plain_text)?;
    let ours = Watched::with("routes = portable")?;
    let right = encrypt_file(Provided::Stock, "AES-128-CTR", Encrypt, &plain)?;
    let got = encrypt_file(Provided::Ours(&ours), "AES-128-CTR", Encrypt, &plain)?;
    same(|| "portable".to_owned(), &right, &got)?;
    ours.ran("AES-128-CTR", Encrypt, plain_text.len() as u64)?;
    let counted = ours.counted()?;
    match counted.rows().find(|row| row.route != Route::Portable) {
        None => Ok(()),
        Some(row) => Err(format!("another route ran: {row:?}")),
    }
}

/// A mail that we encrypt and stock OpenSSL opens, and the other way round.
pub(crate) fn cms() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let certificate = Certificate::new(&scratch)?;
    let letter = painted(3, MIB);
    let plain = scratch.write("letter", &letter)?;
    for algorithm in ["AES-256-CBC", "AES-128-GCM"] {
        let ours = Watched::new()?;
        let both = [Provided::Ours(&ours), Provided::Stock];
        for (sender, receiver) in [(both[0], both[1]), (both[1], both[0])] {
            let cipher = format!("-{}", algorithm.to_lowercase());
            let sealed = scratch.path("sealed");
            let mut seal = openssl(sender, ["cms", "-encrypt", "-binary", "-stream", &cipher]);
            seal.args(["-outform", "DER", "-in"]).arg(&plain).arg("-out").arg(&sealed);
            output(seal.arg(&certificate.certificate))?;
            let opened = scratch.path("opened");
            let mut open = openssl(receiver, ["cms", "-decrypt", "-binary", "-inform", "DER"]);
            open.arg("-in").arg(&sealed).arg("-out").arg(&opened);
            open.arg("-inkey").arg(&certificate.key);
            output(&mut open)?;
            same(|| format!("{algorithm}, {sender:?}"), &letter, &read(&opened)?)?;
        }
        for direction in Direction::BOTH {
            ours.ran(algorithm, direction, letter.len() as u64)?;
        }
    }
    Ok(())
}

/// `openssl speed` measures us, not the default provider.
pub(crate) fn speed() -> Result<(), String> {
    for algorithm in ["AES-128-GCM", "AES-256-CBC", "AES-128-CTR"] {
        let ours = Watched::new()?;
        let cipher = algorithm.to_lowercase();
        let arguments = ["speed", "-elapsed", "-seconds", "1", "-bytes", "8192", "-evp", &cipher];
        let said = output(&mut openssl(Provided::Ours(&ours), arguments))?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let figure = said.split_whitespace().last().and_then(|word| word.strip_suffix('k'));
        let thousands: f64 = figure.and_then(|it| it.parse().ok()).ok_or_else(|| said.clone())?;
        // All that it measured in its second went through us.
        ours.ran(algorithm, Encrypt, (thousands * 900.0) as u64)?;
    }
    Ok(())
}

/// A connection of the program's own server and client, with us on one side after the other.
pub(crate) fn tls() -> Result<(), String> {
    let suites: [(&str, &str, &str, &str); 6] = [
        ("-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256", "AES-128-GCM"),
        ("-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384", "AES-256-GCM"),
        ("-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM"),
        ("-tls1_2", "-cipher", "AES256-GCM-SHA384", "AES-256-GCM"),
        ("-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA256", "AES-128-CBC"),
        ("-tls1_2", "-cipher", "AES256-SHA", "AES-256-CBC"),
    ];
    for (version, option, suite, algorithm) in suites {
        let options = [version, option, suite];
        let ours = Watched::new()?;
        receive(options, [Provided::Ours(&ours), Provided::Stock])?;
        ours.ran(algorithm, Encrypt, SENT).map_err(|error| format!("{suite}, server: {error}"))?;
        let ours = Watched::new()?;
        receive(options, [Provided::Stock, Provided::Ours(&ours)])?;
        ours.ran(algorithm, Decrypt, SENT).map_err(|error| format!("{suite}, client: {error}"))?;
    }
    Ok(())
}

const SENT: u64 = 1_000_003;

/// The client asks for a file and gets it.
fn receive(options: [&str; 3], [server, client]: [Provided<'_>; 2]) -> Result<(), String> {
    let server = WebServer::start(server)?;
    let data = painted(11, SENT as usize);
    server.offer("file", &data)?;
    let address = format!("localhost:{}", server.port());
    let mut program = openssl(client, ["s_client", "-quiet", "-4", "-connect", &address]);
    program.args(options).arg("-verify_return_error");
    program.arg("-CAfile").arg(&server.certificate().certificate);
    let request = server.scratch().write("request", "GET /file HTTP/1.0\r\n\r\n")?;
    program.stdin(File::open(request).map_err(|error| error.to_string())?);
    let got = output(&mut program)?;
    let body = got.strip_prefix(&WebServer::head(&data)[..]).unwrap_or(&got);
    same(|| format!("{options:?}"), &data, body)
}
