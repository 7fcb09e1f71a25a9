//! Messages in pieces, counters about to wrap, GCM's IVs and associated data, routes changing midway.

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, BlockCipher, BlockKey, Direction, InOut, Mode, Route};
use wirespeed_conformance::api_path::{ApiPath, Setup, Work, has_tag};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_cpu::Features;

use crate::trial;

/// A key and an IV for an algorithm, and some associated data for GCM.
#[derive(Clone)]
pub(crate) struct Message {
    pub(crate) algorithm: Algorithm,
    pub(crate) key: Vec<u8>,
    pub(crate) iv: Vec<u8>,
    pub(crate) aad: Vec<u8>,
}

impl Message {
    pub(crate) fn new(algorithm: Algorithm, seed: u64) -> Self {
        let aad = if has_tag(algorithm) { seed as usize % 40 } else { 0 };
        Self {
            algorithm,
            key: painted(seed + 1000, algorithm.key_bytes()),
            iv: painted(seed + 2000, algorithm.iv_bytes()),
            aad: painted(seed + 3000, aad),
        }
    }

    /// Ready for an API path.
    pub(crate) fn setup(&self, direction: Direction) -> Setup<'_> {
        self.setup_with(direction, self.aad.len())
    }

    /// With the associated data in two pieces.
    fn setup_with(&self, direction: Direction, cut: usize) -> Setup<'_> {
        let (first, second) = self.aad.split_at(cut);
        let Self { algorithm, key, iv, .. } = self;
        Setup { algorithm: *algorithm, direction, key, iv, aad: [first, second], tag: &[9; 16] }
    }
}

/// Every cut of every message, to the length that the API path asks for, into up to three updates.
///
/// The state after the first update, and after the second, is duplicated for each way to go on: so all
/// 4.5 million sequences to 300 bytes are run without running their common beginnings again.
pub(crate) fn cuts(
    measure: &Provider,
    api_path: &dyn ApiPath,
    algorithm: Algorithm,
) -> Result<(), String> {
    let step = if algorithm.mode().waits_for_blocks() { 16 } else { 1 };
    let limit = match () {
        () if here::thinned(algorithm) => 18,
        () if here::reduced() || api_path.is_slow(algorithm) => 36,
        () if here::again() => 60,
        () => api_path.longest_cut(algorithm),
    };
    let message = Message::new(algorithm, 11);
    let data = painted(12, limit);
    for direction in Direction::BOTH {
        let setup = message.setup(direction);
        let rights: Vec<_> = (0..=limit)
            .step_by(step)
            .map(|length| measure.right(&setup, &data[..length]))
            .collect::<Result<_, _>>()?;
        let right = &rights.last().expect("there is at least the empty message").output;
        let mut output = vec![0; limit];
        let mut go_on = |work: &dyn Work, from: usize, to: usize, cuts: (usize, usize)| {
            let mut work = work.duplicate();
            let output = &mut output[from..to];
            work.update(InOut::between(&data[from..to], output))?;
            if right[from..to] != *output {
                let what = || format!("{algorithm} {direction}, cut {cuts:?}, {from} to {to}");
                same(what, &right[from..to], output)?;
            }
            Ok::<_, String>(work)
        };
        let begun = api_path.begin(&setup)?;
        for first in (0..=limit).step_by(step) {
            let one = go_on(begun.as_ref(), 0, first, (first, first))?;
            for second in (first..=limit).step_by(step) {
                let two = go_on(one.as_ref(), first, second, (first, second))?;
                for end in (second..=limit).step_by(step) {
                    let mut three = go_on(two.as_ref(), second, end, (first, second))?;
                    if let Some(tag) = &rights[end / step].tag {
                        three.close(tag).map_err(|error| {
                            format!("{algorithm} {direction}, {first} {second} {end}: {error}")
                        })?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Counters that are about to carry out of each of their bytes, and to wrap altogether.
pub(crate) fn counters(
    measure: &Provider,
    api_path: &dyn ApiPath,
    algorithm: Algorithm,
) -> Result<(), String> {
    if algorithm.mode() == Mode::Gcm {
        return gcm_counter(measure, api_path, algorithm);
    }
    let distances: Vec<u128> = if here::reduced() { vec![1, 5] } else { (0..=40).collect() };
    for bits in (8..=128).step_by(8) {
        for &distance in &distances {
            let all_ones = u128::MAX >> (128 - bits);
            let high = 0x5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a_5a5a & !all_ones;
            let counter = high | (all_ones - distance);
            let mut message = Message::new(algorithm, 13);
            let little = algorithm.mode() == Mode::Stream;
            let counter_bytes = if little { counter.to_le_bytes() } else { counter.to_be_bytes() };
            message.iv = counter_bytes.to_vec();
            let setup = message.setup(Direction::Encrypt);
            for length in [16, 100, 255, 800] {
                let data = painted(14, length);
                let what = || format!("{algorithm}, {length} bytes, counter {counter:032x}");
                api_path.agree(&what, &setup, &data, &measure.right(&setup, &data)?)?;
            }
        }
    }
    Ok(())
}

/// GCM counts in 32 bits only; these IVs lead to first counters near the end of them.
fn gcm_counter(
    measure: &Provider,
    api_path: &dyn ApiPath,
    algorithm: Algorithm,
) -> Result<(), String> {
    let mut message = Message::new(algorithm, 15);
    message.iv = painted(NEAR_WRAP[usize::from(algorithm.key_bits()) / 64 - 2], 16);
    let left = u32::MAX - first_counter(measure, &message)?;
    if left > 200 {
        return Err(format!("{left} blocks before the counter wraps: the IV is not what it was"));
    }
    for direction in Direction::BOTH {
        let setup = message.setup(direction);
        for length in [16, 1000, 3000, 5000].map(|beyond| left as usize * 16 + beyond) {
            let data = painted(16, length);
            let what = || format!("{algorithm} {direction}, {length} bytes across the wrap");
            api_path.agree(&what, &setup, &data, &measure.right(&setup, &data)?)?;
        }
    }
    Ok(())
}

/// Seeds of 16-byte IVs, found by trying, for the keys of [`gcm_counter`].
const NEAR_WRAP: [u64; 3] = [22_343_820, 58_906_902, 338_823];

/// The last 32 bits of the pre-counter block J0 of an IV of one block (SP 800-38D, 7.1).
fn first_counter(measure: &Provider, message: &Message) -> Result<u32, String> {
    let cipher = match message.key.len() {
        16 => "AES-128-ECB",
        24 => "AES-192-ECB",
        _ => "AES-256-ECB",
    };
    let ecb = Message { algorithm: cipher.parse().expect("an algorithm"), ..message.clone() };
    let ecb = Message { iv: Vec::new(), aad: Vec::new(), ..ecb };
    let hash_key = measure.right(&ecb.setup(Direction::Encrypt), &[0; 16])?.output;
    let block = |bytes: &[u8]| u128::from_be_bytes(bytes.try_into().expect("one block"));
    let hash_key = block(&hash_key);
    let hashed = multiply(block(&message.iv), hash_key);
    Ok(multiply(hashed ^ 128, hash_key) as u32)
}

/// SP 800-38D, 6.3, bit by bit: the first bit of a block is the highest here.
fn multiply(x: u128, y: u128) -> u128 {
    let (mut product, mut multiple) = (0, y);
    for bit in (0..128).rev() {
        product ^= multiple * ((x >> bit) & 1);
        multiple = (multiple >> 1) ^ ((multiple & 1) * (0xe1 << 120));
    }
    product
}

/// IVs of 1 to 128 bytes; associated data of 0 to 300 bytes, whole and at every cut.
pub(crate) fn associated(
    measure: &Provider,
    api_path: &dyn ApiPath,
    algorithm: Algorithm,
) -> Result<(), String> {
    let lengths: &[usize] =
        if here::reduced_for(api_path, algorithm) { &[0, 17] } else { &[0, 1, 16, 33, 300] };
    let step = if here::reduced_for(api_path, algorithm) { 29 } else { 1 };
    let compare = |setup: &Setup<'_>, length: usize| {
        let data = painted(18, length);
        let what = || {
            let [first, second] = setup.aad.map(<[u8]>::len);
            format!("{algorithm}, IV {}, associated {first}+{second}, {length}", setup.iv.len())
        };
        api_path.agree(&what, setup, &data, &measure.right(setup, &data)?)
    };
    for direction in Direction::BOTH {
        for iv in algorithm.iv_lengths().step_by(step) {
            let mut message = Message::new(algorithm, 17);
            message.iv = painted(iv as u64, iv);
            lengths.iter().try_for_each(|length| compare(&message.setup(direction), *length))?;
        }
        for associated in (0..=300).step_by(step) {
            let mut message = Message::new(algorithm, 19);
            message.aad = painted(20, associated);
            for cut in (0..=associated).step_by(step) {
                compare(&message.setup_with(direction, cut), 40)?;
            }
            lengths.iter().try_for_each(|length| compare(&message.setup(direction), *length))?;
        }
    }
    Ok(())
}

/// Messages that the measure has sealed are opened, and not when a bit of the tag or of the associated data is another.
pub(crate) fn opened(
    measure: &Provider,
    api_path: &dyn ApiPath,
    algorithm: Algorithm,
) -> Result<(), String> {
    let step = if here::reduced_for(api_path, algorithm) { 29 } else { 1 };
    for length in (0..=600).step_by(step) {
        let mut message = Message::new(algorithm, length as u64);
        message.aad = painted(71, length % 49);
        let plaintext = painted(72, length);
        let sealed = measure.right(&message.setup(Direction::Encrypt), &plaintext)?;
        let tag = sealed.tag.ok_or("encryption makes a tag")?;
        let what = || format!("{algorithm}, {length} bytes");
        let open = |message: &Message, tag: &[u8; 16], output: &mut [u8]| {
            let setup = Setup { tag, ..message.setup(Direction::Decrypt) };
            let mut work = api_path.begin(&setup)?;
            work.update(InOut::between(&sealed.output, output))?;
            Ok::<_, String>(work.close(tag).is_ok())
        };
        let mut output = vec![0; length];
        if !open(&message, &tag, &mut output)? {
            return Err(format!("{}: refused", what()));
        }
        same(what, &plaintext, &output)?;
        // All bits, over all lengths; GCM-SIV's counter has no part of the highest of the last byte.
        for bit in [length % 128, 127] {
            let mut wrong = tag;
            wrong[bit / 8] ^= 1 << (bit % 8);
            if open(&message, &wrong, &mut output)? {
                return Err(format!("{}: bit {bit} of the tag does not matter", what()));
            }
        }
        message.aad.push(0);
        if open(&message, &tag, &mut output)? {
            return Err(format!("{}: a longer zero of associated data does not matter", what()));
        }
    }
    Ok(())
}

/// A key that is expanded when a route is taken has the round keys of one that was expanded at once, turned around or not.
pub(crate) fn kept_keys() -> Trial {
    trial("kernels::kept_keys", || {
        let features = Features::detect();
        let kernels = here::routes().flat_map(|(route, _)| {
            BlockCipher::ALL
                .into_iter()
                .filter_map(move |it| wirespeed_kernels::kernels(route, it, features).ok())
        });
        for kernels in kernels {
            let key = painted(23, usize::from(kernels.cipher.key_bits()) / 8);
            for (direction, turns) in Direction::BOTH.map(|it| [(it, false), (it, true)]).concat() {
                let (mut at_once, mut kept) = (BlockKey::empty(kernels), BlockKey::empty(kernels));
                at_once.set(&key, direction);
                kept.keep(&key, direction);
                if turns {
                    at_once.turn();
                    kept.turn();
                }
                let expanded = [kept.reroute(kernels), kept.reroute(kernels)];
                if expanded != [true, false]
                    || at_once.schedule().round_keys != kept.schedule().round_keys
                {
                    return Err(format!("{} {}, {direction}", kernels.route, kernels.cipher));
                }
            }
        }
        Ok(())
    })
}

/// A stream that changes its route at any cut goes on with the same bytes.
pub(crate) fn rerouting() -> Vec<Trial> {
    let present: Vec<Route> = here::routes()
        .filter(|(route, obstacle)| {
            obstacle.is_none() && Kernels::new(*route, Features::detect()).is_ok()
        })
        .map(|(route, _)| route)
        .collect();
    let keeps_its_route =
        |mode: Mode| mode.takes_whole_messages() || matches!(mode, Mode::Gcm | Mode::Ocb);
    let streams = Algorithm::ALL.iter().filter(|it| !keeps_its_route(it.mode()));
    streams
        .map(|&algorithm| {
            let routes = present.clone();
            trial(format!("kernels::rerouting::{algorithm}"), move || {
                let pairs =
                    routes.iter().flat_map(|from| routes.iter().map(move |to| (*from, *to)));
                pairs.into_iter().try_for_each(|(from, to)| reroute(algorithm, from, to))
            })
        })
        .collect()
}

fn reroute(algorithm: Algorithm, from: Route, to: Route) -> Result<(), String> {
    const LENGTH: usize = 640;
    let step = match algorithm.mode().takes_partial_blocks() {
        // Every place in a block all the same.
        true if here::reduced() => 7,
        true => 1,
        false => 16,
    };
    let api_path = |route| Kernels::new(route, Features::detect()).map_err(|it| it.to_string());
    let (from_door, to_door) = (api_path(from)?, api_path(to)?);
    if !from_door.has(algorithm) || !to_door.has(algorithm) {
        return Ok(());
    }
    let message = Message::new(algorithm, 21);
    let data = painted(22, LENGTH);
    for direction in Direction::BOTH {
        let setup = message.setup(direction);
        let mut right = vec![0; LENGTH];
        let mut whole = from_door.begin(&setup)?;
        whole.update(InOut::between(&data, &mut right))?;
        for cut in (0..=LENGTH).step_by(step) {
            let mut output = vec![0; LENGTH];
            let (first, second) = output.split_at_mut(cut);
            let mut work = from_door.message(&setup)?;
            work.update(InOut::between(&data[..cut], first))?;
            to_door.take_over(&mut work, algorithm)?;
            work.update(InOut::between(&data[cut..], second))?;
            same(|| format!("{algorithm} {direction}, {from} to {to} at {cut}"), &right, &output)?;
        }
    }
    Ok(())
}
