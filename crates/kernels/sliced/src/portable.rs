//! Byte slices by logic operations alone: each byte of 64 blocks as eight planes of bits.

pub(crate) mod sm4;

use std::marker::PhantomData;

use wirespeed_cipher::{Block, BlockCipher, BlockKernels, InOut, Route};

use crate::circuits;
use crate::planes;
use crate::serial::{self, By};
use crate::waves::{self, Mode, Runs};
use crate::{Core, Linear, Machine, Slices, Wide, tables};
use wirespeed_kernels_core::Chain;
use wirespeed_kernels_core::bitslice::{Planes, transpose};
use wirespeed_kernels_core::engine::Galois;

/// Logic on 64-bit words. What is long is a function of its own: no mode is faster for a copy.
#[derive(Clone, Copy)]
struct Words;

/// One byte of every block, block by block, to planes.
fn pack(bytes: &[u8; 64]) -> Planes {
    let mut planes = [0; 8];
    for (i, eight) in bytes.as_chunks().0.iter().enumerate() {
        let bits = transpose(u64::from_le_bytes(*eight));
        for (plane, bits) in planes.iter_mut().zip(bits.to_le_bytes()) {
            *plane |= u64::from(bits) << (8 * i);
        }
    }
    planes
}

/// The inverse of [`pack`].
fn unpack(planes: &Planes) -> [u8; 64] {
    let mut bytes = [0; 64];
    for (i, eight) in bytes.as_chunks_mut().0.iter_mut().enumerate() {
        let bits = planes.map(|plane| (plane >> (8 * i)) as u8);
        *eight = transpose(u64::from_le_bytes(bits)).to_le_bytes();
    }
    bytes
}

impl Slices for Words {
    type V = Planes;
    type Narrow = Self;
    const BLOCKS: usize = 64;

    fn narrow(self) -> Self {
        self
    }

    fn xor(self, a: Planes, b: Planes) -> Planes {
        std::array::from_fn(|i| a[i] ^ b[i])
    }

    fn and(self, a: Planes, b: Planes) -> Planes {
        std::array::from_fn(|i| a[i] & b[i])
    }

    fn or(self, a: Planes, b: Planes) -> Planes {
        std::array::from_fn(|i| a[i] | b[i])
    }

    fn select<const MASK: u8>(self, a: Planes, b: Planes) -> Planes {
        std::array::from_fn(|i| if MASK >> i & 1 != 0 { a[i] } else { b[i] })
    }

    fn rotate_by_one(self, v: Planes) -> Planes {
        std::array::from_fn(|i| v[(i + 7) % 8])
    }

    fn spread_top_bit(self, v: Planes) -> Planes {
        [v[7]; 8]
    }

    fn splat(self, byte: u32) -> Planes {
        std::array::from_fn(|i| 0u64.wrapping_sub(u64::from(byte >> i & 1)))
    }

    #[inline(never)]
    fn count(self, from: u8) -> Planes {
        pack(&std::array::from_fn(|i| from.wrapping_add(i as u8)))
    }

    fn linear<L: Linear<N>, const N: usize>(self, from: &[Planes; N], to: &mut [Planes; N]) {
        planes::linear::<_, L, N>(from, to);
    }

    fn rotated_box(self, _v: Planes, substituted: Planes) -> Planes {
        circuits::rotate::<_, 2>(&substituted)
    }

    #[inline(never)]
    fn substitute<const BOX: usize>(self, v: Planes) -> Planes {
        circuits::substitute::<_, BOX>(&v, !0)
    }

    unsafe fn load(self, from: *const u8) -> Planes {
        // SAFETY: the caller vouches for the memory.
        unsafe { from.cast::<Planes>().read_unaligned() }
    }

    unsafe fn store(self, to: *mut u8, row: Planes) {
        // SAFETY: the caller vouches for the memory.
        unsafe { to.cast::<Planes>().write_unaligned(row) }
    }

    #[inline(never)]
    fn slice(self, rows: [Planes; 16]) -> [Planes; 16] {
        // A row holds four blocks.
        let bytes = rows.map(|row| row.map(u64::to_ne_bytes));
        std::array::from_fn(|i| {
            pack(&std::array::from_fn(|block| {
                let at = block % 4 * 16 + i;
                bytes[block / 4][at / 8][at % 8]
            }))
        })
    }

    #[inline(never)]
    fn unslice(self, slices: [Planes; 16]) -> [Planes; 16] {
        let bytes = slices.map(|planes| unpack(&planes));
        std::array::from_fn(|row| {
            std::array::from_fn(|word| {
                u64::from_ne_bytes(std::array::from_fn(|i| {
                    let at = word * 8 + i;
                    bytes[at % 16][row * 4 + at / 16]
                }))
            })
        })
    }

    fn run<C: Core>(self, keys: &[Wide], state: &mut [Planes; 16]) {
        C::run(self, keys, state);
    }
}

/// So few blocks are done sooner one by one than in a wave.
const FEW: usize = 8;

/// A unit that needs no features, for waves, and plain code for what is less.
pub(crate) trait Plain: Slices {
    const ROUTE: Route;
    /// How GCM hashes.
    const GALOIS: Galois;
    const HERE: Self;

    /// Clears the registers in which it may leave a key.
    fn clear() {}
}

impl Plain for Words {
    const ROUTE: Route = Route::Portable;
    const GALOIS: Galois = wirespeed_aes::portable::GALOIS;
    const HERE: Self = Self;
}

struct On<U>(PhantomData<U>);

impl<U: Plain> Machine for On<U> {
    const ROUTE: Route = U::ROUTE;
    const GALOIS: Galois = U::GALOIS;

    fn drive<C: Core>(mode: Mode, round_keys: &[Block], chain: &mut Block, data: InOut<'_>) {
        #[inline(never)]
        fn of_all<U: Plain>(
            mode: Mode,
            runs: &Runs<U>,
            round_keys: &[Block],
            chain: &mut Block,
            data: InOut<'_>,
        ) {
            waves::drive(U::HERE, mode, runs, round_keys, chain, data);
            U::clear();
        }
        if data.len() <= 16 * FEW {
            return serial::few(By(C::plain), mode, round_keys, chain, data);
        }
        of_all::<U>(mode, &const { Runs::of::<C::Waves>() }, round_keys, chain, data);
    }

    fn chain<C: Core>(kind: Chain, round_keys: &[Block], register: &mut Block, data: InOut<'_>) {
        serial::chain(By(C::plain), kind, round_keys, register, data);
    }
}

static TABLE: [BlockKernels; 7] = of_plain::<Words>();

/// The tables of such a unit.
pub(crate) const fn of_plain<U: Plain>() -> [BlockKernels; 7] {
    tables::<On<U>, false>()
}

/// The portable kernels of a cipher.
pub(crate) fn kernels(cipher: BlockCipher) -> Option<&'static BlockKernels> {
    TABLE.iter().find(|kernels| kernels.cipher == cipher)
}
