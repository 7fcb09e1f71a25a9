//! Our own routes, in the order to try them without a plan.

use wirespeed_cipher::{
    Algorithm, BlockCipher, BlockKernels, Compression, HashKernels, Route, StreamKernels,
};
use wirespeed_cpu::Features;
use wirespeed_kernels::Absent;

use crate::routing::way::{Made, Ways};

/// The kernels of one kind of cipher: what a route has for an algorithm.
pub(crate) trait Kernels: Copy + 'static {
    /// Their route.
    fn route(&self) -> Route;

    /// Those for an algorithm of this kind, if a route has its cipher.
    fn of(native: &Native, algorithm: Algorithm) -> Option<&'static Self>;

    /// Those that settle an argument: plain integer arithmetic, which no CPU can lack.
    fn reference(algorithm: Algorithm) -> &'static Self;

    /// The ways to those of this kind.
    fn made(ways: &Ways) -> &Made<Self>;
}

impl Kernels for BlockKernels {
    fn route(&self) -> Route {
        self.route
    }

    fn of(native: &Native, algorithm: Algorithm) -> Option<&'static Self> {
        native.blocks[algorithm.block_cipher()? as usize]
    }

    fn reference(algorithm: Algorithm) -> &'static Self {
        let cipher = algorithm.block_cipher().expect("an algorithm of a block cipher");
        wirespeed_kernels::kernels(Route::Portable, cipher, Features::NONE)
            .expect("portable is everywhere")
    }

    fn made(ways: &Ways) -> &Made<Self> {
        &ways.blocks
    }
}

impl Kernels for StreamKernels {
    fn route(&self) -> Route {
        self.route
    }

    fn of(native: &Native, algorithm: Algorithm) -> Option<&'static Self> {
        native.stream.filter(|_| algorithm.block_cipher().is_none())
    }

    fn reference(_: Algorithm) -> &'static Self {
        wirespeed_kernels::stream(Route::Portable, Features::NONE).expect("portable is everywhere")
    }

    fn made(ways: &Ways) -> &Made<Self> {
        &ways.streams
    }
}

/// A route of our own that is here, with the kernels of all that it has. Its hash functions have passed their self-test;
/// its ciphers are tested when somebody wants them.
#[derive(Clone, Copy)]
pub(crate) struct Native {
    route: Route,
    blocks: [Option<&'static BlockKernels>; BlockCipher::ALL.len()],
    stream: Option<&'static StreamKernels>,
    hashes: [Option<&'static HashKernels>; Compression::ALL.len()],
}

impl Native {
    /// Probes `route` and tests its hash functions: none if it is there and one gives wrong bytes.
    pub(crate) fn find(route: Route, features: Features) -> Result<Option<Self>, Absent> {
        wirespeed_kernels::presence(route, features)?;
        let blocks =
            BlockCipher::ALL.map(|it| wirespeed_kernels::kernels(route, it, features).ok());
        let stream = wirespeed_kernels::stream(route, features).ok();
        let hashes = Compression::ALL.map(|it| wirespeed_kernels::hash(route, it, features).ok());
        let right = hashes.iter().flatten().all(|it| wirespeed_kernels::self_test_hash(it));
        Ok(right.then_some(Self { route, blocks, stream, hashes }))
    }

    /// Whether the kernels for an algorithm's cipher, if it has any, pass their self-test.
    pub(crate) fn is_right(&self, algorithm: Algorithm) -> bool {
        match algorithm.block_cipher() {
            Some(cipher) => self.blocks[cipher as usize].is_none_or(wirespeed_kernels::self_test),
            None => self.stream.is_none_or(wirespeed_kernels::self_test_stream),
        }
    }

    /// Kernels, self-tested or not.
    #[cfg(test)]
    pub(crate) fn forged(
        kernels: &[&'static BlockKernels],
        stream: Option<&'static StreamKernels>,
    ) -> Self {
        let of = |cipher| kernels.iter().find(|kernels| kernels.cipher == cipher).copied();
        let hashes = [None; Compression::ALL.len()];
        Self { route: kernels[0].route, blocks: BlockCipher::ALL.map(of), stream, hashes }
    }

    pub(crate) fn route(&self) -> Route {
        self.route
    }

    /// Whether this route has an algorithm.
    pub(crate) fn has(&self, algorithm: Algorithm) -> bool {
        match algorithm.block_cipher() {
            Some(cipher) => self.blocks[cipher as usize].is_some(),
            None => self.stream.is_some(),
        }
    }

    /// Whether it has an algorithm, and serves it well in calls of every length.
    pub(crate) fn suits_every_call(&self, algorithm: Algorithm) -> bool {
        match algorithm.block_cipher() {
            Some(cipher) => {
                let suits = |it: &BlockKernels| it.suits_every_call(algorithm.mode());
                self.blocks[cipher as usize].is_some_and(suits)
            }
            None => self.stream.is_some_and(|stream| stream.suits_every_call),
        }
    }

    /// The kernels for a compression function, if this route has it.
    pub(crate) fn hash(&self, compression: Compression) -> Option<&'static HashKernels> {
        self.hashes[compression as usize]
    }
}
