//! HTTP/3 between nginx and curl of Debian 13. QUIC has a nonce for each packet, and a mask for each header, which a cipher
//! makes of bytes of the packet (RFC 9001, 5.4). nginx calls these ciphers itself; curl has OpenSSL's QUIC.

use wirespeed_cipher::Direction::{self, Decrypt, Encrypt};
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::client::curl_http3;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::servers::nginx::Nginx;

/// No packet has more bytes.
const LARGEST: u64 = 1500;

/// A suite, its cipher of packets, its ciphers of headers as nginx calls it and as OpenSSL does, and for how many bytes.
type Suite = (&'static str, &'static str, [(&'static str, u64); 2]);

const SUITES: [Suite; 3] = [
    ("TLS_AES_128_GCM_SHA256", "AES-128-GCM", [("AES-128-CTR", 5), ("AES-128-ECB", 16)]),
    ("TLS_AES_256_GCM_SHA384", "AES-256-GCM", [("AES-256-CTR", 5), ("AES-256-ECB", 16)]),
    ("TLS_CHACHA20_POLY1305_SHA256", "ChaCha20-Poly1305", [("ChaCha20", 5), ("ChaCha20", 5)]),
];

/// Our routes protect all packets in nginx.
pub(crate) fn nginx() -> Result<(), String> {
    for (suite, packets, [headers, _]) in SUITES {
        let ours = Watched::serving(packets)?;
        downloads([Provided::Ours(&ours), Provided::Stock], suite)
            .and_then(|bytes| ran(&ours, (packets, Encrypt), headers, bytes))
            .map_err(|error| format!("{suite}: {error}"))?;
    }
    Ok(())
}

/// Our routes open all packets in curl.
pub(crate) fn curl() -> Result<(), String> {
    for (suite, packets, [_, headers]) in SUITES {
        let ours = Watched::serving(packets)?;
        downloads([Provided::Stock, Provided::Ours(&ours)], suite)
            .and_then(|bytes| ran(&ours, (packets, Decrypt), headers, bytes))
            .map_err(|error| format!("{suite}: {error}"))?;
    }
    Ok(())
}

/// A file comes over unharmed; its length.
fn downloads([server, client]: [Provided<'_>; 2], suite: &str) -> Result<u64, String> {
    let nginx = Nginx::http3(server)?;
    let data = painted(91, 5_000_003);
    nginx.offer("file", &data)?;
    let mut curl = curl_http3(client, nginx.certificate(), &nginx.address("file"))?;
    let got = output(curl.args(["--tls13-ciphers", suite]))
        .map_err(|error| format!("{error}\n{}", nginx.said()))?;
    same(|| suite.to_owned(), &data, &got)?;
    Ok(data.len() as u64)
}

/// Our routes ran both ciphers.
fn ran(
    ours: &Watched,
    (packets, direction): (&str, Direction),
    (headers, each): (&str, u64),
    bytes: u64,
) -> Result<(), String> {
    ours.ran(packets, direction, bytes)?;
    ours.ran(headers, Encrypt, bytes / LARGEST * each)
}
