//! Chains in lanes against one after another: every route, every number of jobs, every length and cut.

// Miri has no vectors; what it can interpret is tested beside the scheduling.
#![cfg(not(miri))]

use wirespeed_batch::{ChainMode, CipherJob, CipherLanes, encrypt_all};
use wirespeed_cipher::{Block, BlockCipher, InOut, Route, Schedule};
use wirespeed_cpu::Features;

/// Every chain of every cipher by every route that is here.
fn here(ciphers: &[BlockCipher]) -> Vec<CipherLanes> {
    let features = Features::detect();
    let mut all = Vec::new();
    for &cipher in ciphers {
        for route in CipherLanes::ROUTES {
            for chain in ChainMode::ALL {
                match CipherLanes::new(route, cipher, chain, features) {
                    Ok(lanes) => all.push(lanes),
                    Err(why) => println!("skipped {cipher} {route}: {why}"),
                }
            }
        }
    }
    all
}

fn describe(lanes: &CipherLanes) -> String {
    format!("{} {:?} {}", lanes.cipher(), lanes.chain(), lanes.route())
}

/// Bytes that differ from seed to seed.
fn bytes(seed: usize, count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 7 + i / 251 + seed * 31) as u8).collect()
}

/// A stream: its key, its IV, its data.
struct Stream {
    key: usize,
    iv: Block,
    data: Vec<u8>,
}

fn streams(lengths: impl IntoIterator<Item = usize>, keys: usize) -> Vec<Stream> {
    let stream = |(i, length)| Stream {
        key: i % keys,
        iv: bytes(i + 5, 16).try_into().expect("16 bytes"),
        data: bytes(i, length),
    };
    lengths.into_iter().enumerate().map(stream).collect()
}

fn schedules(lanes: &CipherLanes, count: usize) -> Vec<Schedule> {
    let schedule = |i| {
        let mut schedule = Schedule::EMPTY;
        let key = bytes(i + 77, usize::from(lanes.cipher().key_bits()) / 8);
        (lanes.kernels().expand[0])(&key, &mut schedule);
        schedule
    };
    (0..count).map(schedule).collect()
}

/// One stream by the portable kernels.
fn alone(lanes: &CipherLanes, key: &Schedule, iv: &mut Block, data: &mut [u8]) {
    let kernels = wirespeed_kernels::kernels(Route::Portable, lanes.cipher(), Features::NONE);
    let kernels = kernels.expect("for any machine");
    let run = match lanes.chain() {
        ChainMode::Cbc => kernels.cbc[0],
        ChainMode::Cfb => kernels.cfb[0],
        ChainMode::Ofb => kernels.ofb,
    };
    run(key, iv, InOut::in_place(data));
}

/// Encrypts the streams in place and apart, and compares data and chaining values.
fn check(lanes: &CipherLanes, streams: &[Stream], keys: &[Schedule]) {
    let mut right: Vec<_> = streams.iter().map(|it| (it.iv, it.data.clone())).collect();
    for (stream, (iv, data)) in streams.iter().zip(&mut right) {
        alone(lanes, &keys[stream.key], iv, data);
    }
    for apart in [false, true] {
        let mut results: Vec<_> = streams.iter().map(|it| (it.iv, it.data.clone())).collect();
        let pairs = results.iter_mut().zip(streams);
        let jobs = pairs.map(|((iv, output), stream)| {
            let data =
                if apart { InOut::between(&stream.data, output) } else { InOut::in_place(output) };
            CipherJob { key: &keys[stream.key], iv, data }
        });
        encrypt_all(lanes, &mut jobs.collect::<Vec<_>>());
        for (i, (result, right)) in results.iter().zip(&right).enumerate() {
            let what = format!("{}: stream {i} of {}", describe(lanes), streams.len());
            assert!(result.1 == right.1, "{what}: {} bytes", right.1.len());
            assert_eq!(result.0, right.0, "{what}: chaining value");
        }
    }
}

#[test]
fn every_route_passes_its_self_test() {
    for lanes in here(&BlockCipher::ALL) {
        assert!(lanes.self_test(), "{}", describe(&lanes));
    }
}

#[test]
fn any_number_of_streams() {
    for lanes in here(&BlockCipher::ALL) {
        let keys = schedules(&lanes, 3);
        for count in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 70] {
            for shared in [1, 3] {
                check(&lanes, &streams((0..count).map(|_| 48), shared), &keys);
                check(&lanes, &streams((0..count).map(|_| 0), shared), &keys);
            }
        }
    }
}

#[test]
fn every_length() {
    for lanes in here(&BlockCipher::AES) {
        let keys = schedules(&lanes, 5);
        // CBC is for whole blocks.
        let step = if lanes.chain() == ChainMode::Cbc { 16 } else { 1 };
        check(&lanes, &streams((0..300).step_by(step), 1), &keys);
        check(&lanes, &streams((0..300).step_by(step), 5), &keys);
    }
}

#[test]
fn streams_of_very_different_lengths() {
    for lanes in here(&BlockCipher::AES) {
        let keys = schedules(&lanes, 40);
        for count in [2, 9, 33, 95] {
            for shared in [1, 40] {
                let one_long = (0..count).map(|i| if i == count / 2 { 10_000 } else { 16 * i });
                check(&lanes, &streams(one_long, shared), &keys);
                let doubling = (0..count).map(|i| (16 << (i % 9)) + 16 * i);
                check(&lanes, &streams(doubling, shared), &keys);
            }
        }
    }
}

#[test]
fn pieces_of_streams_follow_one_another() {
    for lanes in here(&BlockCipher::AES) {
        let keys = schedules(&lanes, 2);
        let whole = streams((0..20).map(|i| 160 + 16 * i), 2);
        let mut right: Vec<_> = whole.iter().map(|it| (it.iv, it.data.clone())).collect();
        for (stream, (iv, data)) in whole.iter().zip(&mut right) {
            alone(&lanes, &keys[stream.key], iv, data);
        }
        let mut results: Vec<_> = whole.iter().map(|it| (it.iv, it.data.clone())).collect();
        for round in 0..30 {
            let pairs = results.iter_mut().zip(&whole).enumerate();
            let jobs = pairs.map(|(i, ((iv, data), stream))| {
                let cut = |n: usize| (16 * n * (1 + i % 3)).min(data.len());
                let piece = cut(round)..cut(round + 1);
                let data = InOut::in_place(&mut data[piece]);
                CipherJob { key: &keys[stream.key], iv, data }
            });
            encrypt_all(&lanes, &mut jobs.collect::<Vec<_>>());
        }
        assert!(results == right, "{}", describe(&lanes));
    }
}
