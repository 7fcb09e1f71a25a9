//! NH, Adiantum's hash of parts of a message: sums of products of words, for a polynomial to go on with.
//!
//! J. Black, S. Halevi, H. Krawczyk, T. Krovetz, P. Rogaway, "UMAC: Fast and Secure Message Authentication", 1999;
//! with the strides and the four passes of Adiantum's §2.

/// Words of 32 bits in what is hashed at a time: a unit.
const UNIT: usize = 4;
const PASSES: usize = 4;
/// Bytes of message for one hash.
const PART_BYTES: usize = 1024;
const WORDS: usize = PART_BYTES / 4 + UNIT * (PASSES - 1);

/// A key.
pub(super) struct Nh([u32; WORDS]);

impl Nh {
    pub(super) const KEY_BYTES: usize = 4 * WORDS;

    /// # Panics
    /// If the key has another length.
    pub(super) fn new(key: &[u8]) -> Self {
        assert_eq!(key.len(), Self::KEY_BYTES);
        let words = key.as_chunks().0;
        Self(std::array::from_fn(|place| u32::from_le_bytes(words[place])))
    }

    /// Gives the hash of each part of a message; zeros fill its last unit.
    #[inline]
    pub(super) fn hash(&self, message: &[u8], mut take: impl FnMut([u8; 8 * PASSES])) {
        for part in message.chunks(PART_BYTES) {
            let mut sums = [0; PASSES];
            let (units, rest) = part.as_chunks::<{ 4 * UNIT }>();
            for (place, unit) in units.iter().enumerate() {
                self.add(&mut sums, place, unit);
            }
            if !rest.is_empty() {
                let mut unit = [0; 4 * UNIT];
                unit[..rest.len()].copy_from_slice(rest);
                self.add(&mut sums, units.len(), &unit);
            }
            let mut bytes = [0; 8 * PASSES];
            bytes.copy_from_slice(sums.map(u64::to_le_bytes).as_flattened());
            take(bytes);
        }
    }

    /// Each pass begins a unit later in the key.
    #[inline(always)]
    fn add(&self, sums: &mut [u64; PASSES], place: usize, unit: &[u8; 4 * UNIT]) {
        let words: [u32; UNIT] =
            std::array::from_fn(|word| u32::from_le_bytes(unit.as_chunks().0[word]));
        let keys = &self.0[UNIT * place..][..UNIT * PASSES];
        for (sum, key) in sums.iter_mut().zip(keys.as_chunks::<UNIT>().0) {
            let keyed = |word: usize| u64::from(words[word].wrapping_add(key[word]));
            let products = [keyed(0) * keyed(2), keyed(1) * keyed(3)];
            *sum = sum.wrapping_add(products[0]).wrapping_add(products[1]);
        }
    }
}
