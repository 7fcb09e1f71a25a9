//! AEADs against OpenSSL: lengths of text and associated data, and tags that are wrong.

use wirespeed_af_alg::{Aead, Error, Kind, Permission, Transform};
use wirespeed_cipher::InOut;

use crate::data::{bytes, lengths, same};
use crate::oracle;

/// All lengths of one AEAD, both ways, and forgeries of each.
pub(crate) fn differs(transform: &'static Transform) -> Result<(), String> {
    let Kind::Aead { key_bytes, iv_bytes, .. } = transform.kind else { unreachable!("an AEAD") };
    let (key, iv) = (bytes(key_bytes, 1), bytes(iv_bytes, 2));
    let open = Aead::open(transform, None, &key, Permission::Unconfined);
    let mut aead = open.map_err(|error| error.to_string())?;
    for (count, length) in lengths().into_iter().enumerate() {
        let aad = bytes([0, 1, 13, 16, 20, 32, 63, 300][count % 8], 3);
        check(&mut aead, &key, &iv, &aad, &bytes(length, 4))?;
    }
    for aad in [0, 1, 64, 4095, 4097] {
        check(&mut aead, &key, &iv, &bytes(aad, 5), &[])?;
        check(&mut aead, &key, &iv, &bytes(aad, 6), &bytes(1420, 7))?;
    }
    // Longer than the kernel can take in one piece.
    let (plain, mut tag) = (bytes(1 << 20, 8), [9; 16]);
    let mut data = plain.clone();
    match aead.seal(&iv, &[], InOut::in_place(&mut data), &mut tag) {
        Err(Error::Busy(_)) => same("a message that was refused", &data, &plain),
        other => Err(format!("a message of a MiB: {other:?}")),
    }
}

fn check(aead: &mut Aead, key: &[u8], iv: &[u8], aad: &[u8], plain: &[u8]) -> Result<(), String> {
    let what = format!("{} bytes, {} associated", plain.len(), aad.len());
    let said = |error: Error| format!("{what}: {error}");
    let (sealed, expected) = oracle::seal(aead.transform().name, key, iv, aad, plain);
    let (mut data, mut tag) = (plain.to_vec(), [0; 16]);
    aead.seal(iv, aad, InOut::in_place(&mut data), &mut tag).map_err(said)?;
    same(&what, &data, &sealed)?;
    same(&format!("{what}: the tag"), &tag, &expected)?;
    let mut apart = vec![0xee; plain.len()];
    aead.seal(iv, aad, InOut::between(plain, &mut apart), &mut tag).map_err(said)?;
    same(&what, &apart, &sealed)?;

    let calls = aead.system_calls();
    for at in [0, 15] {
        let mut forged = expected.clone();
        forged[at] ^= 1;
        let right = aead.unseal(iv, aad, InOut::in_place(&mut data), &forged).map_err(said)?;
        if right {
            return Err(format!("{what}: a forged tag is right"));
        }
        same(&format!("{what}: what was not authentic"), &data, &sealed)?;
    }
    // A forgery costs no new socket.
    if plain.len() < 4000 && aad.len() < 4000 && aead.system_calls() - calls != 6 {
        return Err(format!("{what}: {} calls for two forgeries", aead.system_calls() - calls));
    }
    let right = aead.unseal(iv, aad, InOut::in_place(&mut data), &expected).map_err(said)?;
    if !right {
        return Err(format!("{what}: the right tag is wrong"));
    }
    same(&format!("{what}: decrypted"), &data, plain)
}
