//! curl with us in it, against a stock server.

use wirespeed_cipher::Direction::Decrypt;
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::client::curl;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::servers::openssl::WebServer;

pub(crate) fn download() -> Result<(), String> {
    let server = WebServer::start(Provided::Stock)?;
    let data = painted(81, 5_000_003);
    server.offer("file", &data)?;
    for (options, algorithm) in [
        (["--tls13-ciphers", "TLS_AES_128_GCM_SHA256"], "AES-128-GCM"),
        (["--tls13-ciphers", "TLS_AES_256_GCM_SHA384"], "AES-256-GCM"),
        (["--tls-max", "1.2"], "AES-256-GCM"),
    ] {
        let ours = Watched::new()?;
        let mut program =
            curl(Provided::Ours(&ours), server.certificate(), &server.address("file"));
        same(|| format!("{options:?}"), &data, &output(program.args(options))?)?;
        ours.ran(algorithm, Decrypt, data.len() as u64)?;
    }
    Ok(())
}
