//! An API path against the default provider: lengths, places, edges of memory, cuts, counters, GCM's IVs and
//! associated data.

use std::sync::Arc;

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Direction, InOut, Mode};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::guarded::{Edge, Guarded};
use wirespeed_conformance::here;

use crate::messages::{self, Message};
use crate::{skipped, trial};

/// A comparison of an API path with the measure, the first of the two.
type Check = fn(&Provider, &dyn ApiPath, Algorithm) -> Result<(), String>;
/// Which modes a comparison is about.
type Applies = fn(Mode) -> bool;

pub(crate) fn trials(name: &str, measure: &Provider, api_path: &Arc<dyn ApiPath>) -> Vec<Trial> {
    let checks: [(&str, Check, Applies); 7] = [
        ("lengths", lengths, |_| true),
        ("places", places, |_| true),
        ("edges", edges, |_| true),
        ("cuts", messages::cuts, |mode| !mode.takes_whole_messages()),
        ("counters", messages::counters, |mode| {
            matches!(mode, Mode::Ctr | Mode::Gcm | Mode::Stream)
        }),
        ("associated", messages::associated, Mode::has_tag),
        ("opened", messages::opened, Mode::wants_tag_first),
    ];
    let (compared, alone): (Vec<_>, Vec<_>) =
        api_path.algorithms().into_iter().partition(|it| measure.has(*it));
    let skip =
        |it: Algorithm| skipped(&format!("{name}::{it}"), "this OpenSSL has none".to_owned());
    let mut trials: Vec<_> = alone.into_iter().map(skip).collect();
    for (what, check, applies) in checks {
        for &algorithm in compared.iter().filter(|it| applies(it.mode())) {
            let (measure, api_path) = (measure.clone(), Arc::clone(api_path));
            trials.push(trial(format!("{name}::{what}::{algorithm}"), move || {
                check(&measure, api_path.as_ref(), algorithm)
            }));
        }
    }
    trials
}

/// The lengths from 0 to 1100, and those around 4, 16 and 64 KiB.
fn schedule(algorithm: Algorithm, reduced: bool) -> impl Iterator<Item = usize> {
    let around = |size: usize| size - 20..=size + 20;
    let all = (0..=1100).chain(around(4096)).chain(around(16384)).chain(around(65536));
    let (step, each) = if here::thinned(algorithm) { (39, 18) } else { (13, 40) };
    all.filter(move |&length| !reduced || length % step == 0 || length < each)
        .filter(move |&length| !reduced || length < 5000)
        .filter(move |&length| possible(algorithm.mode(), length))
}

/// Whether a message of this mode can have that length.
pub(crate) fn possible(mode: Mode, length: usize) -> bool {
    match mode {
        Mode::Ecb | Mode::Cbc => length.is_multiple_of(16),
        _ => length >= mode.fewest_bytes(),
    }
}

/// Every length, in place and out of place.
fn lengths(measure: &Provider, api_path: &dyn ApiPath, algorithm: Algorithm) -> Result<(), String> {
    let reduced = here::reduced_for(api_path, algorithm);
    for direction in Direction::BOTH {
        for length in schedule(algorithm, reduced) {
            let message = Message::new(algorithm, length as u64);
            let setup = message.setup(direction);
            let data = painted(length as u64, length);
            let what = || format!("{algorithm} {direction}, {length} bytes");
            let right = measure.right(&setup, &data)?;
            api_path.agree(&what, &setup, &data, &right)?;
        }
    }
    Ok(())
}

/// Source and destination at every pair of places modulo 64, and nothing written beside them.
fn places(measure: &Provider, api_path: &dyn ApiPath, algorithm: Algorithm) -> Result<(), String> {
    const SPACE: usize = 64;
    const CANARY: u8 = 0xc7;
    let step = match () {
        () if here::thinned(algorithm) => 29,
        () if here::reduced_for(api_path, algorithm) => 13,
        () => 1,
    };
    for (direction, length) in
        Direction::BOTH.into_iter().flat_map(|d| [16, 176, 1040].map(|n| (d, n)))
    {
        // An odd end where the mode allows one.
        let length = if possible(algorithm.mode(), length + 3) { length + 3 } else { length };
        let message = Message::new(algorithm, 7);
        let setup = message.setup(direction);
        let data = painted(8, length);
        let right = measure.right(&setup, &data)?.output;
        let begun = api_path.begin(&setup)?;
        let mut source = vec![0; length + 2 * SPACE];
        let mut destination = vec![0; length + 3 * SPACE];
        let source_start = source.as_ptr().align_offset(SPACE);
        let destination_start = destination.as_ptr().align_offset(SPACE);
        for from in (0..SPACE).step_by(step) {
            let from_range = source_start + from..source_start + from + length;
            source[from_range.clone()].copy_from_slice(&data);
            for to in (0..SPACE).step_by(step) {
                let what = || format!("{algorithm} {direction}, {length} bytes, {from} to {to}");
                let to = destination_start + to..destination_start + to + length;
                destination.fill(CANARY);
                let mut work = begun.duplicate();
                let range = to.clone();
                work.update(InOut::between(&source[from_range.clone()], &mut destination[range]))
                    .map_err(|error| format!("{}: {error}", what()))?;
                same(what, &right, &destination[to.clone()])?;
                let beside = destination[..to.start].iter().chain(&destination[to.end..]);
                if beside.into_iter().any(|byte| *byte != CANARY) {
                    return Err(format!("{}: wrote beside the destination", what()));
                }
            }
            let mut work = begun.duplicate();
            work.update(InOut::in_place(&mut source[from_range.clone()]))?;
            same(
                || format!("{algorithm} {direction} in place at {from}"),
                &right,
                &source[from_range],
            )?;
        }
    }
    Ok(())
}

/// Every length to 300 right before and right after a page that faults at any access.
fn edges(measure: &Provider, api_path: &dyn ApiPath, algorithm: Algorithm) -> Result<(), String> {
    let mut source = Guarded::new(2048);
    let mut destination = Guarded::new(2048);
    let message = Message::new(algorithm, 9);
    let step = match () {
        () if here::thinned(algorithm) => 23,
        () if here::reduced() => 7,
        () => 1,
    };
    let short = (0..=300).step_by(step);
    let lengths = short.chain([16, 256, 511, 512, 767, 1024, 1420, 2047, 2048]);
    for length in lengths.filter(|length| possible(algorithm.mode(), *length)) {
        let data = painted(10, length);
        for direction in Direction::BOTH {
            let setup = message.setup(direction);
            let right = measure.right(&setup, &data)?;
            for edge in [Edge::Begin, Edge::End] {
                let what = || format!("{algorithm} {direction}, {length} bytes at {edge:?}");
                let from = source.at(edge, length);
                from.copy_from_slice(&data);
                let to = destination.at(edge, length);
                let mut work = api_path.begin(&setup)?;
                work.update(InOut::between(from, to))
                    .map_err(|error| format!("{}: {error}", what()))?;
                same(what, &right.output, to)?;
                if let Some(tag) = right.tag {
                    work.close(&tag).map_err(|error| format!("{}: {error}", what()))?;
                }
            }
        }
    }
    Ok(())
}
