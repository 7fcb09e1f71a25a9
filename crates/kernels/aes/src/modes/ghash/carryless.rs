//! GHASH by carry-less products. They are summed unreduced and reduced once.

use wirespeed_cipher::{Block, GcmForm, GcmKey};

use super::Run;
use crate::unit::{Carryless, Unit, Vector};

/// Blocks in the longest run, which is reduced once.
const POWERS: usize = 32;

/// Where the sums begin of which each power has one: its halves added, in both halves (Karatsuba's middle factor).
const SUMS: usize = 35;

/// Sums of products, as Karatsuba's three parts.
#[derive(Clone, Copy)]
struct Products<V> {
    low: V,
    high: V,
    middle: V,
}

impl<V: Copy> Products<V> {
    /// The first products. (Adding to zeros would cost registers and instructions.)
    #[inline(always)]
    fn of<U: Carryless<V = V>>(u: U, x: V, power: V, sum: V) -> Self {
        Self {
            low: u.multiply::<false, false>(x, power),
            high: u.multiply::<true, true>(x, power),
            middle: u.multiply::<false, false>(u.xor(x, u.swap_halves(x)), sum),
        }
    }

    #[inline(always)]
    fn add<U: Carryless<V = V>>(self, u: U, a: Self, b: Self) -> Self {
        Self {
            low: u.xor3(self.low, a.low, b.low),
            high: u.xor3(self.high, a.high, b.high),
            middle: u.xor3(self.middle, a.middle, b.middle),
        }
    }

    #[inline(always)]
    fn add_one<U: Carryless<V = V>>(self, u: U, a: Self) -> Self {
        Self {
            low: u.xor(self.low, a.low),
            high: u.xor(self.high, a.high),
            middle: u.xor(self.middle, a.middle),
        }
    }

    #[inline(always)]
    fn pin<U: Carryless<V = V>>(self, u: U) -> Self {
        Self { low: u.pin(self.low), high: u.pin(self.high), middle: u.pin(self.middle) }
    }

    /// Reduces every block by itself.
    #[inline(always)]
    fn reduce_each<U: Carryless<V = V>>(self, u: U) -> V {
        let middle = u.xor3(self.middle, self.low, self.high);
        reduce_parts(u, self.low, middle, self.high)
    }

    /// Adds up the blocks and reduces.
    #[inline(always)]
    fn reduce<U: Carryless<V = V, Single: Carryless>>(self, u: U) -> <U::Single as Vector>::V {
        let middle = u.sum(u.xor3(self.middle, self.low, self.high));
        let (low, high) = (u.sum(self.low), u.sum(self.high));
        let one = u.single();
        reduce_parts(one, low, middle, high)
    }
}

/// Brings each block of 256-bit products, in three parts, back to 128 bits.
#[inline(always)]
fn reduce_parts<U: Carryless>(u: U, low: U::V, middle: U::V, high: U::V) -> U::V {
    let polynomial = u.splat(POLYNOMIAL);
    let low = u.xor(low, u.low_to_high(middle));
    let high = u.xor(high, u.high_to_low(middle));
    let low = u.xor(u.swap_halves(low), u.multiply::<false, false>(low, polynomial));
    u.xor3(high, u.swap_halves(low), u.multiply::<false, false>(low, polynomial))
}

/// x^127 + x^126 + x^121: GHASH's polynomial, reflected, in the low half.
const POLYNOMIAL: Block = [0, 0, 0, 0, 0, 0, 0, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0];

/// A run of up to [`POWERS`] blocks being hashed.
pub(crate) struct Sums<'k, U: Unit> {
    u: U,
    key: &'k GcmKey,
    /// The place of the first block's power.
    place: usize,
    sums: Option<Products<U::V>>,
    /// Products not yet added to the sums: with registers to spare they go two by two.
    odd: Option<Products<U::V>>,
    /// GHASH before the run.
    before: <U::Single as Vector>::V,
}

impl<'k, U: Carryless<Single: Carryless>> Run<'k, U> for Sums<'k, U> {
    const LONGEST: usize = POWERS;

    #[inline(always)]
    fn prepare(u: U, key: &mut GcmKey, blocks: usize) {
        assert!(blocks <= POWERS);
        let mut ready = match key.form {
            GcmForm::Powers(ready) => ready,
            _ => {
                let one = u.single();
                set_power(one, key, 1, one.splat(key.first));
                1
            }
        };
        while ready < blocks {
            if ready < U::WIDTH {
                // Too few for a vector yet: H^(n+1) to H^2n one by one.
                double_powers(u.single(), key, ready);
            } else {
                double_powers(u, key, ready);
            }
            ready *= 2;
        }
        key.form = GcmForm::Powers(ready);
    }

    #[inline(always)]
    fn new(u: U, key: &'k GcmKey, blocks: usize, before: <U::Single as Vector>::V) -> Self {
        assert!(blocks <= POWERS);
        Self { u, key, place: POWERS - blocks, sums: None, odd: None, before }
    }

    #[inline(always)]
    fn unit(&self) -> U {
        self.u
    }

    #[inline(always)]
    fn absorb_reversed(&mut self, mut x: U::V) {
        let u = self.u;
        if self.sums.is_none() {
            x = u.xor(x, u.widen(self.before));
        }
        let place = self.place.min(POWERS - 1);
        let memory = self.key.memory.as_ptr();
        // SAFETY: a vector has at most four blocks, and three blocks follow the last power and the last sum.
        let (power, sum) =
            unsafe { (u.load(memory.add(place).cast()), u.load(memory.add(SUMS + place).cast())) };
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

    #[inline(always)]
    fn finish(self) -> <U::Single as Vector>::V {
        match (self.sums, self.odd) {
            (None, _) => self.before,
            (Some(sums), None) => sums.reduce(self.u),
            (Some(sums), Some(odd)) => sums.add_one(self.u, odd).reduce(self.u),
        }
    }
}

/// H^(ready+i) = H^i · H^ready, a vector at a time.
#[inline(always)]
fn double_powers<U: Carryless>(u: U, key: &mut GcmKey, ready: usize) {
    assert!(ready <= POWERS / 2);
    let base = POWERS - ready;
    let factor = u.splat(key.memory[base]);
    let factor_sum = u.splat(key.memory[SUMS + base]);
    let mut done = 0;
    while done < ready {
        // SAFETY: `ready` powers end at H^1, and a vector of them starts here.
        let powers = unsafe { u.load(key.memory.as_ptr().add(base + done).cast()) };
        let product = Products::of(u, powers, factor, factor_sum).reduce_each(u);
        set_power(u, key, 2 * ready - done, product);
        done += U::WIDTH;
    }
}

/// Stores H^`n` and its sum; a whole vector of powers ends with H^`n`.
#[inline(always)]
fn set_power<U: Vector>(u: U, key: &mut GcmKey, n: usize, power: U::V) {
    assert!(U::WIDTH <= n && n <= POWERS);
    let place = POWERS - n;
    let sum = u.xor(power, u.swap_halves(power));
    let memory = key.memory.as_mut_ptr();
    // SAFETY: the vector ends before the sums, and that of the sums before the end.
    unsafe {
        u.store(memory.add(place).cast(), power);
        u.store(memory.add(SUMS + place).cast(), sum);
    }
}
