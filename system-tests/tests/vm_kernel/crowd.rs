//! Very many contexts, threads, children and too few descriptors: nothing leaks, no byte is wrong.

use std::fs::{self, File};
use std::thread;

use wirespeed_cipher::Route;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::fork;
use wirespeed_libcrypto::{Cipher, CipherContext, Direction};

use crate::ours::{Ours, forced, keyed, message, stock, told};

const NAME: &str = "AES-128-CBC";
const LENGTH: usize = 4096;

fn encrypting(cipher: &Cipher, seed: u64) -> Result<CipherContext, String> {
    keyed(cipher, Direction::Encrypt, &painted(seed, 16), &painted(seed + 1, 16))
}

/// A message of this key.
fn encrypted(cipher: &Cipher, seed: u64) -> Result<Vec<u8>, String> {
    message(&mut encrypting(cipher, seed)?, &painted(seed + 2, LENGTH))
}

/// What the default provider makes of some of them.
fn right(seeds: u64) -> Result<Vec<Vec<u8>>, String> {
    let stock = stock()?;
    let cipher = stock.fetch(NAME, None).map_err(told)?;
    (0..seeds).map(|seed| encrypted(&cipher, seed)).collect()
}

/// Descriptors of this process.
fn descriptors() -> Result<usize, String> {
    let listed = fs::read_dir("/proc/self/fd").map_err(|error| error.to_string())?;
    // The directory itself is one of them.
    Ok(listed.count() - 1)
}

/// A number in /proc/self/status, in KiB or without a unit.
fn status(field: &str) -> Result<u64, String> {
    let text = fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| format!("/proc/self/status has no {field}"))
}

/// Ten thousand contexts, each with a key of its own, at work one after the other and a hundred at a time.
pub(crate) fn ten_thousand() -> Result<(), String> {
    const ROUNDS: u64 = 100;
    const TOGETHER: u64 = 100;
    let ours = Ours::with(&forced(NAME))?;
    let cipher = ours.cipher(NAME)?;
    let right = right(TOGETHER)?;
    let before = descriptors()?;
    let mut early = None;
    for round in 0..ROUNDS {
        let contexts = (0..TOGETHER).map(|seed| encrypting(&cipher, seed));
        let mut contexts = contexts.collect::<Result<Vec<_>, _>>()?;
        for ((context, seed), right) in contexts.iter_mut().zip(0..).zip(&right) {
            let got = message(context, &painted(seed + 2, LENGTH))?;
            same(|| format!("round {round}, context {seed}"), right, &got)?;
        }
        let open = descriptors()?;
        if open > before + TOGETHER as usize {
            return Err(format!("{open} descriptors for {TOGETHER} contexts, {before} before"));
        }
        drop(contexts);
        match descriptors()? {
            after if after == before => {}
            after => return Err(format!("round {round}: {after} descriptors, {before} before")),
        }
        if round == 10 {
            early = Some((status("VmRSS")?, status("VmSize")?));
        }
    }
    let early = early.ok_or("too few rounds")?;
    let late = (status("VmRSS")?, status("VmSize")?);
    if late.0 > early.0 + 1024 || late.1 > early.1 + 1024 {
        return Err(format!("memory grew from {early:?} KiB to {late:?} KiB"));
    }
    ours.by_kernel(NAME, ROUNDS * TOGETHER * LENGTH as u64)
}

/// Sixty-four threads with a context each.
pub(crate) fn threads() -> Result<(), String> {
    const THREADS: u64 = 64;
    const ROUNDS: u64 = 20;
    let ours = Ours::with(&forced(NAME))?;
    let cipher = ours.cipher(NAME)?;
    let right = right(THREADS)?;
    let before = descriptors()?;
    thread::scope(|scope| {
        let work = |seed: u64| {
            let (cipher, right) = (cipher.clone(), &right[seed as usize]);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let got = encrypted(&cipher, seed)?;
                    same(|| format!("thread {seed}, round {round}"), right, &got)?;
                }
                Ok(())
            })
        };
        let running: Vec<_> = (0..THREADS).map(work).collect();
        let ends =
            running.into_iter().map(|it| it.join().map_err(|_| "a thread panicked".to_owned()));
        ends.map(Result::flatten).collect::<Result<Vec<()>, String>>()
    })?;
    match descriptors()? {
        after if after == before => ours.by_kernel(NAME, THREADS * ROUNDS * LENGTH as u64),
        after => Err(format!("{after} descriptors, {before} before")),
    }
}

/// A fork with an open context: parent and children go on with it, each by itself.
pub(crate) fn children() -> Result<(), String> {
    let ours = Ours::with(&forced(NAME))?;
    let cipher = ours.cipher(NAME)?;
    let plain = painted(2, 2 * LENGTH);
    let stock = stock()?;
    let theirs = stock.fetch(NAME, None).map_err(told)?;
    let right = message(&mut encrypting(&theirs, 0)?, &plain)?;
    let mut context = encrypting(&cipher, 0)?;
    let mut output = vec![0; LENGTH + 16];
    let count = context.update(&plain[..LENGTH], &mut output).map_err(told)?;
    same(|| "before the fork".to_owned(), &right[..count], &output[..count])?;
    let before = ours.bytes(NAME, Route::Kernel)?;
    let children: Vec<_> = (0..8)
        .map(|_| {
            fork::child(|| {
                // The same state, and no socket of the parent's: two on one would mix.
                (0..20).all(|_| {
                    let copy = context.duplicate().map_err(told);
                    let rest = copy.and_then(|mut copy| message(&mut copy, &plain[LENGTH..]));
                    rest.is_ok_and(|rest| rest == right[count..])
                })
            })
        })
        .collect();
    let rest = message(&mut context, &plain[LENGTH..])?;
    let good = children.into_iter().map(fork::Child::wait).filter(|good| *good).count();
    same(|| "after the fork".to_owned(), &right[count..], &rest)?;
    if good != 8 {
        return Err(format!("{good} of 8 children went on rightly"));
    }
    // Parent and children count in one file.
    match ours.bytes(NAME, Route::Kernel)? - before {
        bytes if bytes >= (8 * 20 + 1) * LENGTH as u64 => Ok(()),
        bytes => Err(format!("the kernel ran {bytes} bytes after the fork")),
    }
}

/// No descriptor to spare: the call goes elsewhere or fails with a word, and later ones are the kernel's again.
pub(crate) fn descriptors_run_out() -> Result<(), String> {
    let ours = Ours::with(&forced(NAME))?;
    let cipher = ours.cipher(NAME)?;
    let right = right(1)?.remove(0);
    let mut held = Vec::new();
    while let Ok(file) = File::open("/dev/null") {
        held.push(file);
        if held.len() > 2_000_000 {
            return Err("no limit of descriptors".to_owned());
        }
    }
    let without = encrypted(&cipher, 0);
    drop(held);
    same(|| "without a descriptor".to_owned(), &right, &without?)?;
    let before = ours.bytes(NAME, Route::Kernel)?;
    same(|| "with descriptors again".to_owned(), &right, &encrypted(&cipher, 0)?)?;
    match ours.bytes(NAME, Route::Kernel)? - before {
        0 => Err("the kernel was given up for want of a descriptor once".to_owned()),
        _ => ours.by_kernel(NAME, LENGTH as u64),
    }
}
