//! Our provider in this process, beside the default one, and what it counted.

use std::path::{Path, PathBuf};

use wirespeed_cipher::Route;
use wirespeed_conformance::scratch::Scratch;
use wirespeed_libcrypto::{
    Cipher, CipherContext, Context, Digest, Direction, Error, Library, Param,
};
use wirespeed_system_tests::module::{self, Watched};

/// The lines that send some algorithms to the kernel at every length.
///
/// Without names it would be all that the kernel has, and to find out that it has not got the others takes a
/// translated guest seconds: the kernel starts modprobe(8) for each, several times.
pub(crate) fn forced(names: &str) -> String {
    format!("routes = kernel\nkernel = {names}")
}

/// A library context with our provider.
pub(crate) struct Ours {
    watched: Watched,
    context: Context,
}

/// A library context as a file configures it.
pub(crate) fn load(configuration: &Path) -> Result<Context, String> {
    let context = Context::new(library()).map_err(told)?;
    context.load_config(configuration).map_err(told)?;
    Ok(context)
}

/// Why our provider cannot be had with these lines.
///
/// A program that leaves it to its configuration does not learn that: for libcrypto a configuration is good
/// even if a provider in it refuses. A program that loads us itself does.
pub(crate) fn refusal(configuration: &Path) -> Result<String, String> {
    let context = load(configuration)?;
    match context.load("wirespeed") {
        Ok(()) => Err("it was loaded".to_owned()),
        Err(why) => Ok(told(why)),
    }
}

/// A configuration that makes us known with these lines, and leaves the loading to the program.
pub(crate) fn inactive(scratch: &Scratch, lines: &str) -> Result<PathBuf, String> {
    let module = module::file().ok_or("WIRESPEED_MODULES is not set")?;
    scratch.write("inactive.cnf", module::inactive(&module, lines))
}

fn library() -> Library {
    Library::host().expect("these tests need a libcrypto of OpenSSL 3.0 or later")
}

/// An error in words.
pub(crate) fn told(error: Error) -> String {
    error.to_string()
}

impl Ours {
    /// With lines for our section of openssl.cnf.
    pub(crate) fn with(lines: &str) -> Result<Self, String> {
        let watched = Watched::with(lines)?;
        let context = load(watched.configuration())?;
        Ok(Self { watched, context })
    }

    /// A cipher, which must be ours.
    pub(crate) fn cipher(&self, name: &str) -> Result<Cipher, String> {
        let cipher = self.context.fetch(name, None).map_err(told)?;
        match cipher.provider() {
            "wirespeed" => Ok(cipher),
            other => Err(format!("{name} is served by {other}")),
        }
    }

    /// A hash function, which must be ours.
    pub(crate) fn digest(&self, name: &str) -> Result<Digest, String> {
        let digest = self.context.digest(name, None).map_err(told)?;
        match digest.provider().as_str() {
            "wirespeed" => Ok(digest),
            other => Err(format!("{name} is served by {other}")),
        }
    }

    /// How many bytes of an algorithm a route has run so far.
    pub(crate) fn bytes(&self, name: &str, route: Route) -> Result<u64, String> {
        let counted = self.watched.counted()?;
        let rows = counted.rows().filter(|row| row.subject.name() == name && row.route == route);
        Ok(rows.map(|row| row.bytes).sum())
    }

    /// Requires that the kernel ran an algorithm over at least so many bytes, and that no route was found wrong.
    pub(crate) fn by_kernel(&self, name: &str, least: u64) -> Result<(), String> {
        let counted = self.watched.counted()?;
        let quarantined = counted.quarantined();
        if !quarantined.is_empty() {
            return Err(format!("quarantined: {quarantined:?}"));
        }
        match self.bytes(name, Route::Kernel)? {
            bytes if bytes >= least => Ok(()),
            bytes => {
                let rows: Vec<_> =
                    counted.rows().filter(|row| row.subject.name() == name).collect();
                Err(format!("{name}: the kernel ran {bytes} bytes, not {least}: {rows:?}"))
            }
        }
    }

    /// The routes that were found wrong.
    pub(crate) fn quarantined(&self) -> Result<Vec<Route>, String> {
        Ok(self.watched.counted()?.quarantined())
    }

    /// Requires that the kernel was found wrong, and nobody else.
    pub(crate) fn kernel_is_quarantined(&self) -> Result<(), String> {
        match self.quarantined()?[..] {
            [Route::Kernel] => Ok(()),
            ref other => Err(format!("quarantined: {other:?}, not the kernel alone")),
        }
    }
}

/// The default provider and the one for old algorithms, without ours.
pub(crate) fn stock() -> Result<Context, String> {
    let context = Context::new(library()).map_err(told)?;
    context.load("default").map_err(told)?;
    context.load("legacy").map_err(told)?;
    Ok(context)
}

/// A context that has a key, and an IV where the cipher takes one.
pub(crate) fn keyed(
    cipher: &Cipher,
    direction: Direction,
    key: &[u8],
    iv: &[u8],
) -> Result<CipherContext, String> {
    let mut context = cipher.context().map_err(told)?;
    // Some have keys of any length.
    let length = [Param::size(c"keylen", key.len())];
    let params = if cipher.key_bytes() == key.len() { &[][..] } else { &length[..] };
    let iv = Some(&iv[..cipher.iv_bytes()]).filter(|iv| !iv.is_empty());
    context.init(direction, Some(key), iv, params).map_err(told)?;
    Ok(context)
}

/// The rest of a message: the bytes that come out of these and of the end.
pub(crate) fn message(context: &mut CipherContext, data: &[u8]) -> Result<Vec<u8>, String> {
    let mut output = vec![0; data.len() + 64];
    let length = context.update(data, &mut output).map_err(told)?;
    let rest = context.finish(&mut output[length..]).map_err(told)?;
    output.truncate(length + rest);
    Ok(output)
}

/// A digest of one piece.
pub(crate) fn digest(function: &Digest, data: &[u8]) -> Result<Vec<u8>, String> {
    let mut context = function.context().map_err(told)?;
    context.init().and_then(|()| context.update(data)).map_err(told)?;
    let mut hash = [0; 64];
    let length = context.finish(&mut hash).map_err(told)?;
    Ok(hash[..length].to_vec())
}
