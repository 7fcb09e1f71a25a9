//! The proof of a route's lanes: the standards' answers, then differences against plain integers.

use wirespeed_cipher::Route;
use wirespeed_cpu::Features;

use crate::{Lanes, hash_all};

/// A quick proof before the first use: "abc" in every lane, and lengths around the borders of padding.
pub fn self_test(lanes: &Lanes) -> bool {
    let digest = lanes.digest();
    let known = hash_all(lanes, &vec![b"abc".as_slice(); 2 * lanes.width()]);
    let bytes: [u8; 400] = std::array::from_fn(|i| (i % 251) as u8);
    let messages: Vec<&[u8]> = (0..3 * lanes.width()).map(|i| &bytes[..(i * 37) % 400]).collect();
    let portable = Lanes::new(Route::Portable, digest, Features::NONE);
    known.iter().all(|hash| hash.as_ref()[..16] == digest.of_abc())
        && portable.is_ok_and(|portable| {
            let right = messages.iter().flat_map(|message| hash_all(&portable, &[message]));
            hash_all(lanes, &messages).into_iter().eq(right)
        })
}
