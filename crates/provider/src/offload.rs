//! What openssl.cnf lets go to Linux's crypto API: the keys `kernel` and `devcrypto`.

pub(crate) mod call;

use std::sync::Arc;

use wirespeed_af_alg::{Interface, Permission, Transform};
use wirespeed_cipher::{Direction, Shape, Subject};
use wirespeed_plan::Plan;

use crate::offload::call::Offloaded;

/// The value of `kernel` or `devcrypto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offload {
    pub(crate) interface: Interface,
    wanted: Wanted,
    /// Where it may be opened.
    permission: Permission,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    /// Nothing; the default.
    Off,
    /// Whatever the plan says.
    On,
    /// Of these alone whatever the plan says, each perhaps by the driver of that name.
    Listed(Vec<(Subject, Option<String>)>),
}

/// For each [`Subject`] what goes to Linux's crypto, the best way first.
pub(crate) type AllOffloaded = Vec<Vec<Arc<Offloaded>>>;

impl Offload {
    /// Nothing goes that way.
    pub(crate) const fn off(interface: Interface) -> Self {
        Self { interface, wanted: Wanted::Off, permission: Permission::Unconfined }
    }

    /// Reads the words of the value; the error says what they may be.
    pub(crate) fn read(interface: Interface, words: &[&str]) -> Result<Self, String> {
        let (wanted, permission) = Wanted::read(interface, words)?;
        Ok(Self { interface, wanted, permission })
    }

    /// How `subject` goes, if it may; at no length as yet.
    pub(crate) fn of(&self, subject: Subject) -> Option<Offloaded> {
        let driver = match &self.wanted {
            Wanted::Off => return None,
            Wanted::On => None,
            Wanted::Listed(listed) => listed.iter().find(|(it, _)| *it == subject)?.1.clone(),
        };
        let transform = may_go(self.interface, subject).ok()?;
        Some(Offloaded::new(self.interface, transform, driver, self.permission))
    }
}

impl Wanted {
    fn read(interface: Interface, words: &[&str]) -> Result<(Self, Permission), String> {
        let (confined, words): (Vec<&str>, Vec<_>) = words.iter().partition(|it| **it == "seccomp");
        let permission =
            if confined.is_empty() { Permission::Unconfined } else { Permission::Anywhere };
        match words[..] {
            ["off"] if confined.is_empty() => return Ok((Self::Off, permission)),
            ["on"] => return Ok((Self::On, permission)),
            [] => return Err("seccomp says where; say what, too: on, or algorithms".to_owned()),
            _ if words.contains(&"off") => return Err("off stands alone".to_owned()),
            _ if words.contains(&"on") => return Err("either on, or algorithms".to_owned()),
            _ => {}
        }
        let mut listed: Vec<(Subject, Option<String>)> = Vec::new();
        for word in words {
            let (name, driver) = match word.split_once('@') {
                Some((_, "")) => return Err(format!("{word} names no driver")),
                Some((name, driver)) => (name, Some(driver.to_owned())),
                None => (word, None),
            };
            let unknown = |_| {
                format!(
                    "unknown algorithm '{name}': give OpenSSL's names, such as AES-128-CBC, or on, or off"
                )
            };
            let subject = name.parse().map_err(unknown)?;
            may_go(interface, subject)?;
            if listed.iter().any(|(other, _)| *other == subject) {
                return Err(format!("{subject} is there twice"));
            }
            listed.push((subject, driver));
        }
        Ok((Self::Listed(listed), permission))
    }
}

/// What a plan gives to Linux's crypto.
pub(crate) fn planned(offloads: &[Offload], plan: &Plan) -> AllOffloaded {
    let of = |offload: &Offload, subject: Subject| {
        let route = offload.interface.route();
        let mut offloaded = offload.of(subject)?.or_driver(plan.driver(subject, route));
        for direction in Direction::BOTH {
            match subject {
                Subject::Cipher(algorithm) => {
                    let routes = plan.routes(algorithm, direction)?;
                    let size_buckets = (0..).zip(routes).filter(|(_, it)| *it == route);
                    size_buckets
                        .for_each(|(size_bucket, _)| offloaded.take(direction, size_bucket));
                }
                Subject::Digest(_) | Subject::Delegated(_) => {
                    let planned = plan.offload(subject, direction);
                    if let Some(planned) = planned.filter(|it| it.route == route) {
                        offloaded.take_from(direction, planned.bytes);
                    }
                }
            }
        }
        offloaded.takes_any().then(|| Arc::new(offloaded))
    };
    let all = |subject| offloads.iter().filter_map(|offload| of(offload, subject)).collect();
    Subject::all().map(all).collect()
}

/// Everything that is to be had that way, at any length: the route was asked for by name.
pub(crate) fn everything(offload: &Offload) -> Result<AllOffloaded, String> {
    let Offload { interface, ref wanted, permission } = *offload;
    let wanted = if *wanted == Wanted::Off { &Wanted::On } else { wanted };
    let offload = Offload { interface, wanted: wanted.clone(), permission };
    interface
        .presence(permission)
        .map_err(|why| format!("{} is absent: {why}", interface.route()))?;
    let of = |subject: Subject| {
        let offloaded = offload.of(subject).filter(Offloaded::is_present);
        offloaded.map(|it| Arc::new(it.at_any_length())).into_iter().collect()
    };
    Ok(Subject::all().map(of).collect())
}

/// Whether the provider can hand `subject` to the kernel that way at all, or why not.
fn may_go(interface: Interface, subject: Subject) -> Result<&'static Transform, String> {
    let aead = match subject {
        Subject::Cipher(algorithm) => algorithm.mode().has_tag(),
        Subject::Digest(_) => false,
        Subject::Delegated(delegated) => match delegated.shape() {
            Shape::Aead { .. } => true,
            Shape::Mac { .. } => {
                return Err(format!("{subject} goes where its hash function goes"));
            }
            Shape::Cipher { .. } | Shape::Hash { .. } => false,
        },
    };
    if aead {
        return Err(format!(
            "the kernel wants {subject}'s whole message at once, and programs give it in parts"
        ));
    }
    let none = || format!("{} has no {subject}", interface.route());
    Transform::named(subject.name()).filter(|it| interface.knows(it)).ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirespeed_cipher::Route;

    fn read(value: &str) -> Result<Offload, String> {
        Offload::read(Interface::AfAlg, &value.split(' ').collect::<Vec<_>>())
    }

    fn subject(name: &str) -> Subject {
        name.parse().unwrap()
    }

    #[test]
    fn everything_nothing_or_some() {
        let goes = |offload: &Offload, name: &str| {
            offload.of(subject(name)).map(|it| it.driver().map(str::to_owned))
        };
        let off = Offload::off(Interface::AfAlg);
        assert_eq!(read("off"), Ok(off.clone()));
        assert_eq!(goes(&off, "SHA1"), None);
        let on = read("on").unwrap();
        assert_eq!(goes(&on, "AES-128-CBC"), Some(None));
        assert_eq!(goes(&on, "AES-128-GCM"), None, "an AEAD");
        let some = read("AES-128-CBC@cbc-aes-geode sha1").unwrap();
        assert_eq!(goes(&some, "AES-128-CBC"), Some(Some("cbc-aes-geode".to_owned())));
        assert_eq!(goes(&some, "SHA1"), Some(None));
        assert_eq!(goes(&some, "AES-256-CBC"), None);
    }

    #[test]
    fn sockets_under_seccomp_must_be_asked_for() {
        for (value, permission) in [
            ("on", Permission::Unconfined),
            ("on seccomp", Permission::Anywhere),
            ("seccomp SHA1", Permission::Anywhere),
        ] {
            assert_eq!(read(value).unwrap().permission, permission);
        }
    }

    #[test]
    fn a_plan_gives_lengths_and_the_configuration_may_refuse() {
        let mut plan = Plan::new(wirespeed_plan::Fingerprint::here("3.0.18"));
        let algorithm: wirespeed_cipher::Algorithm = "AES-128-CBC".parse().unwrap();
        let (subject, direction) = (subject("MD5"), Direction::Encrypt);
        let (bytes, route) = (8192, Route::Kernel);
        plan.put_offload(wirespeed_plan::Offload { subject, direction, bytes, route });
        for direction in Direction::BOTH {
            for size in wirespeed_cipher::SIZE_CLASSES {
                let route = if size < 16384 { Route::Libcrypto } else { Route::Kernel };
                let row = wirespeed_plan::Row { algorithm, direction, size, route, reason: None };
                plan.put(row);
            }
        }
        let takes_of = |name: &str, offload: &str, bytes| {
            let all = planned(&[read(offload).unwrap()], &plan);
            let offloaded = &all[self::subject(name).index()];
            offloaded.iter().any(|it| it.takes(Direction::Encrypt, bytes))
        };
        let takes = |offload: &str, bytes| takes_of("AES-128-CBC", offload, bytes);
        assert!(takes_of("MD5", "on", 8192) && !takes_of("MD5", "on", 8191));
        assert!(!takes_of("MD5", "AES-128-CBC", 8192) && !takes_of("SHA1", "on", 8192));
        assert!(takes("on", 16384) && takes("on", 1 << 20) && takes("aes-128-cbc", 16384));
        assert!(!takes("on", 16383) && !takes("AES-256-CBC", 16384) && !takes("off", 16384));
    }

    #[test]
    fn each_way_has_its_own_cells_and_algorithms() {
        let mut plan = Plan::new(wirespeed_plan::Fingerprint::here("3.0.18"));
        let algorithm: wirespeed_cipher::Algorithm = "AES-128-CBC".parse().unwrap();
        for direction in Direction::BOTH {
            for size in wirespeed_cipher::SIZE_CLASSES {
                let route = if size < 16384 { Route::DevCrypto } else { Route::Kernel };
                let row = wirespeed_plan::Row { algorithm, direction, size, route, reason: None };
                plan.put(row);
            }
        }
        let on = |interface| Offload::read(interface, &["on"]).unwrap();
        let takers = |offloads: &[Offload], bytes| {
            let all = planned(offloads, &plan);
            let takes = |it: &&Arc<Offloaded>| it.takes(Direction::Decrypt, bytes);
            let found = all[algorithm.index()].iter().filter(takes);
            found.map(|it| it.interface()).collect::<Vec<_>>()
        };
        let both = Interface::ALL.map(on);
        assert_eq!(takers(&both, 8192), [Interface::DevCrypto]);
        assert_eq!(takers(&both, 16384), [Interface::AfAlg]);
        assert_eq!(takers(&both[..1], 8192), []);
        let refused = |word| Offload::read(Interface::DevCrypto, &[word]).unwrap_err();
        assert_eq!(refused("AES-128-XTS"), "devcrypto has no AES-128-XTS");
        assert!(refused("AES-128-GCM").contains("whole message"));
    }
}
