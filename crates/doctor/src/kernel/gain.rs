//! Whether there is a device that only the kernel reaches.

use std::path::Path;

use wirespeed_af_alg::drivers::{self, Driver, Modules};

use crate::examined::Examined;

/// The drivers of such devices, in words; nothing where /proc/crypto has none.
pub(crate) fn devices(examined: &Examined<'_>, release: &str) -> Option<String> {
    let list = Path::new("/lib/modules").join(release).join("modules.dep");
    let modules = Modules::of_text(examined.here.text(list).unwrap_or_default());
    let known = drivers::parse(&examined.here.text(drivers::LIST).unwrap_or_default());
    let mut devices: Vec<String> =
        known.iter().filter_map(|driver| device(driver, &modules)).collect();
    let more = devices.len().saturating_sub(3);
    devices.truncate(3);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!devices.is_empty()).then(|| format!("/proc/crypto has {}{rest}", devices.join(", ")))
}

fn device(driver: &Driver, modules: &Modules) -> Option<String> {
    let name = &driver.driver;
    if driver.internal {
        return None;
    }
    match (driver.device(), driver.hardware) {
        (Some(device), _) => Some(format!("{name} ({device})")),
        (None, Some(_)) => None,
        (None, None) => driver.is_device(modules).then(|| name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_told_from_instructions() {
        let modules = Modules::of_text("kernel/drivers/crypto/stm32/m.ko:\n".to_owned());
        for (name, asynchronous, expected) in [
            ("virtio_crypto_aes_cbc", "yes", Some("virtio_crypto_aes_cbc (virtio device)")),
            ("mv-cbc-aes", "yes", Some("mv-cbc-aes (Marvell CESA)")),
            ("stm32-cbc-aes", "yes", Some("stm32-cbc-aes")),
            ("stm32-sync", "no", None),
            ("cbc-aes-geode", "no", Some("cbc-aes-geode (Geode LX)")),
            ("cbc-aes-padlock", "no", None),
            ("cryptd(__generic-gcm-aesni)", "yes", None),
            ("generic-gcm-aesni", "yes", None),
            ("cbc(aes-generic)", "no", None),
        ] {
            let text = format!(
                "name : x\ndriver : {name}\nmodule : m\npriority : 1\nselftest : passed\n\
                 internal : no\ntype : skcipher\nasync : {asynchronous}\n"
            );
            let driver = &drivers::parse(&text)[0];
            assert_eq!(device(driver, &modules).as_deref(), expected, "{name}");
        }
    }
}
