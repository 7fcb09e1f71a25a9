//! Only an x86-64 can be made to look as if it had PadLock.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::main;

/// Says why there is nothing to run.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn main() -> std::process::ExitCode {
    eprintln!("padlock-run: emulates PadLock on an x86-64 CPU only, which this is not");
    std::process::ExitCode::from(2)
}
