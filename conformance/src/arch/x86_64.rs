//! Requests to valgrind as instructions.

pub mod vectors_in_use;

use std::arch::asm;

/// A request that a processor executes as nothing and valgrind as a message to itself; 0 where
/// nobody listens.
pub(crate) fn request(message: [u64; 6]) -> u64 {
    let mut answer = 0_u64;
    // SAFETY: the four rotations add up to 128 bits and the exchange is of a register with itself, so
    // the processor changes nothing but flags; valgrind writes the answer to RDX. The message may name
    // memory whose state of initialisation changes, so no `nomem`.
    unsafe {
        asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            inout("rdx") answer,
            in("rax") message.as_ptr(),
            options(nostack),
        );
    }
    answer
}
