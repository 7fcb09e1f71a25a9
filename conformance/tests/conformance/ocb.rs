//! OCB where it differs from other modes: every length of tag and nonce, updates that leave a part of a block waiting, and
//! the test of RFC 7253 that goes through all lengths.

use libtest_mimic::Trial;
use wirespeed_cipher::modes::Ocb;
use wirespeed_cipher::{Algorithm, Block, BlockKernels, InOut, Mode};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::{painted, same, unhex};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_libcrypto::{CipherContext, Direction, Error, Param, Value};

use crate::trial;

/// Bytes of a tag, and what the test of RFC 7253, appendix A, ends with for keys of 128, 192 and 256 bits.
const ALL_LENGTHS: [(usize, [&str; 3]); 3] = [
    (
        16,
        [
            "67e944d23256c5e0b6c61fa22fdf1ea2",
            "f673f2c3e7174aae7bae986ca9f29e17",
            "d90eb8e9c977c88b79dd793d7ffa161c",
        ],
    ),
    (12, ["77a3d8e73589158d25d01209", "05d56ead2752c86be6932c5e", "5458359ac23b0cba9e6330dd"]),
    (8, ["192c9b7bd90ba06a", "0066bc6e0ef34e24", "7d4ea5d445501cbe"]),
];

/// Of the kernels alone.
pub(crate) fn of_kernels(name: &str, kernels: &Kernels) -> Vec<Trial> {
    let build = |algorithm: Algorithm| {
        let table = kernels.table(algorithm).expect("the route has it");
        trial(format!("{name}::all_lengths::{algorithm}"), move || {
            all_lengths(algorithm, |key, tag_bytes, nonce, aad, data| {
                Ok(sealed(table, key, tag_bytes, nonce, aad, data))
            })
        })
    };
    of_mode(kernels).map(build).collect()
}

/// Of a provider.
pub(crate) fn trials(name: &str, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    type Check = fn(Algorithm, &Provider, &Provider) -> Result<(), String>;
    let checks: [(&str, Check); 3] = [
        ("all_lengths", |algorithm, _, ours| {
            all_lengths(algorithm, |key, tag_bytes, nonce, aad, data| {
                let mut work = begin(ours, algorithm, Direction::Encrypt, key, tag_bytes, nonce)?;
                work.aad(aad)?;
                let mut output = vec![0; data.len() + 32];
                let mut written = work.update(data, &mut output)?;
                written += work.finish(&mut output[written..])?;
                work.tag(&mut output[written..][..tag_bytes])?;
                output.truncate(written + tag_bytes);
                Ok(output)
            })
        }),
        ("tags_and_nonces", tags_and_nonces),
        ("pieces", pieces),
    ];
    let of_check = |(what, check): (&str, Check)| -> Vec<Trial> {
        let build = |algorithm: Algorithm| {
            let (measure, ours) = (measure.clone(), ours.clone());
            trial(format!("{name}::{what}::{algorithm}"), move || check(algorithm, &measure, &ours))
        };
        of_mode(ours).map(build).collect()
    };
    checks.into_iter().flat_map(of_check).collect()
}

fn of_mode(api_path: &dyn ApiPath) -> impl Iterator<Item = Algorithm> {
    api_path.algorithms().into_iter().filter(|it| it.mode() == Mode::Ocb)
}

/// A message by kernels: the ciphertext with the tag behind it.
fn sealed(
    kernels: &'static BlockKernels,
    key: &[u8],
    tag_bytes: usize,
    nonce: &[u8],
    aad: &[u8],
    data: &[u8],
) -> Vec<u8> {
    let mut ocb = Ocb::new(kernels);
    ocb.set_key(key);
    ocb.set_tag_bytes(tag_bytes);
    ocb.start(nonce);
    ocb.aad(aad);
    let mut output = data.to_vec();
    ocb.crypt(wirespeed_cipher::Direction::Encrypt, InOut::in_place(&mut output));
    output.extend(&ocb.tag()[..tag_bytes]);
    output
}

/// The last test of RFC 7253's appendix A: messages of up to 127 bytes, and all of their results as associated data.
fn all_lengths(
    algorithm: Algorithm,
    seal: impl Fn(&[u8], usize, &[u8], &[u8], &[u8]) -> Result<Vec<u8>, Error>,
) -> Result<(), String> {
    for (tag_bytes, rights) in ALL_LENGTHS {
        let mut key = vec![0; algorithm.key_bytes()];
        *key.last_mut().expect("a key") = tag_bytes as u8 * 8;
        // Numbers of 96 bits.
        let nonce =
            |number: usize| -> Vec<u8> { [&[0; 4][..], &(number as u64).to_be_bytes()].concat() };
        let told = |error: Error| error.to_string();
        let mut all = Vec::new();
        for length in 0..128 {
            let zeros = vec![0; length];
            for (number, aad, data) in
                [(1, &zeros[..], &zeros[..]), (2, &[], &zeros), (3, &zeros, &[])]
            {
                let nonce = nonce(3 * length + number);
                all.extend(seal(&key, tag_bytes, &nonce, aad, data).map_err(told)?);
            }
        }
        let got = seal(&key, tag_bytes, &nonce(385), &all, &[]).map_err(told)?;
        let right = unhex(rights[usize::from(algorithm.key_bits()) / 64 - 2]);
        same(|| format!("{algorithm}, tags of {tag_bytes} bytes"), &right, &got)?;
    }
    Ok(())
}

fn begin(
    provider: &Provider,
    algorithm: Algorithm,
    direction: Direction,
    key: &[u8],
    tag_bytes: usize,
    nonce: &[u8],
) -> Result<CipherContext, Error> {
    let mut work = provider.cipher(algorithm)?.context()?;
    let lengths = [
        Param::size(c"ivlen", nonce.len()),
        Param { key: c"tag", value: Value::NoOctets(tag_bytes) },
    ];
    work.init(direction, None, None, &lengths)?;
    work.init(direction, Some(key), Some(nonce), &[])?;
    Ok(work)
}

/// What a message in pieces showed: what came of each call, and the verdict or the tag.
#[derive(Debug, PartialEq)]
struct Seen {
    calls: Vec<Vec<u8>>,
    end: Result<Block, ()>,
}

/// One piece of a message: data, or associated data.
#[derive(Clone, Copy, Debug)]
struct Piece {
    is_data: bool,
    from: usize,
    to: usize,
}

/// Plays a message; decryption is given the tag.
fn play(
    work: &mut CipherContext,
    direction: Direction,
    tag_bytes: usize,
    tag: &Block,
    bytes: &[u8],
    pieces: &[Piece],
) -> Result<Seen, Error> {
    let mut calls = Vec::new();
    let mut output = vec![0; bytes.len() + 32];
    for &Piece { is_data, from, to } in pieces {
        let input = &bytes[from..to];
        let written = if is_data {
            work.update(input, &mut output)?
        } else {
            // How many bytes were hashed is told, too.
            // SAFETY: no output is associated data for an AEAD.
            let count =
                unsafe { work.update_raw(input.as_ptr(), input.len(), std::ptr::null_mut()) }?;
            let count = count.to_le_bytes();
            output[..count.len()].copy_from_slice(&count);
            count.len()
        };
        calls.push(output[..written].to_vec());
    }
    if direction == Direction::Decrypt {
        work.set_tag(&tag[..tag_bytes])?;
    }
    output.fill(0);
    let ended = work.finish(&mut output).map_err(|_| ());
    // A refused message has given its last bytes all the same.
    calls.push(output[..16].to_vec());
    let mut made = [0; 16];
    if direction == Direction::Encrypt {
        work.tag(&mut made[..tag_bytes])?;
    }
    Ok(Seen { calls, end: ended.map(|_| made) })
}

/// Every length of a tag with every length of a nonce, both ways; another tag is refused.
fn tags_and_nonces(
    algorithm: Algorithm,
    measure: &Provider,
    ours: &Provider,
) -> Result<(), String> {
    let key = painted(51, algorithm.key_bytes());
    let told = |error: Error| error.to_string();
    let bytes = painted(52, 100);
    let step = here::step(algorithm, [3, 7]);
    for tag_bytes in (1..=16).step_by(step) {
        for nonce_bytes in (1..=15).step_by(step) {
            let nonce = painted(53 + nonce_bytes as u64, nonce_bytes);
            for length in [0, 5, 16, 67] {
                let pieces = [
                    Piece { is_data: false, from: 0, to: 100 - length },
                    Piece { is_data: true, from: 0, to: length },
                ];
                let run = |provider: &Provider, direction, tag: &Block, bytes: &[u8]| {
                    let mut work = begin(provider, algorithm, direction, &key, tag_bytes, &nonce)?;
                    play(&mut work, direction, tag_bytes, tag, bytes, &pieces)
                };
                let what = format!("{algorithm}, tag {tag_bytes}, nonce {nonce_bytes}, {length}");
                let seal = |provider| run(provider, Direction::Encrypt, &[0; 16], &bytes);
                let (right, got) = (seal(measure).map_err(told)?, seal(ours).map_err(told)?);
                if right != got {
                    return Err(format!("{what}: {got:?} instead of {right:?}"));
                }
                let tag = got.end.expect("encryption refuses nothing");
                let mut ciphertext = got.calls[1].clone();
                ciphertext.extend(&got.calls[2][..length - ciphertext.len()]);
                let open = |tag: &Block, associated: &[u8]| {
                    let mut work =
                        begin(ours, algorithm, Direction::Decrypt, &key, tag_bytes, &nonce)?;
                    work.aad(associated)?;
                    let data = [Piece { is_data: true, from: 0, to: length }];
                    play(&mut work, Direction::Decrypt, tag_bytes, tag, &ciphertext, &data)
                };
                let associated = &bytes[..100 - length];
                let opened = open(&tag, associated).map_err(told)?;
                let mut plaintext = opened.calls[0].clone();
                plaintext.extend(&opened.calls[1][..length - plaintext.len()]);
                same(|| format!("{what}, opened"), &bytes[..length], &plaintext)?;
                let mut wrong = tag;
                wrong[tag_bytes - 1] ^= 0x10;
                let refused = open(&wrong, associated).map_err(told)?;
                if (opened.end.is_ok(), refused.end.is_err()) != (true, true) {
                    return Err(format!("{what}: {:?}, {:?}", opened.end, refused.end));
                }
            }
        }
    }
    Ok(())
}

/// Messages in pieces of any length, associated data among them: what each call gives, against the default provider.
fn pieces(algorithm: Algorithm, measure: &Provider, ours: &Provider) -> Result<(), String> {
    let key = painted(61, algorithm.key_bytes());
    let nonce = painted(62, 12);
    let bytes = painted(63, 9000);
    let step = here::step(algorithm, [7, 23]);
    for seed in (0..600_u64).step_by(step) {
        // Short pieces in some, long ones in others.
        let longest = [7, 20, 50, 130, 600, 1500][seed as usize % 6];
        let numbers = painted(seed, 3 * (1 + seed as usize % 7));
        let mut from = 0;
        let pieces: Vec<Piece> = numbers
            .chunks_exact(3)
            .map(|numbers| {
                let length = usize::from(numbers[0]) * 256 + usize::from(numbers[1]);
                let piece = Piece {
                    is_data: !numbers[2].is_multiple_of(3),
                    from,
                    to: from + length % (longest + 1),
                };
                from = piece.to;
                piece
            })
            .collect();
        for direction in [Direction::Encrypt, Direction::Decrypt] {
            let run = |provider: &Provider| {
                let mut work = begin(provider, algorithm, direction, &key, 16, &nonce)?;
                play(&mut work, direction, 16, &[7; 16], &bytes, &pieces)
            };
            let [right, got] = [measure, ours].map(run);
            let [right, got] =
                [right.map_err(|it| it.to_string())?, got.map_err(|it| it.to_string())?];
            if let Some(at) = right.calls.iter().zip(&got.calls).position(|(a, b)| a != b) {
                let what = || format!("{algorithm} {direction:?}, call {at} of {pieces:?}");
                same(what, &right.calls[at], &got.calls[at])?;
            }
            if right.end != got.end {
                let (right, got) = (right.end, got.end);
                return Err(format!(
                    "{algorithm} {direction:?} {pieces:?}: {got:x?}, not {right:x?}"
                ));
            }
        }
    }
    Ok(())
}
