//! Packets by GCM against the mode over the portable kernels: every route, every length, forged ones.

// Miri has no vectors; what it can interpret is tested beside the code.
#![cfg(not(miri))]

use wirespeed_batch::{GcmLanes, Packet, PacketKey, open_all, seal_all};
use wirespeed_cipher::modes::Gcm;
use wirespeed_cipher::{BlockCipher, Direction, InOut, Route};
use wirespeed_cpu::Features;

fn here(ciphers: &[BlockCipher]) -> Vec<GcmLanes> {
    let mut all = Vec::new();
    for &cipher in ciphers {
        for route in GcmLanes::ROUTES {
            match GcmLanes::new(route, cipher, Features::detect()) {
                Ok(lanes) => all.push(lanes),
                Err(why) => println!("skipped {cipher} {route}: {why}"),
            }
        }
    }
    all
}

/// Bytes that differ from seed to seed.
fn bytes(seed: usize, count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 7 + i / 251 + seed * 31) as u8).collect()
}

fn key_bytes(lanes: &GcmLanes, seed: usize) -> Vec<u8> {
    bytes(seed + 77, usize::from(lanes.cipher().key_bits()) / 8)
}

/// A message as it goes in, and as it must come out.
struct Message {
    key: usize,
    iv: Vec<u8>,
    aad: Vec<u8>,
    plain: Vec<u8>,
    sealed: Vec<u8>,
    tag: Vec<u8>,
}

/// By the mode over the portable kernels.
fn message(
    lanes: &GcmLanes,
    seed: usize,
    keys: usize,
    [iv, aad, data, tag]: [usize; 4],
) -> Message {
    let portable = wirespeed_kernels::kernels(Route::Portable, lanes.cipher(), Features::NONE);
    let mut gcm = Gcm::new(portable.expect("for any machine"));
    let key = seed % keys;
    let (iv, aad, plain) = (bytes(seed, iv), bytes(seed + 1, aad), bytes(seed + 2, data));
    gcm.set_key(&key_bytes(lanes, key));
    gcm.start(&iv);
    gcm.aad(&aad).expect("short");
    let mut sealed = plain.clone();
    gcm.crypt(Direction::Encrypt, InOut::in_place(&mut sealed)).expect("short");
    Message { key, iv, aad, plain, sealed, tag: gcm.tag()[..tag].to_vec() }
}

/// Seals and opens all of them, in place and apart; every third is forged before it is opened.
fn check(lanes: &GcmLanes, keys: usize, messages: &[Message]) {
    let keys: Vec<_> = (0..keys).map(|i| PacketKey::new(lanes, &key_bytes(lanes, i))).collect();
    let what = format!("{} {}: {} packets", lanes.cipher(), lanes.route(), messages.len());
    for apart in [false, true] {
        let mut results: Vec<_> =
            messages.iter().map(|it| (it.plain.clone(), vec![0; it.tag.len()])).collect();
        let packets = results.iter_mut().zip(messages).map(|((data, tag), it)| {
            let data = if apart { InOut::between(&it.plain, data) } else { InOut::in_place(data) };
            Packet { key: &keys[it.key], iv: &it.iv, aad: &it.aad, data, tag }
        });
        seal_all(lanes, &mut packets.collect::<Vec<_>>()).expect("short");
        for (i, ((data, tag), it)) in results.iter().zip(messages).enumerate() {
            assert!(data == &it.sealed, "{what}: seal {i}, {} bytes", data.len());
            assert_eq!(tag, &it.tag, "{what}: seal {i}, {} bytes and {}", data.len(), it.aad.len());
        }
        results.iter_mut().step_by(3).for_each(|(_, tag)| *tag.last_mut().expect("4") ^= 0x40);
        let packets = results.iter_mut().zip(messages).map(|((data, tag), it)| {
            let data = if apart { InOut::between(&it.sealed, data) } else { InOut::in_place(data) };
            Packet { key: &keys[it.key], iv: &it.iv, aad: &it.aad, data, tag }
        });
        let mut forged = Vec::new();
        open_all(lanes, &mut packets.collect::<Vec<_>>(), |i| forged.push(i)).expect("short");
        assert_eq!(forged, (0..messages.len()).step_by(3).collect::<Vec<_>>(), "{what}");
        for (i, ((data, _), it)) in results.iter().zip(messages).enumerate() {
            let right = if i % 3 == 0 { &vec![0; it.plain.len()] } else { &it.plain };
            assert!(data == right, "{what}: open {i}, {} bytes", data.len());
        }
    }
}

#[test]
fn every_route_passes_its_self_test() {
    for lanes in here(&BlockCipher::ALL) {
        assert!(lanes.self_test(), "{} {}", lanes.cipher(), lanes.route());
    }
}

#[test]
fn every_length() {
    for lanes in here(&BlockCipher::AES) {
        let lengths = (0..600).chain((600..1200).step_by(7)).chain([1024, 1420, 1500, 9000, 16384]);
        let messages = lengths.map(|data| message(&lanes, data, 3, [12, data % 40, data, 16]));
        check(&lanes, 3, &messages.collect::<Vec<_>>());
    }
}

#[test]
fn every_length_of_associated_data() {
    for lanes in here(&BlockCipher::AES) {
        let lengths = (0..70).chain([255, 256, 511, 513, 1000, 2000]);
        let messages = lengths.map(|aad| message(&lanes, aad, 1, [12, aad, 100 + aad, 12]));
        check(&lanes, 1, &messages.collect::<Vec<_>>());
    }
}

#[test]
fn every_length_of_iv_and_tag() {
    for lanes in here(&BlockCipher::ALL) {
        let ivs = (1..40).map(|iv| message(&lanes, iv, 2, [iv, 8, 50, 16]));
        check(&lanes, 2, &ivs.collect::<Vec<_>>());
        let tags = (4..=16).map(|tag| message(&lanes, tag, 2, [12, 20, 33, tag]));
        check(&lanes, 2, &tags.collect::<Vec<_>>());
    }
}

#[test]
fn any_number_of_packets() {
    for lanes in here(&BlockCipher::AES) {
        for count in (0..20).chain([100]) {
            let messages = (0..count).map(|i| message(&lanes, i, 7, [12, 8, (i * 61) % 400, 16]));
            check(&lanes, 7, &messages.collect::<Vec<_>>());
        }
    }
}
