//! Parts of 16 bytes, without reading or writing a byte beyond them.

/// The first `count` bytes at `from`, 0 to 15, as the low bytes of a number.
///
/// # Safety
/// They are readable.
#[inline(always)]
pub unsafe fn load(from: *const u8, count: usize) -> u128 {
    // Two reads that overlap in the middle cover any count of their class.
    // SAFETY: each read lies within the `count` bytes.
    unsafe {
        if count >= 8 {
            let low = from.cast::<u64>().read_unaligned();
            let end = from.add(count - 8).cast::<u64>().read_unaligned();
            u128::from(low) | (u128::from(end) << (8 * (count - 8)))
        } else if count >= 4 {
            let low = from.cast::<u32>().read_unaligned();
            let end = from.add(count - 4).cast::<u32>().read_unaligned();
            u128::from(u64::from(low) | (u64::from(end) << (8 * (count - 4))))
        } else if count >= 1 {
            let (low, middle) = (from.read(), from.add(count / 2).read());
            let end = from.add(count - 1).read();
            let value = u32::from(low)
                | (u32::from(middle) << (8 * (count / 2)))
                | (u32::from(end) << (8 * (count - 1)));
            u128::from(value)
        } else {
            0
        }
    }
}

/// Fewer than 16 bytes as the low ones of a number.
///
/// # Panics
/// If there are more.
#[inline(always)]
pub fn read(bytes: &[u8]) -> u128 {
    assert!(bytes.len() < 16);
    // SAFETY: they are there.
    unsafe { load(bytes.as_ptr(), bytes.len()) }
}

/// Writes the low `count` bytes, 0 to 15.
///
/// # Safety
/// They are writable.
#[inline(always)]
pub unsafe fn store(to: *mut u8, value: u128, count: usize) {
    // SAFETY: each write lies within the `count` bytes.
    unsafe {
        if count >= 8 {
            to.cast::<u64>().write_unaligned(value as u64);
            let end = (value >> (8 * (count - 8))) as u64;
            to.add(count - 8).cast::<u64>().write_unaligned(end);
        } else if count >= 4 {
            to.cast::<u32>().write_unaligned(value as u32);
            let end = (value as u64 >> (8 * (count - 4))) as u32;
            to.add(count - 4).cast::<u32>().write_unaligned(end);
        } else if count >= 1 {
            let value = value as u32;
            to.write(value as u8);
            to.add(count / 2).write((value >> (8 * (count / 2))) as u8);
            to.add(count - 1).write((value >> (8 * (count - 1))) as u8);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_count_moves_exactly_so_many_bytes() {
        let bytes: [u8; 16] = std::array::from_fn(|i| i as u8 + 1);
        for count in 0..16 {
            // SAFETY: `count` bytes are there.
            let value = unsafe { super::load(bytes.as_ptr(), count) };
            let mut expected = [0; 16];
            expected[..count].copy_from_slice(&bytes[..count]);
            assert_eq!(value.to_le_bytes(), expected, "load {count}");
            let mut written = [0xee; 16];
            // SAFETY: `count` bytes are there.
            unsafe { super::store(written.as_mut_ptr(), u128::from_le_bytes(bytes), count) };
            assert_eq!(written[..count], bytes[..count], "store {count}");
            assert!(written[count..].iter().all(|b| *b == 0xee), "store {count}");
        }
    }
}
