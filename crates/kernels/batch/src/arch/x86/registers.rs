//! What calls leave in the vector registers: a library that is bound later saves them on the stack.

use wirespeed_cipher::{Block, BlockCipher, InOut, Schedule};
use wirespeed_cpu::{Avx512, Features, Token};

use crate::{ChainMode, CipherJob, CipherLanes, encrypt_all};

/// The registers' blocks; without AVX-512 the lower halves of sixteen registers, which is where keys would be.
#[inline(never)]
fn registers() -> Vec<Block> {
    let mut blocks = vec![[0; 16]; 128];
    let room = blocks.as_mut_ptr();
    if Avx512::probe(Features::detect()).is_ok() {
        // SAFETY: the CPU has these registers, and there is room for all of them.
        unsafe {
            std::arch::asm!(
                ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
                "vmovdqu64 [{0} + 64 * \\n], zmm\\n",
                ".endr",
                ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
                "vmovdqu64 [{0} + 64 * \\n], zmm\\n",
                ".endr",
                in(reg) room,
                options(nostack, preserves_flags)
            );
        }
    } else {
        // SAFETY: every CPU of 64 bits has these registers, and there is room for all of them.
        unsafe {
            std::arch::asm!(
                ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
                "movdqu [{0} + 16 * \\n], xmm\\n",
                ".endr",
                in(reg) room,
                options(nostack, preserves_flags)
            );
        }
    }
    blocks
}

#[test]
fn no_round_key_stays_in_a_register() {
    for route in CipherLanes::ROUTES {
        let lanes =
            CipherLanes::new(route, BlockCipher::Aes128, ChainMode::Cbc, Features::detect());
        let Ok(lanes) = lanes else { continue };
        let mut schedule = Schedule::EMPTY;
        (lanes.kernels().expand[0])(b"a key, no secret", &mut schedule);
        let keys = &schedule.round_keys[..=10];
        let found = |what| {
            let left = registers().iter().any(|block| keys.contains(block));
            assert!(!left, "{route}: {what} leaves a round key");
        };
        let mut data = [[0x5a; 512]; 32];
        (lanes.kernels().ecb[0])(&schedule, InOut::in_place(&mut data[0]));
        found("ECB");
        let mut ivs = [[0; 16]; 32];
        let mut jobs: Vec<_> = ivs
            .iter_mut()
            .zip(&mut data)
            .map(|(iv, data)| CipherJob { key: &schedule, iv, data: InOut::in_place(data) })
            .collect();
        encrypt_all(&lanes, &mut jobs);
        found("CBC in lanes");
    }
}
