//! Apache httpd, whose workers have given up root's rights.

use wirespeed_cipher::Direction::Encrypt;
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::client::download as fetch;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::servers::apache;

pub(crate) fn download() -> Result<(), String> {
    let data = painted(72, 5_000_003);
    let ours = Watched::new()?;
    let server = apache::start(Provided::Ours(&ours), "TLS_AES_128_GCM_SHA256", &data)?;
    let got = fetch(server.certificate(), &server.address("file"), &[])
        .map_err(|error| format!("{error}\n{}", server.running().said()))?;
    same(|| "a file from Apache".to_owned(), &data, &got)?;
    ours.ran("AES-128-GCM", Encrypt, data.len() as u64)
}
