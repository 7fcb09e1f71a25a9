//! SHAKE beyond what every hash function does: lengths that are set, output in pieces, and what fails.

use std::ffi::c_ulong;

use libtest_mimic::Trial;
use wirespeed_cipher::Subject;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_libcrypto::{self as libcrypto, DigestContext, Error, Kind, Param, Value};

use crate::digests::{Check, told};
use crate::trial;

pub(crate) fn trials(
    name: &str,
    has: &[Subject],
    measure: &Provider,
    ours: &Provider,
) -> Vec<Trial> {
    let checks: [(&str, Check); 5] = [
        ("long", long),
        ("parameters", parameters),
        ("pieces", pieces),
        ("schedules", schedules),
        ("serials in output", serials),
    ];
    let mut trials = Vec::new();
    for digest in has.iter().copied().filter(|it| it.is_extendable()) {
        for (what, check) in checks {
            let (measure, ours) = (measure.clone(), ours.clone());
            trials.push(trial(format!("{name}::extendable::{what}::{digest}"), move || {
                let fetch = |from: &Provider| from.context().digest(digest.name(), None);
                check(digest, &fetch(&measure).map_err(told)?, &fetch(&ours).map_err(told)?)
            }));
        }
    }
    trials
}

/// What a call gave: bytes, or a provider's own reasons of a failure. Newer versions' functions that read
/// numbers add theirs, which is nothing that a provider could do.
type Outcome = Result<Vec<u8>, Vec<u64>>;

fn outcome(result: Result<Vec<u8>, Error>) -> Outcome {
    /// `ERR_LIB_CRYPTO` of openssl/err.h.
    const LIBCRYPTO: c_ulong = 15;
    result.map_err(|error| {
        let others = error.queue.iter().filter(|entry| entry.code >> 23 & 0xff != LIBCRYPTO);
        others.map(libcrypto::Entry::reason).collect()
    })
}

fn agree(what: impl Fn() -> String, right: &Outcome, got: &Outcome) -> Result<(), String> {
    match (right, got) {
        (Ok(right), Ok(got)) => same(what, right, got),
        _ if right == got => Ok(()),
        _ => Err(format!("{}: {got:?} instead of {right:?}", what())),
    }
}

fn begun(digest: &libcrypto::Digest, data: &[u8]) -> Result<DigestContext, Error> {
    let mut work = digest.context()?;
    work.init()?;
    work.update(data)?;
    Ok(work)
}

/// Every length of output to more than four blocks, and some beyond.
fn long(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(111, 300);
    let output = |by: &libcrypto::Digest, length| {
        let mut output = vec![0; length];
        begun(by, &data)?.finish_long(&mut output)?;
        Ok(output)
    };
    for length in (0..=700).chain([4096, 65_537]) {
        let (right, got) = (outcome(output(measure, length)), outcome(output(ours, length)));
        agree(|| format!("{length} bytes of {digest}"), &right, &got)?;
    }
    Ok(())
}

/// What can be told and asked, in every order and form.
fn parameters(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let lists = |by: &libcrypto::Digest| {
        let work = begun(by, b"").map_err(told)?;
        Ok::<_, String>((work.gettable(), work.settable()))
    };
    let (right, got) = (lists(measure)?, lists(ours)?);
    if right != got {
        return Err(format!("{digest} has {got:?} instead of {right:?}"));
    }
    let length = |value| Param::size(c"xoflen", value);
    let of = |key, value| Param { key, value };
    let lists: [&[Param<'_>]; 13] = [
        &[],
        &[length(0)],
        &[length(1)],
        &[length(20)],
        &[length(64)],
        &[length(usize::MAX)],
        &[Param::size(c"size", 24)],
        &[length(11), length(12)],
        &[Param::size(c"size", 11), length(12)],
        &[of(c"xoflen", Value::Int(17))],
        &[of(c"xoflen", Value::Int(-17))],
        &[of(c"xoflen", Value::Raw(Kind::Unsigned, &[9]))],
        &[of(c"xoflen", Value::Octets(b"12345678"))],
    ];
    for (first, list) in lists.iter().enumerate() {
        for at_init in [false, true] {
            // The same context goes on to another message, and so does a copy that began before.
            let run = |by: &libcrypto::Digest| {
                let mut outcomes = Vec::new();
                let mut work = begun(by, b"something else")?;
                let told = if at_init { work.init_with(list) } else { work.set(list) };
                outcomes.push(outcome(told.map(|()| Vec::new())));
                for key in [c"xoflen", c"size", c"neither"] {
                    let asked = work.get(key).map(|value| format!("{value:?}").into_bytes());
                    outcomes.push(outcome(asked));
                }
                let mut copy = work.duplicate()?;
                // Default providers before 3.4 would write as much as they were told.
                let fits = !list.iter().any(|it| matches!(it.value, Value::Size(usize::MAX)));
                for work in [&mut work, &mut copy].into_iter().filter(|_| fits) {
                    let mut hash = [0; 64];
                    let ended = work.finish(&mut hash).map(|length| hash[..length].to_vec());
                    outcomes.push(outcome(ended));
                    work.init()?;
                    work.update(b"abc")?;
                    let ended = work.finish(&mut hash).map(|length| hash[..length].to_vec());
                    outcomes.push(outcome(ended));
                }
                Ok::<_, Error>(outcomes)
            };
            let (right, got) = (run(measure).map_err(told)?, run(ours).map_err(told)?);
            for (place, (right, got)) in right.iter().zip(&got).enumerate() {
                agree(|| format!("{digest}, list {first}, {at_init}, call {place}"), right, got)?;
            }
        }
    }
    Ok(())
}

/// The same output, however it is cut.
fn pieces(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(112, 500);
    if !begun(ours, &data).map_err(told)?.knows_squeezing() {
        // Then all there is to check is that nobody can ask.
        return match begun(ours, &data).and_then(|mut it| it.squeeze(&mut [0; 8])) {
            Ok(()) => Err(format!("{digest} came in pieces from an old libcrypto")),
            Err(_) => Ok(()),
        };
    }
    let mut right = vec![0; 1300];
    begun(measure, &data).and_then(|mut it| it.finish_long(&mut right)).map_err(told)?;
    let pieces = [0, 1, 2, 7, 8, 9, 31, 64, 135, 136, 137, 167, 168, 169, 271, 272, 273, 336, 500];
    for first in pieces {
        for second in pieces {
            let run = || {
                let mut work = begun(ours, &data)?;
                let mut got = vec![0; right.len()];
                let (head, rest) = got.split_at_mut(first);
                let (middle, tail) = rest.split_at_mut(second);
                work.squeeze(head)?;
                work.squeeze(middle)?;
                let mut copy = work.duplicate()?;
                let mut same_tail = vec![0; tail.len()];
                work.squeeze(tail)?;
                for piece in same_tail.chunks_mut(1 + second) {
                    copy.squeeze(piece)?;
                }
                got.extend(same_tail);
                Ok(got)
            };
            let got = run().map_err(told)?;
            let what = || format!("{digest} in pieces of {first} and {second}");
            same(what, &right, &got[..right.len()])?;
            same(what, &right[first + second..], &got[right.len()..])?;
        }
    }
    Ok(())
}

/// Calls in an order that no program would choose.
fn schedules(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(113, 400);
    let begin = |by| begun(by, b"").map_err(told);
    let knows_squeezing = begin(ours)?.knows_squeezing();
    let refuses_data_late = begin(ours)?.knows_serialisation();
    let steps = painted(114, 6000);
    for round in steps.chunks_exact(30) {
        let (mut right, mut got) = (begin(measure)?, begin(ours)?);
        let (mut is_over, mut is_squeezed, mut told_bytes) = (false, false, 0);
        for (place, step) in round.chunks_exact(2).enumerate() {
            let length = usize::from(step[1]) * 3 / 2;
            // OpenSSL before 3.3 goes on behind the end, and before 4.0 behind output, with whatever is there.
            let action = match step[0] % 8 {
                0 | 1 if is_over && !knows_squeezing => 6,
                0 | 1 if is_squeezed && !refuses_data_late => 6,
                2 | 3 | 5 if !knows_squeezing && (is_over || step[0] % 8 != 5) => 6,
                4 if is_over && !knows_squeezing => 6,
                // As many bytes as were told last, whatever the room.
                4 if told_bytes > 64 => 7,
                other => other,
            };
            let act = |work: &mut DigestContext| match action {
                0 | 1 => work.update(&data[..length]).map(|()| Vec::new()),
                2 | 3 => {
                    let mut output = vec![0; length];
                    work.squeeze(&mut output).map(|()| output)
                }
                4 => {
                    let mut hash = [0; 64];
                    work.finish(&mut hash).map(|length| hash[..length].to_vec())
                }
                5 => {
                    let mut output = vec![0; length];
                    work.finish_long(&mut output).map(|()| output)
                }
                6 => work.init().map(|()| Vec::new()),
                _ => work.set(&[Param::size(c"xoflen", length % 65)]).map(|()| Vec::new()),
            };
            let outcomes = (outcome(act(&mut right)), outcome(act(&mut got)));
            is_over = action != 6 && (is_over || matches!(action, 4 | 5));
            told_bytes = match action {
                5 => length,
                7 => length % 65,
                _ => told_bytes,
            };
            is_squeezed = action != 6 && (is_squeezed || matches!(action, 2 | 3));
            agree(|| format!("{digest}: {round:?} at {place}"), &outcomes.0, &outcomes.1)?;
        }
    }
    Ok(())
}

/// Output that was begun by one provider and goes on with the other.
fn serials(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(115, 200);
    if !begun(measure, &data).map_err(told)?.knows_serialisation() {
        return match begun(ours, &data).and_then(|mut it| it.serialise()) {
            Ok(_) => Err(format!("{digest} was written down by an old libcrypto")),
            Err(_) => Ok(()),
        };
    }
    let mut right = vec![0; 700];
    begun(measure, &data).and_then(|mut it| it.squeeze(&mut right)).map_err(told)?;
    for count in [1, 8, 100, 135, 136, 137, 167, 168, 169, 336, 400] {
        for (from, to) in [(measure, ours), (ours, measure), (ours, ours)] {
            let run = || {
                let mut begun_there = begun(from, &data)?;
                begun_there.squeeze(&mut vec![0; count])?;
                let mut work = begun(to, b"something else")?;
                work.deserialise(&begun_there.serialise()?)?;
                let mut got = vec![0; right.len() - count];
                work.squeeze(&mut got).map(|()| got)
            };
            let got = run().map_err(told)?;
            same(|| format!("{digest} written down after {count}"), &right[count..], &got)?;
        }
    }
    Ok(())
}
