//! Everything that the kernel has, through EVP, against the default provider.

use wirespeed_af_alg::{Kind, Transform};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::here;
use wirespeed_libcrypto::Direction;

use crate::drivers;
use crate::ours::{Ours, digest, forced, keyed, message, stock, told};

/// Around blocks, pages and what a request may hold; the longest takes two of them.
const BOUNDARIES: &[usize] = &[
    0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024,
    1420, 4095, 4096, 4097, 16384, 65536, 65537,
];

/// Each of them, or where a part must do, some.
fn boundaries() -> impl Iterator<Item = usize> {
    BOUNDARIES.iter().copied().rev().step_by(if here::reduced() { 6 } else { 1 })
}

/// One of each kind, at every size of a page and less: thousands of requests each.
const EVERY_SIZE: [&str; 4] = ["AES-128-CBC", "AES-256-CTR", "AES-128-XTS", "SHA2-256"];

/// What every kernel of Debian's has, so that no test of all passes for want of any.
const LEAST: [&str; 9] = [
    "AES-128-ECB",
    "AES-256-CBC",
    "AES-192-CTR",
    "AES-256-XTS",
    "DES-EDE3-CBC",
    "CAMELLIA-256-CBC",
    "SHA1",
    "SHA2-512",
    "MD5",
];

/// Each cipher at the boundaries.
pub(crate) fn ciphers() -> Result<(), String> {
    let transforms: Vec<_> = drivers::ciphers().collect();
    complete(&transforms, false)?;
    let ours = Ours::with(&forced(&names(&transforms)))?;
    transforms.into_iter().try_for_each(|it| both_ways(&ours, it, boundaries()))
}

/// Each hash function at the boundaries.
pub(crate) fn digests() -> Result<(), String> {
    let transforms: Vec<_> = drivers::hashes().collect();
    complete(&transforms, true)?;
    let ours = Ours::with(&forced(&names(&transforms)))?;
    transforms.into_iter().try_for_each(|it| hashed(&ours, it, boundaries()))
}

/// Each size from nothing to a page, or where a part must do, some.
pub(crate) fn every_size() -> Result<(), String> {
    let ours = Ours::with(&forced(&EVERY_SIZE.join(", ")))?;
    let sizes = || (0..=4096).step_by(if here::reduced() { 37 } else { 1 });
    for name in EVERY_SIZE {
        let transform = Transform::named(name).ok_or("an unknown name")?;
        match transform.kind {
            Kind::Hash { .. } => hashed(&ours, transform, sizes())?,
            _ => both_ways(&ours, transform, sizes())?,
        }
    }
    Ok(())
}

fn names(transforms: &[&Transform]) -> String {
    transforms.iter().map(|it| it.name).collect::<Vec<_>>().join(", ")
}

fn complete(transforms: &[&Transform], hashes: bool) -> Result<(), String> {
    let is_hash =
        |name: &str| Transform::named(name).is_some_and(|it| matches!(it.kind, Kind::Hash { .. }));
    let missing =
        |name: &&&str| is_hash(name) == hashes && !transforms.iter().any(|it| it.name == **name);
    match LEAST.iter().find(missing) {
        Some(name) => Err(format!("this kernel has no {name}")),
        None => Ok(()),
    }
}

/// Encrypted by us as by them, and decrypted again.
fn both_ways(
    ours: &Ours,
    transform: &Transform,
    sizes: impl IntoIterator<Item = usize>,
) -> Result<(), String> {
    let name = transform.name;
    let Kind::Cipher { key_bytes, .. } = transform.kind else {
        return Err(format!("{name} is no cipher"));
    };
    let key = painted(1, key_bytes);
    let iv = painted(2, 16);
    let stock = stock()?;
    let theirs = stock.fetch(name, None).map_err(told)?;
    let cipher = ours.cipher(name)?;
    let least = if name.ends_with("XTS") { 16 } else { 0 };
    let mut sum = 0;
    for size in sizes.into_iter().filter(|size| *size >= least) {
        let plain = painted(size as u64, size);
        let crypt = |cipher: &_, direction, data: &[u8]| {
            message(&mut keyed(cipher, direction, &key, &iv)?, data)
        };
        let what = || format!("{name}, {size} bytes");
        let right = crypt(&theirs, Direction::Encrypt, &plain)
            .map_err(|why| format!("{}: {why}", what()))?;
        let secret = crypt(&cipher, Direction::Encrypt, &plain)
            .map_err(|why| format!("{}: {why}", what()))?;
        same(|| format!("{} encrypted", what()), &right, &secret)?;
        let again = crypt(&cipher, Direction::Decrypt, &secret)
            .map_err(|why| format!("{}: {why}", what()))?;
        same(|| format!("{} decrypted", what()), &plain, &again)?;
        // What is no whole block, and a last block with its padding, may be computed elsewhere.
        sum += 2 * (size - size % 16).saturating_sub(16) as u64;
    }
    ours.by_kernel(name, sum)
}

fn hashed(
    ours: &Ours,
    transform: &Transform,
    sizes: impl IntoIterator<Item = usize>,
) -> Result<(), String> {
    let name = transform.name;
    let stock = stock()?;
    let theirs = stock.digest(name, None).map_err(told)?;
    let function = ours.digest(name)?;
    let mut sum = 0;
    for size in sizes {
        let data = painted(size as u64, size);
        let right = digest(&theirs, &data)?;
        let got = digest(&function, &data).map_err(|why| format!("{name}, {size} bytes: {why}"))?;
        same(|| format!("{name}, {size} bytes"), &right, &got)?;
        sum += size as u64;
    }
    ours.by_kernel(name, sum)
}
