//! What the provider says of its ciphers: names, lengths, flags and parameters, against the default
//! provider's.

use std::collections::BTreeSet;
use std::ffi::CStr;

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Route};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::painted;
use wirespeed_conformance::evp::{Provider, start};
use wirespeed_libcrypto::{Cipher, Descriptor, Kind};

use crate::messages::Message;
use crate::{subjects, trial};

pub(crate) fn trials(name: &str, route: Route, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let mut trials = Vec::new();
    for algorithm in ours.algorithms() {
        let (measure, ours) = (measure.clone(), ours.clone());
        trials.push(trial(format!("{name}::contract::{algorithm}"), move || {
            let fetch = |from: &Provider| from.cipher(algorithm).map_err(|error| error.to_string());
            let (measure, ours) = (fetch(&measure)?, fetch(&ours)?);
            told(&measure, &ours)?;
            cipher_parameters(&measure, &ours)?;
            context_parameters(algorithm, &measure, &ours)
        }));
    }
    let (measure, ours) = (measure.clone(), ours.clone());
    trials.push(trial(format!("{name}::contract::offer"), move || offer(route, &measure, &ours)));
    trials
}

/// Every algorithm that the route and the default provider have is offered, and no other.
fn offer(route: Route, measure: &Provider, ours: &Provider) -> Result<(), String> {
    let names = |provider: &Provider| -> BTreeSet<_> {
        // libcrypto keeps a name in the case in which it first heard it.
        let names = provider.context().ciphers();
        names.iter().flat_map(Cipher::names).map(|name| name.to_uppercase()).collect()
    };
    let (known, offered) = (names(measure), names(ours));
    // The kernel has ciphers of the legacy provider, too.
    let unknown = offered.difference(&known).find(|_| !route.is_offload());
    if let Some(unknown) = unknown {
        return Err(format!("the default provider has no {unknown}"));
    }
    let is_in = |names: &BTreeSet<_>, it: &Algorithm| names.contains(&it.name().to_uppercase());
    let has = |it: &Algorithm| is_in(&known, it) && subjects::has(route, (*it).into());
    let odd = Algorithm::ALL.iter().find(|it| is_in(&offered, it) != has(it));
    odd.map_or(Ok(()), |algorithm| Err(format!("{algorithm}: offered is {}", !has(algorithm))))
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, right: T, got: T) -> Result<(), String> {
    if right == got { Ok(()) } else { Err(format!("{what}: {got:?} instead of {right:?}")) }
}

fn told(measure: &Cipher, ours: &Cipher) -> Result<(), String> {
    equal("names", measure.names(), ours.names())?;
    equal("key length", measure.key_bytes(), ours.key_bytes())?;
    equal("IV length", measure.iv_bytes(), ours.iv_bytes())?;
    equal("block", measure.block_bytes(), ours.block_bytes())?;
    equal("number", measure.nid(), ours.nid())?;
    equal("mode", measure.mode(), ours.mode())?;
    equal("flags", measure.flags(), ours.flags())
}

/// A list of parameters without its order, which means nothing.
fn sorted(mut list: Vec<Descriptor>) -> Vec<Descriptor> {
    list.sort();
    list
}

fn cipher_parameters(measure: &Cipher, ours: &Cipher) -> Result<(), String> {
    let gettable = sorted(measure.gettable());
    equal("gettable", &gettable, &sorted(ours.gettable()))?;
    for descriptor in gettable {
        let read = |cipher: &Cipher| {
            let mut value = [0; 64];
            let kind = descriptor.kind.unwrap_or(Kind::Octets);
            let came = cipher.parameter(&descriptor.key, kind, Some(&mut value[..8]));
            (came.map_err(|_| ()), value)
        };
        equal(&format!("{:?}", descriptor.key), read(measure), read(ours))?;
    }
    Ok(())
}

/// Every gettable of a context in the middle of a message, at several sizes of the asker's buffer.
fn context_parameters(algorithm: Algorithm, measure: &Cipher, ours: &Cipher) -> Result<(), String> {
    let gettable = sorted(measure.gettable_in_context());
    equal("gettable in a context", &gettable, &sorted(ours.gettable_in_context()))?;
    let settable = sorted(measure.settable_in_context());
    equal("settable in a context", &settable, &sorted(ours.settable_in_context()))?;
    let keys: BTreeSet<&CStr> = gettable
        .iter()
        .chain(&settable)
        .map(|descriptor| descriptor.key.as_c_str())
        .chain([c"nonsense"])
        .collect();
    for key in keys {
        for (kind, size) in KINDS.into_iter().flat_map(|kind| SIZES.map(|size| (kind, size))) {
            let read = |cipher: &Cipher| {
                let message = Message::new(algorithm, 41);
                let mut work = cipher.context().map_err(|error| error.to_string())?;
                let setup = message.setup(wirespeed_cipher::Direction::Encrypt);
                start(&mut work, &setup).map_err(|error| error.to_string())?;
                let mut output = [0; 64];
                work.update(&painted(42, 32), &mut output).map_err(|error| error.to_string())?;
                let mut value = [0; 32];
                let came = work.parameter(key, kind, size.map(|size| &mut value[..size]));
                Ok::<_, String>((came.map_err(|_| ()), value))
            };
            let what = format!("{key:?} as {kind:?} of {size:?} bytes");
            equal(&what, read(measure)?, read(ours)?)?;
        }
    }
    Ok(())
}

const KINDS: [Kind; 4] = [Kind::Integer, Kind::Unsigned, Kind::Octets, Kind::Utf8];
/// A size that is none asks how much room it takes.
const SIZES: [Option<usize>; 6] = [None, Some(1), Some(4), Some(8), Some(16), Some(32)];
