//! What openssl.cnf lets go to Linux's crypto API: the key `kernel`.

pub(crate) mod call;

use std::sync::Arc;

use wirespeed_af_alg::{Permission, Transform, presence_of_with};
use wirespeed_cipher::{Direction, Route, Shape, Subject};
use wirespeed_plan::Plan;

use crate::offload::call::Offloaded;

/// The value of `kernel`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Offload {
    /// Nothing; the default.
    Off,
    /// Whatever the plan says.
    On(Permission),
    /// Of these alone whatever the plan says, each perhaps by the driver of that name.
    Listed(Vec<(Subject, Option<String>)>, Permission),
}

impl Offload {
    /// Reads the words of the value; the error says what they may be.
    pub(crate) fn read(words: &[&str]) -> Result<Self, String> {
        let (confined, words): (Vec<&str>, Vec<_>) = words.iter().partition(|it| **it == "seccomp");
        let permission =
            if confined.is_empty() { Permission::Unconfined } else { Permission::Anywhere };
        match words[..] {
            ["off"] if confined.is_empty() => return Ok(Self::Off),
            ["on"] => return Ok(Self::On(permission)),
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
            may_go(subject)?;
            if listed.iter().any(|(other, _)| *other == subject) {
                return Err(format!("{subject} is there twice"));
            }
            listed.push((subject, driver));
        }
        Ok(Self::Listed(listed, permission))
    }

    /// Where sockets may be opened.
    const fn permission(&self) -> Permission {
        match self {
            Self::Off => Permission::Unconfined,
            Self::On(permission) | Self::Listed(_, permission) => *permission,
        }
    }

    /// How `subject` goes, if it may; at no length as yet.
    pub(crate) fn of(&self, subject: Subject) -> Option<Offloaded> {
        let driver = match self {
            Self::Off => return None,
            Self::On(_) => None,
            Self::Listed(listed, _) => listed.iter().find(|(it, _)| *it == subject)?.1.clone(),
        };
        Some(Offloaded::new(may_go(subject).ok()?, driver, self.permission()))
    }
}

/// What a plan gives to the kernel, for each [`Subject`].
pub(crate) fn planned(offload: &Offload, plan: &Plan) -> Vec<Option<Arc<Offloaded>>> {
    let of = |subject: Subject| {
        let mut offloaded = offload.of(subject)?.or_driver(plan.driver(subject));
        for direction in Direction::BOTH {
            match subject {
                Subject::Cipher(algorithm) => {
                    let routes = plan.routes(algorithm, direction)?;
                    let size_buckets = (0..).zip(routes).filter(|(_, it)| *it == Route::Kernel);
                    size_buckets
                        .for_each(|(size_bucket, _)| offloaded.take(direction, size_bucket));
                }
                Subject::Digest(_) | Subject::Delegated(_) => {
                    if let Some(bytes) = plan.offload(subject, direction) {
                        offloaded.take_from(direction, bytes);
                    }
                }
            }
        }
        offloaded.takes_any().then(|| Arc::new(offloaded))
    };
    Subject::all().map(of).collect()
}

/// Everything that the kernel has here, at any length: the route was asked for by name.
pub(crate) fn everything(offload: &Offload) -> Result<Vec<Option<Arc<Offloaded>>>, String> {
    let on = Offload::On(Permission::Unconfined);
    let offload = if *offload == Offload::Off { &on } else { offload };
    wirespeed_af_alg::presence_with(offload.permission())
        .map_err(|why| format!("kernel is absent: {why}"))?;
    let of = |subject: Subject| {
        let offloaded = offload.of(subject)?;
        let (transform, driver) = (offloaded.transform(), offloaded.driver());
        let present = presence_of_with(transform, driver, offloaded.permission());
        present.is_ok().then(|| Arc::new(offloaded.at_any_length()))
    };
    Ok(Subject::all().map(of).collect())
}

/// Whether the provider can hand `subject` to the kernel at all, or why not.
pub(crate) fn may_go(subject: Subject) -> Result<&'static Transform, String> {
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
    Transform::named(subject.name()).ok_or_else(|| format!("the kernel has no {subject}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<Offload, String> {
        Offload::read(&value.split(' ').collect::<Vec<_>>())
    }

    fn subject(name: &str) -> Subject {
        name.parse().unwrap()
    }

    #[test]
    fn everything_nothing_or_some() {
        let goes = |offload: &Offload, name: &str| {
            offload.of(subject(name)).map(|it| it.driver().map(str::to_owned))
        };
        assert_eq!(read("off"), Ok(Offload::Off));
        assert_eq!(goes(&Offload::Off, "SHA1"), None);
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
            let offloaded = read(value).unwrap().of(subject("SHA1")).unwrap();
            assert_eq!(offloaded.permission(), permission);
        }
    }

    #[test]
    fn a_plan_gives_lengths_and_the_configuration_may_refuse() {
        let mut plan = Plan::new(wirespeed_plan::Fingerprint::here("3.0.18"));
        let algorithm: wirespeed_cipher::Algorithm = "AES-128-CBC".parse().unwrap();
        plan.put_offload(subject("MD5"), Direction::Encrypt, 8192);
        for direction in Direction::BOTH {
            for size in wirespeed_cipher::SIZE_CLASSES {
                let route = if size < 16384 { Route::Libcrypto } else { Route::Kernel };
                let row = wirespeed_plan::Row { algorithm, direction, size, route, reason: None };
                plan.put(row);
            }
        }
        let takes_of = |name: &str, offload: &str, bytes| {
            let all = planned(&read(offload).unwrap(), &plan);
            let offloaded = all[subject(name).index()].as_ref();
            offloaded.is_some_and(|it| it.takes(Direction::Encrypt, bytes))
        };
        let takes = |offload: &str, bytes| takes_of("AES-128-CBC", offload, bytes);
        assert!(takes_of("MD5", "on", 8192) && !takes_of("MD5", "on", 8191));
        assert!(!takes_of("MD5", "AES-128-CBC", 8192) && !takes_of("SHA1", "on", 8192));
        assert!(takes("on", 16384) && takes("on", 1 << 20) && takes("aes-128-cbc", 16384));
        assert!(!takes("on", 16383) && !takes("AES-256-CBC", 16384) && !takes("off", 16384));
    }
}
