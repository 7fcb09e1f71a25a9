//! The proof of drivers: of every algorithm, of every driver, and of one that is wrong.

use wirespeed_af_alg::drivers::{self, Driver};
use wirespeed_af_alg::{Error, Interface, Permission, Transform, prove, self_test};

/// Whatever serves each algorithm knows its published example; a few of each kind are right throughout.
pub(crate) fn all(interface: Interface) -> Result<(), String> {
    let mut there = 0;
    for transform in Transform::ALL {
        match self_test(interface, transform, None, Permission::Unconfined) {
            Ok(()) => there += 1,
            Err(Error::Absent(_)) => {}
            Err(error) => return Err(format!("{}: {error}", transform.name)),
        }
    }
    let least = if interface == Interface::AfAlg { 25 } else { 15 };
    if there < least {
        return Err(format!("only {there} algorithms are there"));
    }
    for (name, least) in
        [("AES-256-CTR", 85), ("AES-128-XTS", 60), ("AES-128-CCM", 85), ("SHA2-256", 85)]
    {
        let transform = Transform::named(name).expect("a name of the table");
        if !interface.knows(transform) {
            continue;
        }
        let proved = prove(interface, transform, None).map_err(|why| format!("{name}: {why}"))?;
        if proved < least {
            return Err(format!("{name}: only {proved} messages were proved"));
        }
    }
    Ok(())
}

/// Each driver of an algorithm by its name.
pub(crate) fn drivers() -> Result<(), String> {
    let transform = Transform::named("AES-128-CBC").expect("a name of the table");
    let all = drivers::of_proc().map_err(|error| error.to_string())?;
    let fits =
        |it: &&Driver| it.algorithm == transform.kernel && it.self_test_passed && !it.internal;
    for driver in all.iter().filter(fits) {
        prove(Interface::AfAlg, transform, Some(&driver.driver))
            .map_err(|why| format!("{}: {why}", driver.driver))?;
    }
    Ok(())
}

/// A driver that computes something else is found out, and is named.
pub(crate) fn wrong() -> Result<(), String> {
    let transform = Transform::named("AES-128-CBC").expect("a name of the table");
    let driver = "ctr(aes)";
    match self_test(Interface::AfAlg, transform, Some(driver), Permission::Unconfined) {
        Err(Error::Broken(error)) if error.to_string().contains(driver) => {}
        other => return Err(format!("{driver} as AES-128-CBC: {other:?}")),
    }
    match prove(Interface::AfAlg, transform, Some(driver)) {
        Err(why) if why.contains("wrong result") => Ok(()),
        other => Err(format!("{driver} as AES-128-CBC: {other:?}")),
    }
}
