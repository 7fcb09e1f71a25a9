//! Kernels and PadLock without our module, and the module without a CPU that says so.

use std::path::Path;

use wirespeed_vm::{Failure, Machine, PadLock};

use crate::{Answer, kernel};

/// Without the module the stock driver believes the CPU and dies, which is reported with the kernel's log.
pub(crate) fn no_module(machine: Machine) -> Result<(), String> {
    // It is Linux's test of the driver that uses the unit.
    let machine = machine.cpu(PadLock::Nano.cpu()).self_tests();
    match Answer::of_script(&machine, "modprobe padlock-aes; echo survived; sleep 1000") {
        Err(Failure::Died(log)) if log.contains("padlock") && log.contains("invalid opcode") => {
            Ok(())
        }
        other => Err(format!("{other:?}")),
    }
}

/// On a CPU whose CPUID knows of no PadLock, the driver refuses until the module says otherwise.
pub(crate) fn setcaps(machine: Machine) -> Result<(), String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../emulator/kernel");
    let module = kernel()?.build_module(&source)?;
    let script = format!(
        "modprobe padlock-aes && exit 1
         insmod {} setcaps=1 && modprobe padlock-aes && grep -A 9 cbc-aes-padlock /proc/crypto",
        module.display()
    );
    let answer = Answer::of_script(&machine.self_tests(), &script)?;
    match answer.text().contains(": passed") && answer.status == 0 {
        true => Ok(()),
        false => Err(format!("{answer:?}")),
    }
}
