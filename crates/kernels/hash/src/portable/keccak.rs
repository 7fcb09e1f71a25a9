//! Keccak-f\[1600\] and the sponge around it, FIPS 202 §3.2, §3.3 and §4.

use wirespeed_cipher::{Chain, KECCAK_CONSTANTS};

/// A lane of the state, in whatever a machine has for it.
pub(crate) trait Lane: Copy {
    /// Sixty-four bits.
    fn of(word: u64) -> Self;
    fn word(self) -> u64;
    fn xor(self, other: Self) -> Self;
    fn turn<const LEFT: i32>(self) -> Self;
    /// `self ^ (!b & c)`, of which chi is made.
    fn chi(self, b: Self, c: Self) -> Self;

    /// The sum of three.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }

    /// Theta: what lanes get of the parities of the columns before and after theirs. It is the latter turned by one; the former
    /// is added later, but where one instruction does both.
    #[inline(always)]
    fn theta(_before: Self, after: Self) -> Self {
        after.turn::<1>()
    }

    /// Theta's sum and rho: turned to the left by `LEFT`, which is as much to the right by `RIGHT`. A machine that adds two
    /// adds what a whole column gets but once.
    #[inline(always)]
    fn rho<const LEFT: i32, const RIGHT: i32>(self, before: Self, theta: Self) -> Self {
        before.xor3(theta, self).turn::<LEFT>()
    }
}

impl Lane for u64 {
    #[inline(always)]
    fn of(word: u64) -> Self {
        word
    }

    #[inline(always)]
    fn word(self) -> u64 {
        self
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        self ^ other
    }

    #[inline(always)]
    fn turn<const LEFT: i32>(self) -> Self {
        self.rotate_left(LEFT as u32)
    }

    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self ^ (!b & c)
    }
}

/// What is written for each lane by itself, so that each has a register.
macro_rules! each {
    ($step:ident) => {
        $step!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24)
    };
}

/// Adds each block to the first lanes of the state, and permutes it.
#[inline(always)]
pub(crate) fn absorb<L: Lane, const RATE: usize>(state: &mut Chain, blocks: &[u8]) {
    let state: &mut [u64; 25] = state.first_chunk_mut().expect("25 words");
    let mut s = [L::of(0); 25];
    macro_rules! load {
        ($($i:literal)*) => { $(s[$i] = L::of(state[$i]);)* };
    }
    each!(load);
    for block in blocks.chunks_exact(RATE) {
        let lanes = block.as_chunks::<8>().0;
        macro_rules! add {
            ($($i:literal)*) => {$(
                if 8 * $i < RATE {
                    s[$i] = s[$i].xor(L::of(u64::from_le_bytes(lanes[$i])));
                }
            )*};
        }
        each!(add);
        // By twos: lanes that end where they did not begin need not go back after each round.
        for constants in KECCAK_CONSTANTS.chunks_exact(2) {
            round(&mut s, constants[0]);
            round(&mut s, constants[1]);
        }
    }
    macro_rules! store {
        ($($i:literal)*) => { $(state[$i] = s[$i].word();)* };
    }
    each!(store);
}

/// §3.2 and §3.3: lane (x, y) is at 5y + x.
#[inline(always)]
fn round<L: Lane>(s: &mut [L; 25], constant: u64) {
    // Theta: the parities of the columns.
    macro_rules! parities {
        ($($x:literal)*) => {
            [$(s[$x].xor3(s[$x + 5], s[$x + 10]).xor3(s[$x + 15], s[$x + 20])),*]
        };
    }
    let c = parities!(0 1 2 3 4);
    macro_rules! theta {
        ($($x:literal)*) => { [$(L::theta(c[($x + 3) % 5], c[$x])),*] };
    }
    let t = theta!(0 1 2 3 4);
    // Rho and pi: what comes to a row, by x, y and how far it turns (§3.2.2, table 2 modulo 64).
    macro_rules! row {
        ($($x:literal $y:literal $turn:literal),*) => {[$(
            s[5 * $y + $x]
                .rho::<$turn, { (64 - $turn) % 64 }>(c[($x + 4) % 5], t[($x + 1) % 5])
        ),*]};
    }
    let rows = [
        row!(0 0 0, 1 1 44, 2 2 43, 3 3 21, 4 4 14),
        row!(3 0 28, 4 1 20, 0 2 3, 1 3 45, 2 4 61),
        row!(1 0 1, 2 1 6, 3 2 25, 4 3 8, 0 4 18),
        row!(4 0 27, 0 1 36, 1 2 10, 2 3 15, 3 4 56),
        row!(2 0 62, 3 1 55, 4 2 39, 0 3 41, 1 4 2),
    ];
    // Chi: the only step that is not linear.
    macro_rules! chi {
        ($($y:literal)*) => { $(chi!($y: 0 1 2, 1 2 3, 2 3 4, 3 4 0, 4 0 1);)* };
        ($y:literal: $($x:literal $next:literal $after:literal),*) => {$(
            s[5 * $y + $x] = rows[$y][$x].chi(rows[$y][$next], rows[$y][$after]);
        )*};
    }
    chi!(0 1 2 3 4);
    // Iota.
    s[0] = s[0].xor(L::of(constant));
}
