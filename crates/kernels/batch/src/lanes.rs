//! How a hash function runs here: in the lanes of a vector unit, and one message at a time.

use wirespeed_cipher::{Compression, Digest, HashKernels, Route, wipe};
use wirespeed_cpu::Features;
use wirespeed_kernels::Absent;
use zeroize::optimization_barrier;

use crate::single;
use crate::words::{ROW_BYTES, Word};

/// The most lanes of any kernel.
pub(crate) const MOST: usize = ROW_BYTES / size_of::<u32>();

/// A chaining value: eight words are enough for what runs in lanes.
pub(crate) type ShortChain = [u64; 8];

/// A hash function by one route: a proof that the CPU has what it takes.
#[derive(Clone, Copy)]
pub struct Lanes {
    pub(crate) digest: Digest,
    route: Route,
    pub(crate) single: &'static HashKernels,
    pub(crate) rungs: Rungs,
}

impl Lanes {
    /// The routes of this crate, the fastest on paper first.
    pub const ROUTES: [Route; 5] =
        [Route::Avx512, Route::Avx2, Route::Sse2, Route::Neon, Route::Portable];

    /// The functions that run in lanes, the shortest hash first.
    pub const DIGESTS: [Digest; 6] =
        [Digest::Md5, Digest::Sha1, Digest::Sha224, Digest::Sha256, Digest::Sha384, Digest::Sha512];

    /// A function by `route`, if it runs in lanes and `features` allow it.
    pub fn new(route: Route, digest: Digest, features: Features) -> Result<Self, Absent> {
        wirespeed_kernels::native(route)?;
        let compression = digest.compression();
        let none = Rungs::none(compression).ok_or(Absent::WithoutHash(compression))?;
        let (single, rungs) = match route {
            Route::Portable => (single::portable(compression), none),
            _ => {
                let rungs = crate::arch::rungs(route, compression, features)?;
                (single::best(compression, features), rungs)
            }
        };
        Ok(Self { digest, route, single, rungs })
    }

    /// A function by the best route here.
    ///
    /// # Panics
    /// If it is none of [`Self::DIGESTS`].
    pub fn best(digest: Digest, features: Features) -> Self {
        let mut here =
            Self::ROUTES.into_iter().filter_map(|it| Self::new(it, digest, features).ok());
        here.next().expect("a function that runs in lanes: then the portable route has it")
    }

    /// The hash function.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The route of the lanes.
    pub const fn route(&self) -> Route {
        self.route
    }

    /// The route of a message that is hashed by itself.
    pub const fn single_route(&self) -> Route {
        self.single.route
    }

    /// Takes a chaining value over whole blocks by itself.
    pub(crate) fn take_alone(&self, chain: &mut ShortChain, blocks: &[u8]) {
        let mut long = [0; 25];
        long[..8].copy_from_slice(chain);
        (self.single.blocks)(&mut long, blocks);
        chain.copy_from_slice(&long[..8]);
        wipe(&mut long[..8]);
    }

    /// Messages that are hashed at once; 1 if the route has no lanes.
    pub fn width(&self) -> usize {
        match self.rungs {
            Rungs::Narrow(rungs) => rungs.last().map_or(1, |rung| rung.lanes),
            Rungs::Wide(rungs) => rungs.last().map_or(1, |rung| rung.lanes),
        }
    }
}

/// A function's kernels by size of word, the narrowest first.
#[derive(Clone, Copy)]
pub(crate) enum Rungs {
    Narrow(&'static [Rung<u32>]),
    Wide(&'static [Rung<u64>]),
}

impl Rungs {
    /// No lanes: messages run one after another, on words of the function's size all the same. Nothing if
    /// the function runs in no route's lanes.
    const fn none(compression: Compression) -> Option<Self> {
        match compression {
            Compression::Md5 | Compression::Sha1 | Compression::Sha256 => Some(Self::Narrow(&[])),
            Compression::Sha512 => Some(Self::Wide(&[])),
            _ => None,
        }
    }
}

/// A kernel for some number of lanes.
pub(crate) struct Rung<W> {
    /// The lanes that it always computes.
    pub(crate) lanes: usize,
    /// From how many messages on it beats running them one after another: on plain integers, and by instructions for
    /// the function.
    pub(crate) worth: [usize; 2],
    /// See [`compress::blocks`](crate::compress::blocks), whose promise about memory is the caller's.
    pub(crate) blocks: BlocksFn<W>,
}

/// [`compress::blocks`](crate::compress::blocks) for some function and unit.
pub(crate) type BlocksFn<W> = unsafe fn(*mut W, *const *const u8, usize);

impl<W: Word> Rung<W> {
    /// Takes the first lanes over the first `count` blocks at each of `from`.
    pub(crate) fn run(&self, chains: &mut Chains<W>, from: &[&[u8]], count: usize) {
        let bytes = count * 16 * size_of::<W>();
        assert!(from.len() == self.lanes && from.iter().all(|lane| lane.len() >= bytes));
        let mut pointers = [std::ptr::null(); MOST];
        for (pointer, lane) in pointers.iter_mut().zip(from) {
            *pointer = lane.as_ptr();
        }
        // SAFETY: there are eight rows, as many pointers as lanes, and so many blocks at each, as was just
        // asked. The table of rungs was reached with the proof of its unit.
        unsafe { (self.blocks)(chains.0.as_mut_ptr().cast(), pointers.as_ptr(), count) }
    }
}

/// The chaining values of all lanes: a row for each word, with a column for each lane.
#[repr(C, align(64))]
pub(crate) struct Chains<W: Word>([W::Row; 8]);

impl<W: Word> Chains<W> {
    pub(crate) const EMPTY: Self = Self([W::EMPTY; 8]);

    /// Gives a lane its chaining value.
    pub(crate) fn put(&mut self, lane: usize, chain: &ShortChain) {
        for (row, word) in self.0.iter_mut().zip(chain) {
            row.as_mut()[lane] = W::of(*word);
        }
    }

    /// Hands out the chaining value of a lane.
    pub(crate) fn take(&self, lane: usize, chain: &mut ShortChain) {
        for (row, word) in self.0.iter().zip(chain) {
            *word = row.as_ref()[lane].value();
        }
    }

    /// Moves the chaining value of the last lane at work to one that is done.
    pub(crate) fn fill_gap(&mut self, lane: usize, last: usize) {
        for row in &mut self.0 {
            row.as_mut()[lane] = row.as_ref()[last];
        }
    }
}

impl<W: Word> Drop for Chains<W> {
    fn drop(&mut self) {
        self.0 = [W::EMPTY; 8];
        optimization_barrier(self);
    }
}
