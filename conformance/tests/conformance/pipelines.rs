//! Pipelines: messages side by side in one context, against the same one after another by the default
//! provider, which has no pipelines itself.

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Direction, Mode};
use wirespeed_conformance::api_path::{ApiPath, has_tag};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::{self, Provider};
use wirespeed_conformance::here;
use wirespeed_libcrypto::Pipeline;

use crate::{skipped, trial};

/// `EVP_MAX_PIPES`.
const MOST: usize = 32;

pub(crate) fn trials(name: &str, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let library = measure.context().library();
    if library.version_numbers() < (3, 5, 0) {
        let why = format!("{} has no pipelines: 3.5 and later do", library.version());
        return vec![skipped(&format!("{name}::pipelines"), why)];
    }
    let piped = |it: &Algorithm| matches!(it.mode(), Mode::Cbc | Mode::Gcm);
    let algorithms = ours.algorithms().into_iter().filter(piped);
    algorithms
        .map(|algorithm| {
            let (measure, ours) = (measure.clone(), ours.clone());
            trial(format!("{name}::pipelines::{algorithm}"), move || {
                let test = Test { algorithm, measure, ours };
                test.side_by_side()?;
                test.again()?;
                test.wrong_tags()?;
                test.afterwards()?;
                test.limits()
            })
        })
        .collect()
}

struct Test {
    algorithm: Algorithm,
    measure: Provider,
    ours: Provider,
}

/// One message, and what the default provider makes of it.
struct Message {
    iv: Vec<u8>,
    aad: Vec<u8>,
    plain: Vec<u8>,
    sealed: Vec<u8>,
    tag: [u8; 16],
}

impl Message {
    const fn input(&self, direction: Direction) -> &Vec<u8> {
        match direction {
            Direction::Encrypt => &self.plain,
            Direction::Decrypt => &self.sealed,
        }
    }

    const fn output(&self, direction: Direction) -> &Vec<u8> {
        match direction {
            Direction::Encrypt => &self.sealed,
            Direction::Decrypt => &self.plain,
        }
    }
}

type Tried<T> = Result<T, String>;

fn told(error: wirespeed_libcrypto::Error) -> String {
    error.to_string()
}

impl Test {
    fn key(&self, seed: u64) -> Vec<u8> {
        painted(seed, self.algorithm.key_bytes())
    }

    /// Messages of these lengths as the default provider encrypts them, one after another.
    fn messages(&self, key: &[u8], lengths: &[usize], padding: bool) -> Tried<Vec<Message>> {
        let mut work =
            self.measure.cipher(self.algorithm).map_err(told)?.context().map_err(told)?;
        let message = |(place, length): (usize, &usize)| {
            let seed = place as u64;
            let iv = painted(seed + 40, self.algorithm.iv_bytes());
            let aad = painted(seed + 80, if has_tag(self.algorithm) { place * 7 % 40 } else { 0 });
            let plain = painted(seed + 120, *length);
            let mut sealed = vec![0; length + 32];
            let mut tag = [0; 16];
            work.init(evp::direction(Direction::Encrypt), Some(key), Some(&iv), &[])?;
            work.set_padding(padding)?;
            if !aad.is_empty() {
                work.aad(&aad)?;
            }
            let written = work.update(&plain, &mut sealed)?;
            let written = written + work.finish(&mut sealed[written..])?;
            sealed.truncate(written);
            if has_tag(self.algorithm) {
                work.tag(&mut tag)?;
            }
            Ok(Message { iv, aad, plain, sealed, tag })
        };
        lengths.iter().enumerate().map(message).collect::<Result<_, _>>().map_err(told)
    }

    fn pipeline(&self) -> Tried<Pipeline> {
        let cipher = self.ours.cipher(self.algorithm).map_err(told)?;
        for direction in Direction::BOTH {
            if !Pipeline::is_offered(&cipher, evp::direction(direction)) {
                return Err(format!("no pipelines to {direction}"));
            }
        }
        Pipeline::new(&cipher).map_err(told)
    }

    /// Begins the messages, associated data included.
    fn begin(
        &self,
        work: &mut Pipeline,
        direction: Direction,
        key: Option<&[u8]>,
        messages: &[Message],
        padding: bool,
    ) -> Tried<()> {
        let ivs: Vec<&[u8]> = messages.iter().map(|it| it.iv.as_slice()).collect();
        work.init(evp::direction(direction), key, &ivs).map_err(told)?;
        if has_tag(self.algorithm) {
            let aads: Vec<&[u8]> = messages.iter().map(|it| it.aad.as_slice()).collect();
            work.aad(&aads).map_err(told)
        } else {
            work.set_padding(padding).map_err(told)
        }
    }

    /// The rest of the messages from `from` on: their data, their ends, their tags.
    fn end(
        &self,
        work: &mut Pipeline,
        direction: Direction,
        messages: &[Message],
        outputs: &mut [Output],
    ) -> Tried<()> {
        let rest: Vec<_> = messages
            .iter()
            .zip(&*outputs)
            .map(|(it, out)| &it.input(direction)[out.taken..])
            .collect();
        step(outputs, |free, written| work.update(&rest, free, written))?;
        if has_tag(self.algorithm) && direction == Direction::Decrypt {
            work.set_tags(&messages.iter().map(|it| it.tag).collect::<Vec<_>>()).map_err(told)?;
        }
        step(outputs, |free, written| work.finish(free, written))?;
        for (place, (message, output)) in messages.iter().zip(&*outputs).enumerate() {
            let what = || format!("{} {direction}, pipe {place}", self.algorithm);
            same(what, message.output(direction), &output.bytes[..output.filled])?;
        }
        if has_tag(self.algorithm) && direction == Direction::Encrypt {
            for (place, (message, tag)) in
                messages.iter().zip(work.tags().map_err(told)?).enumerate()
            {
                same(|| format!("{}, tag of pipe {place}", self.algorithm), &message.tag, &tag)?;
            }
        }
        Ok(())
    }

    /// Every number of messages, of very different lengths, in one update and in two; a copy made between
    /// them ends as the first.
    fn side_by_side(&self) -> Tried<()> {
        let counts: &[usize] = if here::reduced_for(&self.ours, self.algorithm) {
            &[2, 17]
        } else {
            &[1, 2, 5, 8, 9, 16, 17, 31, 32]
        };
        let key = self.key(7);
        for (&count, padding) in counts.iter().flat_map(|it| [(it, true), (it, false)]) {
            let unit = if padding || has_tag(self.algorithm) { 1 } else { 16 };
            let length = |place: usize| LENGTHS[(place * 5 + count) % LENGTHS.len()] / unit * unit;
            let lengths: Vec<usize> = (0..count).map(length).collect();
            let messages = self.messages(&key, &lengths, padding)?;
            for direction in Direction::BOTH {
                let mut whole = self.pipeline()?;
                self.begin(&mut whole, direction, Some(&key), &messages, padding)?;
                self.end(&mut whole, direction, &messages, &mut outputs(&messages))?;
                self.in_place(direction, &key, &messages, padding)?;

                let mut first = self.pipeline()?;
                self.begin(&mut first, direction, Some(&key), &messages, padding)?;
                let mut parts = outputs(&messages);
                let cut =
                    |(place, it): (usize, &Message)| it.input(direction).len() * place / count;
                let cuts: Vec<usize> = messages.iter().enumerate().map(cut).collect();
                let heads: Vec<&[u8]> = messages
                    .iter()
                    .zip(&cuts)
                    .map(|(it, cut)| &it.input(direction)[..*cut])
                    .collect();
                step(&mut parts, |free, written| first.update(&heads, free, written))?;
                parts.iter_mut().zip(cuts).for_each(|(out, cut)| out.taken = cut);
                let mut copy = first.duplicate().map_err(told)?;
                let mut copied = parts.clone();
                self.end(&mut first, direction, &messages, &mut parts)?;
                drop(first);
                self.end(&mut copy, direction, &messages, &mut copied)?;
            }
        }
        Ok(())
    }

    /// One update over the same bytes that it writes.
    fn in_place(
        &self,
        direction: Direction,
        key: &[u8],
        messages: &[Message],
        padding: bool,
    ) -> Tried<()> {
        let mut work = self.pipeline()?;
        self.begin(&mut work, direction, Some(key), messages, padding)?;
        let mut all = outputs(messages);
        for (output, message) in all.iter_mut().zip(messages) {
            let input = message.input(direction);
            output.bytes[..input.len()].copy_from_slice(input);
            output.taken = input.len();
        }
        let lengths: Vec<usize> = messages.iter().map(|it| it.input(direction).len()).collect();
        step(&mut all, |free, written| work.update_in_place(free, &lengths, written))?;
        self.end(&mut work, direction, messages, &mut all)
    }

    /// One context for several pipelines: new IVs under the old key, another key, other numbers of pipes.
    fn again(&self) -> Tried<()> {
        let (old, new) = (self.key(8), self.key(9));
        let encrypt = Direction::Encrypt;
        let mut work = self.pipeline()?;
        let plans: [(&[u8], bool, &[usize]); 5] = [
            (&old, true, &[100, 0, 33]),
            (&old, false, &[0, 64, 1424]),
            (&old, false, &[16, 17, 18, 500, 0, 7]),
            (&new, true, &[16, 17, 18, 500, 0, 9]),
            (&new, false, &[2000]),
        ];
        for (key, tells_key, lengths) in plans {
            let messages = self.messages(key, lengths, true)?;
            self.begin(&mut work, encrypt, tells_key.then_some(key), &messages, true)?;
            self.end(&mut work, encrypt, &messages, &mut outputs(&messages))?;
        }
        // libcrypto forgets the number of pipes when it is told the cipher again (evp_cipher_init_internal of
        // 3.5 to 4.0 resets the context): an update must then fail, not do nothing in silence.
        let messages = self.messages(&old, &[48, 48], true)?;
        let ivs: Vec<&[u8]> = messages.iter().map(|it| it.iv.as_slice()).collect();
        let told_again = work.init_with_cipher(evp::direction(encrypt), Some(&old), &ivs);
        let mut outputs = outputs(&messages);
        if told_again.is_ok() && self.end(&mut work, encrypt, &messages, &mut outputs).is_ok() {
            return outputs
                .iter()
                .all(|it| it.filled > 0)
                .then_some(())
                .ok_or("nothing done".into());
        }
        Ok(())
    }

    /// A wrong tag is refused, whichever message's it is; without one nothing is.
    fn wrong_tags(&self) -> Tried<()> {
        if !has_tag(self.algorithm) {
            return Ok(());
        }
        let key = self.key(10);
        let mut messages = self.messages(&key, &[0, 20, 1424], true)?;
        for wrong in 0..messages.len() {
            for bit in [0, 127] {
                messages[wrong].tag[bit / 8] ^= 1 << (bit % 8);
                let mut work = self.pipeline()?;
                self.begin(&mut work, Direction::Decrypt, Some(&key), &messages, true)?;
                let result =
                    self.end(&mut work, Direction::Decrypt, &messages, &mut outputs(&messages));
                if result.is_ok() {
                    return Err(format!("a wrong tag of pipe {wrong} passed"));
                }
                messages[wrong].tag[bit / 8] ^= 1 << (bit % 8);
            }
        }
        let mut work = self.pipeline()?;
        self.begin(&mut work, Direction::Decrypt, Some(&key), &messages, true)?;
        self.end(&mut work, Direction::Decrypt, &messages, &mut outputs(&messages))
    }

    /// An ordinary message in the context of a pipeline: nothing is left of that.
    fn afterwards(&self) -> Tried<()> {
        let (old, new) = (self.key(13), self.key(14));
        let messages = self.messages(&old, &[100, 33], true)?;
        let mut work = self.pipeline()?;
        self.begin(&mut work, Direction::Encrypt, Some(&old), &messages, true)?;
        self.end(&mut work, Direction::Encrypt, &messages, &mut outputs(&messages))?;
        let mut work = work.into_context();
        let Message { iv, aad, plain, sealed, tag } = &self.messages(&new, &[0, 77], true)?[1];
        let mut output = vec![0; sealed.len() + 32];
        let mut decrypted = || {
            work.init(evp::direction(Direction::Decrypt), Some(&new), Some(iv), &[])?;
            if has_tag(self.algorithm) {
                work.set_tag(tag)?;
                work.aad(aad)?;
            }
            let written = work.update(sealed, &mut output)?;
            Ok(written + work.finish(&mut output[written..])?)
        };
        let written = decrypted().map_err(told)?;
        same(|| "an ordinary message".to_owned(), plain, &output[..written])
    }

    /// As many pipes as libcrypto allows, and no more; the usual parameters are answered as ever.
    fn limits(&self) -> Tried<()> {
        let key = self.key(11);
        let iv = painted(12, self.algorithm.iv_bytes());
        let encrypt = evp::direction(Direction::Encrypt);
        self.pipeline()?.init(encrypt, Some(&key), &[iv.as_slice(); MOST]).map_err(told)?;
        match self.pipeline()?.init(encrypt, Some(&key), &[iv.as_slice(); MOST + 1]) {
            Ok(()) => Err(format!("{} pipes are too many", MOST + 1)),
            Err(_) => Ok(()),
        }
    }
}

/// Below, at and above the borders of blocks, vectors and lanes.
const LENGTHS: [usize; 11] = [0, 1, 15, 16, 17, 100, 255, 512, 1424, 1500, 4099];

/// Where a message comes out, how much of it did, and how much of its input went in.
#[derive(Clone)]
struct Output {
    bytes: Vec<u8>,
    filled: usize,
    taken: usize,
}

fn outputs(messages: &[Message]) -> Vec<Output> {
    let room = |it: &Message| vec![0; it.sealed.len().max(it.plain.len()) + 64];
    messages.iter().map(|it| Output { bytes: room(it), filled: 0, taken: 0 }).collect()
}

/// A call that writes to what is free of each output.
fn step(
    outputs: &mut [Output],
    call: impl FnOnce(&mut [&mut [u8]], &mut [usize]) -> Result<(), wirespeed_libcrypto::Error>,
) -> Tried<()> {
    let mut written = vec![usize::MAX; outputs.len()];
    let mut free: Vec<&mut [u8]> =
        outputs.iter_mut().map(|output| &mut output.bytes[output.filled..]).collect();
    call(&mut free, &mut written).map_err(told)?;
    outputs.iter_mut().zip(written).for_each(|(output, count)| output.filled += count);
    Ok(())
}
