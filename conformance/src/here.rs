//! What the tests run on: which libcrypto, which program, how much of each schedule.

use std::env;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;

use wirespeed_cipher::{Algorithm, BlockCipher, Route};
use wirespeed_kernels::ROUTES;
use wirespeed_libcrypto::Library;

use crate::api_path::ApiPath;
use crate::client;

/// The libcrypto under test: the file named by `WIRESPEED_LIBCRYPTO`, or the host's own.
///
/// # Panics
/// If there is none: a test without its measure would prove nothing.
pub fn library() -> Library {
    match env::var_os("WIRESPEED_LIBCRYPTO") {
        Some(path) => Library::open(path),
        None => Library::host(),
    }
    .expect("these tests need a libcrypto of OpenSSL 3.0 or later")
}

/// The `openssl` program under test: the file named by `WIRESPEED_OPENSSL`, or the host's own.
pub fn openssl() -> PathBuf {
    env::var_os("WIRESPEED_OPENSSL").map_or_else(|| "openssl".into(), PathBuf::from)
}

/// A program of this machine's: `WIRESPEED_RUNNER` names what starts it, with arguments, where an emulator makes the
/// machine.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let runner = env::var("WIRESPEED_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    let Some(first) = words.next() else { return Command::new(program) };
    let mut command = Command::new(first);
    command.args(words).arg(program);
    command
}

/// The directory that holds `libwirespeed.so`.
pub fn modules() -> Option<PathBuf> {
    env::var_os("WIRESPEED_MODULES").map(PathBuf::from)
}

/// Whether to run a small part of each schedule, because everything runs many times slower here.
pub fn reduced() -> bool {
    client::under_valgrind() || env::var_os("WIRESPEED_SCHEDULE").is_some_and(|it| it == "reduced")
}

/// Whether there is time for everything.
pub fn thorough() -> bool {
    env::var_os("WIRESPEED_THOROUGH").is_some()
}

/// Whether a part of what is about bytes alone must do: another libcrypto than the host's computes the same, and
/// differs in contracts.
pub fn again() -> bool {
    reduced() || env::var_os("WIRESPEED_LIBCRYPTO").is_some()
}

/// The same for one algorithm behind an API path: a larger key is only more rounds of what the smallest has gone through.
pub fn reduced_for(api_path: &dyn ApiPath, algorithm: Algorithm) -> bool {
    again() || api_path.is_slow(algorithm) || has_larger_key(algorithm)
}

/// Whether even that part may be thinned: everything is slow here, and this has a larger key or takes a block for each
/// byte.
pub fn thinned(algorithm: Algorithm) -> bool {
    reduced() && (has_larger_key(algorithm) || algorithm.mode().has_byte_segments())
}

fn has_larger_key(algorithm: Algorithm) -> bool {
    algorithm.block_cipher().is_some_and(|it| it.key_bits() != 128)
}

/// The step through a schedule of what a provider does around ciphers, the same code for all of a mode: AES-128 and
/// what is no block cipher go all the way, the others take the first of `steps`, and the second where everything is
/// slow.
pub fn step(algorithm: Algorithm, steps: [usize; 2]) -> usize {
    let is_first = algorithm.block_cipher().is_none_or(|it| it == BlockCipher::Aes128);
    match (reduced(), is_first && !again()) {
        (true, _) => steps[1],
        (false, true) => 1,
        (false, false) => steps[0],
    }
}

/// Our routes that the tool we run under can execute, and the others with the reason.
pub fn routes() -> impl Iterator<Item = (Route, Option<&'static str>)> {
    ROUTES.iter().copied().map(|route| {
        let new = [Route::Vaes512, Route::Vaes256, Route::Gfni512, Route::Gfni256, Route::Avx512];
        let unknown = new.contains(&route) && client::under_valgrind();
        (route, unknown.then_some("valgrind knows neither VAES nor GFNI nor AVX-512"))
    })
}
