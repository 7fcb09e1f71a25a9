//! `padlock-run`: an unmodified program on an emulated PadLock.

mod arch;

use std::process::ExitCode;

fn main() -> ExitCode {
    arch::main()
}
