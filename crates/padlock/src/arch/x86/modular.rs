//! Montgomery products and modular powers on PMM, for moduli of up to 32768 bits.
//!
//! Numbers are little-endian words inside and big-endian bytes outside, as in RSA. Nothing depends on
//! their values but on their lengths, apart from the modulus' length in bits: the exponent is walked in
//! windows of four bits, and every entry of the table is read for each.

mod arithmetic;
mod memory;

use std::fmt;
use std::io;

use wirespeed_cpu::Pmm;

use crate::arch::x86::instruction;
use arithmetic::{bit_length, double, minus_inverse, reduce_once, take};
use memory::LowMemory;

/// Bits that the unit multiplies: a multiple of this,
const STEP: usize = 128;
/// not less than this
const LEAST: usize = 256;
/// and not more (OpenSSL `crypto/bn/asm/via-mont.pl`).
const MOST: usize = 32768;

/// Words that the unit may write behind a number (`via-mont.pl`, `$pad`).
const PADDING: usize = 4;

/// The table's windows.
const WINDOW_BITS: usize = 4;
const TABLE: usize = 1 << WINDOW_BITS;

/// Why there is no result.
#[derive(Debug)]
pub enum Error {
    /// Montgomery's method needs an odd modulus above 1.
    EvenModulus,
    /// The unit's numbers have 32768 bits at most.
    TooLong {
        /// The modulus' length.
        bits: usize,
    },
    /// A factor or base that is not below the modulus.
    NotReduced,
    /// The result has as many bytes as the modulus.
    WrongLength {
        /// As many.
        expected: usize,
    },
    /// No memory with a 32-bit address, which is where the unit's numbers have to be.
    NoLowMemory(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EvenModulus => f.write_str("the modulus must be odd and greater than 1"),
            Self::TooLong { bits } => {
                write!(f, "the modulus has {bits} bits; PadLock multiplies up to {MOST}")
            }
            Self::NotReduced => f.write_str("a number is not below the modulus"),
            Self::WrongLength { expected } => {
                write!(f, "the result has {expected} bytes, as the modulus has")
            }
            Self::NoLowMemory(error) => {
                write!(f, "no memory below 2 GiB, where PadLock's numbers have to be: {error}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoLowMemory(error) => Some(error),
            _ => None,
        }
    }
}

/// A modulus, with the memory that the unit works in. Wiped when dropped.
pub struct Modulus {
    memory: LowMemory,
    /// Words of a number.
    words: usize,
    /// Bytes of the modulus as it was given.
    bytes: usize,
}

/// The numbers in the unit's memory, each with its padding.
#[derive(Clone, Copy)]
enum Number {
    A,
    B,
    T,
    M,
    /// 2^bits modulo M, which is 1 in Montgomery's form.
    One,
    /// The square of that, which brings a number into the form.
    Square,
    /// The base's powers 0 to 15.
    Table,
}

/// Numbers that there is room for.
const NUMBERS: usize = Number::Table as usize + TABLE;

/// Words in front of the numbers: the operands' addresses, and 32 bytes of scratch.
const HEAD: usize = 16;
const SCRATCH: usize = 8;

impl Modulus {
    /// A modulus of any odd length, big-endian.
    pub fn new(_: Pmm, modulus: &[u8]) -> Result<Self, Error> {
        let bits = bit_length(modulus);
        if bits > MOST {
            return Err(Error::TooLong { bits });
        }
        if bits < 2 || modulus.last().is_none_or(|byte| byte % 2 == 0) {
            return Err(Error::EvenModulus);
        }
        let words = bits.next_multiple_of(STEP).max(LEAST) / 32;
        let room = HEAD + NUMBERS * (words + PADDING);
        let memory = LowMemory::new(room).map_err(Error::NoLowMemory)?;
        let mut new = Self { memory, words, bytes: modulus.len() };
        take(modulus, new.number_mut(Number::M));
        new.point();
        new.prepare(bits);
        Ok(new)
    }

    /// Bytes of the modulus, and of every result.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// `a` times `b`, modulo the modulus.
    pub fn multiply(&mut self, a: &[u8], b: &[u8], result: &mut [u8]) -> Result<(), Error> {
        self.check(&[a, b], result)?;
        self.take(Number::A, a);
        self.copy(Number::Square, 0, Number::B);
        self.product(Number::A);
        self.take(Number::B, b);
        self.product(Number::A);
        self.give(result);
        Ok(())
    }

    /// `base` to the `exponent`, modulo the modulus. The time depends on the exponent's length alone.
    pub fn power(&mut self, base: &[u8], exponent: &[u8], result: &mut [u8]) -> Result<(), Error> {
        self.check(&[base], result)?;
        self.take(Number::A, base);
        self.fill_table();
        self.copy(Number::One, 0, Number::A);
        for window in exponent.iter().flat_map(|byte| [byte >> WINDOW_BITS, byte & 0xf]) {
            for _ in 0..WINDOW_BITS {
                self.copy(Number::A, 0, Number::B);
                self.product(Number::A);
            }
            self.select(window.into());
            self.product(Number::A);
        }
        // Out of Montgomery's form.
        let b = self.number_mut(Number::B);
        b.fill(0);
        b[0] = 1;
        self.product(Number::A);
        self.give(result);
        Ok(())
    }

    fn check(&self, numbers: &[&[u8]], result: &[u8]) -> Result<(), Error> {
        if result.len() != self.bytes {
            return Err(Error::WrongLength { expected: self.bytes });
        }
        let modulus = self.number(Number::M);
        if numbers.iter().all(|number| arithmetic::is_below(number, modulus)) {
            Ok(())
        } else {
            Err(Error::NotReduced)
        }
    }

    /// Tells the unit where its operands are.
    fn point(&mut self) {
        let inverse = minus_inverse(self.number(Number::M)[0]);
        let address = |number: Number| self.memory.address(self.place(number, 0));
        let [a, b, t, m] = [Number::A, Number::B, Number::T, Number::M].map(address);
        let scratch = self.memory.address(SCRATCH);
        self.memory.words_mut()[..6].copy_from_slice(&[inverse, a, b, t, m, scratch]);
    }

    /// 2^bits modulo M, by doubling a power of two that is just below it, and its square, by the unit.
    fn prepare(&mut self, modulus_bits: usize) {
        let bits = 32 * self.words;
        let top = modulus_bits - 1;
        self.number_mut(Number::A)[top / 32] = 1 << (top % 32);
        (top..bits).for_each(|_| self.double());
        self.copy(Number::A, 0, Number::One);
        // From the form of 1 to that of 2^bits, by the bits of `bits`.
        for bit in (0..=bits.ilog2()).rev() {
            self.copy(Number::A, 0, Number::B);
            self.product(Number::A);
            if bits >> bit & 1 == 1 {
                self.double();
            }
        }
        self.copy(Number::A, 0, Number::Square);
    }

    /// Doubles A modulo M.
    fn double(&mut self) {
        let [a, m] = [Number::A, Number::M].map(|number| self.place(number, 0));
        let words = self.words;
        let numbers = self.memory.words_mut().get_disjoint_mut([a..a + words, m..m + words]);
        let [a, modulus] = numbers.expect("numbers are apart");
        double(a, modulus);
    }

    /// The powers of the base in A, in Montgomery's form.
    fn fill_table(&mut self) {
        self.copy(Number::Square, 0, Number::B);
        self.product(Number::A);
        self.copy(Number::A, 0, Number::B);
        let (words, one) = (self.words, self.place(Number::One, 0));
        let table = self.place(Number::Table, 0);
        self.memory.words_mut().copy_within(one..one + words, table);
        for power in 1..TABLE {
            let (a, to) = (self.place(Number::A, 0), self.place(Number::Table, power));
            self.memory.words_mut().copy_within(a..a + words, to);
            if power + 1 < TABLE {
                self.product(Number::A);
            }
        }
    }

    /// Puts one power of the table in B; all are read.
    fn select(&mut self, wanted: u32) {
        self.number_mut(Number::B).fill(0);
        for power in 0..TABLE {
            let mask = arithmetic::mask_if_equal(power as u32, wanted);
            let (from, to) = (self.place(Number::Table, power), self.place(Number::B, 0));
            let words = self.memory.words_mut();
            for i in 0..self.words {
                words[to + i] |= words[from + i] & mask;
            }
        }
    }

    /// A * B / 2^bits modulo M, to `to`.
    fn product(&mut self, to: Number) {
        let (t, m) = (self.place(Number::T, 0), self.place(Number::M, 0));
        self.memory.words_mut()[t..t + self.words + PADDING].fill(0);
        let bits = 32 * self.words as u32;
        // SAFETY: a modulus is only made with PMM's token; its operands are where `point` says, with their
        // padding, and T is zero.
        unsafe { instruction::montmul(self.memory.address(0), bits) };
        let words = self.words;
        let [t, modulus] = self
            .memory
            .words_mut()
            .get_disjoint_mut([t..t + words + 1, m..m + words])
            .expect("numbers are apart");
        let (overflow, t) = t.split_last_mut().expect("a word more");
        reduce_once(t, *overflow, modulus);
        self.copy(Number::T, 0, to);
    }

    fn place(&self, number: Number, index: usize) -> usize {
        HEAD + (number as usize + index) * (self.words + PADDING)
    }

    fn number(&self, number: Number) -> &[u32] {
        let place = self.place(number, 0);
        &self.memory.words()[place..place + self.words]
    }

    fn number_mut(&mut self, number: Number) -> &mut [u32] {
        let (place, words) = (self.place(number, 0), self.words);
        &mut self.memory.words_mut()[place..place + words]
    }

    fn copy(&mut self, from: Number, index: usize, to: Number) {
        let (from, to, words) = (self.place(from, index), self.place(to, 0), self.words);
        self.memory.words_mut().copy_within(from..from + words, to);
    }

    fn take(&mut self, number: Number, bytes: &[u8]) {
        take(bytes, self.number_mut(number));
    }

    /// A, as bytes.
    fn give(&self, result: &mut [u8]) {
        arithmetic::give(self.number(Number::A), result);
    }
}
