//! An engine that only the kernel reaches: QEMU's virtio-crypto, by the name of its driver, at the sizes where it gains.

use std::fs;

use wirespeed_cipher::{Direction as Way, Route, SIZE_CLASSES};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_libcrypto::Direction;
use wirespeed_plan::Plan;

use crate::ours::{Ours, keyed, message, stock, told};
use crate::{drivers, plans};

/// The largest of the device's ciphers: the longer the key, the more it gains.
const NAME: &str = "AES-256-CBC";
const DRIVER: &str = "virtio_crypto_aes_cbc";
/// Where the kernel keeps the driver's devices.
const DEVICES: &str = "/sys/bus/virtio/drivers/virtio_crypto";

/// The device, as `virtio2`.
fn device() -> Result<String, String> {
    let listed = fs::read_dir(DEVICES).map_err(|error| format!("{DEVICES}: {error}"))?;
    let names = listed.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut devices = names.filter(|name| name.starts_with("virtio"));
    devices.next().ok_or_else(|| "virtio_crypto has no device".to_owned())
}

/// How often the device has interrupted to say that requests are done.
fn interrupts(device: &str) -> Result<u64, String> {
    let text = fs::read_to_string("/proc/interrupts").map_err(|error| error.to_string())?;
    let line = text.lines().find(|line| line.contains(&format!("{device}-virtqueues")));
    let line = line.ok_or_else(|| format!("no interrupts of {device}:\n{text}"))?;
    Ok(line.split_whitespace().skip(1).map_while(|word| word.parse::<u64>().ok()).sum())
}

/// By the driver's name every request is the device's, and its bytes are right.
pub(crate) fn by_name() -> Result<(), String> {
    let ours = Ours::with(&format!("routes = kernel\nkernel = {NAME}@{DRIVER}"))?;
    let device = device()?;
    let (key, iv, plain) = (painted(1, 32), painted(2, 16), painted(3, 200_000));
    let theirs = stock()?.fetch(NAME, None).map_err(told)?;
    let right = message(&mut keyed(&theirs, Direction::Encrypt, &key, &iv)?, &plain)?;
    let cipher = ours.cipher(NAME)?;
    let before = (drivers::references(DRIVER)?, interrupts(&device)?);
    let mut context = keyed(&cipher, Direction::Encrypt, &key, &iv)?;
    let mut got = Vec::new();
    for piece in plain.chunks(8192) {
        let mut buffer = vec![0; piece.len() + 16];
        let count = context.update(piece, &mut buffer).map_err(told)?;
        got.extend_from_slice(&buffer[..count]);
    }
    got.extend(message(&mut context, &[])?);
    same(|| DRIVER.to_owned(), &right, &got)?;
    let during = (drivers::references(DRIVER)?, interrupts(&device)?);
    drop(context);
    let after = drivers::references(DRIVER)?;
    if during.0 <= before.0 || after != before.0 || during.1 < before.1 + 200_000 / 8192 {
        return Err(format!("uses and interrupts: {before:?}, {during:?}, then {after} uses"));
    }
    ours.by_kernel(NAME, 190_000)
}

/// A machine without AES instructions: it is measured that the device gains where calls are large, and the
/// provider does as the plan says.
///
/// The guest is translated, its device is not: QEMU computes with the host's own CPU. So the device wins by more
/// than a real one might, and loses small calls for the same reason as real ones do, the way there and back.
pub(crate) fn planned() -> Result<(), String> {
    let facts = fs::read_to_string("/proc/cpuinfo").map_err(|error| error.to_string())?;
    if facts.split_whitespace().any(|flag| flag == "aes") {
        return Err("for a CPU without AES instructions: vm --cpu Penryn".to_owned());
    }
    let scratch = Scratch::new()?;
    let file = plans::measured(&scratch, NAME, "portable,libcrypto,kernel")?;
    let plan = Plan::read(&file).map_err(|error| error.to_string())?;
    let algorithm = NAME.parse().map_err(|error| format!("{error}"))?;
    let route = |size: usize| plan.row(algorithm, Way::Encrypt, size).map(|row| row.route);
    if route(16) == Some(Route::Kernel) || route(65536) != Some(Route::Kernel) {
        return Err(format!("small calls are not ours, or large ones not the kernel's: {plan}"));
    }
    let least = SIZE_CLASSES.into_iter().find(|size| route(*size) == Some(Route::Kernel));
    let least = least.ok_or("the kernel has no row")?;
    println!("{NAME}: the device from {least} bytes on");
    let ours = Ours::with(&format!("plan = {}\nkernel = {NAME}@{DRIVER}", file.display()))?;
    let cipher = ours.cipher(NAME)?;
    let device = device()?;
    let mut context = keyed(&cipher, Direction::Encrypt, &[1; 32], &[2; 16])?;
    let mut buffer = vec![0; 65536 + 16];
    let mut run = |size: usize, times: usize| {
        let before = (interrupts(&device)?, ours.bytes(NAME, Route::Kernel)?);
        for _ in 0..times {
            context.update(&painted(4, size), &mut buffer).map_err(told)?;
        }
        Ok::<_, String>((
            interrupts(&device)? - before.0,
            ours.bytes(NAME, Route::Kernel)? - before.1,
        ))
    };
    // In one stream: small updates stay in the process, large ones go to the device.
    match (run(16, 100)?, run(65536, 10)?, run(16, 100)?) {
        ((0, 0), (10.., 655_360), (0, 0)) => Ok(()),
        other => Err(format!("interrupts and bytes of small, large, small: {other:?}; {plan}")),
    }
}

/// The device is taken away while a stream runs. What it would have had next is computed elsewhere.
///
/// Linux's own driver does not survive that with a keyed socket open: virtcrypto_remove() frees the device's memory
/// with users left (crypto_unregister_alg() warns of it), and their next request, even their close, reads it:
/// an oops, or a hang, in 6.1 and in 6.12, whoever the user is. So the stream here has not been at the device
/// before; `faults::gone` is about one that has.
pub(crate) fn unbound() -> Result<(), String> {
    let ours = Ours::with(&format!("routes = kernel\nkernel = {NAME}@{DRIVER}"))?;
    let cipher = ours.cipher(NAME)?;
    let (key, iv, plain) = (painted(5, 32), painted(6, 16), painted(7, 300_007));
    let theirs = stock()?.fetch(NAME, None).map_err(told)?;
    let right = message(&mut keyed(&theirs, Direction::Encrypt, &key, &iv)?, &plain)?;
    let encrypt = || message(&mut keyed(&cipher, Direction::Encrypt, &key, &iv)?, &plain);
    same(|| "before".to_owned(), &right, &encrypt()?)?;
    ours.by_kernel(NAME, 300_000)?;
    let mut context = keyed(&cipher, Direction::Encrypt, &key, &iv)?;
    // Less than a block waits in the context.
    let mut got = vec![0; plain.len() + 32];
    let mut count = context.update(&plain[..7], &mut got).map_err(told)?;
    let device = device()?;
    let tell = |what: &str| {
        let file = format!("{DEVICES}/{what}");
        fs::write(&file, &device).map_err(|error| format!("{file}: {error}"))
    };
    tell("unbind")?;
    count += context.update(&plain[7..], &mut got[count..]).map_err(told)?;
    count += context.finish(&mut got[count..]).map_err(told)?;
    let after = encrypt();
    tell("bind")?;
    same(|| "in the stream".to_owned(), &right, &got[..count])?;
    same(|| "after".to_owned(), &right, &after?)?;
    let kernel = ours.bytes(NAME, Route::Kernel)?;
    if kernel > 2 * plain.len() as u64 {
        return Err(format!("the kernel ran {kernel} bytes without its device"));
    }
    ours.kernel_is_quarantined()
}
