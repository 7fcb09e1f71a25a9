//! Our own kernels for sectors: AES and SM4.

use wirespeed_cipher::modes::Gcm;
use wirespeed_cipher::{Block, BlockCipher, BlockKernels, Direction, InOut, Route, Schedule};
use wirespeed_cpu::Features;

use super::Named;
use super::aead::Sealed;
use super::blocks::Blocks;
use super::iv::Ivs;
use super::modes::{Mode, each};
use super::order::Order;
use crate::{Cipher, Mode as Name, Variant};

/// The block cipher of our own kernels, if it is one.
fn block_cipher(cipher: Cipher, key_bytes: usize) -> Option<BlockCipher> {
    match cipher {
        Cipher::Aes => {
            BlockCipher::AES.into_iter().find(|it| usize::from(it.key_bits()) == key_bytes * 8)
        }
        Cipher::Sm4 => Some(BlockCipher::Sm4),
        _ => None,
    }
}

/// A key for both directions of a route's block cipher.
pub(super) struct Key {
    kernels: &'static BlockKernels,
    schedules: [Schedule; 2],
}

impl Key {
    pub(super) fn new(kernels: &'static BlockKernels, key: &[u8]) -> Self {
        let mut schedules = [Schedule::EMPTY, Schedule::EMPTY];
        for (expand, schedule) in kernels.expand.iter().zip(&mut schedules) {
            expand(key, schedule);
        }
        Self { kernels, schedules }
    }

    #[inline]
    const fn schedule(&self, direction: Direction) -> &Schedule {
        &self.schedules[direction as usize]
    }

    #[inline]
    fn ecb(&self, direction: Direction, data: InOut<'_>) {
        (self.kernels.ecb[direction as usize])(self.schedule(direction), data);
    }
}

impl Blocks for Key {
    const BYTES: usize = 16;

    fn encrypt(&self, blocks: &mut [u8]) {
        self.ecb(Direction::Encrypt, InOut::in_place(blocks));
    }

    fn decrypt(&self, blocks: &mut [u8]) {
        self.ecb(Direction::Decrypt, InOut::in_place(blocks));
    }
}

/// The kernels' own ECB.
struct Ecb(Key);

impl Mode for Ecb {
    fn encrypt(&self, _ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        self.0.ecb(Direction::Encrypt, InOut::between(plain, sectors));
    }

    fn decrypt(&self, _ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        self.0.ecb(Direction::Decrypt, InOut::between(sectors, plain));
    }
}

/// The kernels' own CBC.
struct Cbc(Key);

impl Cbc {
    #[inline]
    fn run(&self, direction: Direction, ivs: &[Block], from: &[u8], to: &mut [u8]) {
        let run = self.0.kernels.cbc[direction as usize];
        each(ivs, from, to, |iv, from, to| {
            let mut chain = *iv;
            run(self.0.schedule(direction), &mut chain, InOut::between(from, to));
        });
    }
}

impl Mode for Cbc {
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        self.run(Direction::Encrypt, ivs, plain, sectors);
    }

    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        self.run(Direction::Decrypt, ivs, sectors, plain);
    }
}

/// The kernels' own XTS.
struct Xts {
    data: Key,
    tweaks: Key,
}

impl Xts {
    #[inline]
    fn run(&self, direction: Direction, ivs: &mut [Block], from: &[u8], to: &mut [u8]) {
        self.tweaks.encrypt(ivs.as_flattened_mut());
        let run = self.data.kernels.xts[direction as usize];
        each(ivs, from, to, |tweak, from, to| {
            run(self.data.schedule(direction), tweak, InOut::between(from, to));
        });
    }
}

impl Mode for Xts {
    fn encrypt(&self, ivs: &mut [Block], plain: &[u8], sectors: &mut [u8]) {
        self.run(Direction::Encrypt, ivs, plain, sectors);
    }

    fn decrypt(&self, ivs: &mut [Block], sectors: &[u8], plain: &mut [u8]) {
        self.run(Direction::Decrypt, ivs, sectors, plain);
    }
}

/// The routes to try, the fastest on paper first.
fn routes(variant: Variant) -> &'static [Route] {
    match variant {
        Variant::Best => wirespeed_kernels::ROUTES,
        Variant::Generic => &[Route::Portable],
    }
}

/// A route's kernels, if it runs here, has the cipher and passes its self-test.
fn tested(route: Route, cipher: Cipher, key_bytes: usize) -> Option<&'static BlockKernels> {
    let cipher = block_cipher(cipher, key_bytes)?;
    let kernels = wirespeed_kernels::kernels(route, cipher, Features::detect()).ok()?;
    wirespeed_kernels::self_test(kernels).then_some(kernels)
}

/// A key for the route that is the fastest on paper.
pub(super) fn first(variant: Variant, cipher: Cipher, key: &[u8]) -> Option<Key> {
    let kernels = routes(variant).iter().find_map(|route| tested(*route, cipher, key.len()))?;
    Some(Key::new(kernels, key))
}

/// The cipher by every route of ours that is worth a try: `portable` only where there is no other.
pub(super) fn every(order: Order<'_>, variant: Variant) -> Vec<Named> {
    let mut all = Vec::new();
    for route in routes(variant) {
        if *route != Route::Portable || all.is_empty() {
            all.extend(of_route(order, *route));
        }
    }
    all
}

fn of_route(order: Order<'_>, route: Route) -> Option<Named> {
    let kernels = tested(route, order.cipher, order.data_key().len())?;
    let key = |bytes| Key::new(kernels, bytes);
    let salted = |salt: &[u8]| Some(Key::new(tested(route, order.cipher, salt.len())?, salt));
    let ivs = || order.ivs(|salt| salted(salt).map(Ivs::essiv));
    let cipher = match order.mode {
        Name::Ecb => order.sectors(ivs()?, Ecb(key(order.key))),
        Name::Cbc => order.sectors(ivs()?, Cbc(key(order.key))),
        Name::Xts => {
            let (data, tweaks) = order.halves();
            order.sectors(ivs()?, Xts { data: key(data), tweaks: key(tweaks) })
        }
        Name::Gcm => {
            let mut gcm = Gcm::new(kernels);
            gcm.set_key(order.key);
            Box::new(Sealed::new(gcm, order.sector_bytes))
        }
        Name::Adiantum | Name::Aead => return None,
    };
    Some((route.name(), cipher))
}
