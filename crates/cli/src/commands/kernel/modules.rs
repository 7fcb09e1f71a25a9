//! The kernel's own crypto modules, as depmod(8) lists them.

use std::fs;

/// What modprobe knows of this kernel.
pub(super) struct Modules {
    /// modules.dep: each module's path and those that it needs.
    dependencies: String,
    /// modules.alias: what modules are asked for by.
    aliases: String,
}

impl Modules {
    /// Those of a kernel of this release.
    pub(super) fn of(release: &str) -> Self {
        let read = |name: &str| {
            fs::read_to_string(format!("/lib/modules/{release}/{name}")).unwrap_or_default()
        };
        Self { dependencies: read("modules.dep"), aliases: read("modules.alias") }
    }

    /// The crypto modules.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let paths = self.dependencies.lines().filter_map(|line| Some(line.split_once(':')?.0));
        let crypto = paths.filter(|path| path.contains("/crypto/"));
        crypto.filter_map(|path| Some(path.rsplit('/').next()?.split_once(".ko")?.0))
    }

    /// The crypto module of that name; hyphens and underscores are one to modprobe.
    pub(super) fn named(&self, name: &str) -> Option<&str> {
        let plain = |name: &str| name.replace('-', "_");
        self.names().find(|module| plain(module) == plain(name))
    }

    /// The module that says of itself that it has a driver.
    pub(super) fn with_driver(&self, driver: &str) -> Option<&str> {
        self.aliases.lines().find_map(|line| {
            let (alias, module) = line.strip_prefix("alias crypto-")?.rsplit_once(' ')?;
            (alias == driver).then_some(module)
        })
    }

    /// Whether all of these are there.
    pub(super) fn have(&self, modules: &[String]) -> bool {
        self.dependencies.is_empty() || modules.iter().all(|module| self.named(module).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_by_name_and_by_driver() {
        let modules = Modules {
            dependencies: "kernel/drivers/crypto/padlock-aes.ko: kernel/lib/crypto/libaes.ko\n\
                           kernel/drivers/crypto/virtio/virtio_crypto.ko.xz: a.ko\n\
                           kernel/drivers/net/dummy.ko:\n"
                .to_owned(),
            aliases: "# x\nalias crypto-sha1-padlock padlock_sha\nalias pci:v0 dummy\n".to_owned(),
        };
        assert_eq!(modules.names().collect::<Vec<_>>(), ["padlock-aes", "virtio_crypto"]);
        assert_eq!(modules.named("padlock_aes"), Some("padlock-aes"));
        assert_eq!(modules.named("virtio-crypto"), Some("virtio_crypto"));
        assert_eq!(modules.named("dummy"), None, "nothing of crypto");
        assert_eq!(modules.with_driver("sha1-padlock"), Some("padlock_sha"));
        assert_eq!(modules.with_driver("sha1"), None);
        assert!(modules.have(&["padlock-aes".to_owned()]));
        assert!(!modules.have(&["padlock-sha".to_owned()]));
    }
}
