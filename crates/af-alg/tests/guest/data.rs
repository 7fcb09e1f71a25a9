//! Bytes that differ from one another, and the lengths at which things change.

use wirespeed_af_alg::{Cipher, Interface, Permission, Transform};

/// Some bytes, the same for the same seed.
pub(crate) fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = || {
        // Knuth's MMIX generator; its high bits are good enough for data.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Everything up to two blocks, the borders of pages and requests and what is beside them.
pub(crate) fn lengths() -> Vec<usize> {
    let mut lengths: Vec<usize> = (0..=33).collect();
    for border in [48, 64, 128, 256, 512, 1024, 1420, 2048, 4096, 8192] {
        lengths.extend([border - 16, border - 1, border, border + 1, border + 16]);
    }
    lengths.extend([65_536, 65_552]);
    lengths
}

/// The transform of a name, opened with some key.
pub(crate) fn cipher(interface: Interface, name: &str) -> (Cipher, Vec<u8>) {
    let transform = Transform::named(name).expect("a name of the table");
    let wirespeed_af_alg::Kind::Cipher { key_bytes, .. } = transform.kind else {
        panic!("{name} is no cipher")
    };
    let key = bytes(key_bytes, 77);
    let cipher = Cipher::through(interface, transform, None, &key, Permission::Unconfined);
    (cipher.unwrap_or_else(|error| panic!("{name}: {error}")), key)
}

/// An error that names what differs.
pub(crate) fn same(what: &str, found: &[u8], expected: &[u8]) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let place = found.iter().zip(expected).position(|(found, expected)| found != expected);
    Err(format!(
        "{what}: {} bytes, expected {}; the first that differs is at {place:?}",
        found.len(),
        expected.len()
    ))
}
