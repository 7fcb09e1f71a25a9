//! How fast an x86 core's clock runs.

use std::arch::asm;

/// Additions in one pass, each of which waits for the one before.
const UNROLL: u64 = 64;

/// Takes about so many cycles: an addition of registers takes one on every core (uops.info).
pub(crate) fn spend(cycles: u64) -> Option<u64> {
    let passes = cycles / UNROLL;
    if passes > 0 {
        // SAFETY: the instructions touch the registers that are declared; the counter starts above zero.
        unsafe {
            asm!(
                "2:", ".rept 64", "add {sum}, {one}", ".endr", "dec {passes}", "jnz 2b",
                passes = inout(reg) passes as usize => _,
                sum = inout(reg) 0_usize => _,
                one = in(reg) 1_usize,
                options(nomem, nostack),
            );
        }
    }
    Some(passes * UNROLL)
}
