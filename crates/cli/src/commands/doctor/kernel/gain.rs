//! Whether there is a device that only the kernel reaches.

use wirespeed_kernel::drivers::{self, Driver};

use super::super::examined::Examined;

/// Hardware whose instructions every program can use, without the kernel.
const INSTRUCTIONS: [&str; 6] =
    ["PadLock", "AES-NI", "VAES", "SHA-NI", "PCLMULQDQ", "ARMv8 Crypto Extensions"];

/// What makes anything asynchronous by threads of the kernel's.
const TEMPLATES: [&str; 3] = ["cryptd(", "mcryptd(", "pcrypt("];

/// The drivers of such devices, in words; nothing where /proc/crypto has none.
pub(super) fn devices(examined: &Examined<'_>) -> Option<String> {
    let known = drivers::parse(&examined.here.text(drivers::LIST).unwrap_or_default());
    let mut devices: Vec<String> = known.iter().filter_map(device).collect();
    let more = devices.len().saturating_sub(3);
    devices.truncate(3);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!devices.is_empty()).then(|| format!("/proc/crypto has {}{rest}", devices.join(", ")))
}

fn device(driver: &Driver) -> Option<String> {
    let name = &driver.driver;
    let is_template = TEMPLATES.iter().any(|template| name.starts_with(template));
    match driver.hardware {
        _ if driver.internal || is_template => None,
        Some(hardware) if INSTRUCTIONS.contains(&hardware) => None,
        Some(hardware) => Some(format!("{name} ({hardware})")),
        // Who answers later than asked has somebody else to do the work.
        None => driver.asynchronous.then(|| name.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_told_from_instructions() {
        for (name, asynchronous, expected) in [
            ("virtio_crypto_aes_cbc", "yes", Some("virtio_crypto_aes_cbc (virtio device)")),
            ("mv-cbc-aes", "yes", Some("mv-cbc-aes (Marvell CESA)")),
            ("stm32-cbc-aes", "yes", Some("stm32-cbc-aes")),
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
            assert_eq!(device(driver).as_deref(), expected, "{name}");
        }
    }
}
