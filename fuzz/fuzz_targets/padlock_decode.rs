//! Any bytes are decoded without a panic, and an instruction depends on its own bytes only.

#![no_main]

use libfuzzer_sys::fuzz_target;
use padlock_emulator::{Operation, Width, decode};

fuzz_target!(|data: &[u8]| {
    for width in [Width::Bits32, Width::Bits64] {
        let Some(instruction) = decode(data, width) else { continue };
        let length = instruction.length;
        assert!((3..=15).contains(&length) && length <= data.len());
        assert_eq!(decode(&data[..length], width), Some(instruction));
        assert_eq!(decode(&data[..length - 1], width), None);
        let prefixes = &data[..length - 3];
        assert_eq!(data[length - 3], 0x0f);
        assert_eq!(instruction.repeated, prefixes.contains(&0xf3));
        assert_eq!(instruction.address_size, prefixes.contains(&0x67));
        assert!(instruction.repeated || instruction.operation == Operation::Xstore);
    }
});
