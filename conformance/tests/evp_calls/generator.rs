//! Sequences of calls from a seed: half of them keep to what the manual allows, the others do not.

use crate::algorithms::{DIGESTS, MAC_DIGESTS, names};
use crate::calls::{Bytes, Call, Family, Place, Sequence, Setting, Value};
use crate::random::Random;

/// The sequence of a seed.
pub(crate) fn sequence(seed: u64) -> Sequence {
    let mut random = Random::new(seed);
    let legal = random.one_in(2);
    let count = 3 + random.below(18);
    match random.below(100) {
        0..70 => {
            let algorithm = cipher(&mut random);
            let mut maker = Cipher::new(random, algorithm, legal);
            let calls = (0..count).flat_map(|_| maker.call()).collect();
            Sequence { family: Family::Cipher, algorithm, calls }
        }
        70..86 => {
            let algorithm = random.of(&DIGESTS);
            let calls = digest_calls(&mut random, algorithm.starts_with("SHAKE"), legal, count);
            Sequence { family: Family::Digest, algorithm, calls }
        }
        _ => {
            let calls = mac_calls(&mut random, legal, count);
            Sequence { family: Family::Mac, algorithm: "HMAC", calls }
        }
    }
}

fn cipher(random: &mut Random) -> &'static str {
    match random.below(12) {
        0 => "ChaCha20",
        1 => "ChaCha20-Poly1305",
        _ => {
            let ciphers = names();
            let modes = &ciphers[random.below(ciphers.len())];
            modes[random.below(modes.len())]
        }
    }
}

/// What the manual has to know of a cipher context to allow the next call.
struct Cipher {
    random: Random,
    name: &'static str,
    legal: bool,
    is_aead: bool,
    key: bool,
    iv: bool,
    begun: bool,
    data: bool,
    ended: bool,
    encrypts: bool,
    bytes: usize,
    saved: Option<(bool, bool, bool, bool, bool, bool, usize)>,
}

impl Cipher {
    fn new(random: Random, name: &'static str, legal: bool) -> Self {
        let is_aead = ["GCM", "CCM", "OCB", "Poly1305"].iter().any(|mode| name.contains(mode));
        let (key, iv, begun, data, ended, encrypts) = (false, false, false, false, false, true);
        Self {
            random,
            name,
            legal,
            is_aead,
            key,
            iv,
            begun,
            data,
            ended,
            encrypts,
            bytes: 0,
            saved: None,
        }
    }

    fn is(&self, mode: &str) -> bool {
        self.name.ends_with(mode)
    }

    /// The next call, or two that belong together.
    fn call(&mut self) -> Vec<Call> {
        let needs_iv = !self.is("ECB");
        let die = self.random.below(100);
        if !self.begun
            || self.legal && (!self.key || needs_iv && !self.iv || self.ended && die < 70)
        {
            return vec![self.init(true)];
        }
        match die {
            0..13 => vec![self.init(false)],
            13..50 => self.update(),
            50..57 => self.one_shot(),
            57..69 => self.end(),
            69..75 => self.copy(),
            75..88 if self.is_aead => self.control(),
            75..88 => self.update(),
            88..91 => vec![Call::Padding(self.random.below(2) as i32)],
            91..94 if !self.legal => vec![if self.random.one_in(2) {
                Call::Num(self.random.below(20) as i32)
            } else {
                Call::KeyLength(self.random.below(70) as i32)
            }],
            94..98 if !self.legal => self.set(),
            98 => {
                (self.begun, self.key, self.iv) = (false, false, false);
                vec![Call::Reset]
            }
            _ => self.update(),
        }
    }

    fn init(&mut self, first: bool) -> Call {
        let fresh = !self.begun || self.random.one_in(3);
        let (mut key, mut iv) = (!self.random.one_in(3), !self.random.one_in(3));
        let mut encrypts =
            if self.random.one_in(3) { self.random.one_in(2) } else { self.encrypts };
        if self.legal {
            key |= first && !self.key || fresh || encrypts != self.encrypts;
            iv |= first || fresh || !self.random.one_in(4);
        }
        if self.legal && self.is("GCM") && key {
            iv = true;
        }
        let keep = self.begun && !self.legal && self.random.one_in(3);
        if keep {
            encrypts = self.encrypts;
        }
        let mut settings = Vec::new();
        if self.random.one_in(if self.legal { 12 } else { 5 }) {
            settings.extend(self.init_setting(encrypts));
        }
        if fresh {
            (self.key, self.iv) = (false, false);
        }
        self.key |= key;
        self.iv |= iv;
        (self.begun, self.data, self.ended, self.bytes) = (true, false, false, 0);
        self.encrypts = encrypts;
        Call::Init {
            algorithm: fresh,
            key: key.then(|| Bytes { length: 128, seed: self.random.next() | 1 }),
            iv: iv.then(|| self.random.bytes(128)),
            direction: if keep { -1 } else { i32::from(encrypts) },
            settings,
        }
    }

    fn init_setting(&mut self, encrypts: bool) -> Option<Setting> {
        let (key, value) = match self.random.below(5) {
            0 if self.is_aead => {
                (c"ivlen", Value::Size(self.random.below(if self.legal { 17 } else { 24 })))
            }
            1 => (c"padding", Value::Uint(self.random.below(2) as u32)),
            2 if self.is("CTS") => {
                (c"cts_mode", Value::Text(self.random.of(&[c"CS1", c"CS2", c"CS3"])))
            }
            3 if !self.legal => (c"num", Value::Uint(self.random.below(20) as u32)),
            4 if self.is_aead && !encrypts => {
                let length = self.random.below(18);
                (c"tag", Value::Octets(self.random.bytes(length)))
            }
            _ => return None,
        };
        Some(Setting { key, value })
    }

    /// Whether the default provider would draw an IV of its own.
    fn draws_iv(&self) -> bool {
        self.is("GCM") && self.encrypts && !self.iv
    }

    fn update(&mut self) -> Vec<Call> {
        if self.draws_iv() {
            return Vec::new();
        }
        let mut length = self.random.length();
        let aad = self.is_aead && self.random.one_in(if self.data { 10 } else { 3 });
        if self.legal {
            if self.is("XTS") || self.is("CTS") {
                length = length.max(16);
            }
            let whole = self.is("CTS") || self.is("CCM") || self.is("SIV");
            if self.ended || self.data && (whole || aad) {
                return vec![self.init(false)];
            }
        }
        if aad {
            return vec![Call::Update {
                data: self.random.bytes(length % 5000),
                place: Place::NoOutput,
            }];
        }
        let mut calls = Vec::new();
        if self.is("CCM") && self.random.one_in(2) {
            calls.push(Call::Announce(length));
        }
        let holds_back = ["ECB", "CBC", "OCB"].iter().any(|mode| self.is(mode))
            && (!self.bytes.is_multiple_of(16) || !self.encrypts && self.bytes > 0 || self.ended);
        let place = match self.random.below(4) {
            0 if !holds_back => Place::Same,
            1 => Place::Apart(1 + self.random.below(31)),
            _ => Place::Apart(0),
        };
        self.data |= length > 0;
        self.bytes += length;
        calls.push(Call::Update { data: self.random.bytes(length), place });
        calls
    }

    fn one_shot(&mut self) -> Vec<Call> {
        if self.draws_iv() {
            return Vec::new();
        }
        if self.is_aead && self.random.one_in(4) {
            self.ended = true;
            return vec![Call::OneShot { data: None, place: Place::Apart(0) }];
        }
        let mut length = self.random.length();
        let aad = self.is_aead && self.random.one_in(5);
        if ["ECB", "CBC", "CTS"].iter().any(|mode| self.is(mode))
            && (self.legal || !self.random.one_in(4))
        {
            length = length.next_multiple_of(16).max(16);
        }
        if self.legal
            && (self.ended || !self.bytes.is_multiple_of(16) || self.data && !self.is("CTR"))
        {
            return vec![self.init(false)];
        }
        let place = if aad { Place::NoOutput } else { Place::Apart(0) };
        self.data |= !aad && length > 0;
        self.bytes += if aad { 0 } else { length };
        vec![Call::OneShot { data: Some(self.random.bytes(length)), place }]
    }

    fn end(&mut self) -> Vec<Call> {
        if self.draws_iv() || self.legal && self.ended {
            return Vec::new();
        }
        self.ended = true;
        let mut calls = vec![Call::Final];
        if self.is_aead && self.encrypts && self.random.one_in(2) {
            calls.push(read_tag(if self.random.one_in(4) {
                1 + self.random.below(16)
            } else {
                16
            }));
        }
        calls
    }

    fn copy(&mut self) -> Vec<Call> {
        let now = (self.key, self.iv, self.begun, self.data, self.ended, self.encrypts, self.bytes);
        match (self.random.below(3), self.saved) {
            (0, _) => vec![Call::Replace],
            (1, Some(saved)) => {
                (self.key, self.iv, self.begun, self.data, self.ended, self.encrypts, self.bytes) =
                    saved;
                vec![Call::Restore]
            }
            _ => {
                self.saved = Some(now);
                vec![Call::Save]
            }
        }
    }

    fn control(&mut self) -> Vec<Call> {
        let any = |random: &mut Random, usual: usize, end: usize| {
            if random.one_in(2) { usual } else { random.below(end) }
        };
        let is_siv = self.is("SIV");
        let random = &mut self.random;
        let octets = |random: &mut Random, length: usize| Some(random.bytes(length.max(64)));
        let (name, number, argument, data) = match random.below(if self.legal { 4 } else { 8 }) {
            0 if !self.legal || !self.data && !is_siv => {
                let length = any(random, 12, if self.legal { 14 } else { 20 });
                ("set_ivlen", 0x9, length.max(if self.legal { 7 } else { 0 }), None)
            }
            1 if !self.legal || !self.encrypts => return vec![Call::ReturnTag],
            2 if !self.legal || !self.encrypts => {
                let length = any(random, 16, 20);
                let tag = if random.one_in(4) { None } else { octets(random, length) };
                ("set_tag", 0x11, length, tag)
            }
            3 if !self.legal || self.ended => {
                return vec![read_tag(any(random, 16, 20))];
            }
            4 => ("tls1_aad", 0x16, any(random, 13, 16), octets(random, 16)),
            5 if !self.encrypts => ("iv_fixed", 0x12, any(random, 4, 14), octets(random, 16)),
            6 if self.iv => ("iv_gen", 0x13, any(random, 8, 16), octets(random, 16)),
            7 => ("iv_inv", 0x18, any(random, 8, 13), octets(random, 16)),
            _ => return Vec::new(),
        };
        vec![Call::Control { name, number, argument: argument as i32, data }]
    }

    /// A parameter of any name with a value of any type.
    fn set(&mut self) -> Vec<Call> {
        let keys = [
            c"ivlen",
            c"keylen",
            c"padding",
            c"num",
            c"tag",
            c"taglen",
            c"use-bits",
            c"tlsaad",
            c"mackey",
            c"cts_mode",
            c"speed",
            c"iv",
            c"updated-iv",
        ];
        let (key, length) = (self.random.of(&keys), self.random.below(40));
        let value = match self.random.below(6) {
            0 => Value::Int(length as i32 - 2),
            1 => Value::Uint(length as u32),
            2 => Value::Size(length),
            3 => Value::Text(c"12"),
            4 => Value::Octets(self.random.bytes(length)),
            _ => Value::NoOctets(length),
        };
        vec![Call::Set(Setting { key, value })]
    }
}

/// `EVP_CTRL_AEAD_GET_TAG` of openssl/evp.h.
fn read_tag(length: usize) -> Call {
    let (name, number, argument) = ("get_tag", 0x10, length as i32);
    Call::Control { name, number, argument, data: Some(Bytes { length: 64, seed: 1 }) }
}

fn digest_calls(random: &mut Random, extendable: bool, legal: bool, count: usize) -> Vec<Call> {
    let (mut begun, mut ended, mut saved) = (false, false, None);
    let init =
        |algorithm, settings| Call::Init { algorithm, key: None, iv: None, direction: 0, settings };
    let one = |_| {
        let die = random.below(100);
        if !begun || legal && ended && die < 80 || die < 12 {
            let length = random.below(300);
            let settings =
                random.one_in(6).then_some(Setting { key: c"xoflen", value: Value::Size(length) });
            let call = init(!begun || random.one_in(2), settings.into_iter().collect());
            (begun, ended) = (true, false);
            return call;
        }
        let update = |random: &mut Random| {
            let length = random.length();
            Call::Update { data: random.bytes(length), place: Place::NoOutput }
        };
        match die {
            12..56 if !(legal && ended) => update(random),
            56..72 if !(legal && ended) => {
                ended = true;
                let end = if random.one_in(4) { 400 } else { 64 };
                let length = random.below(end);
                let long = if legal { extendable && random.one_in(2) } else { random.one_in(3) };
                if long { Call::FinalOf(length) } else { Call::Final }
            }
            72..88 => match (random.below(3), saved) {
                (0, _) => Call::Replace,
                (1, Some(was)) => {
                    ended = was;
                    Call::Restore
                }
                _ => {
                    saved = Some(ended);
                    Call::Save
                }
            },
            88..91 => {
                begun = false;
                Call::Reset
            }
            91..96 if !legal => {
                let length = random.below(300);
                let value = Value::Size(length);
                Call::Set(match random.below(3) {
                    0 => Setting { key: c"xoflen", value },
                    1 => {
                        Setting { key: c"ssl3-ms", value: Value::Octets(random.bytes(length % 60)) }
                    }
                    _ => Setting { key: c"size", value },
                })
            }
            96.. if extendable && !(legal && ended) => {
                ended |= legal;
                Call::Squeeze(random.below(300))
            }
            _ => {
                (begun, ended) = (true, false);
                init(true, Vec::new())
            }
        }
    };
    (0..count).map(one).collect()
}

fn mac_calls(random: &mut Random, legal: bool, count: usize) -> Vec<Call> {
    let (mut begun, mut ended, mut saved) = (false, false, None);
    let one = |_| {
        let die = random.below(100);
        let digest = |random: &mut Random| {
            let known = if legal { MAC_DIGESTS.len() - 1 } else { MAC_DIGESTS.len() };
            Setting { key: c"digest", value: Value::Text(random.of(&MAC_DIGESTS[..known])) }
        };
        if legal && (!begun || ended && die < 75) || die < 18 {
            let mut settings = Vec::new();
            if legal && !begun || random.one_in(3) {
                settings.push(digest(random));
            }
            let end = if random.one_in(3) { 300 } else { 64 };
            let length = random.below(end);
            let key = (legal && !begun || !random.one_in(4)).then(|| random.bytes(length.max(1)));
            (begun, ended) = (true, false);
            return Call::Init { algorithm: true, key, iv: None, direction: 0, settings };
        }
        match die {
            18..60 if !(legal && ended) => {
                let length = random.length();
                Call::Update { data: random.bytes(length), place: Place::NoOutput }
            }
            60..76 if !(legal && ended) => {
                ended = true;
                Call::FinalOf(if legal || !random.one_in(4) { 64 } else { random.below(80) })
            }
            76..88 => match (random.below(3), saved) {
                (0, _) => Call::Replace,
                (1, Some(was)) => {
                    (begun, ended) = was;
                    Call::Restore
                }
                _ => {
                    saved = Some((begun, ended));
                    Call::Save
                }
            },
            88.. if !legal => {
                let length = random.below(100);
                Call::Set(match random.below(4) {
                    0 => digest(random),
                    1 => Setting { key: c"key", value: Value::Octets(random.bytes(length)) },
                    2 => Setting { key: c"size", value: Value::Size(length) },
                    _ => Setting { key: c"key", value: Value::Text(c"abc") },
                })
            }
            _ => Call::Replace,
        }
    };
    (0..count).map(one).collect()
}
