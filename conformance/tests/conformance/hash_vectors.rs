//! NIST's and other standards' vectors of hash functions: through the kernels of each route, in the lanes, and, among
//! the tests of [`digests`](crate::digests), through the provider.

use libtest_mimic::Trial;
use wirespeed_batch::{Lanes, hash_all};
use wirespeed_cipher::{Digest, Hasher, Route, Subject};
use wirespeed_conformance::data::same;
use wirespeed_conformance::{hash_vectors, here};
use wirespeed_cpu::Features;
use wirespeed_kernels::ROUTES;
use wirespeed_libcrypto as libcrypto;

use crate::digests::{end, told};
use crate::trial;

/// Every function by every route of ours that has it here, one message at a time and in lanes.
pub(crate) fn trials() -> Vec<Trial> {
    let features = Features::detect();
    let runs =
        |route: &Route| here::routes().any(|(it, unknown)| it == *route && unknown.is_none());
    let each = move |digest: Digest| {
        let kernels = ROUTES.iter().copied().filter(runs).filter_map(move |route| {
            let kernels = wirespeed_kernels::hash(route, digest.compression(), features).ok()?;
            Some(trial(format!("kernels::{route}::vectors::{digest}"), move || {
                compare(digest, |message, out| {
                    let mut hasher = Hasher::new(kernels, digest);
                    hasher.update(message);
                    hasher.finish(out);
                    Ok(())
                })
            }))
        });
        let takes = Lanes::DIGESTS.contains(&digest);
        let routes = Lanes::ROUTES.into_iter().filter(runs).filter(move |_| takes);
        let lanes = routes.filter_map(move |route| {
            let lanes = Lanes::new(route, digest, features).ok()?;
            Some(trial(format!("lanes::{route}::vectors::{digest}"), move || in_lanes(&lanes)))
        });
        kernels.chain(lanes)
    };
    Digest::ALL.into_iter().flat_map(each).collect()
}

/// All messages of a function, of many lengths, at once.
fn in_lanes(lanes: &Lanes) -> Result<(), String> {
    let vectors = hash_vectors::of(lanes.digest());
    let messages: Vec<&[u8]> = vectors.iter().map(|vector| &vector.message[..]).collect();
    let hashes = hash_all(lanes, &messages);
    vectors.iter().zip(&hashes).try_for_each(|(vector, hash)| {
        same(|| name(lanes.digest(), &vector.message), &vector.hash, hash.as_ref())
    })
}

/// The same through the provider.
pub(crate) fn provided(
    digest: Subject,
    _: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    // Of the others' hash functions the default provider is the measure.
    let Subject::Digest(digest) = digest else { return Ok(()) };
    compare(digest, |message, out| {
        let mut work = ours.context().map_err(told)?;
        work.init().map_err(told)?;
        work.update(message).map_err(told)?;
        if digest.is_extendable() {
            return work.finish_long(out).map_err(told);
        }
        out.copy_from_slice(&end(&mut work).map_err(told)?);
        Ok(())
    })
}

fn compare(
    digest: Digest,
    mut hash: impl FnMut(&[u8], &mut [u8]) -> Result<(), String>,
) -> Result<(), String> {
    let vectors = hash_vectors::of(digest);
    if vectors.is_empty() {
        return Err("no vectors".to_owned());
    }
    vectors.iter().try_for_each(|vector| {
        let mut out = vec![0; vector.hash.len()];
        hash(&vector.message, &mut out)?;
        same(|| name(digest, &vector.message), &vector.hash, &out)
    })
}

fn name(digest: Digest, message: &[u8]) -> String {
    format!("{digest} of {} bytes", message.len())
}
