//! One message at a time, for when too few are left to fill the lanes.

use wirespeed_cipher::{Compression, Route};
use wirespeed_cpu::Features;

use crate::compress::{self, Compress, Md5, Sha1, Sha256, Sha512};
use crate::function::Step;
use crate::portable::Plain;
use crate::words::Word;

/// A chaining value, a word in each; 32-bit functions use the lower halves.
pub(crate) type Chain = [u64; 8];

/// Takes the chaining value over whole blocks.
pub(crate) type SingleFn = fn(&mut Chain, &[u8]);

/// The best single stream here, and its route.
pub(crate) fn best(step: Step, features: Features) -> (Route, SingleFn) {
    let sha = |compression| {
        let kernels = wirespeed_native::hash(Route::ShaNi, compression, features);
        kernels.ok().map(|kernels| (Route::ShaNi, kernels.blocks))
    };
    let by_sha_ni = match step {
        Step::Sha1 => sha(Compression::Sha1),
        Step::Sha256 => sha(Compression::Sha256),
        Step::Md5 | Step::Sha512 => None,
    };
    by_sha_ni.unwrap_or((Route::Portable, portable(step)))
}

/// The steps on plain integers.
pub(crate) fn portable(step: Step) -> SingleFn {
    match step {
        Step::Md5 => one_lane::<Md5>,
        Step::Sha1 => one_lane::<Sha1>,
        Step::Sha256 => one_lane::<Sha256>,
        Step::Sha512 => one_lane::<Sha512>,
    }
}

fn one_lane<C: Compress>(chain: &mut Chain, data: &[u8]) {
    let mut rows = [C::Word::EMPTY; 8];
    for (row, word) in rows.iter_mut().zip(&*chain) {
        row.as_mut()[0] = C::Word::of(*word);
    }
    let count = data.len() / (16 * size_of::<C::Word>());
    // SAFETY: there are eight rows, one lane's pointer, and so many blocks.
    unsafe {
        let unit = Plain::<C::Word, 1>::HERE;
        compress::blocks::<C, _>(unit, rows.as_mut_ptr().cast(), &data.as_ptr(), count);
    }
    for (row, word) in rows.iter().zip(chain) {
        *word = row.as_ref()[0].value();
    }
}
