//! OpenVPN, at the receiving end and at the sending end of a tunnel.

use wirespeed_cipher::Direction::{Decrypt, Encrypt};
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::servers::openvpn::Tunnel;

pub(crate) fn ciphers() -> Result<(), String> {
    let data = painted(111, 2_000_003);
    for algorithm in ["AES-128-GCM", "AES-256-CBC"] {
        let ours = Watched::new()?;
        let watched = Provided::Ours(&ours);
        for (ends, direction) in
            [([watched, Provided::Stock], Decrypt), ([Provided::Stock, watched], Encrypt)]
        {
            let tunnel = Tunnel::start(ends, algorithm)?;
            same(|| format!("{algorithm}, {direction:?}"), &data, &tunnel.send(&data)?)?;
            ours.ran(algorithm, direction, data.len() as u64)?;
        }
    }
    Ok(())
}
