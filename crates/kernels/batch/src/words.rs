//! What a vector must be able to do for hash functions to run in its lanes.

/// Bytes in a row of [`Chains`](crate::lanes::Chains): one word of every lane there can be.
pub(crate) const ROW_BYTES: usize = 128;

/// A word of a hash function.
pub(crate) trait Word: Copy + Default + 'static {
    /// A word of every lane there can be.
    type Row: Copy + AsRef<[Self]> + AsMut<[Self]>;
    /// A row of zeros.
    const EMPTY: Self::Row;
    /// Lanes in a row.
    const ROW: usize = ROW_BYTES / size_of::<Self>();

    fn of(value: u64) -> Self;
    fn value(self) -> u64;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            type Row = [Self; Self::ROW];
            const EMPTY: Self::Row = [0; Self::ROW];

            #[inline(always)]
            fn of(value: u64) -> Self {
                value as Self
            }
            #[inline(always)]
            fn value(self) -> u64 {
                self.into()
            }
        }
    };
}
word!(u32);
word!(u64);

/// One machine's way to work on [`Words::LANES`] words at once.
///
/// A value proves that the machine has what it takes; only memory is the caller's to vouch for.
pub(crate) trait Words: Copy {
    /// A word of the hash function.
    type Word: Word;
    /// A word of each lane.
    type V: Copy;
    /// Lanes in a vector.
    const LANES: usize;

    /// The same word in every lane.
    fn splat(self, word: Self::Word) -> Self::V;
    /// The sum, without carry into the next lane.
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    /// Exclusive or of three.
    fn xor3(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// Exclusive or of two.
    fn xor(self, a: Self::V, b: Self::V) -> Self::V;
    /// The bits of `b` where `a` has ones, those of `c` elsewhere.
    fn choose(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// What at least two of three say.
    fn majority(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// `b ^ (a | !c)`: MD5's fourth function.
    fn or_not(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// A rotation to the left, within each word.
    fn rotate<const LEFT: i32>(self, a: Self::V) -> Self::V;
    /// A shift to the right, within each word.
    fn shift<const RIGHT: i32>(self, a: Self::V) -> Self::V;

    /// The same vector, as a sum that is made by itself. Costs nothing; without it the compiler sorts the terms of
    /// a sum as it likes, and adds a constant behind what everything waits for.
    #[inline(always)]
    fn pin(self, a: Self::V) -> Self::V {
        a
    }

    /// Asks for what lies `offset` bytes on in each lane, which may be behind its end.
    ///
    /// # Safety
    /// `LANES` pointers are readable at `from`.
    #[inline(always)]
    unsafe fn prefetch(self, _from: *const *const u8, _offset: usize) {}

    /// One word from each lane.
    ///
    /// # Safety
    /// `LANES` words are readable at `from`.
    unsafe fn load(self, from: *const Self::Word) -> Self::V;
    /// One word for each lane.
    ///
    /// # Safety
    /// `LANES` words are writable at `to`.
    unsafe fn store(self, to: *mut Self::Word, v: Self::V);
    /// The sixteen words of a block from each lane, `offset` bytes on; big-endian if `BIG`.
    ///
    /// # Safety
    /// `LANES` pointers are readable at `from`, and sixteen words at `offset` from each.
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [Self::V; 16];
}

/// Two vectors side by side, where the chain of one function's steps leaves half of a unit idle.
#[derive(Clone, Copy)]
pub(crate) struct Pair<W>(pub(crate) W);

/// Carries an operation out on both.
macro_rules! both {
    ($(fn $name:ident $([const $constant:ident])? ($($operand:ident),+);)*) => {$(
        #[inline(always)]
        fn $name $(<const $constant: i32>)? (self, $($operand: Self::V),+) -> Self::V {
            [
                self.0.$name $(::<$constant>)? ($($operand[0]),+),
                self.0.$name $(::<$constant>)? ($($operand[1]),+),
            ]
        }
    )*};
}

impl<W: Words> Words for Pair<W> {
    type Word = W::Word;
    type V = [W::V; 2];
    const LANES: usize = 2 * W::LANES;

    both! {
        fn add(a, b);
        fn xor(a, b);
        fn xor3(a, b, c);
        fn choose(a, b, c);
        fn majority(a, b, c);
        fn or_not(a, b, c);
        fn rotate[const LEFT](a);
        fn shift[const RIGHT](a);
        fn pin(a);
    }

    #[inline(always)]
    fn splat(self, word: W::Word) -> Self::V {
        let one = self.0.splat(word);
        [one, one]
    }

    #[inline(always)]
    unsafe fn prefetch(self, from: *const *const u8, offset: usize) {
        // SAFETY: twice as many pointers are readable.
        unsafe {
            self.0.prefetch(from, offset);
            self.0.prefetch(from.add(W::LANES), offset);
        }
    }

    #[inline(always)]
    unsafe fn load(self, from: *const W::Word) -> Self::V {
        // SAFETY: twice as many words are readable.
        unsafe { [self.0.load(from), self.0.load(from.add(W::LANES))] }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut W::Word, v: Self::V) {
        // SAFETY: twice as many words are writable.
        unsafe {
            self.0.store(to, v[0]);
            self.0.store(to.add(W::LANES), v[1]);
        }
    }

    #[inline(always)]
    unsafe fn message<const BIG: bool>(
        self,
        from: *const *const u8,
        offset: usize,
    ) -> [Self::V; 16] {
        // SAFETY: twice as many pointers are readable, each as the caller vouches.
        let (low, high) = unsafe {
            (self.0.message::<BIG>(from, offset), self.0.message::<BIG>(from.add(W::LANES), offset))
        };
        let mut words = [[low[0]; 2]; 16];
        for i in 0..16 {
            words[i] = [low[i], high[i]];
        }
        words
    }
}
