//! A call of xcrypt or SM4, as programs make it.

use padlock_emulator::{Memory, Model, Operation, Outcome};

use crate::bench::{Program, pattern, reduced};
use crate::reference;

/// The modes, named by their AES instructions.
pub(crate) const MODES: [Operation; 5] = [
    Operation::XcryptEcb,
    Operation::XcryptCbc,
    Operation::XcryptCtr,
    Operation::XcryptCfb,
    Operation::XcryptOfb,
];

/// Which cipher, and for AES who expands the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cipher {
    Hardware,
    Software,
    Sm4,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) cipher: Cipher,
    pub(crate) mode: Operation,
    pub(crate) decrypt: bool,
    pub(crate) key: Vec<u8>,
    pub(crate) vector: [u8; 16],
    pub(crate) data: Vec<u8>,
    /// Addresses modulo 64 of source and destination; without one, the destination is the source.
    pub(crate) source: u64,
    pub(crate) destination: Option<u64>,
    /// More bits of the control word.
    pub(crate) control: u32,
}

/// A program that is about to make its call.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) program: Program,
    pub(crate) call: Call,
    pub(crate) source: u64,
    pub(crate) destination: u64,
    pub(crate) vector: u64,
    pub(crate) control: u64,
}

impl Call {
    pub(crate) fn new(cipher: Cipher, mode: Operation, decrypt: bool, blocks: usize) -> Self {
        Self {
            cipher,
            mode,
            decrypt,
            key: pattern(16),
            vector: core::array::from_fn(|at| 0xa0 ^ at as u8),
            data: pattern(16 * blocks),
            source: 0,
            destination: Some(0),
            control: 0,
        }
    }

    /// Every cipher, mode, direction and size of key; for Miri, one of each cipher.
    pub(crate) fn every(blocks: usize) -> Vec<Self> {
        let mut calls = Vec::new();
        for mode in MODES {
            for decrypt in [false, true] {
                for (cipher, key) in [
                    (Cipher::Hardware, 16),
                    (Cipher::Hardware, 24),
                    (Cipher::Hardware, 32),
                    (Cipher::Software, 16),
                    (Cipher::Software, 24),
                    (Cipher::Software, 32),
                    (Cipher::Sm4, 16),
                ] {
                    let call = Self::new(cipher, mode, decrypt, blocks);
                    calls.push(Self { key: pattern(key), ..call });
                }
            }
        }
        reduced(calls, |call| match (call.mode, call.cipher) {
            (Operation::XcryptCbc, Cipher::Hardware) => !call.decrypt && call.key.len() == 24,
            (Operation::XcryptCfb, Cipher::Sm4) => call.decrypt,
            _ => false,
        })
    }

    pub(crate) fn operation(&self) -> Operation {
        if self.cipher == Cipher::Sm4 { Operation::Sm4 } else { self.mode }
    }

    pub(crate) fn is_chained(&self) -> bool {
        self.mode != Operation::XcryptEcb
    }

    /// Whether RAX ends at the last block of output, instead of the chaining value in memory.
    pub(crate) fn chain_is_output(&self) -> bool {
        let encrypts = matches!(self.mode, Operation::XcryptCbc | Operation::XcryptCfb);
        self.cipher != Cipher::Sm4 && encrypts && !self.decrypt
    }

    /// What the output must be.
    pub(crate) fn expected(&self) -> Vec<u8> {
        let is_sm4 = self.cipher == Cipher::Sm4;
        reference::cipher(self.mode, is_sm4, self.decrypt, &self.key, &self.vector, &self.data)
    }

    /// What the chaining value must be behind this output, which may be a part of all.
    pub(crate) fn chain_behind(&self, output: &[u8]) -> [u8; 16] {
        let input = &self.data[..output.len()];
        reference::chain(self.mode, self.decrypt, &self.vector, input, output)
    }

    /// The control word: KSIZE and ROUND, CRYPT, KEYGN, and what else was asked for.
    fn control_word(&self) -> u32 {
        let longer = (self.key.len() as u32 - 16) / 8;
        let keygen = u32::from(self.cipher == Cipher::Software);
        longer << 10 | u32::from(self.decrypt) << 9 | keygen << 7 | (10 + 2 * longer) | self.control
    }

    /// SM4's, which goes into EAX (zhaoxin-gmi-sm4.c).
    fn sm4_word(&self) -> u32 {
        let mode = match self.mode {
            Operation::XcryptEcb => 1 << 6,
            Operation::XcryptCbc => 1 << 7,
            Operation::XcryptCfb => 1 << 8,
            Operation::XcryptOfb => 1 << 9,
            _ => 1 << 10,
        };
        mode | 0x20 | u32::from(self.decrypt) | self.control
    }

    /// Puts everything into a program's memory and registers.
    pub(crate) fn prepare(&self, model: Model) -> Prepared {
        let mut program = Program::new(model);
        let inverts =
            self.decrypt && matches!(self.mode, Operation::XcryptEcb | Operation::XcryptCbc);
        let key = match self.cipher {
            Cipher::Software => reference::schedule(&self.key, inverts),
            _ => self.key.clone(),
        };
        let memory = &mut program.memory;
        let key = memory.place(&key);
        let control = memory.place(&u128::from(self.control_word()).to_le_bytes());
        let vector = memory.place(&self.vector);
        let source = memory.place_at_offset(&self.data, self.source);
        let room = vec![0xcc; self.data.len()];
        let destination = match self.destination {
            Some(offset) => memory.place_at_offset(&room, offset),
            None => source,
        };
        let registers = &mut program.registers;
        registers.rsi = source;
        registers.rdi = destination;
        registers.rcx = self.data.len() as u64 / 16;
        registers.rbx = key;
        (registers.rax, registers.rdx) = match self.cipher {
            Cipher::Sm4 => (self.sm4_word().into(), vector),
            _ => (vector, control),
        };
        Prepared { program, call: self.clone(), source, destination, vector, control }
    }
}

impl Prepared {
    /// What is at the destination.
    pub(crate) fn output(&mut self) -> Vec<u8> {
        self.program.memory.bytes(self.destination, self.call.data.len())
    }

    /// Checks everything that a call that came to its end leaves behind.
    pub(crate) fn assert_finished(&mut self) {
        let call = self.call.clone();
        let length = call.data.len() as u64;
        let output = call.expected();
        assert_eq!(self.output(), output, "{call:?}");
        let registers = self.program.registers;
        assert_eq!(registers.rcx, 0, "{call:?}");
        assert_eq!(registers.rsi, self.source + length, "{call:?}");
        assert_eq!(registers.rdi, self.destination + length, "{call:?}");
        let in_memory: [u8; 16] = self.program.memory.bytes(self.vector, 16).try_into().unwrap();
        if call.cipher == Cipher::Sm4 {
            assert_eq!(registers.rax, call.sm4_word().into(), "{call:?}");
            assert_eq!(registers.rdx, self.vector, "{call:?}");
            assert_eq!(in_memory, call.chain_behind(&output), "{call:?}");
        } else if call.chain_is_output() {
            assert_eq!(registers.rax, self.destination + length - 16, "{call:?}");
            assert_eq!(in_memory, call.vector, "{call:?}");
        } else {
            assert_eq!(registers.rax, self.vector, "{call:?}");
            assert_eq!(in_memory, call.chain_behind(&output), "{call:?}");
        }
    }

    pub(crate) fn step(&mut self) -> Outcome {
        self.program.step(self.call.operation())
    }

    /// Changes a byte of the control word.
    pub(crate) fn poke_control(&mut self, at: u64, byte: u8) {
        self.program.memory.write(self.control + at, &[byte]).expect("a control word");
    }
}
