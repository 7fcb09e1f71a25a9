//! The first API path: the kernels themselves, with the streams' state of `wirespeed_cipher::modes`.

use wirespeed_cipher::{
    Algorithm, Block, BlockCipher, BlockKernels, InOut, Route, StreamKernels, modes,
};
use wirespeed_cpu::Features;
use wirespeed_kernels::Absent;

use crate::api_path::{ApiPath, Setup, Work};

/// The kernels of one route.
#[derive(Clone, Copy)]
pub struct Kernels {
    route: Route,
    features: Features,
}

impl Kernels {
    /// The API path to `route`, on a machine with `features`.
    pub fn new(route: Route, features: Features) -> Result<Self, Absent> {
        let of = |algorithm: &Algorithm| wirespeed_kernels::has(route, *algorithm, features);
        // What is lacking is said of the first.
        of(&Algorithm::ALL[0])
            .or_else(|why| Algorithm::ALL.iter().find_map(|it| of(it).ok()).ok_or(why))?;
        Ok(Self { route, features })
    }

    /// The table for an algorithm, if the route has its cipher.
    pub fn table(&self, algorithm: Algorithm) -> Option<&'static BlockKernels> {
        let cipher = algorithm.block_cipher()?;
        let table = wirespeed_kernels::kernels(self.route, cipher, self.features).ok()?;
        assert_eq!(table.route, self.route, "the route that runs is the one asked for");
        Some(table)
    }
}

impl Kernels {
    /// ChaCha20's table, if the route has it.
    pub fn stream_table(&self) -> Option<&'static StreamKernels> {
        let table = wirespeed_kernels::stream(self.route, self.features).ok()?;
        assert_eq!(table.route, self.route, "the route that runs is the one asked for");
        Some(table)
    }

    /// The tables for an algorithm, of its kind.
    fn tables(&self, algorithm: Algorithm) -> Result<modes::Kernels, String> {
        let tables = match algorithm.block_cipher() {
            Some(_) => self.table(algorithm).map(modes::Kernels::Block),
            None => self.stream_table().map(modes::Kernels::Stream),
        };
        tables.ok_or_else(|| "the route has no such cipher".to_owned())
    }

    /// Begins a message.
    pub fn message(&self, setup: &Setup<'_>) -> Result<Message, String> {
        Message::begin(self.tables(setup.algorithm)?, setup)
    }

    /// Goes on with a message of another route.
    ///
    /// # Panics
    /// For XTS and GCM, which choose once per message.
    pub fn take_over(&self, message: &mut Message, algorithm: Algorithm) -> Result<(), String> {
        message.reroute(self.tables(algorithm)?);
        Ok(())
    }
}

impl ApiPath for Kernels {
    fn has(&self, algorithm: Algorithm) -> bool {
        wirespeed_kernels::has(self.route, algorithm, self.features).is_ok()
    }

    fn longest_iv(&self) -> usize {
        usize::MAX
    }

    fn is_fast(&self) -> bool {
        // `sse2` computes 64 blocks of most ciphers, however few there are.
        !matches!(self.route, Route::Portable | Route::Sse2)
    }

    /// The bookkeeping of cuts does not depend on the cipher, so AES-128 goes all the way, where it is fast.
    fn longest_cut(&self, algorithm: Algorithm) -> usize {
        let shortest = algorithm.block_cipher() == Some(BlockCipher::Aes128);
        if shortest && self.is_fast() { 300 } else { 100 }
    }

    fn begin(&self, setup: &Setup<'_>) -> Result<Box<dyn Work>, String> {
        self.message(setup).map(|message| Box::new(message) as _)
    }
}

/// A message whose kernels are called directly.
#[derive(Clone)]
pub struct Message(modes::Message);

impl Message {
    /// Sets everything up.
    pub fn begin(kernels: modes::Kernels, setup: &Setup<'_>) -> Result<Self, String> {
        let &Setup { algorithm, direction, key, iv, aad, tag } = setup;
        let mut message = modes::Message::new(kernels, algorithm.mode(), direction);
        message.set_key(key, iv.len(), tag.len());
        message.start(iv).map_err(|error| error.to_string())?;
        if let Ok(tag) = tag.try_into() {
            message.expect(tag);
        }
        // Modes without a tag take none, and are given none.
        for piece in aad.iter().filter(|_| algorithm.mode().has_tag()) {
            message.aad(piece).map_err(|error| error.to_string())?;
        }
        Ok(Self(message))
    }

    /// The tag so far, zeros for modes without.
    pub fn tag(&mut self) -> Block {
        self.0.tag().unwrap_or_default()
    }

    /// Goes on with another route's kernels, where the mode allows it.
    ///
    /// # Panics
    /// For XTS and GCM, which choose once per message.
    pub fn reroute(&mut self, kernels: modes::Kernels) {
        self.0.reroute(kernels);
    }
}

impl Work for Message {
    fn update(&mut self, data: InOut<'_>) -> Result<(), String> {
        self.0.crypt(data).map_err(|error| error.to_string())
    }

    fn close(&mut self, tag: &[u8]) -> Result<(), String> {
        let made = self.0.tag().ok_or("this mode has no tag")?;
        let right = !tag.is_empty() && made.starts_with(tag);
        if right { Ok(()) } else { Err("another tag".to_owned()) }
    }

    fn duplicate(&self) -> Box<dyn Work> {
        Box::new(self.clone())
    }
}
