//! Every order of up to four operations on a context, right or wrong, against the default provider: what
//! each returns, what it writes, and what the context tells of itself afterwards.

use std::ffi::CStr;

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, BlockCipher, Mode, Route};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::painted;
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_libcrypto::{Cipher, CipherContext, Direction, Error, Kind, Param, Value};

use crate::{security, trial};

/// One call on a context.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Init(Direction, Key, Iv),
    Update(usize),
    UpdateInPlace(usize),
    Announced(usize),
    Associated(usize),
    Final,
    Padding(bool),
    IvLength(usize),
    KeyLength(usize),
    TagLength(usize),
    TagBytes(usize),
    Num(u32),
    SetTag(usize),
    Tag(usize),
    Duplicate,
    Reset,
    Speed,
    Order(&'static CStr),
    Standard(&'static CStr),
}

/// Whether an init brings a key.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Key {
    Given,
    Kept,
}

/// Whether an init brings an IV.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Iv {
    Given,
    Kept,
}

use Direction::{Decrypt, Encrypt, Unchanged};
use Operation::{
    Announced, Associated, Duplicate, Final, Init, IvLength, KeyLength, Num, Order, Padding, Reset,
    SetTag, Speed, Standard, Tag, TagBytes, TagLength, Update, UpdateInPlace,
};

/// What may be done in any mode.
const COMMON: &[Operation] = &[
    Init(Encrypt, Key::Given, Iv::Given),
    Init(Decrypt, Key::Given, Iv::Given),
    Init(Encrypt, Key::Given, Iv::Kept),
    Init(Unchanged, Key::Kept, Iv::Given),
    Init(Decrypt, Key::Kept, Iv::Kept),
    Update(0),
    Update(16),
    UpdateInPlace(37),
    Final,
    Duplicate,
];

/// What only some modes know: the last three arms are for modes in which nothing is special.
fn own(mode: Mode) -> &'static [Operation] {
    match mode {
        Mode::Ecb | Mode::Cbc => &[Padding(false), Padding(true), Update(5), Reset],
        Mode::Xts => &[Update(15), UpdateInPlace(32), KeyLength(16), Reset],
        Mode::Gcm => &[
            Associated(5),
            Update(5),
            SetTag(16),
            SetTag(17),
            Tag(16),
            Tag(3),
            IvLength(8),
            IvLength(0),
            TagLength(12),
        ],
        Mode::Ocb => &[
            Associated(5),
            Update(5),
            SetTag(16),
            SetTag(12),
            TagBytes(12),
            TagBytes(0),
            Tag(16),
            Tag(12),
            IvLength(8),
            IvLength(16),
            KeyLength(17),
        ],
        Mode::Ccm => &[
            Announced(16),
            Announced(0),
            Associated(5),
            Update(5),
            SetTag(12),
            SetTag(5),
            TagBytes(8),
            TagBytes(12),
            Tag(12),
            Tag(8),
            IvLength(12),
            IvLength(6),
        ],
        Mode::Stream => &[Update(5), UpdateInPlace(64), KeyLength(17), KeyLength(32), IvLength(8)],
        Mode::Poly1305 => &[
            Associated(5),
            Update(5),
            SetTag(16),
            SetTag(17),
            SetTag(3),
            Tag(16),
            Tag(3),
            IvLength(8),
            IvLength(12),
        ],
        mode if mode.has_tag() => &[
            Associated(5),
            Associated(0),
            Update(5),
            SetTag(16),
            SetTag(12),
            Tag(16),
            Tag(12),
            IvLength(8),
            KeyLength(17),
        ],
        mode if mode.takes_whole_messages() => &[Update(15), UpdateInPlace(32), Reset],
        _ => &[Num(3), Num(15), Update(5), KeyLength(17)],
    }
}

/// What only ciphers know whose contexts take a parameter of this name.
const BY_PARAMETER: [(&CStr, &[Operation]); 3] = [
    (c"cts_mode", &[Order(c"cs2"), Order(c"CS3"), Order(c"CS4")]),
    (c"speed", &[Speed]),
    (c"xts_standard", &[Standard(c"ieee"), Standard(c"GB"), Standard(c"NIST")]),
];

/// How many operations there are in a sequence.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// One less than of the others: what the route has of its own is its kernels.
    Short,
    /// As many as there is time for.
    Full,
}

impl Length {
    /// Contexts are the same code on every route of ours, but where calls go elsewhere.
    pub(crate) fn on(route: Route) -> Self {
        match route.is_own() && route != Route::Portable && !here::thorough() {
            true => Self::Short,
            false => Self::Full,
        }
    }
}

pub(crate) fn trials(
    name: &str,
    length: Length,
    measure: &Provider,
    ours: &Provider,
) -> Vec<Trial> {
    let build = |algorithm: Algorithm| {
        let (measure, ours) = (measure.clone(), ours.clone());
        trial(format!("{name}::sequences::{algorithm}"), move || {
            let ciphers = (measure.cipher(algorithm), ours.cipher(algorithm));
            let (Ok(measure), Ok(ours)) = ciphers else { return Err("cannot fetch".to_owned()) };
            run(algorithm, length, &measure, &ours)
        })
    };
    let mut trials: Vec<_> = ours.algorithms().into_iter().map(build).collect();
    let both = (measure.clone(), ours.clone());
    trials.push(trial(format!("{name}::sequences::filled_block"), move || {
        filled_block(&both.0, &both.1)
    }));
    let ours = ours.clone();
    trials.push(trial(format!("{name}::sequences::num"), move || num(&ours)));
    trials
}

/// Where a new key goes on once two updates have filled a block: ChaCha20 of 3.6 counts it, that of 3.0 does not yet.
fn filled_block(measure: &Provider, ours: &Provider) -> Result<(), String> {
    for algorithm in ours.algorithms().into_iter().filter(|it| it.mode() == Mode::Stream) {
        let script = Script::new(algorithm);
        let begun = [Init(Encrypt, Key::Given, Iv::Given), Update(60)];
        let ends = [
            [Update(4), Update(0), Init(Encrypt, Key::Given, Iv::Kept), Update(64)],
            [Update(4), Update(5), Init(Encrypt, Key::Given, Iv::Kept), Update(64)],
            [Update(5), Update(0), Init(Encrypt, Key::Given, Iv::Kept), Update(64)],
            [Update(4), Duplicate, Init(Decrypt, Key::Given, Iv::Kept), Update(5)],
        ];
        for end in ends {
            let sequence = [&begun[..], &end].concat();
            let seen = [measure, ours].map(|by| {
                let cipher = by.cipher(algorithm).map_err(|error| error.to_string())?;
                Ok::<_, String>(script.play(&cipher, &sequence))
            });
            let [right, got] = seen;
            let (right, got) = (right?, got?);
            if let Some(at) = (0..sequence.len()).find(|at| right[*at] != got[*at]) {
                let (right, got) = (&right[at], &got[at]);
                return Err(format!(
                    "{algorithm}: step {at} of {sequence:?}: {got:?}, not {right:?}"
                ));
            }
        }
    }
    Ok(())
}

/// A `num` must lie within the block, which has one byte in stream modes, on every host. Default providers before June
/// 2026 take any, and then read and write beyond their buffer.
fn num(ours: &Provider) -> Result<(), String> {
    let streams = [Mode::Cfb, Mode::Cfb8, Mode::Ofb, Mode::Ctr];
    for algorithm in ours.algorithms().into_iter().filter(|it| streams.contains(&it.mode())) {
        let mut work =
            ours.cipher(algorithm).and_then(|cipher| cipher.context()).expect("a context");
        let key = painted(31, algorithm.key_bytes());
        work.init(Encrypt, Some(&key), Some(&[0; 16]), &[]).map_err(|it| it.to_string())?;
        work.set(&[Param::uint(c"num", 0)]).map_err(|it| it.to_string())?;
        for wrong in [1, 3, 15, 16, 17, u32::MAX] {
            if work.set(&[Param::uint(c"num", wrong)]).is_ok() {
                return Err(format!("{algorithm} takes a num of {wrong}"));
            }
        }
    }
    Ok(())
}

/// All sequences, the first operation always an init or nothing works.
fn run(
    algorithm: Algorithm,
    length: Length,
    measure: &Cipher,
    ours: &Cipher,
) -> Result<(), String> {
    let mut alphabet = [COMMON, own(algorithm.mode())].concat();
    let parameters = measure.settable_in_context();
    for (name, operations) in BY_PARAMETER {
        if parameters.iter().any(|it| it.key.as_c_str() == name) {
            alphabet.extend(operations);
        }
    }
    if algorithm.block_cipher().is_some_and(|it| !BlockCipher::AES.contains(&it))
        && matches!(algorithm.mode(), Mode::Ecb | Mode::Cbc)
    {
        // In place behind a block that was held back, output overtakes input. What comes of it depends on
        // how much is read before the first write: with AES as much as in the default provider's.
        alphabet.retain(|operation| !matches!(operation, UpdateInPlace(_)));
    }
    let length = match () {
        () if here::reduced() => 2,
        // What ciphers of one mode may be asked for is the same code.
        () if algorithm.block_cipher().is_some_and(|it| it != BlockCipher::Aes128) => 3,
        () if length == Length::Short => 3,
        () => 4,
    };
    let script = Script::new(algorithm);
    // What its default provider lets pass as a message of no bytes is none of ours (see `security`).
    let is_forged =
        algorithm.mode() == Mode::Ccm && security::accepts_forged_empty_message(algorithm, measure);
    let count = alphabet.len().pow(length);
    for number in 0..count {
        let mut rest = number;
        let mut sequence = Vec::new();
        for _ in 0..length {
            sequence.push(alphabet[rest % alphabet.len()]);
            rest /= alphabet.len();
        }
        if crashes_default(algorithm.mode(), &sequence) {
            continue;
        }
        let (right, got) = (script.play(measure, &sequence), script.play(ours, &sequence));
        if right == got {
            continue;
        }
        // The default provider makes up an IV where GCM has none: what it does not repeat is not a rule.
        let again = script.play(measure, &sequence);
        let differs = |at: usize| {
            let (right, again, got) = (&right[at], &again[at], &got[at]);
            let is_a_rule = right == again && !depends_on_cpu(algorithm.mode(), &sequence[..=at]);
            right.returned != got.returned || (is_a_rule && right != got)
        };
        if let Some(at) = (0..sequence.len()).find(|at| differs(*at)) {
            let both = [&right[at], &got[at]];
            if (is_forged && sequence[..=at].iter().any(|it| matches!(it, Final)))
                || takes_any_num(sequence[at], both)
                || forgives_missing_tag(algorithm.mode(), sequence[at], both)
            {
                continue;
            }
            return Err(format!(
                "{algorithm}: step {at} of {sequence:?}\n  default: {:?}\n  ours:    {:?}",
                right[at], got[at]
            ));
        }
    }
    Ok(())
}

/// Whether the default provider itself goes wrong and calls a null pointer: a duplicate of an XTS context that has no key
/// yet believes that it has one (aes_xts_copyctx of OpenSSL 3.0 to 4.0), and ciphertext stealing never asks
/// (ossl_cipher_cbc_cts_block_update).
fn crashes_default(mode: Mode, sequence: &[Operation]) -> bool {
    let mut has_key = false;
    sequence.iter().any(|operation| {
        match operation {
            Init(_, Key::Given, _) => has_key = true,
            Reset => has_key = false,
            Duplicate => return mode == Mode::Xts && !has_key,
            Update(16..) | UpdateInPlace(16..) => return mode == Mode::Cts && !has_key,
            _ => {}
        }
        false
    })
}

/// Whether the default provider takes a `num` beyond the block, which ours never does (see [`num`]).
fn takes_any_num(operation: Operation, [right, got]: [&Seen; 2]) -> bool {
    matches!(operation, Num(1..)) && right.returned.is_ok() && got.returned.is_err()
}

/// Whether the default provider ends a message that no tag was given for, which ours never does: its ChaCha20-Poly1305
/// does before 4.0 (openssl#31285).
fn forgives_missing_tag(mode: Mode, operation: Operation, [right, got]: [&Seen; 2]) -> bool {
    let has_none = |seen: &Seen| seen.numbers[TAG_LENGTH] == Some(0);
    let verdicts = (right.returned.is_ok(), got.returned.is_ok());
    mode == Mode::Poly1305
        && matches!(operation, Final)
        && verdicts == (true, false)
        && has_none(right)
        && has_none(got)
}

/// Whether the default provider's bytes depend on which of its code paths the CPU gets: a new key for GCM
/// without a new IV goes on with a counter that its AES-NI code and its AVX-512 code (3.1 and later)
/// leave in different states; OCB that was given its key for the other direction decrypts with AES-NI code that
/// encrypts, or the other way round.
fn depends_on_cpu(mode: Mode, sequence: &[Operation]) -> bool {
    if mode == Mode::Ocb {
        let of_key = sequence.iter().rev().find_map(|it| match it {
            Init(direction, Key::Given, _) => Some(*direction),
            _ => None,
        });
        let now = sequence.iter().rev().find_map(|it| match it {
            Init(direction @ (Encrypt | Decrypt), ..) => Some(*direction),
            _ => None,
        });
        return of_key.is_some() && of_key != now;
    }
    let key_alone = sequence.iter().rposition(|it| matches!(it, Init(_, Key::Given, Iv::Kept)));
    let whole = sequence.iter().rposition(|it| matches!(it, Init(_, _, Iv::Given)));
    mode == Mode::Gcm && key_alone > whole && whole.is_some()
}

/// What a step of a sequence showed.
#[derive(Debug, PartialEq)]
struct Seen {
    /// Bytes written, or that it failed.
    returned: Result<usize, ()>,
    output: Vec<u8>,
    numbers: [Option<u64>; 5],
    ivs: [Option<Vec<u8>>; 2],
}

/// Keys and data for the sequences of one algorithm.
struct Script {
    algorithm: Algorithm,
    key: Vec<u8>,
    iv: Vec<u8>,
    data: Vec<u8>,
}

impl Script {
    fn new(algorithm: Algorithm) -> Self {
        let key = painted(31, 64);
        Self { algorithm, key, iv: painted(32, 16), data: painted(33, 64) }
    }

    fn play(&self, cipher: &Cipher, sequence: &[Operation]) -> Vec<Seen> {
        let mut work = cipher.context().expect("a context");
        let mut output = [0; 128];
        sequence
            .iter()
            .map(|operation| {
                output.fill(0);
                let returned = self.step(&mut work, *operation, &mut output).map_err(|_| ());
                let written = returned.map_or(0, |length| length.min(output.len()));
                Seen {
                    returned,
                    output: output[..written].to_vec(),
                    numbers: NUMBERS.map(|key| work.number(key).ok().flatten()),
                    ivs: [c"iv", c"updated-iv"].map(|key| {
                        let mut iv = vec![0; 16];
                        let came =
                            work.parameter(key, Kind::Octets, Some(&mut iv)).ok().flatten()?;
                        iv.truncate(came);
                        Some(iv)
                    }),
                }
            })
            .collect()
    }

    fn step(
        &self,
        work: &mut CipherContext,
        operation: Operation,
        output: &mut [u8; 128],
    ) -> Result<usize, Error> {
        let done = |result: Result<(), Error>| result.map(|()| 0);
        match operation {
            Init(direction, key, iv) => {
                let length = work.number(c"ivlen").ok().flatten().map(|length| length as usize);
                let length = length.unwrap_or(self.algorithm.iv_bytes()).min(self.iv.len());
                let key = (key == Key::Given).then(|| &self.key[..self.algorithm.key_bytes()]);
                let iv = (iv == Iv::Given && length > 0).then(|| &self.iv[..length]);
                done(work.init(direction, key, iv, &[]))
            }
            Update(length) => work.update(&self.data[..length], output),
            UpdateInPlace(length) => {
                output[..length].copy_from_slice(&self.data[..length]);
                work.update_in_place(output, length)
            }
            Associated(length) => done(work.aad(&self.data[..length])),
            Announced(length) => done(work.message_length(length)),
            Final => work.finish(output),
            Padding(on) => done(work.set_padding(on)),
            IvLength(length) => done(work.set(&[Param::size(c"ivlen", length)])),
            KeyLength(length) => done(work.set(&[Param::size(c"keylen", length)])),
            TagBytes(length) => {
                done(work.set(&[Param { key: c"tag", value: Value::NoOctets(length) }]))
            }
            TagLength(length) => done(work.set(&[Param::size(c"taglen", length)])),
            Num(num) => done(work.set(&[Param::uint(c"num", num)])),
            SetTag(length) => done(work.set_tag(&self.data[..length])),
            Tag(length) => work.tag(&mut output[..length]).map(|()| length),
            Duplicate => work.duplicate().map(|copy| {
                *work = copy;
                0
            }),
            Reset => done(work.reset()),
            Order(name) => done(work.set(&[Param { key: c"cts_mode", value: Value::Utf8(name) }])),
            Standard(name) => {
                done(work.set(&[Param { key: c"xts_standard", value: Value::Utf8(name) }]))
            }
            Speed => done(work.set(&[Param::uint(c"speed", 1)])),
        }
    }
}

/// The place of `taglen` among [`NUMBERS`].
const TAG_LENGTH: usize = 4;
const NUMBERS: [&CStr; 5] = [c"keylen", c"ivlen", c"padding", c"num", c"taglen"];
