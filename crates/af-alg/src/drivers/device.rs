//! Which drivers work on a device beside the CPU.

use std::{fs, io};

use super::Driver;

/// The files of the running kernel's modules, and where they lie in its source tree.
#[derive(Clone, Debug, Default)]
pub struct Modules(String);

impl Modules {
    /// Those of this machine: modules.dep of the running kernel.
    pub fn of_this_kernel() -> io::Result<Self> {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease")?;
        fs::read_to_string(format!("/lib/modules/{}/modules.dep", release.trim())).map(Self)
    }

    /// From the text of a modules.dep(5).
    pub const fn of_text(text: String) -> Self {
        Self(text)
    }

    /// The file of a module, which modules.dep and /proc/crypto may write with other hyphens.
    fn file(&self, module: &str) -> Option<&str> {
        let same = |file: &&str| {
            let name = file.rsplit('/').next().unwrap_or_default();
            let name = name.split(".ko").next().unwrap_or_default();
            name.replace('-', "_") == module.replace('-', "_")
        };
        self.0.lines().filter_map(|line| line.split(':').next()).find(same)
    }
}

impl Driver {
    /// Whether it works on a device beside the CPU, which programs reach through the kernel only.
    ///
    /// Its author says so with `CRYPTO_ALG_KERN_DRIVER_ONLY`, but not every author does (virtio_crypto
    /// does not). Otherwise it must be asynchronous, as every device is, and come in a module of
    /// drivers/crypto: cryptd is asynchronous but no device, PadLock's driver lies there but is a part of
    /// the CPU. A driver that is built in, and not marked, is not recognised.
    pub fn is_device(&self, modules: &Modules) -> bool {
        let lies_there = || {
            let file = self.module.as_deref().and_then(|module| modules.file(module));
            file.is_some_and(|file| file.contains("drivers/crypto/"))
        };
        self.kernel_only == Some(true) || (self.asynchronous && lies_there())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_marked_or_asynchronous_and_among_the_devices_drivers() {
        let modules = Modules::of_text(
            "kernel/drivers/crypto/virtio/virtio_crypto.ko: kernel/crypto/crypto_engine.ko\n\
             kernel/drivers/crypto/padlock-aes.ko.xz:\n\
             kernel/drivers/crypto/inside-secure/crypto_safexcel.ko.zst:\n\
             kernel/crypto/cryptd.ko:\n"
                .to_owned(),
        );
        for (module, asynchronous, kernel_only, expected) in [
            (Some("virtio_crypto"), true, None, true),
            (Some("virtio_crypto"), true, Some(false), true),
            (Some("padlock_aes"), false, Some(false), false),
            (Some("crypto_safexcel"), true, None, true),
            (Some("cryptd"), true, None, false),
            (Some("unheard_of"), true, None, false),
            (None, true, None, false),
            (None, true, Some(true), true),
        ] {
            let text = "name : x\ndriver : x\npriority : 1\ntype : skcipher";
            let mut driver = crate::drivers::parse(text).remove(0);
            driver.module = module.map(str::to_owned);
            (driver.asynchronous, driver.kernel_only) = (asynchronous, kernel_only);
            assert_eq!(driver.is_device(&modules), expected, "{module:?} {kernel_only:?}");
        }
    }
}
