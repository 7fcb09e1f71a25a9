//! xcrypt and SM4: the other points.

use std::io;

use wirespeed_cipher::{Block, Direction};
use wirespeed_cpu::padlock::PadLock;
use wirespeed_cpu::x86::ThisCpu;
use wirespeed_cpu::{Feature, Features};

use super::Ended;
use super::scene::{
    CODE, CONTROL, DESTINATION, END, FILL, IV, KEY, READ_ONLY, Registers, SOURCE, STATE, Scene,
    Seen, hex,
};
use crate::arch::x86::control::{ControlWord, KeySize};
use crate::arch::x86::expansion::expand;

const ECB: [u8; 4] = [0xf3, 0x0f, 0xa7, 0xc8];
const CBC: [u8; 4] = [0xf3, 0x0f, 0xa7, 0xd0];
const CFB: [u8; 4] = [0xf3, 0x0f, 0xa7, 0xe0];
const OFB: [u8; 4] = [0xf3, 0x0f, 0xa7, 0xe8];
const SM4: [u8; 4] = [0xf3, 0x0f, 0xa7, 0xf0];
const XSHA256: [u8; 4] = [0xf3, 0x0f, 0xa6, 0xd0];

const DIGEST: u32 = 1 << 4;
const DECRYPT: u32 = 1 << 9;

/// FIPS 197 appendix C: the plaintext, and its ciphertexts under the key 000102…
const PLAINTEXT: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
const CIPHERTEXTS: [u128; 3] = [
    0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a,
    0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191,
    0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089,
];

/// The key 000102…, as it is.
fn key() -> [u8; 32] {
    std::array::from_fn(|i| i as u8)
}

/// The same expanded for encryption.
fn schedule(size: KeySize) -> [Block; 16] {
    let mut schedule = [[0; 16]; 16];
    expand(size, &key()[..size.bytes()], Direction::Encrypt, &mut schedule);
    schedule
}

/// A scene with the key, a control word of these bits, and the plaintext first in the source; registers for
/// so many blocks.
fn scene(control: u32, blocks: u64) -> io::Result<(Scene, Registers)> {
    let scene = Scene::new()?;
    scene.put(CONTROL, &u128::from(control).to_le_bytes());
    scene.put(KEY, &key());
    scene.put(SOURCE, &PLAINTEXT.to_be_bytes());
    let registers = Registers {
        rax: scene.address(IV),
        rbx: scene.address(KEY),
        rcx: blocks,
        rdx: scene.address(CONTROL),
        rsi: scene.address(SOURCE),
        rdi: scene.address(DESTINATION),
        ..Registers::default()
    };
    Ok((scene, registers))
}

/// A control word for 128 bits, expanded by the unit.
fn control() -> u32 {
    ControlWord::new(KeySize::Bits128).bits()
}

/// The block at a place, as a number.
fn block(scene: &Scene, place: usize) -> u128 {
    u128::from_be_bytes(scene.bytes(place))
}

const UNTOUCHED: u128 = u128::from_ne_bytes([FILL; 16]);

/// U3.
pub(super) fn address_size(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    // In 32-bit code there is no more than ECX, and the prefix changes nothing.
    let above = usize::MAX as u64 & 1 << 32;
    let (scene, start) = scene(control(), above + 1)?;
    let (ended, end) = scene.run(&[&[0x67], &ECB[..]].concat(), start, 0)?;
    let right = block(&scene, DESTINATION) == CIPHERTEXTS[0];
    let one = right && block(&scene, DESTINATION + 16) == UNTOUCHED;
    seen.expect(
        ended == Ended::Done && one && end.rcx == 0,
        format!("RCX = {above:#x} + 1: {ended}, {}, RCX {:#x}", done(right), end.rcx),
        "one block, RCX 0",
    );
    Ok(seen)
}

const fn done(right: bool) -> &'static str {
    if right { "right result" } else { "another result" }
}

/// U7.
pub(super) fn digest(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let (scene, start) = scene(control() | DIGEST, 4)?;
    let (ended, end) = scene.run(&CBC, start, 0)?;
    let written: String = (0..4)
        .map(|i| if block(&scene, DESTINATION + 16 * i) == UNTOUCHED { '-' } else { 'w' })
        .collect();
    let [rdi, rax] = [end.rdi, end.rax].map(|it| it.wrapping_sub(start.rdi) as i64);
    seen.expect(
        ended == Ended::Done && written == "w---" && (rdi, rax) == (0, 0),
        format!("CBC of 4 blocks: {ended}, blocks {written}, RDI + {rdi}, RAX at RDI + {rax}"),
        "blocks w---, RDI + 0, RAX at RDI + 0",
    );
    Ok(seen)
}

/// U8.
pub(super) fn intermediate(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    // FIPS 197 appendix C.1, "start" of rounds 2, 3 and 10.
    let states = [
        (1, 0x89d8_10e8_855a_ce68_2d18_43d8_cb12_8fe4),
        (2, 0x4915_598f_55e5_d7a0_daca_94fa_1f0a_63f7),
        (9, 0xbd6e_7c3d_f2b5_779e_0b61_216e_8b10_b689),
    ];
    for (rounds, state) in states {
        let control = ControlWord::new(KeySize::Bits128).with_round_keys();
        let (scene, start) = scene(control.with_intermediate_result(rounds).bits(), 1)?;
        scene.put(KEY, schedule(KeySize::Bits128)[..11].as_flattened());
        let (ended, _) = scene.run(&ECB, start, 0)?;
        let result = block(&scene, DESTINATION);
        let line = format!("{rounds} rounds: {ended}, {result:032x}");
        seen.expect(ended == Ended::Done && result == state, line, format!("{state:032x}"));
    }
    Ok(seen)
}

/// U9.
pub(super) fn reserved(features: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let key_bits = u128::from_be_bytes(key()[..16].try_into().expect("16 bytes"));
    let ordinary = u128::from(control());
    let mut cases = vec![
        ("KSIZE 3", 14 | 3 << 10, CIPHERTEXTS[2]),
        ("ROUND 0", ordinary & !0xf, PLAINTEXT ^ key_bits),
        ("bit 12", ordinary | 1 << 12, CIPHERTEXTS[0]),
        ("bit 31", ordinary | 1 << 31, CIPHERTEXTS[0]),
        ("bit 32", ordinary | 1 << 32, CIPHERTEXTS[0]),
        ("bit 127", ordinary | 1 << 127, CIPHERTEXTS[0]),
    ];
    if features.has(Feature::Ace2) {
        cases.push(("CIPHR", ordinary | 1 << 6, CIPHERTEXTS[0]));
    }
    for (name, word, expected) in cases {
        let (scene, start) = scene(0, 1)?;
        scene.put(CONTROL, &word.to_le_bytes());
        let (ended, _) = scene.run(&ECB, start, 0)?;
        let result = block(&scene, DESTINATION);
        let line = format!("{name}: {ended}, {result:032x}");
        seen.expect(ended == Ended::Done && result == expected, line, format!("{expected:032x}"));
    }
    Ok(seen)
}

/// U13.
pub(super) fn misaligned(features: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let right = {
        let (scene, start) = scene(control(), 1)?;
        scene.run(&CBC, start, 0)?;
        block(&scene, DESTINATION)
    };
    let align = if features.has(Feature::Ace2) { &[false, true][..] } else { &[false] };
    for align in align {
        let control = ControlWord::new(KeySize::Bits128).with_unaligned_data(*align).bits();
        for what in ["control word", "key", "vector", "source", "destination"] {
            let (scene, mut start) = scene(control, 1)?;
            let mut place = DESTINATION;
            match what {
                "control word" => {
                    scene.put(CONTROL + 1, &u128::from(control).to_le_bytes());
                    start.rdx += 1;
                }
                "key" => {
                    scene.put(KEY + 1, &key());
                    start.rbx += 1;
                }
                "vector" => start.rax += 1,
                "source" => {
                    scene.put(SOURCE + 1, &PLAINTEXT.to_be_bytes());
                    start.rsi += 1;
                }
                _ => {
                    place += 1;
                    start.rdi += 1;
                }
            }
            let (ended, _) = scene.run(&CBC, start, 0)?;
            let result = done(block(&scene, place) == right);
            let with = if *align { "with" } else { "without" };
            seen.note(format!("{what}, {with} ALIGN: {ended}, {result}"));
        }
    }
    if features.has(Feature::Phe) {
        let scene = Scene::new()?;
        let start = Registers {
            rcx: 64,
            rsi: scene.address(SOURCE),
            rdi: scene.address(STATE) + 1,
            ..Registers::default()
        };
        let (ended, _) = scene.run(&XSHA256, start, 0)?;
        seen.note(format!("state of xsha256: {ended}"));
    }
    Ok(seen)
}

/// U14.
pub(super) fn chaining(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    for (name, code, extra) in [("CFB", CFB, 0), ("CFB", CFB, DECRYPT), ("OFB", OFB, 0)] {
        let (scene, start) = scene(control() | extra, 2)?;
        let (ended, end) = scene.run(&code, start, 0)?;
        let (input, output) = (block(&scene, SOURCE + 16), block(&scene, DESTINATION + 16));
        let (rax, memory) = match (name, extra) {
            ("CFB", 0) => (start.rdi + 16, UNTOUCHED),
            ("CFB", _) => (start.rax, input),
            _ => (start.rax, input ^ output),
        };
        let way = if extra == 0 { "encrypts" } else { "decrypts" };
        let vector = block(&scene, IV);
        let place = if end.rax == start.rax { "stays" } else { "moves" };
        seen.expect(
            ended == Ended::Done && end.rax == rax && vector == memory,
            format!("{name} {way}: {ended}, RAX {place}, memory {vector:032x}"),
            format!("RAX {rax:#x}, memory {memory:032x}"),
        );
    }
    Ok(seen)
}

/// U16.
pub(super) fn page_fault(features: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    for (name, code) in [("ecb", ECB), ("cbc", CBC), ("cfb", CFB), ("ofb", OFB)] {
        let (scene, mut start) = scene(control(), 3)?;
        start.rsi = scene.address(END - 32);
        let (ended, end) = scene.run(&code, start, 0)?;
        let fault = matches!(ended, Ended::Signal(libc::SIGSEGV, ..));
        let gone = [end.rsi.wrapping_sub(start.rsi), end.rdi.wrapping_sub(start.rdi)];
        let written = block(&scene, DESTINATION + 16) != UNTOUCHED
            && block(&scene, DESTINATION + 32) == UNTOUCHED;
        seen.expect(
            fault && gone == [32, 32] && end.rcx == 1 && written,
            format!(
                "xcrypt{name} of 3 blocks, 2 there: {ended}, RSI + {}, RDI + {}, RCX {}, {}",
                gone[0],
                gone[1],
                end.rcx,
                if written { "2 blocks written" } else { "not 2 blocks written" },
            ),
            "a fault after two blocks",
        );
    }
    if features.has(Feature::Phe) {
        let scene = Scene::new()?;
        let start = Registers {
            rcx: 256,
            rsi: scene.address(END - 128),
            rdi: scene.address(STATE),
            ..Registers::default()
        };
        let (ended, end) = scene.run(&XSHA256, start, 0)?;
        let fault = matches!(ended, Ended::Signal(libc::SIGSEGV, ..));
        let stored = scene.bytes::<32>(STATE) != [FILL; 32];
        seen.expect(
            fault && (end.rax, end.rcx, end.rsi) == (128, 256, scene.address(END)) && stored,
            format!(
                "xsha256 of 256 bytes, 128 there: {ended}, RAX {}, RCX {}, RSI + {}, state {}",
                end.rax,
                end.rcx,
                end.rsi.wrapping_sub(start.rsi),
                if stored { "stored" } else { "not stored" },
            ),
            "a fault after two blocks, RAX 128, RCX 256, state stored",
        );
    }
    Ok(seen)
}

/// U17.
pub(super) fn read_only(features: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let fault = |ended| matches!(ended, Ended::Signal(libc::SIGSEGV, ..));
    let (scene, mut start) = scene(control() | DECRYPT, 2)?;
    start.rax = scene.address(READ_ONLY);
    let (ended, end) = scene.run(&CBC, start, 0)?;
    let untouched = block(&scene, DESTINATION) == UNTOUCHED;
    seen.expect(
        fault(ended) && untouched && (end.rcx, end.rsi) == (2, start.rsi),
        format!("CBC decryption: {ended}, RCX {}, destination untouched: {untouched}", end.rcx),
        "a fault before anything",
    );
    if features.has(Feature::Phe) {
        let rsi = scene.address(SOURCE);
        let rdi = scene.address(READ_ONLY);
        let start = Registers { rcx: 128, rsi, rdi, ..Registers::default() };
        let (ended, end) = scene.run(&XSHA256, start, 0)?;
        seen.expect(
            fault(ended) && (end.rax, end.rsi) == (0, rsi),
            format!("xsha256: {ended}, RAX {}, RSI + {}", end.rax, end.rsi.wrapping_sub(rsi)),
            "a fault before anything",
        );
    }
    Ok(seen)
}

/// U18.
pub(super) fn short_schedule(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let control = ControlWord::new(KeySize::Bits128).with_round_keys();
    let (scene, mut start) = scene(control.bits(), 1)?;
    scene.put(END - 176, schedule(KeySize::Bits128)[..11].as_flattened());
    start.rbx = scene.address(END - 176);
    let (ended, _) = scene.run(&ECB, start, 0)?;
    let right = block(&scene, DESTINATION) == CIPHERTEXTS[0];
    let line = format!("176 bytes before an inaccessible page: {ended}, {}", done(right));
    seen.expect(ended == Ended::Done && right, line, "the right result");
    Ok(seen)
}

/// U19.
pub(super) fn nothing(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let scene = Scene::new()?;
    let (ended, _) = scene.run(&CBC, Registers::default(), 0)?;
    seen.expect(ended == Ended::Done, format!("xcryptcbc with all pointers 0: {ended}"), "done");
    Ok(seen)
}

/// U20.
pub(super) fn interrupted(features: Features) -> io::Result<Seen> {
    /// 64 MiB, which take longer than the timer.
    const BYTES: u64 = 64 << 20;
    const MICROSECONDS: libc::suseconds_t = 5_000;
    let mut seen = Seen::default();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping is nobody else's. The processes get it as well.
    let data = unsafe { libc::mmap(std::ptr::null_mut(), BYTES as usize, access, flags, -1, 0) };
    if data == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    let at = data.expose_provenance() as u64;
    let mut look = |name: &str, code: &[u8], change: fn(&mut Registers)| {
        let (scene, mut start) = scene(control(), BYTES / 16)?;
        (start.rsi, start.rdi) = (at, at);
        change(&mut start);
        if code == XSHA256 {
            start.rdi = scene.address(STATE);
        }
        let (ended, end) = scene.run(code, start, MICROSECONDS)?;
        let gone = |after: u64, before: u64| after.wrapping_sub(before) as i64;
        seen.note(match ended {
            Ended::Signal(libc::SIGVTALRM, ..) if end.rip == scene.address(CODE) => format!(
                "{name}: at the instruction, RAX + {}, RCX + {}, RSI + {}, RDI + {}",
                gone(end.rax, start.rax),
                gone(end.rcx, start.rcx),
                gone(end.rsi, start.rsi),
                gone(end.rdi, start.rdi),
            ),
            Ended::Signal(libc::SIGVTALRM, ..) => {
                format!("{name}: the interrupt was seen elsewhere, as in an emulator")
            }
            ended => format!("{name}: {ended}, before an interrupt was seen"),
        });
        Ok(())
    };
    let mut result = look("xcryptcbc in place", &CBC, |_| {});
    if features.has(Feature::Phe) {
        let hashed = look("xsha256", &XSHA256, |start| (start.rax, start.rcx) = (0, BYTES));
        result = result.and(hashed);
    }
    // SAFETY: the mapping is ours and so long.
    unsafe { libc::munmap(data, BYTES as usize) };
    result.map(|()| seen)
}

/// U21.
pub(super) fn expansion(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    for (size, ciphertext) in KeySize::ALL.into_iter().zip(CIPHERTEXTS) {
        let control = ControlWord::new(size);
        for (direction, from, to) in [
            (Direction::Encrypt, PLAINTEXT, ciphertext),
            (Direction::Decrypt, ciphertext, PLAINTEXT),
        ] {
            let (scene, start) = scene(control.with_direction(direction).bits(), 1)?;
            scene.put(SOURCE, &from.to_be_bytes());
            let (ended, _) = scene.run(&ECB, start, 0)?;
            let result = block(&scene, DESTINATION);
            let line = format!("{} bits {direction}: {ended}, {result:032x}", 8 * size.bytes());
            seen.expect(ended == Ended::Done && result == to, line, format!("{to:032x}"));
        }
    }
    Ok(seen)
}

/// U22.
pub(super) fn overlap(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    let (overlapping, mut start) = scene(control(), 4)?;
    start.rdi = start.rsi + 16;
    let (ended, _) = overlapping.run(&ECB, start, 0)?;
    let result: [u128; 4] = std::array::from_fn(|i| block(&overlapping, SOURCE + 16 + 16 * i));
    // One after the other, each block is the one before encrypted once more.
    let mut chain = [PLAINTEXT; 5];
    for i in 0..4 {
        let (one, start) = scene(control(), 1)?;
        one.put(SOURCE, &chain[i].to_be_bytes());
        one.run(&ECB, start, 0)?;
        chain[i + 1] = block(&one, DESTINATION);
    }
    let after = if result == chain[1..] { "one block after the other" } else { "in another order" };
    let line = format!("ECB of 4 blocks, 16 bytes on: {ended}, {after}");
    seen.expect(ended == Ended::Done && result == chain[1..], line, "one block after the other");
    Ok(seen)
}

/// U24.
pub(super) fn flag(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    // PUSHFQ, POPFQ.
    for (name, end) in [("xcryptecb", &[][..]), ("pushf, popf", &[0x9c, 0x9d])] {
        let (scene, start) = scene(control(), 1)?;
        let (ended, after) = scene.run(&[&ECB[..], end].concat(), start, 0)?;
        seen.note(format!("after {name}: {ended}, bit 30 {}", after.flags >> 30 & 1));
    }
    Ok(seen)
}

/// U25.
pub(super) fn sm4(_: Features) -> io::Result<Seen> {
    let mut seen = Seen::default();
    // The mode's bit in EAX, and whether it decrypts.
    let modes =
        [("CBC", 7, 0), ("CBC", 7, 1), ("CFB", 8, 0), ("CFB", 8, 1), ("OFB", 9, 0), ("CTR", 10, 0)];
    for (name, bit, decrypt) in modes {
        let (scene, mut start) = scene(0, 2)?;
        let counter: u128 = 0x00ff_ffff;
        scene.put(IV, &counter.to_be_bytes());
        (start.rax, start.rdx) = (0x20 | 1 << bit | decrypt, scene.address(IV));
        let (ended, end) = scene.run(&SM4, start, 0)?;
        let (input, output) = (block(&scene, SOURCE + 16), block(&scene, DESTINATION + 16));
        let expected = match (name, decrypt) {
            ("CBC" | "CFB", 0) => output,
            ("CBC" | "CFB", _) => input,
            ("OFB", _) => input ^ output,
            // The last 16 bits alone.
            _ => 0x00ff_0001,
        };
        let vector = block(&scene, IV);
        let stay = (end.rax, end.rdx) == (start.rax, start.rdx);
        let way = if decrypt == 0 { "encrypts" } else { "decrypts" };
        seen.expect(
            ended == Ended::Done && stay && vector == expected,
            format!("{name} {way}: {ended}, vector {vector:032x}, EAX and RDX stay: {stay}"),
            format!("vector {expected:032x}"),
        );
    }
    let zhaoxin = PadLock::of(&ThisCpu).map_or("another maker", PadLock::name);
    let (scene, mut start) = scene(0, 2)?;
    (start.rax, start.rdx) = (0x20 | 1 << 7 | 1 << 11, scene.address(IV));
    let (ended, end) = scene.run(&SM4, start, 0)?;
    let second: Block = scene.bytes(DESTINATION + 16);
    seen.note(format!(
        "CBC with bit 11 on {zhaoxin}: {ended}, RDI + {}, second block {}",
        end.rdi.wrapping_sub(start.rdi),
        hex(&second)
    ));
    Ok(seen)
}
