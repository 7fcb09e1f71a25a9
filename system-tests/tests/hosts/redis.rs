//! Redis, to and from which a value goes.

use wirespeed_cipher::Direction::{Decrypt, Encrypt};
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::servers::redis;

pub(crate) fn value() -> Result<(), String> {
    let data = painted(73, 5_000_003);
    let ours = Watched::new()?;
    let server = redis::start(Provided::Ours(&ours), "TLS_AES_256_GCM_SHA384", &data)?;
    let got = output(redis::client(&server, "redis-cli").args(["--raw", "GET", redis::KEY]))?;
    // The client ends its output with a line's end.
    same(|| "a value from Redis".to_owned(), &[&data[..], b"\n"].concat(), &got)?;
    for direction in [Encrypt, Decrypt] {
        ours.ran("AES-256-GCM", direction, data.len() as u64)?;
    }
    Ok(())
}
