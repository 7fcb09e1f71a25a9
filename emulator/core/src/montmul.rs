//! montmul: one Montgomery multiplication of long numbers in memory.

use crate::machine::{Machine, Space};
use crate::{Flaw, Outcome};

/// Where RSI points: five pointers and the factor, all of 32 bits (OpenSSL's via-mont.pl). What follows,
/// a pointer to 32 bytes of scratch memory, is not needed here.
struct Operands {
    /// -M^-1 modulo 2^32.
    factor: u32,
    a: u64,
    b: u64,
    t: u64,
    m: u64,
}

/// Bits that an operand can have: a multiple of the first number, from the second up to the third.
const GRANULE: u64 = 128;
const FEWEST: u64 = 256;
const MOST: u64 = 32768;

/// Words that are moved together. Numbers stay in the program's memory: they are longer than our stack.
const AT_ONCE: usize = 32;
type Words = [u32; AT_ONCE];

/// T += A * B * 2^-ECX modulo M, not fully reduced: one word more than the others says whether M must be
/// subtracted.
///
/// T is zero when the client begins, and so is EAX, which counts the words of B that are done (U12).
#[inline(never)]
pub(crate) fn run(machine: &mut Machine<'_>) -> Result<(), Outcome> {
    let bits = machine.registers.rcx;
    if bits == 0 {
        return Ok(());
    }
    if !bits.is_multiple_of(GRANULE) || !(FEWEST..=MOST).contains(&bits) {
        return Err(Outcome::GeneralProtection);
    }
    let length = (bits / 32) as usize;
    let at = machine.registers.rsi;
    let memory = &mut machine.memory;
    let structure = memory.bytes::<20>(at)?;
    let (words, _) = structure.as_chunks();
    let [factor, a, b, t, m] = core::array::from_fn(|at| u32::from_le_bytes(words[at]));
    let [a, b, t, m] = [a, b, t, m].map(u64::from);
    let operands = Operands { factor, a, b, t, m };
    // A row that faulted half-way could not be taken up again. So all memory is touched before.
    for number in [operands.a, operands.b, operands.m] {
        for_each_run(length, |offset, words| read(memory, number, offset, words))?;
    }
    for_each_run(length + 1, |offset, words| {
        read(memory, operands.t, offset, words)?;
        write(memory, operands.t, offset, words)
    })?;
    let first = machine.registers.rax;
    let left = (length as u64).saturating_sub(first);
    let progress =
        machine.advance(left, 1, |memory, done, _| row(memory, &operands, length, first + done));
    machine.registers.rax = first + progress.done;
    if progress.done > 0 {
        let flaw = Flaw::Montmul.mask(machine.options.wrong);
        let word = machine.memory.word(operands.t)? ^ u32::from(flaw);
        machine.memory.write(operands.t, &word.to_le_bytes())?;
    }
    progress.ended
}

/// T = (T + A * b + M * q) / 2^32, where b is one word of B and q makes the division exact (Montgomery,
/// 1985).
fn row(
    memory: &mut Space<'_>,
    operands: &Operands,
    length: usize,
    position: u64,
) -> Result<(), Outcome> {
    let Operands { factor, a, b, t, m } = *operands;
    let digit = memory.word(b.wrapping_add(4 * position))?;
    let lowest = memory.word(a)?.wrapping_mul(digit).wrapping_add(memory.word(t)?);
    let quotient = lowest.wrapping_mul(factor);
    let (mut of_a, mut of_m) = (0, 0);
    for_each_run(length, |offset, t_words| {
        let (mut a_words, mut m_words) = (Words::default(), Words::default());
        let (a_words, m_words) = (&mut a_words[..t_words.len()], &mut m_words[..t_words.len()]);
        read(memory, a, offset, a_words)?;
        read(memory, m, offset, m_words)?;
        read(memory, t, offset, t_words)?;
        for ((t_word, a_word), m_word) in t_words.iter_mut().zip(a_words).zip(m_words) {
            let sum = multiply_add(*a_word, digit, *t_word, &mut of_a);
            *t_word = multiply_add(*m_word, quotient, sum, &mut of_m);
        }
        // Division by 2^32: every word goes one down, and the lowest, which is zero, away.
        match offset.checked_sub(1) {
            Some(below) => write(memory, t, below, t_words),
            None => write(memory, t, 0, &t_words[1..]),
        }
    })?;
    let mut top = [0];
    read(memory, t, length, &mut top)?;
    let sum = u64::from(top[0]) + u64::from(of_a) + u64::from(of_m);
    write(memory, t, length - 1, &[sum as u32, (sum >> 32) as u32])
}

/// `left * right + addend + carry`, whose upper word is the next carry.
fn multiply_add(left: u32, right: u32, addend: u32, carry: &mut u32) -> u32 {
    let sum = u64::from(left) * u64::from(right) + u64::from(addend) + u64::from(*carry);
    *carry = (sum >> 32) as u32;
    sum as u32
}

/// Cuts `length` words into runs; `work` gets where one begins, and room for it.
fn for_each_run(
    length: usize,
    mut work: impl FnMut(usize, &mut [u32]) -> Result<(), Outcome>,
) -> Result<(), Outcome> {
    for offset in (0..length).step_by(AT_ONCE) {
        let mut words = Words::default();
        work(offset, &mut words[..AT_ONCE.min(length - offset)])?;
    }
    Ok(())
}

/// Reads words of a number.
fn read(
    memory: &mut Space<'_>,
    number: u64,
    offset: usize,
    words: &mut [u32],
) -> Result<(), Outcome> {
    let mut bytes = [[0; 4]; AT_ONCE];
    let bytes = &mut bytes[..words.len()];
    memory.read(number.wrapping_add(4 * offset as u64), bytes.as_flattened_mut())?;
    for (word, bytes) in words.iter_mut().zip(bytes) {
        *word = u32::from_le_bytes(*bytes);
    }
    Ok(())
}

/// Writes words of a number.
fn write(memory: &mut Space<'_>, number: u64, offset: usize, words: &[u32]) -> Result<(), Outcome> {
    let mut bytes = [[0; 4]; AT_ONCE];
    let bytes = &mut bytes[..words.len()];
    for (bytes, word) in bytes.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    memory.write(number.wrapping_add(4 * offset as u64), bytes.as_flattened())
}
