//! Machines booted in QEMU: lesser CPUs, CPUs with PadLock, and whether booting them can be relied on.
//!
//! `WIRESPEED_VM` names the directory where kernels are kept, `WIRESPEED_MODULES` the one with the program and
//! the module, `WIRESPEED_KERNEL_TESTS` the test programs of the kernels.

mod guest;
mod models;
mod padlock;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_vm::{Accelerator, Failure, Kernel, Machine, Program, X86_64};

/// What a test does.
type Run = fn(Machine) -> Result<(), String>;

const GUEST: &[(&str, Run)] = &[
    ("guest::command", guest::command),
    ("guest::streams", guest::streams),
    ("guest::overlay", guest::overlay),
    ("guest::limit", guest::limit),
    ("guest::death", guest::death),
    ("guest::parallel", guest::parallel),
    ("guest::interrupt", guest::interrupt),
    ("padlock::no-module", padlock::no_module),
    ("padlock::setcaps", padlock::setcaps),
];

fn main() -> ExitCode {
    if guest::is_child() {
        return guest::child();
    }
    let mut arguments = Arguments::from_args();
    // Each guest has as many CPUs as the smallest host.
    arguments.test_threads = Some(1);
    let own = GUEST.iter().map(|&(name, run)| trial(name, None, move || run(machine()?)));
    let lesser = models::MODELS.iter().map(|model| {
        let obstacle = model.accelerator.obstacle();
        trial(model.cpu, obstacle, move || models::boot(model, machine()?))
    });
    libtest_mimic::run(&arguments, own.chain(lesser).collect()).exit_code()
}

fn trial(
    name: &str,
    obstacle: Option<&'static str>,
    run: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    let missing = env::var_os("WIRESPEED_VM").is_none().then_some("WIRESPEED_VM is not set");
    let obstacle = missing.or(obstacle);
    Trial::ignorable_test(format!("vm::{name}"), move || match obstacle {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => run().map(|()| Completion::Completed).map_err(Failed::from),
    })
}

fn variable(name: &str) -> Result<PathBuf, String> {
    env::var_os(name).map(PathBuf::from).ok_or_else(|| format!("{name} is not set"))
}

fn kernel() -> Result<Kernel, String> {
    Kernel::provide(&variable("WIRESPEED_VM")?, &X86_64, None)
}

/// A machine that is translated, so that what it can do does not depend on the host.
fn machine() -> Result<Machine, String> {
    Ok(Machine::new(kernel()?).accelerator(Accelerator::Tcg).cpu("max"))
}

/// What a program said, and how it ended.
#[derive(Debug)]
struct Answer {
    status: i32,
    output: Vec<u8>,
    complaints: String,
}

impl Answer {
    fn of(machine: &Machine, program: &Program) -> Result<Self, Failure> {
        let (mut output, mut complaints) = (Vec::new(), Vec::new());
        let status = machine.run(program, &mut output, &mut complaints)?;
        let complaints = String::from_utf8_lossy(&complaints).into_owned();
        Ok(Self { status, output, complaints })
    }

    /// What the shell makes of a script.
    fn of_script(machine: &Machine, script: &str) -> Result<Self, Failure> {
        Self::of(machine, &Program::here(["sh", "-c", script])?)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }
}
