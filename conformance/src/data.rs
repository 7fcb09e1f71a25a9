//! Bytes to work on: the same in every run, different at every place.

/// `length` bytes that depend on `seed` alone (SplitMix64, Steele et al. 2014).
pub fn painted(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
    let mut word = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).to_le_bytes()
    };
    let mut bytes: Vec<u8> =
        std::iter::repeat_with(&mut word).take(length / 8 + 1).flatten().collect();
    bytes.truncate(length);
    bytes
}

/// Bytes from hexadecimal digits.
///
/// # Panics
/// If `text` is not pairs of such digits.
pub fn unhex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "odd number of digits: {text}");
    let byte = |at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

/// Fails with the first place where two results differ.
pub fn same(what: impl FnOnce() -> String, right: &[u8], got: &[u8]) -> Result<(), String> {
    if right == got {
        return Ok(());
    }
    let what = what();
    if right.len() != got.len() {
        return Err(format!("{what}: {} bytes instead of {}", got.len(), right.len()));
    }
    let at = right.iter().zip(got).position(|(a, b)| a != b).expect("they differ");
    let wrong = right.iter().zip(got).filter(|(a, b)| a != b).count();
    let show = |bytes: &[u8]| -> String {
        bytes[at..].iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    };
    Err(format!(
        "{what}: {wrong} of {} bytes differ, from byte {at} on: {} instead of {}",
        right.len(),
        show(got),
        show(right)
    ))
}
