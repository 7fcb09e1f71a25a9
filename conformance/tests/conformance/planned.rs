//! The provider by a plan that changes its route with every size, and with every call verified.

use std::sync::Arc;

use libtest_mimic::Trial;
use wirespeed_cipher::{
    Algorithm, BlockCipher, Direction, InOut, Mode, Route, SIZE_CLASSES, Subject,
};
use wirespeed_conformance::api_path::ApiPath;
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_conformance::plans::handing_on;
use wirespeed_conformance::scratch::Scratch;
use wirespeed_cpu::Features;
use wirespeed_libcrypto::Library;
use wirespeed_plan::{Fingerprint, Offload, Plan, Row, size_bucket};
use wirespeed_provider::trace;

use crate::messages::Message;
use crate::processes::in_a_child;
use crate::sequences::Length;
use crate::subjects::may_run;
use crate::{delegated, differential, digests, records, sequences, trial, vectors};

/// The word for a child that asks which route ran.
pub(crate) const CHILD: &str = "planned";

type Make = fn(Library, &Provider) -> Result<Provider, String>;

pub(crate) fn trials(library: Library, measure: &Provider) -> Vec<Trial> {
    let mut trials = Vec::new();
    let kinds: [(&str, Make); 3] = [
        ("provider::planned", |library, _| planned(library)),
        ("provider::handed_on", handed_on),
        ("provider::verified", verified),
    ];
    for (name, make) in kinds.into_iter().filter(|(name, _)| may_run(name)) {
        let provider = make(library, measure).expect("a provider loads with a good configuration");
        let api_path: Arc<dyn ApiPath> = Arc::new(provider.clone());
        trials.extend(vectors::trials(name, &api_path));
        trials.extend(differential::trials(name, measure, &api_path));
        trials.extend(sequences::trials(name, Length::Full, measure, &provider));
        trials.extend(records::trials(name, measure, &provider));
        let in_pieces = |it: &Algorithm| !it.mode().takes_whole_messages();
        for algorithm in provider.algorithms().into_iter().filter(in_pieces) {
            let (measure, provider) = (measure.clone(), provider.clone());
            trials.push(trial(format!("{name}::turns::{algorithm}"), move || {
                turns(algorithm, &measure, &provider)
            }));
        }
    }
    let name = "provider::offloaded";
    if may_run(name) {
        let provider = offloaded(library).expect("a provider loads with a good configuration");
        trials.extend(delegated::trials(name, Route::Kernel, measure, &provider));
        // The kernel has nothing without a length of its own.
        let offloaded = digests::all().filter(|it| !it.is_extendable());
        trials.extend(digests::trials(name, offloaded.collect(), measure, &provider));
        trials.extend(sequences::trials(name, Length::Full, measure, &provider));
        trials.extend(records::trials(name, measure, &provider));
    }
    let name = "provider::verified";
    if may_run(name) {
        // Verified calls have contexts of their own.
        let verified = Provider::configured(library, "routes = portable\nverify = 1", false);
        let verified = verified.expect("a provider loads with a good configuration");
        let has = digests::of_route(Route::Portable);
        trials.extend(digests::trials(name, has, measure, &verified));
    }
    trials.push(trial("provider::planned::route", || in_a_child(CHILD)));
    trials
}

/// With every call computed twice.
fn verified(library: Library, measure: &Provider) -> Result<Provider, String> {
    of_each_mode(library, measure, "verify = 1")
}

/// By a plan that hands short calls on to libcrypto, as plans are without instructions for AES.
fn handed_on(library: Library, measure: &Provider) -> Result<Provider, String> {
    let plan = handing_on(library.version());
    let scratch = Scratch::new()?;
    let file = scratch.write("plan", plan.to_string())?;
    of_each_mode(library, measure, &format!("plan = {}", file.display()))
}

/// A message whose pieces go to whom their length says, from any place in a block, and its copies from every piece on.
fn turns(algorithm: Algorithm, measure: &Provider, ours: &Provider) -> Result<(), String> {
    const PIECES: [usize; 12] = [20, 300, 7, 5, 520, 33, 260, 16, 1, 700, 48, 256];
    let mode = algorithm.mode();
    let pieces = match mode.takes_partial_blocks() && !mode.waits_for_blocks() {
        true => PIECES,
        false => PIECES.map(|bytes| bytes.next_multiple_of(16)),
    };
    let message = Message::new(algorithm, 73);
    let data = painted(74, pieces.iter().sum());
    for direction in Direction::BOTH {
        let setup = message.setup(direction);
        let mut right = data.clone();
        measure.begin(&setup)?.update(InOut::in_place(&mut right))?;
        let mut output = data.clone();
        let mut work = ours.begin(&setup)?;
        let mut from = 0;
        for bytes in pieces {
            let mut rest = data[from..].to_vec();
            let mut copy = work.duplicate();
            for piece in pieces_of(&mut rest, &pieces, from) {
                copy.update(InOut::in_place(piece))?;
            }
            same(|| format!("{algorithm} {direction}, a copy at {from}"), &right[from..], &rest)?;
            work.update(InOut::in_place(&mut output[from..from + bytes]))?;
            from += bytes;
        }
        same(|| format!("{algorithm} {direction}"), &right, &output)?;
    }
    Ok(())
}

/// What is left from a place on, in these pieces.
fn pieces_of<'a>(
    mut rest: &'a mut [u8],
    pieces: &[usize],
    from: usize,
) -> impl Iterator<Item = &'a mut [u8]> {
    let ends = pieces.iter().scan(0, |end, bytes| {
        *end += bytes;
        Some((*end, *bytes))
    });
    let left: Vec<usize> = ends.filter(|(end, _)| *end > from).map(|(_, bytes)| bytes).collect();
    left.into_iter().map(move |bytes| rest.split_off_mut(..bytes).expect("as long as told"))
}

/// The shortest keys alone: what stands around kernels is one function for each mode.
fn of_each_mode(library: Library, measure: &Provider, lines: &str) -> Result<Provider, String> {
    let shortest = |it: &Algorithm| it.block_cipher().is_none_or(|it| it == BlockCipher::Aes128);
    let names = Algorithm::ALL.iter().filter(|it| shortest(it) && measure.has(**it));
    let names: Vec<_> = names.map(|it| it.name()).collect();
    Provider::configured(library, &format!("{lines}\nciphers = {}", names.join(" ")), false)
}

/// The routes that take turns.
fn routes() -> Vec<Route> {
    let usable = here::routes().filter(|(route, obstacle)| {
        obstacle.is_none() && Kernels::new(*route, Features::detect()).is_ok()
    });
    usable.map(|(route, _)| route).chain([Route::Libcrypto]).collect()
}

/// What the plan has for a call: neighbouring sizes, directions and algorithms differ.
fn planned_route(algorithm: Algorithm, direction: Direction, bytes: usize) -> Route {
    let direction = if algorithm.mode().is_symmetric() { Direction::Encrypt } else { direction };
    let has = |route: &Route| match Kernels::new(*route, Features::detect()) {
        Ok(kernels) => kernels.has(algorithm),
        Err(_) => *route == Route::Libcrypto,
    };
    let routes: Vec<_> = routes().into_iter().filter(has).collect();
    routes[(algorithm.index() + direction as usize + size_bucket(bytes)) % routes.len()]
}

fn planned(library: Library) -> Result<Provider, String> {
    let mut plan = Plan::new(Fingerprint::here(library.version()));
    for &algorithm in Algorithm::ALL {
        for &direction in algorithm.directions() {
            for size in SIZE_CLASSES {
                let route = planned_route(algorithm, direction, size);
                plan.put(Row { algorithm, direction, size, route, reason: None });
            }
        }
    }
    let scratch = Scratch::new()?;
    let file = scratch.write("plan", plan.to_string())?;
    Provider::configured(library, &format!("plan = {}", file.display()), false)
}

/// By a plan that gives everything from some size on to Linux's crypto. Where there is none, the calls
/// are the host's, and nobody notices.
fn offloaded(library: Library) -> Result<Provider, String> {
    let mut plan = Plan::new(Fingerprint::here(library.version()));
    for algorithm in Algorithm::ALL.iter().filter(|it| !it.mode().has_tag()) {
        for &direction in algorithm.directions() {
            for size in SIZE_CLASSES {
                let route = if size < 1024 { Route::Libcrypto } else { Route::Kernel };
                plan.put(Row { algorithm: *algorithm, direction, size, route, reason: None });
            }
        }
    }
    for subject in Subject::all().filter(|it| Offload::refusal(*it).is_none()) {
        for direction in Direction::BOTH {
            let (bytes, route) = (256, Route::Kernel);
            plan.put_offload(Offload { subject, direction, bytes, route });
        }
    }
    let scratch = Scratch::new()?;
    let file = scratch.write("plan", plan.to_string())?;
    Provider::configured(library, &format!("plan = {}\nkernel = on", file.display()), false)
}

/// Every call runs on the route that the plan has for its size, and on no other.
pub(crate) fn routes_as_planned(library: Library) -> Result<(), String> {
    let provider = planned(library)?;
    // What is on offer; that nothing is missing, `contract` tells.
    for algorithm in provider.algorithms() {
        let message = Message::new(algorithm, 71);
        for direction in Direction::BOTH {
            for size in SIZE_CLASSES {
                let size = if algorithm.mode().waits_for_blocks() { size & !15 } else { size };
                let before = Route::ALL.map(trace::calls);
                let mut data = painted(72, size);
                provider.begin(&message.setup(direction))?.update(InOut::in_place(&mut data))?;
                let expected = planned_route(algorithm, direction, size);
                // What CCM opens is sealed twice before, to know its tag.
                let sealing = planned_route(algorithm, Direction::Encrypt, size);
                let seals = algorithm.mode() == Mode::Ccm && direction == Direction::Decrypt;
                for (route, before) in Route::ALL.into_iter().zip(before) {
                    let calls = trace::calls(route) - before;
                    let sealed = if seals && route == sealing { 2 } else { 0 };
                    if calls != u64::from(route == expected) + sealed {
                        return Err(format!(
                            "{algorithm} {direction} {size}: {calls} calls on {route}, planned {expected}"
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}
