//! PKCS #7 padding of the last block (RFC 5652 §6.3).

use crate::error::CallError;

/// Fills `block` from `used` on.
pub(super) fn add<const BLOCK: usize>(block: &mut [u8; BLOCK], used: usize) {
    let count = (BLOCK - used) as u8;
    block[used..].fill(count);
}

/// The bytes before the padding.
///
/// Like the default provider this takes time that depends on the padding: whoever decrypts CBC
/// without authenticating it first has a padding oracle with every library.
pub(super) fn remove<const BLOCK: usize>(block: &[u8; BLOCK]) -> Result<&[u8], CallError> {
    let count = usize::from(block[BLOCK - 1]);
    if count == 0 || count > BLOCK {
        return Err(CallError::BAD_DECRYPT);
    }
    let (data, padding) = block.split_at(BLOCK - count);
    if padding.iter().any(|byte| usize::from(*byte) != count) {
        return Err(CallError::BAD_DECRYPT);
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Block;

    use super::*;

    #[test]
    fn what_is_added_is_removed() {
        for used in 0..16 {
            let mut block: Block = std::array::from_fn(|i| 0x80 + i as u8);
            add(&mut block, used);
            assert_eq!(block[15], 16 - used as u8);
            let data: Vec<u8> = (0..used).map(|i| 0x80 + i as u8).collect();
            assert_eq!(remove(&block), Ok(&data[..]));
        }
    }

    #[test]
    fn every_wrong_padding_is_refused() {
        assert_eq!(remove(&[0; 16]), Err(CallError::BAD_DECRYPT));
        assert_eq!(remove(&[17; 16]), Err(CallError::BAD_DECRYPT));
        for used in 0..15 {
            for wrong in used..15 {
                let mut block = [0; 16];
                add(&mut block, used);
                block[wrong] ^= 1;
                assert_eq!(remove(&block), Err(CallError::BAD_DECRYPT), "{used} {wrong}");
            }
        }
    }
}
