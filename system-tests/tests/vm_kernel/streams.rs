//! Streams whose state stays with us: cut anywhere, copied in the middle, begun anew, by the kernel's route.

use wirespeed_conformance::data::{painted, same};
use wirespeed_libcrypto::{Cipher, CipherContext, Direction};

use crate::ours::{Ours, forced, keyed, message, stock, told};

/// One of each kind of state.
const NAMES: [&str; 4] = ["AES-256-CBC", "AES-128-CTR", "AES-128-ECB", "DES-EDE3-CBC"];

const LENGTH: usize = 70_001;

/// Pieces that end within blocks, at them, within pages and beyond what a request holds.
const PIECES: [&[usize]; 5] = [
    &[1, 15, 16, 17, 4096],
    &[4095, 2, 4096, 65_536],
    &[16],
    &[65_537],
    &[3, 5, 7, 11, 13, 1021, 4093],
];

struct Pair {
    ours: Cipher,
    theirs: Cipher,
    key: Vec<u8>,
    iv: Vec<u8>,
}

impl Pair {
    fn new(ours: &Ours, name: &str) -> Result<Self, String> {
        let theirs = stock()?.fetch(name, None).map_err(told)?;
        let key = painted(3, theirs.key_bytes());
        Ok(Self { ours: ours.cipher(name)?, theirs, key, iv: painted(4, 16) })
    }

    fn begin(&self, direction: Direction) -> Result<CipherContext, String> {
        keyed(&self.ours, direction, &self.key, &self.iv)
    }

    fn right(&self, direction: Direction, data: &[u8]) -> Result<Vec<u8>, String> {
        message(&mut keyed(&self.theirs, direction, &self.key, &self.iv)?, data)
    }
}

/// What comes out of some pieces.
fn pieces(context: &mut CipherContext, data: &[u8], lengths: &[usize]) -> Result<Vec<u8>, String> {
    let mut output = Vec::new();
    let mut rest = data;
    for &length in lengths.iter().cycle() {
        let (piece, after) = rest.split_at(length.min(rest.len()));
        let mut buffer = vec![0; piece.len() + 32];
        let count = context.update(piece, &mut buffer).map_err(told)?;
        output.extend_from_slice(&buffer[..count]);
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    Ok(output)
}

/// Pieces of all kinds, both ways.
pub(crate) fn cut() -> Result<(), String> {
    let ours = Ours::with(&forced(&NAMES.join(", ")))?;
    let plain = painted(5, LENGTH);
    for name in NAMES {
        let pair = Pair::new(&ours, name)?;
        let secret = pair.right(Direction::Encrypt, &plain)?;
        for lengths in PIECES {
            for (direction, from, to) in
                [(Direction::Encrypt, &plain, &secret), (Direction::Decrypt, &secret, &plain)]
            {
                let mut context = pair.begin(direction)?;
                let mut got = pieces(&mut context, from, lengths)?;
                got.extend(message(&mut context, &[])?);
                same(|| format!("{name} {direction:?} in pieces of {lengths:?}"), to, &got)?;
            }
        }
        ours.by_kernel(name, 2 * (PIECES.len() * (LENGTH - 4096)) as u64)?;
    }
    Ok(())
}

/// A copy in mid-stream goes its own way.
pub(crate) fn copied() -> Result<(), String> {
    let ours = Ours::with(&forced(&NAMES.join(", ")))?;
    let plain = painted(6, LENGTH);
    for name in NAMES {
        let pair = Pair::new(&ours, name)?;
        for at in [0, 1, 16, 1000, 65_536] {
            let mut first = pair.begin(Direction::Encrypt)?;
            let head = pieces(&mut first, &plain[..at], &[4096])?;
            let mut second = first.duplicate().map_err(told)?;
            let other = painted(7, LENGTH - at);
            let one = message(&mut first, &plain[at..])?;
            let two = message(&mut second, &other)?;
            for (rest, tail) in [(&plain[at..], one), (&other[..], two)] {
                let right = pair.right(Direction::Encrypt, &[&plain[..at], rest].concat())?;
                same(|| format!("{name} copied at {at}"), &right, &[&head[..], &tail].concat())?;
            }
        }
        ours.by_kernel(name, (LENGTH * 5) as u64)?;
    }
    Ok(())
}

/// Another IV, another key, another direction, in one context.
pub(crate) fn begun_anew() -> Result<(), String> {
    let ours = Ours::with(&forced(&NAMES.join(", ")))?;
    for name in NAMES {
        let mut pair = Pair::new(&ours, name)?;
        let mut context = pair.begin(Direction::Encrypt)?;
        for round in 0..12 {
            // Whatever was in the way is forgotten.
            context.update(&painted(8, 33), &mut [0; 80]).map_err(told)?;
            let (mut key, direction) =
                (None, if round % 3 == 2 { Direction::Decrypt } else { Direction::Encrypt });
            if round % 2 == 1 {
                pair.key = painted(round, pair.key.len());
                key = Some(pair.key.clone());
            }
            pair.iv = painted(100 + round, 16);
            let iv = Some(&pair.iv[..pair.ours.iv_bytes()]).filter(|iv| !iv.is_empty());
            // A key is for one direction.
            let key = if direction == Direction::Decrypt || round % 3 == 0 {
                Some(pair.key.clone())
            } else {
                key
            };
            context.init(direction, key.as_deref(), iv, &[]).map_err(told)?;
            let plain = painted(200 + round, 8192);
            let secret = pair.right(Direction::Encrypt, &plain)?;
            let (from, to) = match direction {
                Direction::Decrypt => (&secret, &plain),
                _ => (&plain, &secret),
            };
            same(|| format!("{name}, round {round}"), to, &message(&mut context, from)?)?;
        }
        ours.by_kernel(name, 12 * 8192)?;
    }
    Ok(())
}
