//! From the length of a call to its place in a row: one place for each doubling.

use wirespeed_cipher::SIZE_CLASSES;

/// Places in a row: `16..32` bytes, `32..64`, and so on; the first takes all that is shorter too, the
/// last all that is longer.
pub const SIZE_BUCKETS: usize = size_bucket(usize::MAX) + 1;

/// The place of a call of so many bytes.
#[inline(always)]
pub const fn size_bucket(bytes: usize) -> usize {
    let bytes = if bytes < 65536 { bytes } else { 65536 };
    // Setting this bit changes no logarithm from 16 on, and makes all that is shorter 16.
    ((bytes | 16).ilog2() - 4) as usize
}

/// The place of a size class in [`SIZE_CLASSES`].
pub(crate) fn class_index(bytes: usize) -> Option<usize> {
    SIZE_CLASSES.iter().position(|class| *class == bytes)
}

/// For each size bucket the size class that speaks for it: its own, or where it has none that below. (Two
/// classes share the size bucket of 1024; a plan gives both one route.)
pub(crate) fn speaking_classes() -> [usize; SIZE_BUCKETS] {
    std::array::from_fn(|place| {
        let speaks = |class: &usize| size_bucket(SIZE_CLASSES[*class]) <= place;
        (0..SIZE_CLASSES.len()).rev().find(speaks).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_by_hand() {
        for (bytes, place) in [
            (0, 0),
            (1, 0),
            (15, 0),
            (16, 0),
            (31, 0),
            (32, 1),
            (1023, 5),
            (1024, 6),
            (1420, 6),
            (2047, 6),
            (2048, 7),
            (65535, 11),
            (65536, 12),
            (usize::MAX, 12),
        ] {
            assert_eq!(size_bucket(bytes), place, "{bytes}");
        }
        assert_eq!(SIZE_BUCKETS, 13);
    }

    #[test]
    fn gaps_follow_the_class_below() {
        let sizes = speaking_classes().map(|class| SIZE_CLASSES[class]);
        assert_eq!(sizes, [16, 16, 64, 64, 256, 512, 1420, 1420, 4096, 8192, 16384, 16384, 65536]);
    }
}
