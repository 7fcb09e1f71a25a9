//! How a message is cut into instructions: pure arithmetic over addresses and lengths.
//!
//! One instruction takes any number of whole blocks, if they lie where the unit can read them. What lies
//! elsewhere goes through an aligned area on the stack, [`AREA_BYTES`] at a time, and so does a partial
//! block, padded; when all fits the area, that is one instruction as well.

/// Bytes of a message that go through the aligned area at once.
pub(crate) const AREA_BYTES: usize = 4096;

const PAGE_BYTES: usize = 4096;

/// Whether so many bytes go through the area wherever they lie: a partial block makes that one instruction
/// instead of two.
pub(crate) const fn fits_area(bytes: usize) -> bool {
    !bytes.is_multiple_of(16) && bytes <= AREA_BYTES
}

/// One step through a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// So many bytes, a multiple of 16, where they lie.
    Direct(usize),
    /// So many bytes through the aligned area.
    Copied(usize),
}

impl Step {
    /// Bytes of the message.
    pub(crate) const fn bytes(self) -> usize {
        match self {
            Self::Direct(bytes) | Self::Copied(bytes) => bytes,
        }
    }
}

/// Where a message lies, and what the unit needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message {
    /// The address of its next byte.
    pub(crate) source: usize,
    /// The address where that is to go.
    pub(crate) destination: usize,
    /// Bytes left, more than none.
    pub(crate) bytes: usize,
    /// Whether the unit takes data at any address.
    pub(crate) any_address: bool,
    /// Blocks that the unit fetches at a time: up to so many less one are read beyond the last.
    pub(crate) fetch: usize,
    /// Blocks that one instruction can take.
    pub(crate) most: usize,
}

impl Message {
    /// The next step; following all of them leaves nothing.
    pub(crate) fn step(&self) -> Step {
        let most = self.most.saturating_mul(16);
        let aligned = (self.source | self.destination).is_multiple_of(16);
        let in_place = aligned || self.any_address;
        if !in_place || fits_area(self.bytes) {
            return Step::Copied(self.bytes.min(AREA_BYTES).min(most));
        }
        let whole = (self.bytes & !15).min(most);
        if !self.fetches_beyond(whole) {
            return Step::Direct(whole);
        }
        // The odd blocks first: what is fetched behind them is the message itself. Linux
        // (`padlock_xcrypt_ecb`) does the same.
        let odd = whole % (16 * self.fetch);
        if odd < whole { Step::Direct(odd) } else { Step::Copied(whole) }
    }

    /// Whether an instruction over the next `bytes` bytes would read in a page where the message has
    /// nothing, which may not exist.
    const fn fetches_beyond(&self, bytes: usize) -> bool {
        let unaligned = !self.source.is_multiple_of(16);
        let fetched = bytes.next_multiple_of(16 * self.fetch);
        if fetched == bytes {
            return false;
        }
        let last_fetched = self.source + fetched - 1 + if unaligned { 15 } else { 0 };
        let last_owned = self.source + self.bytes - 1;
        last_fetched / PAGE_BYTES > last_owned / PAGE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALIGNED: Message = Message {
        source: 0x10_0000,
        destination: 0x20_0000,
        bytes: 0,
        any_address: false,
        fetch: 8,
        most: usize::MAX,
    };

    fn steps(mut message: Message) -> Vec<Step> {
        let mut steps = Vec::new();
        while message.bytes > 0 {
            let step = message.step();
            assert!(0 < step.bytes() && step.bytes() <= message.bytes, "{message:?}");
            steps.push(step);
            message.source += step.bytes();
            message.destination += step.bytes();
            message.bytes -= step.bytes();
        }
        steps
    }

    #[test]
    fn aligned_blocks_are_one_instruction() {
        for blocks in [1, 2, 7, 89, 4096] {
            let message = Message { bytes: 16 * blocks, ..ALIGNED };
            // A whole number of pages is a whole number of fetches.
            assert_eq!(steps(message), [Step::Direct(16 * blocks)]);
        }
    }

    #[test]
    fn a_partial_block_goes_along_with_a_short_message_and_alone_after_a_long_one() {
        assert_eq!(steps(Message { bytes: 1, ..ALIGNED }), [Step::Copied(1)]);
        assert_eq!(steps(Message { bytes: 1420, ..ALIGNED }), [Step::Copied(1420)]);
        let long = Message { bytes: 20_001, ..ALIGNED };
        assert_eq!(steps(long), [Step::Direct(20_000), Step::Copied(1)]);
    }

    #[test]
    fn unaligned_data_are_copied_unless_the_unit_takes_them() {
        let unaligned = Message { destination: 0x20_0001, bytes: 10_000, ..ALIGNED };
        assert_eq!(steps(unaligned), [4096, 4096, 1808].map(Step::Copied));
        let taken = Message { any_address: true, ..unaligned };
        assert_eq!(steps(taken), [Step::Direct(10_000)]);
    }

    #[test]
    fn nothing_is_fetched_from_a_page_that_may_not_exist() {
        // Nine blocks that end with the page: eight come last, or all but seven would be fetched beyond.
        let end = Message { source: 0x10_1000 - 144, bytes: 144, ..ALIGNED };
        assert_eq!(steps(end), [Step::Direct(16), Step::Direct(128)]);
        let few = Message { source: 0x10_1000 - 48, bytes: 48, ..ALIGNED };
        assert_eq!(steps(few), [Step::Copied(48)]);
        let none = Message { fetch: 1, ..few };
        assert_eq!(steps(none), [Step::Direct(48)]);
    }

    #[test]
    fn every_place_and_length_is_covered_and_safe() {
        for fetch in [1, 2, 4, 8] {
            for offset in 0..300 {
                for bytes in 1..300 {
                    for any_address in [false, true] {
                        let source = 0x10_1000 - offset;
                        let message = Message { source, bytes, fetch, any_address, ..ALIGNED };
                        let end = source + bytes;
                        let mut at = source;
                        for step in steps(message) {
                            if let Step::Direct(n) = step {
                                assert_eq!(n % 16, 0);
                                let fetched = at + n.next_multiple_of(16 * fetch);
                                assert!((fetched - 1) / 4096 <= (end - 1) / 4096, "{message:?}");
                            }
                            at += step.bytes();
                        }
                        assert_eq!(at, end);
                    }
                }
            }
        }
    }

    #[test]
    fn an_instruction_takes_no_more_than_its_counter_can() {
        let message = Message { bytes: 16 * 70_000, most: 65_536, ..ALIGNED };
        assert_eq!(message.step(), Step::Direct(16 * 65_536));
        let near = Message { source: 1, bytes: 100, most: 2, ..ALIGNED };
        assert_eq!(near.step(), Step::Copied(32));
    }
}
