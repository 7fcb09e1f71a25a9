//! The kernel's lists of drivers, and its order among them.

use std::collections::BTreeSet;

use wirespeed_af_alg::drivers::{self, Driver, Modules};
use wirespeed_af_alg::netlink::{Error, Netlink};
use wirespeed_af_alg::{Cipher, Permission, Transform};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, same};
use crate::forks::{child, joined};
use crate::oracle;

/// Both lists name the same drivers, and agree about each.
pub(crate) fn agree() -> Result<(), String> {
    let connected = Netlink::open().and_then(|mut netlink| netlink.drivers());
    let told = connected.map_err(|error| error.to_string())?;
    let read = drivers::of_proc().map_err(|error| error.to_string())?;
    let known = |mut driver: Driver| {
        driver.kernel_only = None;
        // /proc/crypto has words of its own for these.
        driver.kind = driver.kind.replace("compression", "comp");
        format!("{driver:?}")
    };
    let set = |list: Vec<Driver>| -> BTreeSet<_> { list.into_iter().map(known).collect() };
    let (told, read) = (set(told), set(read));
    if told.len() < 10 {
        return Err(format!("only {} drivers", told.len()));
    }
    let differ: Vec<_> = told.symmetric_difference(&read).collect();
    if differ.is_empty() { Ok(()) } else { Err(format!("they differ in {differ:#?}")) }
}

fn serving(algorithm: &str) -> Result<Driver, String> {
    let all = drivers::of_proc().map_err(|error| error.to_string())?;
    let mut of = all.into_iter().filter(|it| it.serves && it.algorithm == algorithm);
    of.next().ok_or_else(|| format!("nothing serves {algorithm}"))
}

/// A driver with a higher priority serves, and what asks for it by its name has it anyway.
pub(crate) fn priorities() -> Result<(), String> {
    let transform = Transform::named("AES-128-ECB").expect("a name of the table");
    let key = bytes(16, 1);
    let open = |driver| {
        Cipher::open(transform, driver, &key, Permission::Unconfined).map_err(|it| it.to_string())
    };
    open(None)?;
    let first = serving("ecb(aes)")?;
    let mut netlink = Netlink::open().map_err(|error| error.to_string())?;
    let mut set = |driver: &str, priority| netlink.set_priority(driver, priority);
    // The template over the plain cipher, whatever its name is, is made when it is asked for.
    let template = &format!("ecb({})", serving("aes")?.driver);
    let mut cipher = open(Some(template))?;
    set(template, 9000).map_err(|error| error.to_string())?;
    open(None)?;
    let now = serving("ecb(aes)")?;
    set(template, 100).map_err(|error| error.to_string())?;
    if (&now.driver, now.priority) != (template, 9000) {
        return Err(format!("{now:?} serves, not {template}"));
    }
    if &first.driver != template && serving("ecb(aes)")?.driver != first.driver {
        return Err(format!("{:?} serves again, not {first:?}", serving("ecb(aes)")?));
    }
    let mut data = bytes(64, 2);
    let expected = oracle::crypt("AES-128-ECB", Direction::Encrypt, &key, &[], &data);
    let crypted = cipher.crypt(Direction::Encrypt, &mut [], InOut::in_place(&mut data));
    crypted.map_err(|error| error.to_string())?;
    same(template, &data, &expected)
}

/// Without the right there is no change, and an unknown driver has a type of its own.
pub(crate) fn refusals() -> Result<(), String> {
    let mut netlink = Netlink::open().map_err(|error| error.to_string())?;
    match netlink.set_priority("no-such-driver", 1) {
        Err(Error::NoDriver(driver)) if driver == "no-such-driver" => {}
        other => return Err(format!("an unknown driver: {other:?}")),
    }
    joined(child(|| {
        // SAFETY: it changes this child only.
        assert_eq!(unsafe { libc::setuid(65_534) }, 0);
        let mut netlink = Netlink::open().map_err(|error| error.to_string())?;
        match netlink.set_priority("aes-generic", 1) {
            Err(Error::Forbidden) => Ok(()),
            other => Err(format!("as nobody: {other:?}")),
        }
    }))
}

/// No driver of this machine's is a device, whatever else it is.
pub(crate) fn devices() -> Result<(), String> {
    let modules = Modules::of_this_kernel().map_err(|error| error.to_string())?;
    let all = drivers::of_proc().map_err(|error| error.to_string())?;
    let devices: Vec<_> = all.iter().filter(|driver| driver.is_device(&modules)).collect();
    let known = |driver: &&Driver| driver.driver.starts_with("virtio_crypto");
    if devices.iter().all(known) { Ok(()) } else { Err(format!("devices: {devices:?}")) }
}
