//! AES by PadLock is the AES of `openssl`, in our own calls and in those of OpenSSL's engine.

use std::process::Command;

use crate::support::{Said, compile, emulated, scratch, trace};

const KEY: &str =
    "30313233343536373839616263646566464544434241393837363534333231303031323334353637";
/// The key's bytes 16 to 31.
const IV: &str = "46454443424139383736353433323130";

/// Bytes of which no two blocks are the same.
fn data(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 7 + at / 251) as u8).collect()
}

/// What `openssl enc` says, with these words before and behind its mode.
fn enc(mut command: Command, mode: &str, bits: usize, more: &[&str], data: &[u8]) -> Said {
    command.arg("enc").arg(format!("-aes-{bits}-{mode}")).args(["-K", &KEY[..bits / 4]]);
    if mode != "ecb" {
        command.args(["-iv", IV]);
    }
    Said::with_input(command.args(more), data)
}

fn openssl() -> Command {
    Command::new("openssl")
}

#[test]
fn one_instruction_is_what_openssl_computes() {
    let folder = scratch();
    let program = compile(folder.path(), "xcrypt", &[]);
    let data = data(4096 + 16);
    for mode in ["ecb", "cbc", "ctr", "cfb", "ofb"] {
        for bits in [128, 192, 256] {
            for interrupt in ["", ",interrupt-every=5"] {
                let xcrypt = |direction: &str, data: &[u8]| {
                    let settings = format!("stats{interrupt}");
                    let mut command = emulated(&settings, &program);
                    let said =
                        Said::with_input(command.args([mode, &bits.to_string(), direction]), data);
                    let (traps, blocks) = said.count(&format!("xcrypt{mode}"));
                    // 257 blocks, five at a time, are 52 pieces.
                    assert_eq!(traps, if interrupt.is_empty() { 1 } else { 52 }, "{mode} {bits}");
                    assert_eq!(blocks, data.len() as u64 / 16);
                    said.output().to_owned()
                };
                let expected = enc(openssl(), mode, bits, &["-nopad"], &data);
                let encrypted = xcrypt("encrypt", &data);
                assert!(encrypted == expected.output(), "{mode} {bits}{interrupt}");
                assert!(xcrypt("decrypt", &encrypted) == data, "{mode} {bits}{interrupt}");
            }
        }
    }
}

#[test]
fn openssl_sees_padlock_and_computes_the_same_with_it() {
    let said = Said::by(emulated("", "openssl").args(["engine", "padlock"]));
    assert_eq!(said.text(), "(padlock) VIA PadLock (no-RNG, ACE)\n");
    let data = data(100_003);
    for mode in ["ecb", "cbc", "ctr", "cfb", "ofb"] {
        for bits in [128, 192, 256] {
            let expected = enc(openssl(), mode, bits, &[], &data);
            let engine = emulated("stats", "openssl");
            let encrypted = enc(engine, mode, bits, &["-engine", "padlock"], &data);
            assert!(encrypted.output() == expected.output(), "{mode} {bits}");
            let (traps, blocks) = encrypted.count(&format!("xcrypt{mode}"));
            assert!(traps > 20 && blocks >= 6250, "{mode} {bits}: {traps} traps, {blocks} blocks");
            let engine = emulated("", "openssl");
            let more = ["-engine", "padlock", "-d"];
            let decrypted = enc(engine, mode, bits, &more, expected.output());
            assert!(decrypted.output() == data, "{mode} {bits}");
        }
    }
}

/// A PadLock that fails for some keys, as some on the market do. Release builds cannot be told to.
#[test]
fn a_wrong_unit_computes_wrong() {
    let folder = scratch();
    let program = compile(folder.path(), "xcrypt", &[]);
    let data = data(64);
    let xcrypt = |settings: &str, bits: &str| {
        Said::with_input(emulated(settings, &program).args(["cbc", bits, "encrypt"]), &data)
    };
    if !cfg!(debug_assertions) {
        return assert_eq!(xcrypt("wrong=xcrypt-256", "256").status(), Some(2));
    }
    assert_eq!(xcrypt("wrong=xcrypt-256", "128").output(), xcrypt("", "128").output());
    assert_ne!(xcrypt("wrong=xcrypt-256", "256").output(), xcrypt("", "256").output());
}

/// The places where an instruction stands are patched after its first trap.
#[test]
fn the_second_trap_comes_by_int3() {
    let folder = scratch();
    let file = folder.path().join("a trace, with a comma");
    let engine = emulated(&format!("stats,trace={}", file.display()), "openssl");
    let said = enc(engine, "cbc", 128, &["-engine", "padlock"], &data(50_000));
    let (traps, blocks) = said.count("xcryptcbc");
    let lines = trace(&file);
    let lines: Vec<_> = lines.iter().filter(|line| line.operation == "xcryptcbc").collect();
    assert_eq!(lines.len() as u64, traps);
    assert_eq!(lines.iter().map(|line| line.blocks).sum::<u64>(), blocks);
    let mut places: Vec<_> = lines.iter().map(|line| line.offset).collect();
    places.sort_unstable();
    places.dedup();
    let by = |signal| lines.iter().filter(|line| line.signal == signal).count();
    assert_eq!(by("SIGILL"), places.len(), "each place once: {lines:?}");
    assert_eq!(by("SIGTRAP"), lines.len() - places.len());
    // The places are those of the instruction in the engine's file.
    let engine = &lines[0].object;
    assert!(engine.ends_with("padlock.so"), "{engine}");
    let listing = Said::by(Command::new("objdump").args(["-d", engine])).text();
    for place in places {
        let line = listing.lines().find(|line| line.trim().starts_with(&format!("{place:x}:")));
        assert!(line.is_some_and(|line| line.contains("xcrypt-cbc")), "{place:x}: {line:?}");
    }
}
