//! GHASH, SP 800-38D §6.4, on blocks with their bytes reversed.
//!
//! In that order GHASH's reflected polynomials become ordinary carry-less products, provided one
//! factor is multiplied by x beforehand (Gueron and Kounavis, "Intel Carry-Less Multiplication
//! Instruction and its Usage for Computing the GCM Mode", §"Bit-reflection"). The powers of H are
//! stored with that factor. Products are summed unreduced and reduced once.
//!
//! POLYVAL, RFC 8452 §3, is the same without either: its blocks stand in that order, and its product has that factor.

use wirespeed_cipher::{Block, GcmKey, Schedule};

use crate::unit::{Idle, Unit};

/// Blocks in the longest run that is reduced once.
pub(crate) const POWERS: usize = 32;

/// Sums of products, as Karatsuba's three parts.
#[derive(Clone, Copy)]
pub(crate) struct Products<V> {
    low: V,
    high: V,
    middle: V,
}

impl<V: Copy> Products<V> {
    /// The first products. (Adding to zeros would cost registers and instructions.)
    #[inline(always)]
    fn of<U: Unit<V = V>>(u: U, x: V, power: V, sum: V) -> Self {
        Self {
            low: u.multiply::<false, false>(x, power),
            high: u.multiply::<true, true>(x, power),
            middle: u.multiply::<false, false>(u.xor(x, u.swap_halves(x)), sum),
        }
    }

    #[inline(always)]
    fn add<U: Unit<V = V>>(self, u: U, a: Self, b: Self) -> Self {
        Self {
            low: u.xor3(self.low, a.low, b.low),
            high: u.xor3(self.high, a.high, b.high),
            middle: u.xor3(self.middle, a.middle, b.middle),
        }
    }

    #[inline(always)]
    fn add_one<U: Unit<V = V>>(self, u: U, a: Self) -> Self {
        Self {
            low: u.xor(self.low, a.low),
            high: u.xor(self.high, a.high),
            middle: u.xor(self.middle, a.middle),
        }
    }

    #[inline(always)]
    fn pin<U: Unit<V = V>>(self, u: U) -> Self {
        Self { low: u.pin(self.low), high: u.pin(self.high), middle: u.pin(self.middle) }
    }

    /// Reduces every block by itself.
    #[inline(always)]
    fn reduce_each<U: Unit<V = V>>(self, u: U) -> V {
        let middle = u.xor3(self.middle, self.low, self.high);
        reduce_parts(u, self.low, middle, self.high)
    }

    /// Adds up the blocks and reduces.
    #[inline(always)]
    pub(crate) fn reduce<U: Unit<V = V>>(self, u: U) -> <U::Single as Unit>::V {
        let middle = u.sum(u.xor3(self.middle, self.low, self.high));
        let (low, high) = (u.sum(self.low), u.sum(self.high));
        let one = u.single();
        reduce_parts(one, low, middle, high)
    }
}

/// Brings each block of 256-bit products, in three parts, back to 128 bits.
#[inline(always)]
fn reduce_parts<U: Unit>(u: U, low: U::V, middle: U::V, high: U::V) -> U::V {
    let polynomial = u.splat(POLYNOMIAL);
    let low = u.xor(low, u.low_to_high(middle));
    let high = u.xor(high, u.high_to_low(middle));
    let low = u.xor(u.swap_halves(low), u.multiply::<false, false>(low, polynomial));
    u.xor3(high, u.swap_halves(low), u.multiply::<false, false>(low, polynomial))
}

/// x^127 + x^126 + x^121: GHASH's polynomial, reflected, in the low half.
const POLYNOMIAL: Block = [0, 0, 0, 0, 0, 0, 0, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0];

/// A run of up to [`POWERS`] blocks being hashed.
pub(crate) struct Hash<'k, U: Unit> {
    u: U,
    key: &'k GcmKey,
    /// The place of the first block's power.
    place: usize,
    sums: Option<Products<U::V>>,
    /// Products not yet added to the sums: with registers to spare they go two by two.
    odd: Option<Products<U::V>>,
    /// GHASH before the run.
    before: <U::Single as Unit>::V,
}

impl<'k, U: Unit> Hash<'k, U> {
    /// Begins a run of `blocks` blocks after the hash `before`.
    #[inline(always)]
    pub(crate) fn new(
        u: U,
        key: &'k GcmKey,
        blocks: usize,
        before: <U::Single as Unit>::V,
    ) -> Self {
        assert!(blocks <= POWERS);
        Self { u, key, place: POWERS - blocks, sums: None, odd: None, before }
    }

    /// Takes the next vector of the run, its bytes in the message's order.
    #[inline(always)]
    pub(crate) fn absorb(&mut self, v: U::V) {
        self.absorb_reversed(self.u.swap_bytes(v));
    }

    /// Takes the last vector of the run, with what is to be added to it, the bytes of each block reversed.
    #[inline(always)]
    pub(crate) fn absorb_last(&mut self, v: U::V, end: Option<U::V>) {
        let reversed = self.u.swap_bytes(v);
        self.absorb_reversed(match end {
            Some(end) => self.u.xor(reversed, end),
            None => reversed,
        });
    }

    /// Takes the next vector of the run, the bytes of each block reversed.
    #[inline(always)]
    pub(crate) fn absorb_reversed(&mut self, mut x: U::V) {
        let u = self.u;
        if self.sums.is_none() {
            x = u.xor(x, u.widen(self.before));
        }
        let place = self.place.min(POWERS - 1);
        // SAFETY: a vector has at most four blocks, and three blocks follow the last power.
        let (power, sum) = unsafe {
            (
                u.load(self.key.powers.as_ptr().add(place).cast()),
                u.load(self.key.sums.as_ptr().add(place).cast()),
            )
        };
        let products = Products::of(u, x, power, sum);
        match (self.sums, self.odd) {
            (Some(sums), None) if U::REGISTERS < 32 => {
                self.sums = Some(sums.add_one(u, products).pin(u));
            }
            (None, _) => self.sums = Some(products),
            (_, None) => self.odd = Some(products),
            (Some(sums), Some(odd)) => {
                self.sums = Some(sums.add(u, odd, products).pin(u));
                self.odd = None;
            }
        }
        self.place += U::WIDTH;
    }

    /// The hash after the run.
    #[inline(always)]
    pub(crate) fn finish(self) -> <U::Single as Unit>::V {
        match (self.sums, self.odd) {
            (None, _) => self.before,
            (Some(sums), None) => sums.reduce(self.u),
            (Some(sums), Some(odd)) => sums.add_one(self.u, odd).reduce(self.u),
        }
    }
}

/// H = AES(0), times x, as the first power.
#[inline(always)]
pub(crate) fn key<U: Unit, const ROUNDS: usize>(u: U, schedule: &Schedule, key: &mut GcmKey) {
    let one = u.single();
    let [state] = one.rounds::<false, ROUNDS, 1>(schedule, [one.zero()], &mut Idle);
    let h = one.last_round::<false, ROUNDS>(schedule, state, one.zero());
    let mut block = [0; 16];
    // SAFETY: a block fits.
    unsafe { one.store_first(block.as_mut_ptr(), h, 16) };
    set_key::<U, false>(u, block, key);
}

/// The first power of H, from its bytes.
#[inline(always)]
pub(crate) fn set_key<U: Unit, const POLYVAL: bool>(u: U, block: Block, key: &mut GcmKey) {
    let one = u.single();
    let value = if POLYVAL { u128::from_le_bytes(block) } else { times_x(block) };
    set_power::<U::Single>(one, key, 1, {
        // SAFETY: a block is readable.
        unsafe { one.load_first(value.to_le_bytes().as_ptr(), 16) }
    });
    key.ready = 1;
}

/// A block of GHASH in the kernels' order, times x, in constant time.
#[inline(always)]
fn times_x(block: Block) -> u128 {
    let value = u128::from_be_bytes(block);
    let carry = (value as i128 >> 127) as u128;
    (value << 1) ^ (carry & (0xc2 << 120 | 1))
}

/// Stores H^`n` and its sum; a whole vector of powers ends with H^`n`.
#[inline(always)]
fn set_power<U: Unit>(u: U, key: &mut GcmKey, n: usize, power: U::V) {
    assert!(U::WIDTH <= n && n <= POWERS);
    let place = POWERS - n;
    let sum = u.xor(power, u.swap_halves(power));
    // SAFETY: the vector ends inside both tables.
    unsafe {
        u.store(key.powers.as_mut_ptr().add(place).cast(), power);
        u.store(key.sums.as_mut_ptr().add(place).cast(), sum);
    }
}

/// Makes sure that H^1 to H^`blocks` are there: doubling what is there, as far as it is needed.
#[inline(always)]
pub(crate) fn prepare<U: Unit>(u: U, key: &mut GcmKey, blocks: usize) {
    assert!(blocks <= POWERS);
    // Without a key H is 0, and so are its powers.
    key.ready = key.ready.max(1);
    while key.ready < blocks {
        let ready = key.ready;
        if ready < U::WIDTH {
            // Too few for a vector yet: H^(n+1) to H^2n one by one.
            double_powers(u.single(), key, ready);
        } else {
            double_powers(u, key, ready);
        }
    }
}

/// H^(ready+i) = H^i · H^ready, a vector at a time.
#[inline(always)]
fn double_powers<U: Unit>(u: U, key: &mut GcmKey, ready: usize) {
    assert!(ready <= POWERS / 2);
    let base = POWERS - ready;
    let factor = u.splat(key.powers[base]);
    let factor_sum = u.splat(key.sums[base]);
    let mut done = 0;
    while done < ready {
        // SAFETY: `ready` powers end at H^1, and a vector of them starts here.
        let powers = unsafe { u.load(key.powers.as_ptr().add(base + done).cast()) };
        let product = Products::of(u, powers, factor, factor_sum).reduce_each(u);
        set_power(u, key, 2 * ready - done, product);
        done += U::WIDTH;
    }
    key.ready = 2 * ready;
}

/// GHASH or POLYVAL over whole blocks; see [`BlockKernels::ghash`](wirespeed_cipher::BlockKernels).
#[inline(always)]
pub(crate) fn hash<U: Unit, const POLYVAL: bool>(
    u: U,
    key: &mut GcmKey,
    hash: &mut Block,
    data: &[u8],
) {
    let one = u.single();
    // SAFETY: a block is readable.
    let mut state = unsafe { one.load_first(hash.as_ptr(), 16) };
    let mut rest = &data[..data.len() & !15];
    while !rest.is_empty() {
        let count = (rest.len() / 16).min(POWERS);
        let (now, then) = rest.split_at(16 * count);
        prepare(u, key, count);
        state = if count == 1 {
            blocks::<U::Single, POLYVAL>(one, key, now, state)
        } else {
            blocks::<U, POLYVAL>(u, key, now, state)
        };
        rest = then;
    }
    // SAFETY: a block is writable.
    unsafe { one.store_first(hash.as_mut_ptr(), state, 16) };
}

/// One run over whole blocks.
#[inline(always)]
fn blocks<U: Unit, const POLYVAL: bool>(
    u: U,
    key: &GcmKey,
    data: &[u8],
    before: <U::Single as Unit>::V,
) -> <U::Single as Unit>::V {
    let mut run = Hash::new(u, key, data.len() / 16, before);
    let mut vectors = data.chunks_exact(U::BYTES);
    for vector in &mut vectors {
        // SAFETY: the chunk is a vector long.
        take::<U, POLYVAL>(&mut run, unsafe { u.load(vector.as_ptr()) });
    }
    let end = vectors.remainder();
    if !end.is_empty() {
        // SAFETY: so many bytes are there.
        take::<U, POLYVAL>(&mut run, unsafe { u.load_first(end.as_ptr(), end.len()) });
    }
    run.finish()
}

/// The next vector of a run, in its order.
#[inline(always)]
fn take<U: Unit, const POLYVAL: bool>(run: &mut Hash<'_, U>, v: U::V) {
    if POLYVAL {
        run.absorb_reversed(v);
    } else {
        run.absorb(v);
    }
}
