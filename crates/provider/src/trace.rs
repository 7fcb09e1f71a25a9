//! Counts data calls by route, so that tests can tell which route ran.
//!
//! Only with the feature `trace`; the shipped module has none of this.

use std::sync::atomic::{AtomicUsize, Ordering};

use wirespeed_cipher::Route;

use crate::openssl::Param;

const PREFIX: &[u8] = b"wirespeed-calls-";

static CALLS: [AtomicUsize; Route::ALL.len()] = [const { AtomicUsize::new(0) }; Route::ALL.len()];

#[inline]
pub(crate) fn count(route: Route) {
    CALLS[route as usize].fetch_add(1, Ordering::Relaxed);
}

/// Data calls (updates, and `EVP_Cipher`) that `route` has served in this process.
pub fn calls(route: Route) -> u64 {
    CALLS[route as usize].load(Ordering::Relaxed) as u64
}

/// Answers the provider parameter `wirespeed-calls-ROUTE`; tells whether it was another.
pub(crate) fn answer(param: &mut Param) -> Option<bool> {
    let name = param.name().strip_prefix(PREFIX)?;
    let route = Route::ALL.into_iter().find(|route| route.name().as_bytes() == name)?;
    Some(param.set_usize(calls(route) as usize))
}
