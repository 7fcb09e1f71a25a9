//! A unit with its key, ready for the instructions of one call.

use std::ptr;

use wirespeed_cipher::{Block, Direction, Mode};
use wirespeed_cpu::{Ace2, Ccs};

use crate::arch::x86::area::Iv;
use crate::arch::x86::control::ControlWord;
use crate::arch::x86::found::Found;
use crate::arch::x86::instruction::{self, Sm4Control};
use crate::arch::x86::key::{Key, KeyArea};

/// A block cipher in hardware, in one mode with one key.
pub(crate) struct Unit<'k> {
    mode: Mode,
    kind: Kind<'k>,
}

enum Kind<'k> {
    Xcrypt {
        key: &'k Block,
        control: ControlWord,
        any_address: bool,
        /// Whether the unit has read this key and control word.
        loaded: bool,
    },
    Sm4 {
        key: &'k Block,
        control: Sm4Control,
    },
}

impl<'k> Unit<'k> {
    /// AES: CTR, and data at any address, only with ACE2.
    ///
    /// # Safety
    /// The CPU has ACE, and ACE2 if `mode` is CTR or `any_address` is set.
    pub(crate) unsafe fn xcrypt(
        mode: Mode,
        key: KeyArea<'k>,
        direction: Direction,
        any_address: bool,
    ) -> Self {
        let control = key.control.with_direction(direction).with_unaligned_data(any_address);
        Self { mode, kind: Kind::Xcrypt { key: key.start, control, any_address, loaded: false } }
    }

    /// SM4.
    pub(crate) fn sm4(_: Ccs, mode: Mode, key: &'k Block, direction: Direction) -> Self {
        Self { mode, kind: Kind::Sm4 { key, control: Sm4Control::new(mode, direction) } }
    }

    /// The mode.
    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether data may lie at any address. For SM4 nobody says so.
    pub(crate) const fn takes_any_address(&self) -> bool {
        matches!(self.kind, Kind::Xcrypt { any_address: true, .. })
    }

    /// Blocks that it fetches at a time.
    ///
    /// `xcrypt` fetches 2 blocks for ECB and 1 for CBC, on a Nano of stepping 2 8 and 4 (Linux
    /// `drivers/crypto/padlock-aes.c`, `MAX_ECB_FETCH_BLOCKS`); OpenSSL guards CTR as well
    /// (`e_padlock-x86_64.pl`, `%PADLOCK_PREFETCH`). The greatest are taken: they cost something only at
    /// the end of a page. Nothing is known of SM4's fetching ahead.
    pub(crate) const fn fetch(&self) -> usize {
        match (&self.kind, self.mode) {
            (Kind::Xcrypt { .. }, Mode::Ecb) => 8,
            (Kind::Xcrypt { .. }, Mode::Cbc) => 4,
            (Kind::Xcrypt { .. }, Mode::Ctr) => 2,
            _ => 1,
        }
    }

    /// One instruction over `blocks` blocks.
    ///
    /// # Safety
    /// Source and destination are readable and writable for so many blocks, and the same or apart; they are
    /// multiples of 16 unless [`Self::takes_any_address`]. What the unit [fetches](Self::fetch) behind
    /// the source is readable as well.
    pub(crate) unsafe fn run(
        &mut self,
        iv: &mut Iv,
        source: *const u8,
        destination: *mut u8,
        blocks: usize,
    ) {
        // SAFETY: the caller vouches for the data, and whoever made the unit for the CPU. Key areas have
        // as many bytes as are read of them.
        unsafe {
            match &mut self.kind {
                Kind::Xcrypt { key, control, loaded, .. } => {
                    if !*loaded {
                        instruction::forget_key();
                        *loaded = true;
                    }
                    let key = ptr::from_ref::<Block>(key).cast();
                    instruction::xcrypt(self.mode, control, key, iv, source, destination, blocks);
                }
                Kind::Sm4 { key, control } => {
                    instruction::sm4(*control, key, iv, source, destination, blocks);
                }
            }
        }
    }
}

/// Whether the control word's ALIGN bit does what it is said to do: tried once.
///
/// A C3 has no such bit and faults, but no ACE2 either. strongSwan sets it on every CPU, and OpenSSL's notes
/// (`e_padlock-x86.pl`) say that a C7 and a Nano take it. So trying is safe.
pub(crate) fn takes_any_address(ace2: Ace2) -> bool {
    static FOUND: Found = Found::new();
    FOUND.or_try(|| {
        let aligned = encrypted_at(ace2, [0, 0]);
        [[1, 0], [0, 9], [15, 4]].into_iter().all(|offset| encrypted_at(ace2, offset) == aligned)
    })
}

/// Two blocks of CBC, from one offset to another.
fn encrypted_at(_: Ace2, [from, to]: [usize; 2]) -> [u8; 32] {
    #[repr(C, align(16))]
    struct Place([u8; 256]);
    let key = Key::new(&[0x5a; 16], Direction::Encrypt).expect("16 bytes");
    let source = Place(std::array::from_fn(|i| i.wrapping_sub(from) as u8));
    let mut destination = Place([0; 256]);
    // SAFETY: the token stands for ACE2, and both places hold two blocks from the offset on, and what is
    // fetched behind them.
    unsafe {
        let any_address = [from, to] != [0, 0];
        let mut unit =
            Unit::xcrypt(Mode::Cbc, KeyArea::from(&key), Direction::Encrypt, any_address);
        let (source, destination) = (source.0.as_ptr(), destination.0.as_mut_ptr());
        unit.run(&mut Iv([0; 16]), source.add(from), destination.add(to), 2);
    }
    destination.0[to..to + 32].try_into().expect("32 bytes")
}
