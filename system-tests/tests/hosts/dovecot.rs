//! Dovecot, whose process for TLS has given up root's rights and root's view of the files.

use wirespeed_cipher::Direction::Encrypt;
use wirespeed_conformance::data::same;
use wirespeed_system_tests::client::download;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::servers::dovecot;

pub(crate) fn message() -> Result<(), String> {
    let lines = (0..50_000).map(|number| format!("{number} bottles of beer on the wall\r\n"));
    let data = format!("Subject: a song\r\n\r\n{}", lines.collect::<String>()).into_bytes();
    let ours = Watched::new()?;
    let server = dovecot::start(Provided::Ours(&ours), "TLS_AES_128_GCM_SHA256", &data)?;
    let got = download(server.certificate(), &dovecot::address(&server), &[])
        .map_err(|error| format!("{error}\n{}", server.running().said()))?;
    same(|| "a message from Dovecot".to_owned(), &data, &got)?;
    ours.ran("AES-128-GCM", Encrypt, data.len() as u64)
}
