//! xstore and montmul: U4, U5, U12.

use std::io;

use wirespeed_cpu::Features;

use super::Ended;
use super::scene::{DESTINATION, FILL, KEY, Registers, SOURCE, STATE, Scene, Seen, hex};
use crate::arch::x86::width::MONTMUL;

const XSTORE: [u8; 3] = [0x0f, 0xa7, 0xc0];
const REP_XSTORE: [u8; 4] = [0xf3, 0x0f, 0xa7, 0xc0];

/// U4.
pub(super) fn status(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let scene = Scene::new()?;
    for divisor in 0..4 {
        let registers =
            Registers { rdx: divisor, rdi: scene.address(DESTINATION), ..Registers::default() };
        let (ended, after) = scene.run(&XSTORE, registers, 0)?;
        let right = ended == Ended::Done && after.rax == 0x140 | 8 >> divisor;
        seen.expect(
            right,
            format!("divisor {divisor}: {ended}, EAX {:#x}", after.rax),
            "140h and the bytes",
        );
    }
    Ok(seen)
}

/// U5.
pub(super) fn stores(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    for (divisor, count) in [(0, 0), (1, 0), (2, 0), (3, 0), (0, 13), (3, 13)] {
        let scene = Scene::new()?;
        let to = scene.address(DESTINATION);
        let registers = Registers { rdx: divisor, rcx: count, rdi: to, ..Registers::default() };
        let code: &[u8] = if count == 0 { &XSTORE } else { &REP_XSTORE };
        let (ended, after) = scene.run(code, registers, 0)?;
        let bytes: [u8; 24] = scene.bytes(DESTINATION);
        let valid = 8_usize >> divisor;
        let (stored, advance) = match (count, divisor) {
            (0, 0) => (8, 8),
            (0, _) => (4, valid),
            _ => (13, 13),
        };
        let zeros = count > 0 || bytes[valid..stored].iter().all(|byte| *byte == 0);
        let kept = bytes[stored..].iter().all(|byte| *byte == FILL);
        let advanced = after.rdi.wrapping_sub(to);
        seen.expect(
            ended == Ended::Done && zeros && kept && advanced == advance as u64,
            format!("divisor {divisor}, RCX {count}: {ended}, {}, RDI + {advanced}", hex(&bytes)),
            format!("{stored} bytes, RDI + {advance}"),
        );
    }
    Ok(seen)
}

/// U12.
pub(super) fn montmul(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    // 0 times 0 modulo 2^256 - 1, plus the 1 that is in T already: times 2^-256 that is 1 again.
    for (bits, t) in [(256, 1_u8), (128, 0), (288, 0), (0, 0)] {
        let scene = Scene::new()?;
        let (a, b, m) = (SOURCE, SOURCE + 0x400, SOURCE + 0x800);
        scene.put(a, &[0; 64]);
        scene.put(b, &[0; 64]);
        scene.put(m, &[[0xff; 32], [0; 32]].concat());
        scene.put(DESTINATION, &[&[t][..], &[0; 63]].concat());
        let places = [a, b, DESTINATION, m, STATE].map(|place| scene.address(place) as u32);
        let words: Vec<u8> =
            [1].iter().chain(&places).flat_map(|word| word.to_le_bytes()).collect();
        scene.put(KEY, &words);
        let rsi = scene.address(KEY);
        let registers = Registers { rcx: bits, rsi, ..Registers::default() };
        let (ended, after) = scene.run(MONTMUL, registers, 0)?;
        let result: [u8; 36] = scene.bytes(DESTINATION);
        let line = format!(
            "{bits} bits: {ended}, T {}, EAX {:#x}, ECX {}, ESI + {}",
            hex(&result),
            after.rax,
            after.rcx,
            after.rsi.wrapping_sub(rsi)
        );
        match bits {
            256 => {
                let one = result[0] == 1 && result[1..].iter().all(|byte| *byte == 0);
                let right = one && after.rax == 8 && (after.rcx, after.rsi) == (256, rsi);
                seen.expect(ended == Ended::Done && right, line, "T 1, EAX 8, ECX and ESI stay");
            }
            0 => seen.expect(ended == Ended::Done, line, "nothing is done"),
            _ => seen.expect(ended.is_general_protection(), line, "#GP"),
        }
    }
    Ok(seen)
}
