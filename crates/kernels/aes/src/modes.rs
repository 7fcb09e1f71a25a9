//! The modes, each written once for every [`Unit`](crate::unit::Unit).
//!
//! How they reach the limit of the unit:
//!
//! - **Parallel modes** work in waves of eight vectors. The rest of a message is one wave of one to eight
//!   vectors, the last one cut by a mask. A message of one block takes a unit one block wide.
//! - **Chains** (CBC and CFB encryption, OFB) are bound by the latency of the rounds. All that stands between two
//!   blocks is folded into the last round key of the block before.
//! - **GCM** hashes between the rounds of AES: the blocks of this wave when decrypting, those of the wave before
//!   when encrypting. Powers of H are made when a message first needs them. A unit without instructions for AES
//!   does one after the other, as both take the same registers.
//! - **GCM-SIV**'s POLYVAL is the same multiplication without GHASH's turns of bytes and bits.
//! - **XTS** makes the tweaks of the next wave between the rounds of this one.
//! - **OCB**'s offsets repeat within a wave, except the last. A wave adds one offset to a table of the key's.
//!
//! Functions here are `inline(always)` methods, never closures. Only what is inlined gets the target features of
//! the entry points in `table`; a closure left standing would be a call for each instruction. `Unit::pin` keeps
//! the order of instructions: without it LLVM sorts apart what is interleaved on purpose.

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
