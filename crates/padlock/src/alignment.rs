//! Whether `xcrypt` takes data at any address: tried once, by comparison with aligned data.

use std::sync::atomic::{AtomicU8, Ordering};

use wirespeed_cipher::{Block, Direction};
use wirespeed_cpu::Ace2;

use crate::area::Iv;
use crate::instruction::Xcrypt;
use crate::key::{Key, KeyArea};
use crate::modes::Unit;
use crate::xcrypt::AesUnit;

const UNKNOWN: u8 = 0;
const FREE: u8 = 1;
const BOUND: u8 = 2;

/// The result. Threads that look at the same time come to the same one, and a child inherits it.
static FOUND: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether the control word's ALIGN bit does what it is said to do.
///
/// A C3 has no such bit and faults, but no ACE2 either; strongSwan sets it always, and OpenSSL's notes
/// say that a C7 and a Nano take it. So trying is safe.
pub(crate) fn is_free(ace2: Ace2) -> bool {
    match FOUND.load(Ordering::Relaxed) {
        UNKNOWN => {
            let found = try_out(ace2);
            FOUND.store(if found { FREE } else { BOUND }, Ordering::Relaxed);
            found
        }
        found => found == FREE,
    }
}

/// Encrypts the same blocks aligned and unaligned.
fn try_out(_: Ace2) -> bool {
    let key = Key::new(&[0x5a; 16], Direction::Encrypt).expect("16 bytes");
    let encrypt = |offset: [usize; 2]| {
        #[repr(C, align(16))]
        struct Place([u8; 64]);
        let source = Place(std::array::from_fn(|i| (i.wrapping_sub(offset[0])) as u8));
        let mut destination = Place([0; 64]);
        let unaligned = offset != [0, 0];
        let mut unit =
            AesUnit::new(Xcrypt::Cbc, KeyArea::from(&key), Direction::Encrypt, unaligned);
        // SAFETY: both places hold 32 bytes from the offset on, and the token stands for ACE2. What is
        // fetched behind them stays on this page of the stack or the next, which is in use.
        unsafe {
            unit.run(
                &mut Iv([0; 16]),
                source.0.as_ptr().add(offset[0]),
                destination.0.as_mut_ptr().add(offset[1]),
                2,
            );
        }
        let blocks: [Block; 2] =
            std::array::from_fn(|i| std::array::from_fn(|j| destination.0[offset[1] + 16 * i + j]));
        blocks
    };
    let aligned = encrypt([0, 0]);
    [[1, 0], [0, 9], [15, 4]].into_iter().all(|offset| encrypt(offset) == aligned)
}
