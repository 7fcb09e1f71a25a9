//! Who serves at /dev/crypto, where it is.

use wirespeed_af_alg::devcrypto::{self, PATH};
use wirespeed_af_alg::drivers::{self, Modules};
use wirespeed_af_alg::{Interface, Permission, Transform};
use wirespeed_results::schema::kernel::{DevCrypto, Session};

use crate::output::table::paragraph;

/// What lies there; nothing where nothing does. Only what is to be `asked` opens it.
pub(super) fn look(asked: Option<&[&'static Transform]>) -> Option<DevCrypto> {
    if !std::path::Path::new(PATH).exists() {
        return None;
    }
    let presence = match asked {
        Some(_) => Interface::DevCrypto.presence(Permission::Unconfined),
        None => Interface::DevCrypto.sighted(),
    };
    if let Err(absent) = presence {
        return Some(DevCrypto { reason: Some(absent.0), sessions: Vec::new() });
    }
    let known = drivers::of_proc().unwrap_or_default();
    let modules = Modules::of_this_kernel().unwrap_or_default();
    let session = |transform: &&'static Transform| {
        let driver = devcrypto::driver(transform).ok()?;
        let listed = known.iter().find(|it| it.driver == driver.name);
        let device = driver.kernel_only || listed.is_some_and(|it| it.is_device(&modules));
        let (algorithm, name) = (transform.name.to_owned(), driver.name);
        Some(Session { algorithm, driver: name, device })
    };
    let sessions = asked.unwrap_or_default().iter().filter_map(session).collect();
    Some(DevCrypto { reason: None, sessions })
}

/// The same for people.
pub(super) fn text(found: &DevCrypto) -> String {
    let of = |it: &Session| format!("{} by {}", it.algorithm, it.driver);
    let (devices, software): (Vec<_>, Vec<_>) = found.sessions.iter().partition(|it| it.device);
    let all = |some: &[&Session]| some.iter().map(|it| of(it)).collect::<Vec<_>>().join(", ");
    let said = match (&found.reason, &devices[..], &software[..]) {
        (Some(reason), ..) => format!("not to be had: {reason}"),
        (None, [], []) => "here; who serves there is told where something is measured".to_owned(),
        (None, [], software) => format!(
            "worth nothing: the CPU itself serves there, which is faster without: {}",
            all(software)
        ),
        (None, devices, _) => format!(
            "a device serves there: {}; wirespeed bench --routes devcrypto,libcrypto shows what it is worth",
            all(devices)
        ),
    };
    paragraph(&format!("{PATH}: {said}"), 0, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn software_is_called_worthless_and_a_device_by_its_name() {
        let session = |driver: &str, device| Session {
            algorithm: "AES-128-CBC".to_owned(),
            driver: driver.to_owned(),
            device,
        };
        let told = |sessions| text(&DevCrypto { reason: None, sessions }).replace("\n  ", " ");
        let said = told(vec![session("cbc-aes-aesni", false)]);
        assert!(
            said.starts_with("/dev/crypto: worth nothing: ") && said.contains("by cbc-aes-aesni")
        );
        let said = told(vec![session("mv-cbc-aes", true), session("sha1-generic", false)]);
        assert!(said.contains("a device serves there: AES-128-CBC by mv-cbc-aes; wirespeed bench"));
        assert!(!said.contains("sha1-generic"), "{said}");
        let reason = Some("/dev/crypto is a plain file".to_owned());
        let said = text(&DevCrypto { reason, sessions: Vec::new() });
        assert_eq!(said, "/dev/crypto: not to be had: /dev/crypto is a plain file\n");
    }
}
