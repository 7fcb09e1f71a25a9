//! Chains of a block cipher side by side: CBC, CFB and OFB encryption of many buffers.
//!
//! Each block of a chain waits for the one before, so one stream leaves most of a vector unit idle; streams
//! do not wait for one another. Where the unit has AES rounds, each lane of a vector holds a stream. Any
//! other kernels take one block of each stream together, as ECB.

pub(crate) mod gathered;
pub(crate) mod lanes;
mod proof;
pub(crate) mod streams;
mod wave;

use wirespeed_cipher::{
    Block, BlockCipher, BlockKernels, FeedbackFn, InOut, Mode, Route, Schedule,
};
use wirespeed_cpu::Features;
use wirespeed_kernels::Absent;

use lanes::Rung;

/// A mode whose encryption is a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainMode {
    /// SP 800-38A §6.2. A partial block at the end of the data is left alone.
    Cbc,
    /// SP 800-38A §6.3, with segments of 128 bits.
    Cfb,
    /// SP 800-38A §6.4: decryption is the same.
    Ofb,
}

impl ChainMode {
    /// Every chain.
    pub const ALL: [Self; 3] = [Self::Cbc, Self::Cfb, Self::Ofb];

    /// The mode whose encryption it is.
    pub const fn mode(self) -> Mode {
        match self {
            Self::Cbc => Mode::Cbc,
            Self::Cfb => Mode::Cfb,
            Self::Ofb => Mode::Ofb,
        }
    }

    /// The chain of a mode's encryption, if it is one.
    pub fn of(mode: Mode) -> Option<Self> {
        Self::ALL.into_iter().find(|chain| chain.mode() == mode)
    }
}

/// A cipher in a chaining mode by one route: a proof that the CPU has what it takes.
#[derive(Clone, Copy)]
pub struct CipherLanes {
    kernels: &'static BlockKernels,
    chain: ChainMode,
    engine: Engine,
}

/// What takes many streams on.
#[derive(Clone, Copy)]
enum Engine {
    /// Vectors with a stream in each lane, the fewest lanes first.
    Vectors(&'static [Rung]),
    /// The route's ECB over a block of each stream; streams must share their key.
    Blocks,
}

/// A piece of a stream to be encrypted.
pub struct CipherJob<'a> {
    /// The key, expanded for encryption by any route's kernels. Jobs that share a key do so by reference:
    /// then it need not be copied into their lanes.
    pub key: &'a Schedule,
    /// The chaining value, which moves on, so that the stream's next piece can follow. After a last
    /// partial block it is as [`FeedbackFn`] leaves it, and nothing can follow.
    pub iv: &'a mut Block,
    /// What is encrypted: for CBC whole blocks, otherwise any length.
    pub data: InOut<'a>,
}

impl CipherLanes {
    /// The routes of this crate, the fastest on paper first.
    pub const ROUTES: [Route; 12] = [
        Route::Vaes512,
        Route::Vaes256,
        Route::Gfni512,
        Route::Gfni256,
        Route::AesNi,
        Route::Avx2,
        Route::Ssse3,
        Route::Sse2,
        Route::Sm4Ce,
        Route::AesCe,
        Route::Neon,
        Route::Portable,
    ];

    /// A cipher by `route`, if `features` allow it.
    pub fn new(
        route: Route,
        cipher: BlockCipher,
        chain: ChainMode,
        features: Features,
    ) -> Result<Self, Absent> {
        if !Self::ROUTES.contains(&route) {
            return Err(Absent::NotNative);
        }
        let kernels = wirespeed_kernels::kernels(route, cipher, features)?;
        let rungs = crate::arch::chains(route, cipher, chain, features);
        Ok(Self { kernels, chain, engine: rungs.map_or(Engine::Blocks, Engine::Vectors) })
    }

    /// A cipher by the best route here.
    pub fn best(cipher: BlockCipher, chain: ChainMode, features: Features) -> Self {
        let mut here =
            Self::ROUTES.into_iter().filter_map(|it| Self::new(it, cipher, chain, features).ok());
        here.next().expect("the portable route is always here")
    }

    /// The cipher.
    pub const fn cipher(&self) -> BlockCipher {
        self.kernels.cipher
    }

    /// The mode.
    pub const fn chain(&self) -> ChainMode {
        self.chain
    }

    /// The route.
    pub const fn route(&self) -> Route {
        self.kernels.route
    }

    /// The kernels for one stream by itself, whose `expand` makes keys.
    pub const fn kernels(&self) -> &'static BlockKernels {
        self.kernels
    }

    /// Streams that are encrypted at once.
    pub fn width(&self) -> usize {
        match self.engine {
            Engine::Vectors(rungs) => rungs.last().map_or(1, |rung| rung.lanes),
            Engine::Blocks => gathered::WIDTH,
        }
    }

    /// One stream by itself.
    const fn single(&self) -> FeedbackFn {
        match self.chain {
            ChainMode::Cbc => self.kernels.cbc[0],
            ChainMode::Cfb => self.kernels.cfb[0],
            ChainMode::Ofb => self.kernels.ofb,
        }
    }
}

/// Encrypts every job's data.
pub fn encrypt_all(lanes: &CipherLanes, jobs: &mut [CipherJob<'_>]) {
    wave::run(lanes, jobs);
}
