//! The right answers: the host's OpenSSL, its legacy algorithms included.

use wirespeed_cipher::Direction;
use wirespeed_libcrypto::{Context, Direction as Theirs, Error, Kind, Library, Param, Value};

thread_local! {
    static CONTEXT: Context = {
        let context = Context::new(Library::host().expect("libcrypto")).expect("a context");
        for provider in ["default", "legacy"] {
            context.load(provider).expect(provider);
        }
        context
    };
}

const fn theirs(direction: Direction) -> Theirs {
    match direction {
        Direction::Encrypt => Theirs::Encrypt,
        Direction::Decrypt => Theirs::Decrypt,
    }
}

/// A cipher over whole blocks, or an XTS data unit.
pub(crate) fn crypt(
    name: &str,
    direction: Direction,
    key: &[u8],
    iv: &[u8],
    data: &[u8],
) -> Vec<u8> {
    let run = |context: &Context| {
        let mut work = context.fetch(name, None)?.context()?;
        let iv = (!iv.is_empty()).then_some(iv);
        work.init(theirs(direction), Some(key), iv, &[])?;
        work.set_padding(false)?;
        let mut output = vec![0; data.len() + 32];
        let count = work.update(data, &mut output)?;
        output.truncate(count);
        Ok::<_, Error>(output)
    };
    if data.is_empty() {
        return Vec::new();
    }
    CONTEXT.with(run).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The ciphertext and its tag.
pub(crate) fn seal(
    name: &str,
    key: &[u8],
    iv: &[u8],
    aad: &[u8],
    data: &[u8],
) -> (Vec<u8>, Vec<u8>) {
    let run = |context: &Context| {
        let mut work = context.fetch(name, None)?.context()?;
        let mut tag = vec![0; 16];
        if name.ends_with("CCM") {
            let tag = Param { key: c"tag", value: Value::NoOctets(tag.len()) };
            work.init(Theirs::Encrypt, None, None, &[Param::size(c"ivlen", iv.len()), tag])?;
            work.init(Theirs::Encrypt, Some(key), Some(iv), &[])?;
            // SAFETY: without input and output this tells CCM the length to come (EVP_EncryptInit(3)).
            unsafe { work.update_raw(std::ptr::null(), data.len(), std::ptr::null_mut())? };
        } else {
            work.init(Theirs::Encrypt, Some(key), Some(iv), &[])?;
        }
        if !aad.is_empty() {
            work.aad(aad)?;
        }
        let mut output = vec![0; data.len() + 32];
        let count = work.update(data, &mut output)?;
        output.truncate(count);
        work.finish(&mut [0; 32])?;
        // OpenSSL's ChaCha20-Poly1305 fills it in without saying so.
        work.parameter(c"tag", Kind::Octets, Some(&mut tag))?;
        Ok::<_, Error>((output, tag))
    };
    CONTEXT.with(run).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The digest, or with a key the HMAC.
pub(crate) fn hash(name: &str, key: Option<&[u8]>, data: &[u8]) -> Vec<u8> {
    let run = |context: &Context| {
        let mut output = [0; 64];
        let count = match (key, name.strip_prefix("HMAC-")) {
            (Some(key), Some(digest)) => {
                let mut work = context.hmac(digest, key)?;
                work.update(data)?;
                work.finish(&mut output)?
            }
            _ => {
                let mut work = context.digest(name, None)?.context()?;
                work.init()?;
                work.update(data)?;
                work.finish(&mut output)?
            }
        };
        Ok::<_, Error>(output[..count].to_vec())
    };
    CONTEXT.with(run).unwrap_or_else(|error| panic!("{name}: {error}"))
}
