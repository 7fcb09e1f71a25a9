//! The scanner finds the CPUIDs that `objdump` sees, in the libraries that tests run under PadLock,
//! and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use padlock_emulator::Width;
use padlock_runner::find_cpuid;

/// Programs and libraries, and whether the tests cannot do without them.
const FILES: [(&str, bool); 9] = [
    ("/lib/x86_64-linux-gnu/libcrypto.so.3", true),
    ("/lib/x86_64-linux-gnu/libc.so.6", true),
    ("/lib64/ld-linux-x86-64.so.2", true),
    ("/usr/lib/x86_64-linux-gnu/engines-3/padlock.so", true),
    ("/usr/bin/python3", true),
    ("/lib/x86_64-linux-gnu/libgcrypt.so.20", true),
    ("/lib/x86_64-linux-gnu/libgcc_s.so.1", true),
    // Not in a machine as it is installed.
    ("/lib/x86_64-linux-gnu/libgnutls.so.30", false),
    (env!("CARGO_BIN_EXE_padlock-run"), true),
];

/// How many instructions around a CPUID must be instructions.
const AROUND: usize = 40;

/// Addresses of CPUID, and how many times its bytes stand in code.
fn scanned(file: &[u8]) -> (BTreeSet<u64>, usize) {
    let number = |at: usize, length: usize| {
        file[at..at + length].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let (table, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    let mut sites = BTreeSet::new();
    let mut candidates = 0;
    for header in (0..count).map(|index| (table + index * size) as usize) {
        // PT_LOAD, and PF_X among the flags.
        if number(header, 4) == 1 && number(header + 4, 4) & 1 != 0 {
            let [offset, address, length] = [8, 16, 32].map(|at| number(header + at, 8) as usize);
            let code = &file[offset..offset + length];
            find_cpuid(code, Width::Bits64, |at| {
                sites.insert((address + at) as u64);
            });
            candidates += code.windows(2).filter(|pair| *pair == [0x0f, 0xa2]).count();
        }
    }
    (sites, candidates)
}

/// Addresses of CPUID, and of those that stand in what is no code. `objdump` reads the tables that
/// some libraries keep among their code as code too, but soon meets bytes there that are no
/// instruction.
fn listed(file: &Path) -> (BTreeSet<u64>, BTreeSet<u64>) {
    let mut objdump = Command::new("objdump");
    let output =
        objdump.args(["-d", "--no-show-raw-insn"]).arg(file).output().expect("objdump runs");
    assert!(output.status.success(), "objdump -d {}", file.display());
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = text.lines().filter_map(|line| line.split_once(":\t")).collect();
    let mut code = BTreeSet::new();
    let mut tables = BTreeSet::new();
    for (index, (address, instruction)) in lines.iter().enumerate() {
        if instruction.trim() == "cpuid" {
            let around = &lines[index.saturating_sub(AROUND)..lines.len().min(index + AROUND)];
            let is_table = around.iter().any(|(_, instruction)| instruction.contains("(bad)"));
            let address = u64::from_str_radix(address.trim(), 16).expect("an address");
            if is_table { &mut tables } else { &mut code }.insert(address);
        }
    }
    (code, tables)
}

#[test]
fn the_scanner_agrees_with_objdump() {
    let mut found = 0;
    for (name, is_needed) in FILES {
        let path = Path::new(name);
        if !is_needed && !path.exists() {
            println!("skipped: {name} is not here");
            continue;
        }
        let file = fs::read(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (sites, candidates) = scanned(&file);
        let (code, tables) = listed(path);
        println!(
            "{name}: bytes {candidates}, scanner {}, objdump {} and {} in tables",
            sites.len(),
            code.len(),
            tables.len()
        );
        assert_eq!(sites, code, "{name}");
        assert!(sites.is_disjoint(&tables), "{name}");
        found += sites.len();
    }
    assert!(found > 50, "the libraries hold at least that many");
}
