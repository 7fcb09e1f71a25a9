//! CPUs with PadLock: what QEMU has to say that a CPU is, so that kernel and programs believe it.
//!
//! QEMU knows the features' names (`target/i386/cpu.c`, CPUID_C000_0001_EDX) and translates none of their
//! instructions: those are the work of the module in `emulator/kernel`.

/// A CPU with PadLock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PadLock {
    /// VIA C7: its hash engine always finishes the message.
    C7,
    /// VIA Nano: hashes blocks as well.
    Nano,
}

impl PadLock {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::C7, Self::Nano];

    /// The name of the model, as `padlock-run --cpu` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C7 => "c7",
            Self::Nano => "nano",
        }
    }

    /// What QEMU is told.
    pub fn cpu(self) -> String {
        let identity = match self {
            Self::C7 => "model=13,stepping=0,model-id=VIA C7 (emulated)",
            Self::Nano => "model=15,stepping=3,model-id=VIA Nano (emulated)",
        };
        // Without PMM, whose `montmul` our module does not have.
        let units = ["xstore", "xcrypt", "ace2", "phe"];
        let units = units.map(|unit| format!("+{unit},+{unit}-en")).join(",");
        // `max` has what today's programs are built for, which no VIA had; TCG must be told to show
        // features that it cannot translate.
        format!(
            "max,vendor=CentaurHauls,family=6,{identity},xlevel2=0xC0000004,x-force-features=on,{units}"
        )
    }
}
