//! How many instructions one call takes, and how much it copies: our route against OpenSSL's engine.

use std::ops::Range;
use std::path::Path;

use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::scratch::{Scratch, read};

use crate::emulation::{Said, compile, emulated};

/// One call of `EVP_CipherUpdate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Call {
    size: u64,
    aligned: bool,
    /// Instructions of PadLock.
    traps: u64,
    /// Bytes that they read or wrote elsewhere than in the caller's buffers.
    copied: u64,
}

/// An instruction of a trace.
struct Instruction {
    blocks: u64,
    source: u64,
    destination: u64,
}

/// What a trace holds between each pair of marks, which are the program's own CPUIDs.
fn between_marks(trace: &str, program: &Path) -> Vec<Vec<Instruction>> {
    let mut calls = Vec::new();
    let mut open: Option<Vec<Instruction>> = None;
    for line in trace.lines() {
        let [_, _, _, _, place, operation, blocks, source, destination] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            continue;
        };
        let number = |digits: &str| {
            let digits = digits.strip_prefix("0x").unwrap_or(digits);
            u64::from_str_radix(digits, 16).unwrap_or(0)
        };
        if operation == "cpuid" && place.starts_with(&format!("{}+", program.display())) {
            match open.take() {
                Some(call) => calls.push(call),
                None => open = Some(Vec::new()),
            }
        } else if let Some(call) = &mut open {
            let blocks = blocks.parse().unwrap_or(0);
            let (source, destination) = (number(source), number(destination));
            call.push(Instruction { blocks, source, destination });
        }
    }
    calls
}

fn calls(scratch: &Scratch, client: &Path, ours: bool, mode: &str) -> Result<Vec<Call>, String> {
    let trace = scratch.path("trace");
    let path = trace.to_string_lossy().into_owned();
    let mut command = emulated(&["--trace", &path], client)?;
    let watched;
    let from = if ours {
        watched = Watched::with("routes = padlock")?;
        // Its counters send every call the slow way, which changes no instruction of PadLock's.
        Provided::Ours(&watched).to(&mut command);
        "provider"
    } else {
        "engine"
    };
    let said = Said::by(command.args(["calls", from, mode, "128"]), b"")?;
    let text = said.text()?;
    let trace = String::from_utf8_lossy(&read(&trace)?).into_owned();
    let traced = between_marks(&trace, client);
    if traced.len() != text.lines().count() || traced.is_empty() {
        return Err(format!("{} calls, {} in the trace", text.lines().count(), traced.len()));
    }
    let call = |line: &str, instructions: &[Instruction]| -> Option<Call> {
        let words: Vec<_> = line.split(' ').collect();
        let [size, offset, source, destination] = words[..] else { return None };
        let size = size.parse().ok()?;
        let buffer = |start: &str| -> Option<Range<u64>> {
            let start = u64::from_str_radix(start.strip_prefix("0x")?, 16).ok()?;
            Some(start..start + size)
        };
        let (source, destination) = (buffer(source)?, buffer(destination)?);
        let copied = instructions.iter().map(|it| {
            let elsewhere = u64::from(!source.contains(&it.source))
                + u64::from(!destination.contains(&it.destination));
            16 * it.blocks * elsewhere
        });
        let traps = instructions.len() as u64;
        Some(Call { size, aligned: offset == "0", traps, copied: copied.sum() })
    };
    let lines = text.lines().zip(&traced);
    let calls: Option<_> = lines.map(|(line, instructions)| call(line, instructions)).collect();
    calls.ok_or(text.clone())
}

/// The table. Never more instructions than the engine, and never more bytes copied.
pub(crate) fn per_call() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let client = compile(&scratch, "evp.c", &["-l:libcrypto.so.3"])?;
    println!("\nPer call of EVP_CipherUpdate, AES-128:     instructions         bytes copied");
    println!("mode   bytes  buffers                      engine    ours     engine      ours");
    let mut worse = Vec::new();
    for mode in ["ecb", "cbc", "cfb", "ofb", "ctr"] {
        let engine = calls(&scratch, &client, false, mode)?;
        let ours = calls(&scratch, &client, true, mode)?;
        if engine.len() != ours.len() {
            return Err(format!("{mode}: {} calls and {}", engine.len(), ours.len()));
        }
        for (engine, ours) in engine.iter().zip(&ours) {
            let buffers = if ours.aligned { "aligned" } else { "unaligned" };
            println!(
                "{mode} {:9}  {buffers:26} {:8} {:7} {:10} {:9}",
                ours.size, engine.traps, ours.traps, engine.copied, ours.copied
            );
            if ours.traps > engine.traps || ours.copied > engine.copied || ours.traps == 0 {
                worse.push(format!("{mode}: {engine:?} against our {ours:?}"));
            }
        }
        let copies = |calls: &[Call]| -> u64 {
            calls.iter().filter(|call| !call.aligned).map(|call| call.copied).sum()
        };
        if copies(&ours) >= copies(&engine) {
            worse.push(format!("{mode}: no fewer copies of unaligned data"));
        }
    }
    if worse.is_empty() { Ok(()) } else { Err(worse.join("\n")) }
}
