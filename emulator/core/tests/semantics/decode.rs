//! Which bytes are which instruction.

use iced_x86::{Decoder, DecoderOptions, Mnemonic};
use padlock_emulator::{Instruction, Operation, Width, decode};

use crate::bench::reduced;

const OPCODES: [(u8, u8, Operation); 13] = [
    (0xa7, 0xc0, Operation::Xstore),
    (0xa7, 0xc8, Operation::XcryptEcb),
    (0xa7, 0xd0, Operation::XcryptCbc),
    (0xa7, 0xd8, Operation::XcryptCtr),
    (0xa7, 0xe0, Operation::XcryptCfb),
    (0xa7, 0xe8, Operation::XcryptOfb),
    (0xa7, 0xf0, Operation::Sm4),
    (0xa6, 0xc0, Operation::Montmul),
    (0xa6, 0xc8, Operation::Xsha1),
    (0xa6, 0xd0, Operation::Xsha256),
    (0xa6, 0xd8, Operation::Xsha384),
    (0xa6, 0xe0, Operation::Xsha512),
    (0xa6, 0xe8, Operation::Sm3),
];

const WIDTHS: [Width; 2] = [Width::Bits32, Width::Bits64];

#[test]
fn all_opcodes_and_no_others_are_known() {
    for width in WIDTHS {
        for second in reduced(0..=255, |second| (0xa5..=0xa8).contains(second)) {
            for third in reduced(0..=255, |third| third % 8 == 0) {
                let known = OPCODES.iter().find(|row| (row.0, row.1) == (second, third));
                // Montmul needs 67h in 64-bit code and does not bear it elsewhere.
                let address_size = width == Width::Bits64;
                let first = if address_size { 0x67 } else { 0x2e };
                let decoded = decode(&[first, 0xf3, 0x0f, second, third], width);
                let expected = known.map(|&(.., operation)| Instruction {
                    operation,
                    repeated: true,
                    address_size,
                    length: 5,
                });
                assert_eq!(decoded, expected, "{second:02x} {third:02x}");
            }
        }
    }
}

#[test]
fn only_xstore_does_without_rep() {
    for width in WIDTHS {
        for (second, third, operation) in OPCODES {
            let bare = decode(&[0x67, 0x0f, second, third], width);
            assert_eq!(bare.is_some(), operation == Operation::Xstore);
            assert!(bare.is_none_or(|instruction| !instruction.repeated));
        }
    }
}

#[test]
fn montmul_needs_addresses_of_32_bits() {
    let plain = [0xf3, 0x0f, 0xa6, 0xc0];
    let prefixed = [0x67, 0xf3, 0x0f, 0xa6, 0xc0];
    for (width, needs_prefix) in [(Width::Bits32, false), (Width::Bits64, true)] {
        assert_eq!(decode(&plain, width).is_some(), !needs_prefix);
        assert_eq!(decode(&prefixed, width).is_some(), needs_prefix);
    }
}

#[test]
fn prefixes_come_in_any_order_and_number() {
    for prefixes in [
        &[0xf3, 0x67][..],
        &[0x67, 0xf3],
        &[0x2e, 0xf3, 0x36],
        &[0xf3, 0x3e, 0xf3, 0x26],
        &[0xf3; 12],
    ] {
        for width in WIDTHS {
            let mut bytes = prefixes.to_vec();
            bytes.extend([0x0f, 0xa7, 0xc8, 0x90]);
            let decoded = decode(&bytes, width).expect("xcryptecb");
            assert_eq!(decoded.length, prefixes.len() + 3);
            assert_eq!(decoded.address_size, prefixes.contains(&0x67));
        }
    }
}

#[test]
fn rex_is_a_prefix_in_64_bit_code_only() {
    for rex in 0x40..=0x4f {
        let bytes = [0xf3, rex, 0x0f, 0xa7, 0xd0];
        assert_eq!(decode(&bytes, Width::Bits64).map(|decoded| decoded.length), Some(5));
        assert_eq!(decode(&bytes, Width::Bits32), None);
    }
}

#[test]
fn prefixes_that_are_undefined_are_refused() {
    for prefix in [0xf2, 0x66, 0xf0, 0x64, 0x65] {
        for width in WIDTHS {
            for (second, third, operation) in OPCODES {
                assert_eq!(decode(&[prefix, 0xf3, 0x67, 0x0f, second, third], width), None);
                assert_eq!(decode(&[0xf3, 0x67, prefix, 0x0f, second, third], width), None);
                let bare = decode(&[prefix, 0x0f, second, third], width);
                assert_eq!(bare, None, "{prefix:02x} {operation:?}");
            }
        }
    }
}

#[test]
fn no_instruction_is_longer_than_15_bytes_or_cut() {
    let mut bytes = vec![0xf3; 12];
    bytes.extend([0x0f, 0xa7, 0xc8]);
    assert!(decode(&bytes, Width::Bits64).is_some());
    for length in 0..bytes.len() {
        assert_eq!(decode(&bytes[..length], Width::Bits64), None);
    }
    bytes.insert(0, 0xf3);
    assert_eq!(decode(&bytes, Width::Bits64), None);
}

/// The same instructions as iced-x86 calls them.
fn mnemonic(operation: Operation) -> Mnemonic {
    match operation {
        Operation::Xstore => Mnemonic::Xstore,
        Operation::XcryptEcb => Mnemonic::Xcryptecb,
        Operation::XcryptCbc => Mnemonic::Xcryptcbc,
        Operation::XcryptCtr => Mnemonic::Xcryptctr,
        Operation::XcryptCfb => Mnemonic::Xcryptcfb,
        Operation::XcryptOfb => Mnemonic::Xcryptofb,
        Operation::Montmul => Mnemonic::Montmul,
        Operation::Xsha1 => Mnemonic::Xsha1,
        Operation::Xsha256 => Mnemonic::Xsha256,
        // For it this is another encoding of xsha512.
        Operation::Xsha384 => Mnemonic::Xsha512_alt,
        Operation::Xsha512 => Mnemonic::Xsha512,
        Operation::Sm3 => Mnemonic::Ccs_hash,
        Operation::Sm4 => Mnemonic::Ccs_encrypt,
    }
}

#[test]
#[cfg_attr(miri, ignore = "iced-x86 builds its tables for minutes")]
fn iced_reads_the_same() {
    const PREFIXES: [u8; 13] =
        [0xf3, 0x67, 0x2e, 0x36, 0x3e, 0x26, 0x40, 0x48, 0x4f, 0xf2, 0x66, 0x64, 0xf0];
    let mut state = 1_u32;
    let mut random = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    let mut known = 0;
    for round in 0..40_000 {
        let mut bytes = Vec::new();
        for _ in 0..random(6) {
            // The first ones do no harm; the others, now and then.
            bytes.push(PREFIXES[random(if round % 4 == 0 { PREFIXES.len() } else { 9 })]);
        }
        let opcode = 0xc0 + 8 * random(8) as u8;
        bytes.extend([0xf3, 0x0f, 0xa6 + random(2) as u8, opcode]);
        for (width, bits) in [(Width::Bits32, 32), (Width::Bits64, 64)] {
            let ours = decode(&bytes, width);
            let theirs = Decoder::new(bits, &bytes, DecoderOptions::NONE).decode();
            if let Some(ours) = ours {
                assert_eq!(theirs.mnemonic(), mnemonic(ours.operation), "{bytes:02x?}");
                assert_eq!(theirs.len(), ours.length, "{bytes:02x?}");
                assert_eq!(theirs.has_rep_prefix(), ours.repeated, "{bytes:02x?}");
                known += 1;
                continue;
            }
            // What only they take: prefixes that are documented as undefined, or that we refuse.
            let ours = Operation::ALL.iter().any(|&known| mnemonic(known) == theirs.mnemonic());
            let refused = bytes.iter().any(|byte| [0xf2, 0x66, 0x64, 0xf0].contains(byte));
            assert!(!ours || refused, "{bytes:02x?} is {theirs:?}");
        }
    }
    assert!(known > 100, "the comparison compared");
}
