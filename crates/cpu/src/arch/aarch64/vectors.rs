//! The vector registers, and what a call may leave in them (AAPCS64 §6.1.2).

use std::arch::naked_asm;

/// Clears what a caller does not get back: all registers but the lower halves of v8 to v15.
#[unsafe(naked)]
pub(crate) extern "C" fn clear() {
    naked_asm!(
        ".irp register, 0, 1, 2, 3, 4, 5, 6, 7",
        "movi v\\register\\().2d, #0",
        ".endr",
        // Writing the lower half clears the upper one.
        ".irp register, 8, 9, 10, 11, 12, 13, 14, 15",
        "fmov d\\register, d\\register",
        ".endr",
        ".irp register, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "movi v\\register\\().2d, #0",
        ".endr",
        "ret",
    )
}

#[cfg(test)]
mod tests {
    use std::arch::asm;

    use super::clear;

    /// All registers after `between`, each of which was full of its number before.
    fn after(between: extern "C" fn()) -> [[u64; 2]; 32] {
        let mut registers = [[0; 2]; 32];
        // SAFETY: what `between` may change is said to be changed, and so is what is filled; there is room for all.
        unsafe {
            asm!(
                ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
                "movi v\\n\\().16b, #\\n + 1",
                ".endr",
                "blr {between}",
                ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
                "str q\\n, [x20, #16 * \\n]",
                ".endr",
                between = in(reg) between,
                // A register that a call keeps.
                in("x20") registers.as_mut_ptr(),
                out("v8") _, out("v9") _, out("v10") _, out("v11") _,
                out("v12") _, out("v13") _, out("v14") _, out("v15") _,
                clobber_abi("C"),
            );
        }
        registers
    }

    extern "C" fn nothing() {}

    #[test]
    fn a_call_keeps_what_it_must_and_nothing_else() {
        let filled = |n: usize| u64::from_ne_bytes([n as u8 + 1; 8]);
        let untouched = after(nothing);
        let cleared = after(clear);
        for n in 0..32 {
            assert_eq!(untouched[n], [filled(n); 2], "v{n}, before");
            let kept = if (8..16).contains(&n) { filled(n) } else { 0 };
            assert_eq!(cleared[n], [kept, 0], "v{n}");
        }
    }
}
