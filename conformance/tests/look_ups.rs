//! Where the host's libcrypto looks up in tables by secrets: whether `LibcryptoCode` says what memcheck sees, with keys
//! and data that it takes for uninitialised.
//!
//! Run it under valgrind, once for each CPU that `OPENSSL_ia32cap` makes of this one; without, every test is ignored.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_cipher::{Algorithm, Direction, Mode};
use wirespeed_conformance::client::{counted, cure, poison, under_valgrind};
use wirespeed_conformance::data::painted;
use wirespeed_conformance::evp;
use wirespeed_conformance::here;
use wirespeed_cpu::Features;
use wirespeed_libcrypto::{Context, Error};
use wirespeed_plan::LibcryptoCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let (version, features) = (here::library().version(), Features::detect());
    let code = LibcryptoCode::of(version, features);
    let mut trials = Vec::new();
    for &algorithm in Algorithm::ALL {
        for &direction in algorithm.directions() {
            // Whether a tag matches is a branch that all the world may see.
            if algorithm.mode().has_tag() && direction == Direction::Decrypt {
                continue;
            }
            let name = format!("{algorithm} {direction}");
            trials.push(trial(name, move || agrees(code, algorithm, direction)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: String, run: impl FnOnce() -> Result<Completion, String> + Send + 'static) -> Trial {
    Trial::ignorable_test(name, move || match under_valgrind() {
        true => run().map_err(Failed::from),
        false => Ok(Completion::ignored_with("not under valgrind")),
    })
}

fn agrees(
    code: LibcryptoCode,
    algorithm: Algorithm,
    direction: Direction,
) -> Result<Completion, String> {
    let context = Context::new(here::library()).map_err(|error| error.to_string())?;
    if context.fetch(algorithm.name(), None).is_err() {
        return Ok(Completion::ignored_with("this OpenSSL does not have it"));
    }
    let said = code.looks_up(algorithm, direction);
    // That the halves of its key are not equal is for all the world to see: libcrypto branches on it once a key.
    let harmless = u64::from(algorithm.mode() == Mode::Xts);
    let mut seen = 0;
    for length in [16, 96, 128, 272] {
        let mut called = Ok(());
        let errors = counted(|| called = call(&context, algorithm, direction, length));
        seen += errors.saturating_sub(harmless);
        called.map_err(|error| format!("{length} bytes: {error}"))?;
    }
    match (said, seen) {
        (Some(_), 1..) | (None, 0) => Ok(Completion::Completed),
        (Some(_), 0) => Err("it looks up in no table".to_owned()),
        (None, _) => Err(format!("it looks up in tables, or branches: {seen} errors")),
    }
}

/// One message whose key and data are secret. IV and tag are not.
fn call(
    context: &Context,
    algorithm: Algorithm,
    direction: Direction,
    length: usize,
) -> Result<(), Error> {
    let mut key = painted(1, algorithm.key_bytes());
    let (mut data, iv) = (painted(2, length), painted(3, algorithm.iv_bytes()));
    let mut output = vec![0; length + 16];
    poison(&mut key);
    poison(&mut data);
    let mut cipher = context.fetch(algorithm.name(), None)?.context()?;
    cipher.init(
        evp::direction(direction),
        Some(&key),
        Some(&iv).filter(|iv| !iv.is_empty()).map(Vec::as_slice),
        &[],
    )?;
    if algorithm.mode() == Mode::Ccm {
        cipher.message_length(length)?;
    }
    if matches!(algorithm.mode(), Mode::Ecb | Mode::Cbc) {
        cipher.set_padding(false)?;
    }
    let written = cipher.update(&data, &mut output)?;
    cipher.finish(&mut output[written..])?;
    cure(&mut key);
    Ok(())
}
