//! xsha, SM3 and unknown functions: U6, U10, U11, U15.

use std::io;

use wirespeed_cipher::Digest;
use wirespeed_cpu::padlock::PadLock;
use wirespeed_cpu::x86::ThisCpu;
use wirespeed_cpu::{Feature, Features};

use super::Ended;
use super::scene::{DESTINATION, FILL, IV, KEY, Registers, SOURCE, STATE, Scene, Seen, hex};

const XSHA1: [u8; 4] = [0xf3, 0x0f, 0xa6, 0xc8];
const XSHA256: [u8; 4] = [0xf3, 0x0f, 0xa6, 0xd0];
const XSHA512: [u8; 4] = [0xf3, 0x0f, 0xa6, 0xe0];
const SM3: [u8; 4] = [0xf3, 0x0f, 0xa6, 0xe8];
const SM4: [u8; 4] = [0xf3, 0x0f, 0xa7, 0xf0];

/// RAX where RCX counts blocks.
const BLOCKS: u64 = u64::MAX;

/// Registers for a hash over the source.
fn over(scene: &Scene, rax: u64, rcx: u64) -> Registers {
    let (rsi, rdi) = (scene.address(SOURCE), scene.address(STATE));
    Registers { rax, rcx, rsi, rdi, ..Registers::default() }
}

/// U6.
pub(super) fn registers(features: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let takes_blocks = PadLock::of(&ThisCpu).is_some_and(PadLock::is_64_bit);
    // Code, RAX and RCX before; RAX and RCX after, and how far RSI goes.
    let message = Some(());
    let cases = [
        (message, "xsha256", XSHA256, [0, 100], [100, 100], 100),
        (message, "xsha256", XSHA256, [128, 64], [128, 64], 0),
        (takes_blocks.then_some(()), "xsha256", XSHA256, [BLOCKS, 2], [BLOCKS, 0], 128),
        (features.has(Feature::Phe2).then_some(()), "xsha512", XSHA512, [7, 2], [7, 0], 256),
    ];
    for (_, name, code, before, after, read) in cases.into_iter().filter(|it| it.0.is_some()) {
        let scene = Scene::new()?;
        let start = over(&scene, before[0], before[1]);
        let (ended, end) = scene.run(&code, start, 0)?;
        let source = end.rsi.wrapping_sub(start.rsi);
        seen.expect(
            ended == Ended::Done && [end.rax, end.rcx] == after && source == read,
            format!(
                "{name}, RAX {:#x}, RCX {}: {ended}, RAX {:#x}, RCX {}, RSI + {source}",
                before[0], before[1], end.rax, end.rcx
            ),
            format!("RAX {:#x}, RCX {}, RSI + {read}", after[0], after[1]),
        );
    }
    Ok(seen)
}

/// U10.
pub(super) fn sm3_message(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let scene = Scene::new()?;
    let words = Digest::Sm3.initial().map(|word| (word as u32).to_be_bytes());
    scene.put(STATE, words.as_flattened());
    scene.put(SOURCE, b"abc");
    let start = Registers { rbx: 0x20, ..over(&scene, 0, 3) };
    let (ended, end) = scene.run(&SM3, start, 0)?;
    let digest: [u8; 32] = scene.bytes(STATE);
    // GB/T 32905 appendix A.1.
    let [high, low] =
        [0x66c7_f0f4_62ee_edd9_d1f2_d46b_dc10_e4e2_u128, 0x4167_c487_5cf2_f7a2_297d_a02b_8f4b_a8e0];
    let right = digest == *[high.to_be_bytes(), low.to_be_bytes()].as_flattened();
    seen.expect(
        ended == Ended::Done && right && (end.rax, end.rcx) == (3, 3),
        format!("abc: {ended}, {}, RAX {:#x}, RCX {}", hex(&digest), end.rax, end.rcx),
        "the standard's digest, RAX 3, RCX 3",
    );
    Ok(seen)
}

/// U11.
pub(super) fn other_functions(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let scene = Scene::new()?;
    let start = Registers { rbx: 0x10, ..over(&scene, BLOCKS, 1) };
    let (ended, _) = scene.run(&SM3, start, 0)?;
    seen.expect(ended.is_general_protection(), format!("SM3 with RBX = 10h: {ended}"), "#GP");
    for control in [0x20, 0xe0, 0x42] {
        let start = Registers {
            rax: control,
            rbx: scene.address(KEY),
            rcx: 1,
            rdx: scene.address(IV),
            rsi: scene.address(SOURCE),
            rdi: scene.address(DESTINATION),
            ..Registers::default()
        };
        let (ended, _) = scene.run(&SM4, start, 0)?;
        let line = format!("SM4 with EAX = {control:#x}: {ended}");
        seen.expect(ended.is_general_protection(), line, "#GP");
    }
    Ok(seen)
}

/// U15.
pub(super) fn area(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let zhaoxin = PadLock::of(&ThisCpu).is_some_and(|cpu| cpu.family >= 7);
    for (name, code, state) in [("xsha1", XSHA1, 20), ("xsha256", XSHA256, 32)] {
        let scene = Scene::new()?;
        let (ended, _) = scene.run(&code, over(&scene, 0, 64), 0)?;
        let bytes: [u8; 128] = scene.bytes(STATE);
        let behind = bytes[state..].iter().filter(|byte| **byte != FILL).count();
        let assumed = if zhaoxin && state == 20 { 12 } else { 0 };
        seen.expect(
            ended == Ended::Done && behind == assumed,
            format!("{name}: {ended}, {behind} bytes changed behind the state"),
            assumed,
        );
        let scene = Scene::new()?;
        let (ended, _) = scene.run(&code, over(&scene, 0, 0), 0)?;
        let padded = scene.bytes::<20>(STATE) != [FILL; 20];
        let did = if padded { "pads an empty message" } else { "does nothing" };
        seen.expect(
            ended == Ended::Done && padded != zhaoxin,
            format!("{name} with RCX = 0: {ended}, {did}"),
            if zhaoxin { "nothing" } else { "padding" },
        );
    }
    Ok(seen)
}
