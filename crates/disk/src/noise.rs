//! Bytes that no storage compresses.

/// So many, others at every place (Marsaglia's xorshift).
pub(crate) fn bytes(place: u64, length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ (place + 1).wrapping_mul(0xd134_2543_de82_ef95);
    let words = std::iter::from_fn(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Some(state.to_le_bytes())
    });
    words.flatten().take(length).collect()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn every_place_has_bytes_of_its_own() {
        let all: Vec<_> = (0..3).chain(16..19).map(|place| bytes(place, 65_536)).collect();
        for (index, one) in all.iter().enumerate() {
            assert!(one.len() == 65_536 && !all[..index].contains(one));
        }
        assert_eq!(bytes(1, 13), all[1][..13]);
    }
}
