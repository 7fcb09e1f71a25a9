//! Sequences that found a fault once; they are played before any other.

use crate::calls::{Bytes, Call, Family, Place, Sequence, Setting, Value};

fn init(direction: i32) -> Call {
    init_with(Some(Bytes { length: 128, seed: 3 }), Some(Bytes { length: 128, seed: 5 }), direction)
}

fn init_with(key: Option<Bytes>, iv: Option<Bytes>, direction: i32) -> Call {
    Call::Init {
        algorithm: key.is_some() && iv.is_some(),
        key,
        iv,
        direction,
        settings: Vec::new(),
    }
}

fn update(length: usize) -> Call {
    Call::Update { data: Bytes { length, seed: 7 }, place: Place::Apart(0) }
}

fn one_shot(length: usize) -> Call {
    Call::OneShot { data: Some(Bytes { length, seed: 7 }), place: Place::Apart(0) }
}

fn one_shot_end() -> Call {
    Call::OneShot { data: None, place: Place::Apart(0) }
}

fn tag() -> Call {
    let (name, number) = ("get_tag", 0x10);
    Call::Control { name, number, argument: 16, data: Some(Bytes { length: 64, seed: 1 }) }
}

fn forge() -> Call {
    let (name, number) = ("set_tag", 0x11);
    Call::Control { name, number, argument: 16, data: Some(Bytes { length: 64, seed: 9 }) }
}

/// Each with what it found.
pub(crate) fn all() -> Vec<(String, Sequence)> {
    let cipher = |about: &str, algorithm, calls| {
        (format!("{about}: {algorithm}"), Sequence { family: Family::Cipher, algorithm, calls })
    };
    let mut all = Vec::new();
    for name in ["AES-128-OCB", "AES-256-OCB"] {
        // CVE-2026-45445.
        all.push(cipher(
            "a one-shot begins the message",
            name,
            vec![init(1), one_shot(32), one_shot_end(), tag()],
        ));
    }
    let aeads =
        ["AES-128-OCB", "AES-128-GCM", "AES-128-GCM-SIV", "ChaCha20-Poly1305", "ARIA-128-CCM"];
    for name in aeads {
        // CVE-2026-75803.
        all.push(cipher("a forged empty message", name, vec![init(0), forge(), one_shot_end()]));
        all.push(cipher("the tag of an empty message", name, vec![init(1), one_shot_end(), tag()]));
    }
    all.push(cipher(
        "a new key restarts the counter",
        "ChaCha20",
        vec![
            init(1),
            update(60),
            update(4),
            init_with(Some(Bytes { length: 128, seed: 11 }), None, 1),
            update(64),
        ],
    ));
    let mac = |about: &str, setting| {
        let digest = Setting { key: c"digest", value: Value::Text(c"SHA2-256") };
        let begin = Call::Init {
            algorithm: true,
            key: Some(Bytes { length: 32, seed: 3 }),
            iv: None,
            direction: 0,
            settings: vec![digest],
        };
        let calls = vec![begin, Call::Set(setting), update(20), Call::FinalOf(64)];
        (about.to_owned(), Sequence { family: Family::Mac, algorithm: "HMAC", calls })
    };
    let unknown = Setting { key: c"digest", value: Value::Text(c"NOSUCH") };
    all.push(mac("HMAC goes on after an unknown hash", unknown));
    let text = Setting { key: c"key", value: Value::Text(c"abc") };
    all.push(mac("HMAC goes on after a key of a wrong type", text));
    all
}
