//! The packages in a system: unpacked there, and the module installed by the program that came with it.

use std::env;
use std::fs;
use std::path::Path;

use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::module::Provided;
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::scratch::Scratch;

use crate::machine::Machine;
use crate::module::enc_of;
use crate::padlock::{blocks, emulator};

const BYTES: usize = 100_003;

/// A copy of the system with the packages that `WIRESPEED_PACKAGES` names, installed by the program in it.
fn installed(machine: &Machine, root: &Path) -> Result<Machine, String> {
    let packages = env::var_os("WIRESPEED_PACKAGES").ok_or("WIRESPEED_PACKAGES is not set")?;
    output(command("cp").arg("-a").args([&machine.root, root]))?;
    let folder = fs::read_dir(packages).map_err(|error| error.to_string())?;
    let files = folder.flatten().map(|entry| entry.path());
    for package in files.filter(|file| file.extension().is_some_and(|it| it == "deb")) {
        output(command("dpkg-deb").arg("--extract").arg(package).arg(root))?;
    }
    // Programs find their own file there.
    let processes = root.join("proc");
    fs::create_dir_all(&processes).map_err(|error| error.to_string())?;
    let mut install = command("unshare");
    install.args(["--map-root-user", "--pid", "--fork", "--kill-child"]);
    install.arg(format!("--mount-proc={}", processes.display())).arg("chroot").arg(root);
    output(Provided::Stock.to(install.args(["/usr/bin/wirespeed", "install", "--root", "/"])))?;
    Ok(Machine::new(root, machine.architecture, machine.tier))
}

/// The packages of 32-bit x86 are for a C3, too, which has no SSE2: there PadLock serves the system's `openssl`.
pub(crate) fn enc(machine: &Machine) -> Result<(), String> {
    let scratch = Scratch::new()?;
    let root = scratch.path("root");
    let ours = installed(machine, &root)?;
    let plain = scratch.write("root/plain", painted(9, BYTES))?;
    let right = output(Provided::Stock.to(&mut enc_of(machine, "-aes-128-cbc", "-e", &plain)))?;
    // From outside: the emulator is not in that system.
    let mut started = command(emulator()?);
    started.args(["--ptrace", "--stats", "--hide-aesni", "--strict", "--cpu", "c3"]);
    let digits = "00112233445566778899aabbccddeeff";
    let enc = ["enc", "-aes-128-cbc", "-K", digits, "-iv", digits, "-in", "/plain"];
    let enc = ours.configured(enc);
    started.arg(enc.get_program()).args(enc.get_args());
    started.envs(enc.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let done = started.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&done.stderr);
    same(|| said.clone().into_owned(), &right, &done.stdout)?;
    match blocks(&said, "xcryptcbc") {
        counted if counted >= BYTES as u64 / 16 => Ok(()),
        counted => Err(format!("xcryptcbc had {counted} blocks: {said}")),
    }
}
