//! The modes, each written once for every [`Unit`](crate::unit::Unit).
//!
//! Functions here are `inline(always)` so that they become part of the entry points in `x86` and
//! `table`, which carry the target features; on their own they have none.

/// Repeats a body for 0 to 7: unlike a loop it is sure to be unrolled, so that an array of vectors
/// stays in registers.
macro_rules! eight_times {
    (|$i:ident| $body:block) => {
        eight_times!(@ $i $body 0 1 2 3 4 5 6 7)
    };
    (@ $i:ident $body:block $($number:literal)*) => {
        $({
            const $i: usize = $number;
            $body
        })*
    };
}

pub(crate) mod chain;
pub(crate) mod ctr;
pub(crate) mod gcm;
pub(crate) mod ghash;
pub(crate) mod ocb;
pub(crate) mod parallel;
pub(crate) mod xts;
