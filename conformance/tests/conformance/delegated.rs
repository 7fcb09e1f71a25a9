//! Ciphers of which we have no kernels, which our provider offers where the kernel may have them: against
//! the default provider, in everything that a program can see.

use libtest_mimic::Trial;
use wirespeed_af_alg::{Interface, Permission};
use wirespeed_cipher::{Delegated, Route, Shape};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::{fork, here};
use wirespeed_libcrypto::{Cipher, CipherContext, Direction, Error, Param};
use wirespeed_provider::trace;

use crate::trial;

/// How a cipher is put to the test.
type Check = fn(&Pair) -> Result<(), String>;

/// One cipher, by OpenSSL alone and by ours.
struct Pair {
    measure: Cipher,
    ours: Cipher,
    key: Vec<u8>,
    iv: Vec<u8>,
    block: usize,
    interface: Interface,
}

/// By the way to Linux's crypto that a route is; by the usual one where it is none.
pub(crate) fn trials(name: &str, route: Route, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let interface = Interface::of(route).unwrap_or(Interface::AfAlg);
    let checks: [(&str, Check); 5] = [
        ("contract", contract),
        ("lengths", lengths),
        ("streams", streams),
        ("copies", copies),
        ("route", by_the_kernel),
    ];
    let mut trials = Vec::new();
    for delegated in Delegated::all() {
        let Shape::Cipher { block_bytes: block, .. } = delegated.shape() else { continue };
        let fetch = |from: &Provider| from.context().fetch(delegated.name(), None);
        // Without the legacy provider OpenSSL cannot judge what is its.
        let (Ok(measure), Ok(ours)) = (fetch(measure), fetch(ours)) else { continue };
        for (what, check) in checks {
            let pair = Pair {
                key: painted(111, measure.key_bytes()),
                iv: painted(112, measure.iv_bytes()),
                measure: measure.clone(),
                ours: ours.clone(),
                block,
                interface,
            };
            trials.push(trial(format!("{name}::delegated::{what}::{delegated}"), move || {
                check(&pair)
            }));
        }
    }
    trials
}

fn told(error: Error) -> String {
    error.to_string()
}

impl Pair {
    fn begin(&self, cipher: &Cipher, way: Direction, padded: bool) -> Result<CipherContext, Error> {
        let mut work = cipher.context()?;
        let iv = (!self.iv.is_empty()).then_some(&self.iv[..]);
        work.init(way, Some(&self.key), iv, &[])?;
        work.set_padding(padded)?;
        Ok(work)
    }

    /// What a run in pieces writes, call by call, and whether the end is right.
    fn run(
        &self,
        cipher: &Cipher,
        way: Direction,
        padded: bool,
        pieces: &[&[u8]],
    ) -> Result<(Vec<usize>, Vec<u8>, bool), Error> {
        let mut work = self.begin(cipher, way, padded)?;
        let length: usize = pieces.iter().map(|piece| piece.len()).sum();
        let (mut output, mut filled) = (vec![0; length + 32], 0);
        let mut counts = Vec::new();
        for piece in pieces {
            let count = work.update(piece, &mut output[filled..])?;
            counts.push(count);
            filled += count;
        }
        let end = work.finish(&mut output[filled..]);
        filled += *end.as_ref().unwrap_or(&0);
        output.truncate(filled);
        Ok((counts, output, end.is_ok()))
    }

    /// Both do the same with a message in pieces, in both directions, padded or not.
    fn agree(&self, pieces: &[&[u8]]) -> Result<(), String> {
        for way in [Direction::Encrypt, Direction::Decrypt] {
            for padded in [false, true] {
                let right = self.run(&self.measure, way, padded, pieces).map_err(told)?;
                let got = self.run(&self.ours, way, padded, pieces).map_err(told)?;
                if right != got {
                    let lengths: Vec<_> = pieces.iter().map(|piece| piece.len()).collect();
                    return Err(format!("{way:?}, padded {padded}, pieces of {lengths:?}"));
                }
            }
        }
        Ok(())
    }

    fn data(&self, length: usize) -> Vec<u8> {
        painted(113, length)
    }
}

/// The same names, numbers and flags, and the same answers in mid-stream.
fn contract(pair: &Pair) -> Result<(), String> {
    let said = |it: &Cipher| {
        let sizes = (it.key_bytes(), it.iv_bytes(), it.block_bytes(), it.mode(), it.nid());
        (it.names(), sizes, it.flags(), it.gettable())
    };
    let (right, got) = (said(&pair.measure), said(&pair.ours));
    if right != got {
        return Err(format!("{got:?} instead of {right:?}"));
    }
    for padded in [false, true] {
        let answers = |cipher: &Cipher| {
            let mut work = pair.begin(cipher, Direction::Encrypt, padded)?;
            let mut output = [0; 256];
            work.update(&pair.data(100), &mut output)?;
            let numbers = [c"padding", c"num", c"keylen", c"ivlen"].map(|key| work.number(key));
            let numbers: Vec<_> = numbers.into_iter().map(|it| it.map_err(|_| ())).collect();
            let mut ivs = Vec::new();
            for key in [c"iv", c"updated-iv"] {
                ivs.push(work.pointed(key).map_err(|_| ()));
            }
            Ok((numbers, ivs))
        };
        let (right, got) =
            (answers(&pair.measure).map_err(told)?, answers(&pair.ours).map_err(told)?);
        if right != got {
            return Err(format!("in mid-stream {got:?} instead of {right:?}"));
        }
    }
    // EVP_CIPHER_CTX_set_key_length looks for it there.
    let takes_lengths =
        |it: &Cipher| it.settable_in_context().iter().any(|it| *it.key == *c"keylen");
    if takes_lengths(&pair.measure) != takes_lengths(&pair.ours) {
        return Err("the length of the key is listed for one of them only".to_owned());
    }
    // A key of a wrong length, which some of them take.
    let odd = |cipher: &Cipher| {
        let mut work = cipher.context()?;
        let iv = (!pair.iv.is_empty()).then_some(&pair.iv[..]);
        work.init(Direction::Encrypt, None, None, &[])?;
        work.set(&[Param::size(c"keylen", 5)])?;
        work.init(Direction::Encrypt, Some(&pair.key[..5]), iv, &[])?;
        let mut output = [0; 128];
        let count = work.update(&pair.data(64), &mut output)?;
        Ok::<_, Error>(output[..count].to_vec())
    };
    if odd(&pair.measure).ok() == odd(&pair.ours).ok() {
        Ok(())
    } else {
        Err("a key of 5 bytes is treated differently".to_owned())
    }
}

/// Messages at once, of every length around blocks and requests.
fn lengths(pair: &Pair) -> Result<(), String> {
    let step = if here::reduced() { 7 } else { 1 };
    let lengths = (0..=200).step_by(step).chain([4095, 4096, 4104, 16384, 65536, 65544, 140_000]);
    for length in lengths {
        pair.agree(&[&pair.data(length)])?;
    }
    Ok(())
}

/// Streams cut in two and three, and one in place.
fn streams(pair: &Pair) -> Result<(), String> {
    let data = pair.data(5 * pair.block + 3);
    let step = if here::reduced() { 5 } else { 1 };
    for first in (0..=data.len()).step_by(step) {
        for second in (first..=data.len()).step_by(step) {
            pair.agree(&[&data[..first], &data[first..second], &data[second..]])?;
        }
    }
    let mut right = pair.data(8192 + pair.block);
    let mut got = right.clone();
    for (cipher, bytes) in [(&pair.measure, &mut right), (&pair.ours, &mut got)] {
        let mut work = pair.begin(cipher, Direction::Encrypt, false).map_err(told)?;
        work.update_in_place(bytes, 8192).map_err(told)?;
    }
    same(|| "in place".to_owned(), &right, &got)
}

/// A copy goes its own way; a new start without an IV begins again; a child goes on like its parent.
fn copies(pair: &Pair) -> Result<(), String> {
    let data = pair.data(1000 * pair.block);
    let (head, tail) = data.split_at(400 * pair.block);
    let run = |cipher: &Cipher| {
        let mut work = pair.begin(cipher, Direction::Encrypt, false)?;
        let mut output = vec![0; 3 * data.len()];
        let mut filled = work.update(head, &mut output)?;
        let mut copy = work.duplicate()?;
        filled += work.update(tail, &mut output[filled..])?;
        filled += copy.update(head, &mut output[filled..])?;
        work.init(Direction::Encrypt, None, None, &[])?;
        filled += work.update(head, &mut output[filled..])?;
        output.truncate(filled);
        Ok(output)
    };
    let (right, got) = (run(&pair.measure).map_err(told)?, run(&pair.ours).map_err(told)?);
    same(|| "a copy, or a new start".to_owned(), &right, &got)?;
    let mut work = pair.begin(&pair.ours, Direction::Encrypt, false).map_err(told)?;
    let mut output = vec![0; data.len() + 32];
    let filled = work.update(head, &mut output).map_err(told)?;
    let right = pair.run(&pair.measure, Direction::Encrypt, false, &[&data]).map_err(told)?.1;
    let mut finish = || {
        let count = work.update(tail, &mut output[filled..]).map_err(told)?;
        same(|| "after a fork".to_owned(), &right, &output[..filled + count])
    };
    let child = fork::child(|| finish().is_ok());
    finish()?;
    if child.wait() { Ok(()) } else { Err("wrong in the child".to_owned()) }
}

/// Whole blocks really go to the kernel where there is one to go to.
fn by_the_kernel(pair: &Pair) -> Result<(), String> {
    let here = pair.interface.presence(Permission::Unconfined).is_ok();
    let route = if here { pair.interface.route() } else { Route::Libcrypto };
    let before = trace::calls(route);
    pair.run(&pair.ours, Direction::Encrypt, false, &[&pair.data(4096)]).map_err(told)?;
    // Other tests run at the same time, and only add.
    if trace::calls(route) > before { Ok(()) } else { Err(format!("not by {route}")) }
}
