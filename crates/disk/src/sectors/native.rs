//! Our own kernels for sectors: AES and SM4.

use wirespeed_cipher::{Block, BlockCipher, BlockKernels, Direction, InOut, Route, Schedule};
use wirespeed_cpu::Features;

use super::blocks::Blocks;
use super::iv::{Ivs, essiv_key};
use super::modes::Mode;
use super::order::Order;
use super::{Named, SectorCipher};
use crate::{Cipher, Iv, Mode as Name, Variant};

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
pub(super) struct Ecb(pub(super) Key);

impl Mode for Ecb {
    fn encrypt(&self, _iv: &Block, plain: &[u8], sector: &mut [u8]) {
        self.0.ecb(Direction::Encrypt, InOut::between(plain, sector));
    }

    fn decrypt(&self, _iv: &Block, sector: &[u8], plain: &mut [u8]) {
        self.0.ecb(Direction::Decrypt, InOut::between(sector, plain));
    }
}

/// The kernels' own CBC.
pub(super) struct Cbc(pub(super) Key);

impl Cbc {
    #[inline]
    fn run(&self, direction: Direction, iv: &Block, data: InOut<'_>) {
        let run = self.0.kernels.cbc[direction as usize];
        run(self.0.schedule(direction), &mut iv.clone(), data);
    }
}

impl Mode for Cbc {
    fn encrypt(&self, iv: &Block, plain: &[u8], sector: &mut [u8]) {
        self.run(Direction::Encrypt, iv, InOut::between(plain, sector));
    }

    fn decrypt(&self, iv: &Block, sector: &[u8], plain: &mut [u8]) {
        self.run(Direction::Decrypt, iv, InOut::between(sector, plain));
    }
}

/// The kernels' own XTS.
pub(super) struct Xts {
    pub(super) data: Key,
    pub(super) tweaks: Key,
}

impl Xts {
    #[inline]
    fn run(&self, direction: Direction, tweak: &Block, data: InOut<'_>) {
        let run = self.data.kernels.xts[direction as usize];
        run(self.data.schedule(direction), tweak, data);
    }
}

impl Mode for Xts {
    fn prepare(&self, ivs: &mut [Block]) {
        self.tweaks.encrypt(ivs.as_flattened_mut());
    }

    fn encrypt(&self, tweak: &Block, plain: &[u8], sector: &mut [u8]) {
        self.run(Direction::Encrypt, tweak, InOut::between(plain, sector));
    }

    fn decrypt(&self, tweak: &Block, sector: &[u8], plain: &mut [u8]) {
        self.run(Direction::Decrypt, tweak, InOut::between(sector, plain));
    }
}

/// The cipher by every route of ours that runs here and passes its self-test.
pub(super) fn every(order: Order<'_>, variant: Variant) -> Vec<Named> {
    let features = Features::detect();
    let routes: &[Route] = match variant {
        Variant::Best => &wirespeed_native::ROUTES,
        Variant::Generic => &[Route::Portable],
    };
    let tested = |route: Route, key_bytes| {
        let cipher = block_cipher(order.cipher, key_bytes)?;
        let kernels = wirespeed_native::kernels(route, cipher, features).ok()?;
        wirespeed_native::self_test(kernels).then_some(kernels)
    };
    let of_route = |route: &Route| {
        let kernels = tested(*route, order.data_key().len())?;
        let ivs = match order.iv {
            Iv::EssivSha256 => {
                let key = essiv_key(order.key);
                Ivs::essiv(Key::new(tested(*route, key.len())?, &key))
            }
            kind => Ivs::plain(kind),
        };
        Some((route.name(), build(order, ivs, kernels)?))
    };
    routes.iter().filter_map(of_route).collect()
}

/// The mode by one route's kernels.
fn build(
    order: Order<'_>,
    ivs: Ivs,
    kernels: &'static BlockKernels,
) -> Option<Box<dyn SectorCipher>> {
    let key = |bytes| Key::new(kernels, bytes);
    Some(match order.mode {
        Name::Ecb => order.sectors(ivs, Ecb(key(order.key))),
        Name::Cbc => order.sectors(ivs, Cbc(key(order.key))),
        Name::Xts => {
            let (data, tweaks) = order.halves();
            order.sectors(ivs, Xts { data: key(data), tweaks: key(tweaks) })
        }
        Name::Adiantum | Name::Gcm | Name::Aead => return None,
    })
}
