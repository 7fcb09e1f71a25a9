//! Hash functions against OpenSSL: lengths, cuts, copies and messages that are given up.

use wirespeed_af_alg::{Hash, Interface, Kind, Permission, Transform};

use crate::data::{bytes, lengths, same};
use crate::oracle;

/// One hash function, with its key if it has one.
pub(crate) fn open(
    interface: Interface,
    transform: &'static Transform,
    key: &[u8],
) -> Result<Hash, String> {
    let Kind::Hash { keyed, .. } = transform.kind else { unreachable!("a hash function") };
    let key = keyed.then_some(key);
    let open = Hash::through(interface, transform, None, key, Permission::Unconfined);
    open.map_err(|error| error.to_string())
}

pub(crate) fn finish(hash: &mut Hash) -> Result<Vec<u8>, String> {
    let Kind::Hash { bytes, .. } = hash.transform().kind else { unreachable!("a hash function") };
    let mut digest = vec![0xee; bytes];
    hash.finish(&mut digest).map_err(|error| error.to_string())?;
    Ok(digest)
}

pub(crate) fn update(hash: &mut Hash, data: &[u8]) -> Result<(), String> {
    hash.update(data).map_err(|error| error.to_string())
}

/// All lengths, at once and in pieces, with keys of several lengths.
pub(crate) fn differs(interface: Interface, transform: &'static Transform) -> Result<(), String> {
    let Kind::Hash { keyed, .. } = transform.kind else { unreachable!("a hash function") };
    let keys: &[usize] = if keyed { &[1, 16, 64, 128, 129, 500] } else { &[0] };
    for (count, key) in keys.iter().enumerate() {
        let key = bytes(*key, 1);
        let mut hash = open(interface, transform, &key)?;
        let step = if count == 0 { 1 } else { 9 };
        for length in lengths().into_iter().step_by(step).chain([1_000_003]) {
            let message = bytes(length, 2);
            let expected = oracle::hash(transform.name, keyed.then_some(&key[..]), &message);
            update(&mut hash, &message)?;
            same(&format!("{length} bytes"), &finish(&mut hash)?, &expected)?;
            let (first, second) = message.split_at(length / 3);
            for piece in [first, &[], second] {
                update(&mut hash, piece)?;
            }
            same(&format!("{length} bytes in pieces"), &finish(&mut hash)?, &expected)?;
            let mut digest = vec![0; expected.len()];
            hash.digest(&message, &mut digest).map_err(|error| error.to_string())?;
            same(&format!("{length} bytes at once"), &digest, &expected)?;
        }
    }
    Ok(())
}

/// Copies go their own ways, whatever the original had taken in.
pub(crate) fn clones(interface: Interface) -> Result<(), String> {
    for name in ["SHA1", "SHA2-256", "SHA2-512", "MD5", "HMAC-SHA2-256"] {
        let transform = Transform::named(name).expect("a name of the table");
        let (key, message) = (bytes(32, 3), bytes(1000, 4));
        let keyed = name.starts_with("HMAC").then_some(&key[..]);
        for before in [0, 1, 64, 500, 1000] {
            let mut hash = open(interface, transform, &key)?;
            update(&mut hash, &message[..before])?;
            let mut copy = hash.try_clone().map_err(|error| format!("{name}: {error}"))?;
            update(&mut hash, b"another end")?;
            update(&mut copy, &message[before..])?;
            let other = [&message[..before], b"another end"].concat();
            let what = format!("{name}, copied after {before} bytes");
            same(&what, &finish(&mut copy)?, &oracle::hash(name, keyed, &message))?;
            same(&what, &finish(&mut hash)?, &oracle::hash(name, keyed, &other))?;
            // The copy is as good as its original once that is gone.
            drop(hash);
            update(&mut copy, &message)?;
            same(&what, &finish(&mut copy)?, &oracle::hash(name, keyed, &message))?;
        }
    }
    Ok(())
}

/// A message that is given up leaves nothing behind.
pub(crate) fn resets(interface: Interface) -> Result<(), String> {
    let transform = Transform::named("SHA2-256").expect("a name of the table");
    let mut hash = open(interface, transform, &[])?;
    let message = bytes(100, 5);
    for given_up in [0, 1, 63, 64, 5000] {
        update(&mut hash, &bytes(given_up, 6))?;
        hash.reset();
        update(&mut hash, &message)?;
        let expected = oracle::hash("SHA2-256", None, &message);
        same(&format!("after {given_up} bytes"), &finish(&mut hash)?, &expected)?;
    }
    update(&mut hash, &message)?;
    hash.reset();
    same("nothing", &finish(&mut hash)?, &oracle::hash("SHA2-256", None, &[]))
}
