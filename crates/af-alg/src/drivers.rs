//! /proc/crypto: every driver that the kernel's crypto API knows, and which of them serves.

mod device;
pub(crate) mod hardware;

use std::{fs, io};

pub use device::Modules;

/// A driver, as /proc/crypto or NETLINK_CRYPTO describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// What it can do: "cbc(aes)". Several drivers may share it.
    pub algorithm: String,
    /// Its own name: "cbc-aes-padlock".
    pub driver: String,
    /// The module that brought it; none if it is built in.
    pub module: Option<String>,
    /// Among drivers of one algorithm the highest serves.
    pub priority: i32,
    /// Whether the kernel's own test of it passed; it is not used before.
    pub self_test_passed: bool,
    /// Whether only other drivers may use it.
    pub internal: bool,
    /// The kernel's word for the kind of algorithm: "skcipher", "shash", …
    pub kind: String,
    /// Whether it may answer later than it was asked: devices do, and so does what works through threads of
    /// the kernel's (cryptd).
    pub asynchronous: bool,
    /// Whether its author marked it as hardware that only the kernel reaches; only NETLINK_CRYPTO tells.
    pub kernel_only: Option<bool>,
    /// Whether it gets what asks for the algorithm by its name.
    pub serves: bool,
    /// The hardware behind it, where that is known for certain.
    pub hardware: Option<&'static str>,
}

impl Driver {
    /// The device behind it that programs reach through the kernel only, where its name leaves no doubt.
    pub fn device(&self) -> Option<&'static str> {
        self.hardware.filter(|it| !self.internal && hardware::is_device(it))
    }
}

/// Where the kernel lists them.
pub const LIST: &str = "/proc/crypto";

/// The drivers of this machine.
pub fn of_proc() -> io::Result<Vec<Driver>> {
    fs::read_to_string(LIST).map(|text| parse(&text))
}

/// Reads /proc/crypto: drivers as blocks of `key : value` lines, in the kernel's own order.
pub fn parse(text: &str) -> Vec<Driver> {
    let mut drivers: Vec<Driver> = text.split("\n\n").filter_map(driver).collect();
    serve(&mut drivers);
    drivers
}

/// Finds out which of them serve.
pub(crate) fn serve(drivers: &mut [Driver]) {
    for place in serving(drivers) {
        drivers[place].serves = true;
    }
}

/// One block; nothing for an algorithm that is still being looked for (a "larval" has no driver).
fn driver(block: &str) -> Option<Driver> {
    let value = |wanted| value(block, wanted);
    let kind = value("type").filter(|kind| *kind != "larval")?;
    let driver = value("driver")?;
    Some(Driver {
        algorithm: value("name")?.to_owned(),
        module: value("module").filter(|module| *module != "kernel").map(str::to_owned),
        priority: value("priority")?.parse().ok()?,
        self_test_passed: value("selftest") == Some("passed"),
        internal: value("internal") == Some("yes"),
        asynchronous: value("async") == Some("yes"),
        kernel_only: None,
        kind: kind.to_owned(),
        serves: false,
        hardware: hardware::behind(driver),
        driver: driver.to_owned(),
    })
}

/// What a driver's block in /proc/crypto says of something: "refcnt".
pub fn value<'a>(block: &'a str, wanted: &str) -> Option<&'a str> {
    block.lines().find_map(|line| {
        // The name of an algorithm may hold a colon, a key never does.
        let (key, value) = line.split_once(':')?;
        (key.trim() == wanted).then_some(value.trim())
    })
}

/// Where the drivers stand that the kernel gives to whoever asks for an algorithm by its name.
///
/// `__crypto_alg_lookup` (crypto/api.c) walks its list, which is what /proc/crypto shows, and keeps a
/// driver only if its priority is higher than that of the best before it: the first of equals serves.
/// New drivers go to the head of the list, so among equals it is the one that came last.
fn serving(drivers: &[Driver]) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::new();
    let usable = |driver: &Driver| driver.self_test_passed && !driver.internal;
    for (place, driver) in drivers.iter().enumerate().filter(|(_, driver)| usable(driver)) {
        let rival = best.iter_mut().find(|other| {
            let other = &drivers[**other];
            other.algorithm == driver.algorithm && family(&other.kind) == family(&driver.kind)
        });
        match rival {
            Some(other) if driver.priority > drivers[*other].priority => *other = place,
            Some(_) => {}
            None => best.push(place),
        }
    }
    best
}

/// Kinds that whoever asks for one of them gets any of: synchronous and asynchronous forms (the type
/// masks in include/linux/crypto.h).
fn family(kind: &str) -> &str {
    match kind {
        "lskcipher" | "ablkcipher" | "blkcipher" | "givcipher" => "skcipher",
        "ahash" => "shash",
        "scomp" => "acomp",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Debian 12 (Linux 6.1) in a VM with an emulated VIA Nano: PadLock's drivers beside those built in.
    const NANO: &str = include_str!("drivers/samples/nano-6.1");
    /// A small Linux 6.18 without modules.
    const PLAIN: &str = include_str!("drivers/samples/plain-6.18");

    fn serves<'a>(drivers: &'a [Driver], algorithm: &str) -> Vec<&'a str> {
        let of = |driver: &&Driver| driver.serves && driver.algorithm == algorithm;
        drivers.iter().filter(of).map(|driver| driver.driver.as_str()).collect()
    }

    #[test]
    fn padlocks_drivers_serve() {
        let drivers = parse(NANO);
        let padlock = drivers.iter().find(|driver| driver.driver == "cbc-aes-padlock");
        let expected = Driver {
            algorithm: "cbc(aes)".to_owned(),
            driver: "cbc-aes-padlock".to_owned(),
            module: Some("padlock_aes".to_owned()),
            priority: 400,
            self_test_passed: true,
            internal: false,
            kind: "skcipher".to_owned(),
            asynchronous: false,
            kernel_only: None,
            serves: true,
            hardware: Some("PadLock"),
        };
        assert_eq!(padlock, Some(&expected));
        for (algorithm, driver) in [
            ("aes", "aes-padlock"),
            ("ecb(aes)", "ecb-aes-padlock"),
            ("cbc(aes)", "cbc-aes-padlock"),
            ("sha1", "sha1-padlock-nano"),
            ("sha256", "sha256-padlock-nano"),
            ("sha224", "sha224-generic"),
        ] {
            assert_eq!(serves(&drivers, algorithm), [driver], "{algorithm}");
        }
    }

    #[test]
    fn every_block_of_a_kernel_is_understood() {
        for text in [NANO, PLAIN] {
            let blocks = text.lines().filter(|line| line.starts_with("name ")).count();
            assert_eq!(parse(text).len(), blocks);
            assert!(blocks > 5);
        }
        let drivers = parse(PLAIN);
        assert_eq!(serves(&drivers, "stdrng"), ["drbg_nopr_hmac_sha512"]);
        assert!(drivers.iter().all(|driver| driver.module.is_none() && driver.hardware.is_none()));
    }

    fn block(algorithm: &str, driver: &str, more: &str) -> String {
        format!(
            "name         : {algorithm}\ndriver       : {driver}\nmodule       : kernel\n{more}\n\n"
        )
    }

    #[test]
    fn the_first_of_equals_serves_if_it_may_be_used() {
        let fine = "priority : 300\nselftest : passed\ninternal : no\ntype : shash";
        let text = [
            block(
                "sha1",
                "untested",
                "priority : 900\nselftest : unknown\ninternal : no\ntype : shash",
            ),
            block(
                "sha1",
                "inside",
                "priority : 900\nselftest : passed\ninternal : yes\ntype : shash",
            ),
            block("sha1", "sha1-new", &fine.replace("shash", "ahash")),
            block("sha1", "sha1-old", fine),
            block("sha1", "other kind", &fine.replace("shash", "rng")),
            block("sha1", "sha1", "priority : -1\ntype : larval\nflags : 0x10"),
        ]
        .concat();
        let drivers = parse(&text);
        assert_eq!(drivers.len(), 5, "a larval is no driver");
        assert_eq!(serves(&drivers, "sha1"), ["sha1-new", "other kind"]);
    }

    #[test]
    fn what_is_no_driver_is_passed_over() {
        assert_eq!(parse(""), []);
        assert_eq!(
            parse("nonsense\n\nname : x\n\nname : x\ndriver : y\npriority : z\ntype : shash"),
            []
        );
    }
}
