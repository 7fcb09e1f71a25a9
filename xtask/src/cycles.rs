//! `cargo xtask cycles`: what LLVM's models of ARM's cores say of our routes and of the host OpenSSL's own code.
//!
//! No machine at hand has these cores. So QEMU runs one call of each and logs every instruction, and LLVM's model of a core
//! counts the cycles that they take. A model knows a core's ports and latencies. It knows no cache and no wrong guess of a
//! branch, and not that a core takes AESE and AESMC for one. Calls and returns count as jumps.

mod trace;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::cross::{ARM64, PROGRAMS};
use crate::packages;
use crate::toolchain::standard_library;
use crate::workspace::Workspace;

use trace::Trace;

/// A machine that QEMU makes, and the cores whose models count its instructions.
struct Machine {
    /// QEMU's name.
    cpu: &'static str,
    /// `OPENSSL_armcap`, if not all is used.
    mask: Option<&'static str>,
    cores: &'static [&'static str],
    /// Our routes there.
    routes: &'static [&'static str],
}

const MACHINES: &[Machine] = &[
    Machine {
        cpu: "cortex-a53",
        mask: None,
        cores: &["cortex-a53", "cortex-a55"],
        routes: &["aes-ce", "sha-ce", "neon"],
    },
    Machine {
        cpu: "cortex-a72",
        mask: None,
        cores: &["cortex-a72"],
        routes: &["aes-ce", "sha-ce", "neon"],
    },
    Machine {
        cpu: "neoverse-n1",
        mask: None,
        cores: &["neoverse-n1"],
        routes: &["aes-ce", "sha-ce", "neon"],
    },
    // Without AES, as in a Raspberry Pi 3 and 4: no model of QEMU's is.
    Machine { cpu: "cortex-a53", mask: Some("1"), cores: &["cortex-a53"], routes: &["neon"] },
    Machine { cpu: "cortex-a72", mask: Some("1"), cores: &["cortex-a72"], routes: &["neon"] },
];

/// What is run: algorithm and direction, and bytes.
type Case = (&'static str, usize);

const CASES: &[Case] = &[
    ("AES-128-CTR enc", 16384),
    ("AES-128-CBC dec", 16384),
    ("AES-128-XTS enc", 4096),
    ("AES-128-GCM enc", 1420),
    ("AES-128-GCM enc", 16384),
    ("AES-128-CBC enc", 4096),
    ("ChaCha20-Poly1305 enc", 1420),
    ("ChaCha20-Poly1305 enc", 16384),
    ("CAMELLIA-128-CTR enc", 4096),
    ("ARIA-128-CTR enc", 4096),
    ("SHA2-256 enc", 4096),
    ("SHA2-512 enc", 4096),
    ("SHA3-256 enc", 4096),
];

/// The host's own code.
const HOST: &str = "libcrypto";

/// Runs the cases whose names hold `only`, and prints the table.
pub(crate) fn run(workspace: &Workspace, only: &str) -> Result<()> {
    let cases: Vec<_> = CASES.iter().copied().filter(|(case, _)| case.contains(only)).collect();
    ensure!(!cases.is_empty(), "no algorithm's name holds {only:?}");
    packages::provide(ARM64.needs)?;
    packages::provide(packages::EMULATION)?;
    packages::provide(packages::MODELS)?;
    standard_library(workspace, ARM64.rust)?;
    let root = ARM64.root(workspace, "trixie", &PROGRAMS)?;
    let example = ["build", "--release", "--package", "wirespeed-bench", "--example", "traced"];
    ensure!(ARM64.build(workspace, example).passes()?, "the traced program does not build");
    let program = ARM64.modules(workspace).join("examples/traced");
    println!(
        "cycles a byte by LLVM's models: ours, the host OpenSSL's, and how many times ours is as fast\n"
    );
    println!(
        "| core | algorithm | bytes | route | ours | OpenSSL | ratio |\n|---|---|---|---|---|---|---|"
    );
    for machine in MACHINES {
        table(&root, &program, machine, &cases)?;
    }
    Ok(())
}

/// The rows of one machine.
fn table(root: &Path, program: &Path, machine: &Machine, cases: &[Case]) -> Result<()> {
    eprintln!("{}{} …", machine.cpu, machine.mask.map_or("", |_| " without AES"));
    let mut cells = Vec::new();
    for (case, bytes) in cases {
        for route in machine.routes.iter().chain([&HOST]) {
            cells.push(format!("{case} {bytes} {route}"));
        }
    }
    let mut command = Command::new("qemu-aarch64-static");
    command.args(["-cpu", machine.cpu, "-singlestep", "-d", "exec,in_asm,nochain", "-L"]);
    command.arg(root).arg(program).args(&cells);
    command.envs(machine.mask.map(|mask| ("OPENSSL_armcap", mask)));
    let trace = Trace::of(&mut command)?;
    let code = disassemble(&trace.code)?;
    let mut runs = trace.runs.iter();
    let mut ran = HashMap::new();
    for (cell, said) in cells.iter().zip(&trace.said) {
        if said == "ran" {
            let run = runs.next().context("a call without its instructions")?;
            ran.insert(cell.as_str(), run.iter().map(|place| code[place].as_str()).collect());
        }
    }
    for core in machine.cores {
        rows(core, machine, cases, &ran)?;
    }
    Ok(())
}

/// The rows of one core.
fn rows(
    core: &str,
    machine: &Machine,
    cases: &[Case],
    ran: &HashMap<&str, Vec<&str>>,
) -> Result<()> {
    for (case, bytes) in cases {
        let per_byte = |route: &str| -> Result<Option<f64>> {
            let Some(run) = ran.get(format!("{case} {bytes} {route}").as_str()) else {
                return Ok(None);
            };
            Ok(cycles(core, run)?.map(|cycles| cycles as f64 / *bytes as f64))
        };
        let Some(host) = per_byte(HOST)? else { continue };
        for route in machine.routes {
            let Some(ours) = per_byte(route)? else { continue };
            let core = if machine.mask.is_some() { format!("{core}, no AES") } else { core.into() };
            let ratio = host / ours;
            println!(
                "| {core} | {case} | {bytes} | {route} | {ours:.2} | {host:.2} | {ratio:.2} |"
            );
        }
    }
    Ok(())
}

/// What a program of LLVM's makes of a text.
fn llvm(program: &str, arguments: &[&str], input: &str) -> Result<(bool, String)> {
    let mut child = Command::new(packages::llvm(program))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot run {program}"))?;
    let mut stdin = child.stdin.take().expect("piped");
    // It reads all before it writes.
    stdin.write_all(input.as_bytes())?;
    drop(stdin);
    let output = child.wait_with_output()?;
    Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// Instructions as text by their places.
fn disassemble(code: &HashMap<u64, [u8; 4]>) -> Result<HashMap<u64, String>> {
    let places: Vec<_> = code.keys().copied().collect();
    let bytes = |place: &u64| code[place].map(|byte| format!("{byte:#04x}")).join(" ");
    let input: Vec<_> = places.iter().map(bytes).collect();
    let (_, text) =
        llvm("llvm-mc", &["--disassemble", "--triple=aarch64", "--mattr=+all"], &input.join("\n"))?;
    let lines = text.lines().map(str::trim).filter(|it| !it.is_empty() && !it.starts_with('.'));
    let lines: Vec<_> = lines.map(without_calls).collect();
    if lines.len() != places.len() {
        bail!("{} instructions, and {} lines of text", places.len(), lines.len());
    }
    Ok(places.into_iter().zip(lines).collect())
}

/// A model takes calls and returns for a hundred cycles.
fn without_calls(line: &str) -> String {
    match line.split_whitespace().next() {
        Some("bl" | "blr" | "br" | "ret") => "b #4".to_owned(),
        _ => line.to_owned(),
    }
}

/// What a core's model counts, if it knows all instructions.
fn cycles(core: &str, run: &[&str]) -> Result<Option<u64>> {
    let core = format!("--mcpu={core}");
    let arguments = ["--mtriple=aarch64", &core, "--mattr=+all", "--iterations=1"];
    let (success, text) = llvm("llvm-mca", &arguments, &run.join("\n"))?;
    let total = text.lines().find_map(|line| line.strip_prefix("Total Cycles:"));
    let total = total.filter(|_| success);
    total.map(|it| it.trim().parse().context("cycles")).transpose()
}
