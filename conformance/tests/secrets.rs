//! No branch and no address depends on a secret: every kernel that valgrind can run, with keys and data
//! that memcheck takes for uninitialised.
//!
//! Run it under valgrind; without, every test is ignored. The kernels on 256- and 512-bit vectors are the
//! same source as `aesni`, written once over a vector unit and instantiated for each width, but valgrind
//! does not know their instructions: for them this is an argument, not a measurement.

use std::hint::black_box;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_cipher::{Algorithm, Direction, InOut, Mode};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::api_path::{Setup, Work};
use wirespeed_conformance::client::{counted, cure, poison, under_valgrind};
use wirespeed_conformance::data::painted;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_cpu::Features;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![trial("the_check_can_fail".to_owned(), None, the_check_can_fail)];
    for (route, obstacle) in here::routes() {
        let kernels = Kernels::new(route, Features::detect());
        let reason =
            obstacle.map(str::to_owned).or(kernels.as_ref().err().map(ToString::to_string));
        let Ok(kernels) = kernels else {
            trials.push(trial(format!("{route}"), reason, || Ok(())));
            continue;
        };
        for algorithm in kernels.algorithms() {
            trials.push(trial(format!("{route}::{algorithm}"), reason.clone(), move || {
                every_length(&kernels, algorithm)
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(
    name: String,
    reason: Option<String>,
    run: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Trial {
    Trial::ignorable_test(name, move || {
        if !under_valgrind() {
            return Ok(Completion::ignored_with("not under valgrind"));
        }
        match reason {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => run().map(|()| Completion::Completed).map_err(Failed::from),
        }
    })
}

/// A branch on a poisoned byte, and a look-up at a poisoned place, are caught.
fn the_check_can_fail() -> Result<(), String> {
    let mut secret = vec![7_u8; 16];
    poison(&mut secret);
    let branch = counted(|| {
        if black_box(&secret)[3] > 5 {
            black_box(1);
        }
    });
    let table: [u8; 256] = std::array::from_fn(|i| i as u8 ^ 0x63);
    let look_up = counted(|| {
        black_box(black_box(&table)[usize::from(black_box(&secret)[4])]);
    });
    cure(&mut secret);
    let nothing = counted(|| {
        if black_box(&secret)[3] > 5 {
            black_box(1);
        }
    });
    match (branch, look_up, nothing) {
        (1.., 1.., 0) => Ok(()),
        counts => Err(format!("errors for a branch, a look-up, neither: {counts:?}")),
    }
}

fn every_length(kernels: &Kernels, algorithm: Algorithm) -> Result<(), String> {
    const ALL: &[usize] = &[1, 15, 16, 17, 48, 64, 100, 128, 255, 256, 400, 512, 777, 1420];
    // A larger key is only more rounds.
    const FEW: &[usize] = &[16, 100, 1420];
    let is_larger = algorithm.block_cipher().is_some_and(|it| it.key_bits() != 128);
    let lengths = if is_larger { FEW } else { ALL };
    for direction in Direction::BOTH {
        for &length in lengths {
            let length = match algorithm.mode() {
                Mode::Ecb | Mode::Cbc => length & !15,
                mode => length.max(mode.fewest_bytes()),
            };
            let found = counted(|| one(kernels, algorithm, direction, length));
            if found > 0 {
                return Err(format!("{algorithm} {direction}, {length} bytes: {found} errors"));
            }
        }
    }
    Ok(())
}

/// One message whose key and data are secret. IV and associated data are not.
fn one(kernels: &Kernels, algorithm: Algorithm, direction: Direction, length: usize) {
    let mut key = painted(1, algorithm.key_bytes());
    let mut data = painted(2, length);
    let (iv, aad) = (painted(3, algorithm.iv_bytes()), painted(4, 21));
    let aad: &[u8] = if algorithm.mode().has_tag() { &aad } else { &[] };
    poison(&mut key);
    poison(&mut data);
    let setup = Setup { algorithm, direction, key: &key, iv: &iv, aad: [aad, &[]], tag: &[5; 16] };
    let mut message = kernels.message(&setup).expect("it has this");
    let (first, second) = data.split_at_mut(if algorithm.mode().takes_whole_messages() {
        0
    } else {
        length / 32 * 16
    });
    if !first.is_empty() {
        message.update(InOut::in_place(first)).expect("right lengths");
    }
    message.update(InOut::in_place(second)).expect("right lengths");
    // What a tag is, all the world may know; whether one matches is for its comparison to hide.
    let mut tag = message.tag();
    cure(&mut tag);
    cure(&mut data);
    cure(&mut key);
    black_box((&tag, &data));
}
