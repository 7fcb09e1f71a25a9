//! haproxy and stunnel, which take TLS off connections for others.

use std::sync::Arc;

use wirespeed_cipher::Direction::Encrypt;
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::client::download;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::servers::terminator::Program;

pub(crate) fn haproxy() -> Result<(), String> {
    downloads(Program::Haproxy, |ours, algorithm, bytes| ours.ran(algorithm, Encrypt, bytes))
}

/// stunnel asks for its ciphers with `provider!=fips`, and a query of the program's own about
/// `provider` replaces `?provider=wirespeed` of the configuration (`ossl_property_merge`): it is ours by
/// the other preference.
pub(crate) fn stunnel() -> Result<(), String> {
    downloads(Program::Stunnel, |ours, algorithm, bytes| ours.ran(algorithm, Encrypt, bytes))
}

fn downloads(
    program: Program,
    proof: impl Fn(&Watched, &str, u64) -> Result<(), String>,
) -> Result<(), String> {
    let data: Arc<[u8]> = painted(71, 5_000_003).into();
    for (suite, algorithm) in
        [("TLS_AES_128_GCM_SHA256", "AES-128-GCM"), ("TLS_AES_256_GCM_SHA384", "AES-256-GCM")]
    {
        let ours = Watched::new()?;
        let server = program.start(Provided::Ours(&ours), suite, Arc::clone(&data))?;
        let got = download(server.certificate(), &server.address(""), &[])
            .map_err(|error| format!("{error}\n{}", server.running().said()))?;
        same(|| format!("{program:?} {suite}"), &data, &got)?;
        proof(&ours, algorithm, data.len() as u64)?;
    }
    Ok(())
}
