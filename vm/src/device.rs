//! Devices that a guest may have besides those that it boots from.

/// A device of the guest's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// A crypto engine that only the kernel's driver reaches. QEMU computes for it, with a library of its own.
    VirtioCrypto,
}

impl Device {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::VirtioCrypto];

    /// Its name, as `cargo xtask vm --device` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::VirtioCrypto => "virtio-crypto",
        }
    }

    /// What QEMU is told.
    pub(crate) const fn options(self) -> [&'static str; 4] {
        match self {
            Self::VirtioCrypto => [
                "-object",
                "cryptodev-backend-builtin,id=crypto",
                "-device",
                "virtio-crypto-pci,cryptodev=crypto",
            ],
        }
    }

    /// The kernel's driver, which nobody in the guest loads by himself: there is no udev.
    pub(crate) const fn driver(self) -> &'static str {
        match self {
            Self::VirtioCrypto => "virtio_crypto",
        }
    }
}
