//! Which bytes are which instruction.

use padlock_emulator::{Instruction, Operation, Width, decode};

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
    let step = if cfg!(miri) { 8 } else { 1 };
    for width in WIDTHS {
        for second in if cfg!(miri) { 0xa5..=0xa8 } else { 0..=255 } {
            for third in (0..=255).step_by(step) {
                let known = OPCODES.iter().find(|row| (row.0, row.1) == (second, third));
                // With 67h, which montmul needs in 64-bit code and all others may have.
                let decoded = decode(&[0x67, 0xf3, 0x0f, second, third], width);
                let expected = known.map(|&(.., operation)| Instruction {
                    operation,
                    repeated: true,
                    address_size: true,
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
fn montmul_needs_the_address_size_prefix_in_64_bit_code() {
    let montmul = [0xf3, 0x0f, 0xa6, 0xc0];
    assert_eq!(decode(&montmul, Width::Bits64), None);
    assert!(decode(&montmul, Width::Bits32).is_some());
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
