//! GCM-SIV where it differs from other modes: decryption is right only from the tag that encryption made.

use wirespeed_cipher::{Algorithm, Direction, InOut};
use wirespeed_conformance::api_path::{ApiPath, Setup};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;

use crate::messages::Message;

/// Messages that the measure has sealed are opened, and not when a bit of the tag or of the associated data is another.
pub(crate) fn opened(
    measure: &Provider,
    api_path: &dyn ApiPath,
    algorithm: Algorithm,
) -> Result<(), String> {
    let step = if here::reduced_for(api_path, algorithm) { 29 } else { 1 };
    for length in (0..=600).step_by(step) {
        let mut message = Message::new(algorithm, length as u64);
        message.aad = painted(71, length % 49);
        let plaintext = painted(72, length);
        let sealed = measure.right(&message.setup(Direction::Encrypt), &plaintext)?;
        let tag = sealed.tag.ok_or("encryption makes a tag")?;
        let what = || format!("{algorithm}, {length} bytes");
        let open = |message: &Message, tag: &[u8; 16], output: &mut [u8]| {
            let setup = Setup { tag, ..message.setup(Direction::Decrypt) };
            let mut work = api_path.begin(&setup)?;
            work.update(InOut::between(&sealed.output, output))?;
            Ok::<_, String>(work.close(tag).is_ok())
        };
        let mut output = vec![0; length];
        if !open(&message, &tag, &mut output)? {
            return Err(format!("{}: refused", what()));
        }
        same(what, &plaintext, &output)?;
        // All bits, over all lengths; the highest of the last byte is no part of the counter.
        for bit in [length % 128, 127] {
            let mut wrong = tag;
            wrong[bit / 8] ^= 1 << (bit % 8);
            if open(&message, &wrong, &mut output)? {
                return Err(format!("{}: bit {bit} of the tag does not matter", what()));
            }
        }
        message.aad.push(0);
        if open(&message, &tag, &mut output)? {
            return Err(format!("{}: a longer zero of associated data does not matter", what()));
        }
    }
    Ok(())
}
