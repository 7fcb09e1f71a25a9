//! xcrypt and SM4 against other people's implementations.

use cipher::generic_array::GenericArray;
use cipher::{
    BlockDecrypt, BlockDecryptMut, BlockEncrypt, BlockEncryptMut, KeyInit, KeyIvInit, StreamCipher,
};
use padlock_emulator::{Model, Operation, Outcome};

use crate::bench::{Program, pattern};

const KEY: [u8; 32] = [
    0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0, 0x85, 0x7d, 0x77, 0x81,
    0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4,
];

#[test]
fn smoke() {
    let mut program = Program::new(Model::Nano);
    let key = program.memory.place(&KEY[..16]);
    let control = program.memory.place(&0xa_u32.to_le_bytes());
    let mut data = vec![0; 16];
    let at = program.memory.place(&data);
    program.registers.rax = 0;
    program.registers.rbx = key;
    program.registers.rcx = 1;
    program.registers.rdx = control;
    program.registers.rsi = at;
    program.registers.rdi = at;
    assert_eq!(program.step(Operation::XcryptEcb), Outcome::Done);
    let aes = aes::Aes128::new_from_slice(&KEY[..16]).unwrap();
    aes.encrypt_block(GenericArray::from_mut_slice(&mut data));
    assert_eq!(program.memory.bytes(at, 16), data);
    let _ = pattern(3);
}
