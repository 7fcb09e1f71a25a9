//! HMAC through the provider, against the default provider's: every length, cut and key, copies, what else a
//! context takes, and what is handed on to the host.

use libtest_mimic::Trial;
use wirespeed_cipher::{Route, Subject};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::here;
use wirespeed_libcrypto::{Context, Error, Library, MacContext, Param, Value};

use crate::digests::{self, told};
use crate::trial;

/// How it is put to the test.
type Check = fn(&str, &Context, &Context) -> Result<(), String>;

/// With the hash functions that a route has, in a library context of our provider's alone. Where hash functions are the
/// kernel's, HMAC is the host's over them.
pub(crate) fn trials(name: &str, route: Route, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    let checks: [(&str, Check); 4] =
        [("contract", contract), ("lengths", lengths), ("cuts", cuts), ("schedules", schedules)];
    let mut trials = Vec::new();
    let ours_alone = |_: &Subject| !route.is_offload();
    for digest in digests::of_route(route).into_iter().filter(takes).filter(ours_alone) {
        for (what, check) in checks {
            let (measure, ours) = (measure.clone(), ours.clone());
            trials.push(trial(format!("{name}::macs::{what}::{digest}"), move || {
                check(digest.name(), measure.context(), ours.context())
            }));
        }
    }
    trials
}

/// Whether HMAC is ours with it.
fn takes(digest: &Subject) -> bool {
    matches!(digest, Subject::Digest(it) if !it.is_extendable())
}

/// Beside the default provider, as in programs: what is not ours goes on to it.
pub(crate) fn beside(library: Library, measure: &Provider) -> Vec<Trial> {
    let cases: [(&str, Check, &[&str]); 5] = [
        ("others", lengths, &["RIPEMD-160", "BLAKE2B-512", "SHA2-512/256"]),
        ("parameters", parameters, &["SHA1", "SHA2-256", "SHA2-384", "SHA3-256", "RIPEMD-160"]),
        ("records", records, &["MD5", "SHA1", "SHA2-256", "SHA2-384"]),
        ("refused", refused, &["MD5", "SHA1", "SHA2-256", "SHA3-256", "RIPEMD-160"]),
        ("schedules", schedules, &["SHA1", "SHA2-256", "SHA3-512", "RIPEMD-160"]),
    ];
    let mut trials = Vec::new();
    for (what, check, names) in cases {
        for &digest in names {
            let measure = measure.clone();
            trials.push(trial(format!("macs beside the host::{what}::{digest}"), move || {
                let both = Context::new(library).map_err(told)?;
                both.load("default").map_err(told)?;
                let init = wirespeed_provider::builtin(Route::Portable);
                // SAFETY: an entry point of our provider, which is part of this program.
                unsafe { both.add_builtin("wirespeed", init) }.map_err(told)?;
                both.load("wirespeed").map_err(told)?;
                both.set_default_properties("?provider=wirespeed").map_err(told)?;
                // Until the process ends, as other providers are kept.
                std::mem::forget(both.clone());
                check(digest, measure.context(), &both)
            }));
        }
    }
    trials
}

fn code(work: &mut MacContext) -> Result<Vec<u8>, Error> {
    let mut tag = [0; 64];
    let length = work.finish(&mut tag)?;
    Ok(tag[..length].to_vec())
}

/// What a context takes and tells before there is a key, and after.
fn contract(digest: &str, measure: &Context, ours: &Context) -> Result<(), String> {
    let said = |by: &Context| {
        let mut work = by.bare_hmac()?;
        let name = std::ffi::CString::new(digest).unwrap_or_default();
        let mut said = vec![format!("{:?}", (work.gettable(), work.settable()))];
        let mut ask = |work: &mut MacContext| {
            let sizes = [c"size", c"block-size", c"neither"].map(|key| work.get(key).ok());
            said.push(format!("{sizes:?} {:?}", work.update(b"abc").is_ok()));
        };
        ask(&mut work);
        work.set(&[Param::utf8(c"digest", &name)])?;
        ask(&mut work);
        work.start(Some(b"key"), &[])?;
        ask(&mut work);
        Ok::<_, Error>(said)
    };
    let (right, got) = (said(measure).map_err(told)?, said(ours).map_err(told)?);
    if right == got { Ok(()) } else { Err(format!("{got:?} instead of {right:?}")) }
}

/// Messages and keys of every length around blocks, in contexts that begin again.
fn lengths(digest: &str, measure: &Context, ours: &Context) -> Result<(), String> {
    let data = painted(121, 70_000);
    let step = if here::reduced() { 7 } else { 1 };
    let keys = [0, 1, 20, 63, 64, 65, 71, 72, 73, 103, 104, 127, 128, 129, 135, 136, 144, 145, 500];
    let mut works = [measure, ours].map(|by| by.hmac(digest, b"another key"));
    for (place, key) in keys.into_iter().enumerate() {
        let lengths = (0..=300).step_by(step).chain([1000, 4096, 65_000]).skip(place % 7);
        for length in lengths {
            let mut codes = Vec::new();
            for work in &mut works {
                let work = work.as_mut().map_err(|why| why.to_string())?;
                let mut run = || {
                    // Its own key, or the one that is there.
                    match length % 3 {
                        0 => work.rekey(&data[..key])?,
                        _ if length < 7 => work.rekey(&data[..key])?,
                        _ => work.init()?,
                    }
                    work.update(&data[length % 13..][..length])?;
                    code(work)
                };
                codes.push(run().map_err(told)?);
            }
            let what = || format!("HMAC-{digest} of {length} bytes with a key of {key}");
            same(what, &codes[0], &codes[1])?;
        }
    }
    Ok(())
}

/// Two cuts at every place, and a copy at the first that goes its own way.
fn cuts(digest: &str, measure: &Context, ours: &Context) -> Result<(), String> {
    let data = painted(122, 300);
    let of = |by: &Context, pieces: &[&[u8]]| {
        let mut work = by.hmac(digest, &data[..40])?;
        pieces.iter().try_for_each(|piece| work.update(piece))?;
        code(&mut work)
    };
    let right = of(measure, &[&data]).map_err(told)?;
    let step = if here::reduced() { 37 } else { 5 };
    for first in 0..=data.len() {
        for second in (first..=data.len()).step_by(step) {
            let pieces = [&data[..first], &data[first..second], &data[second..]];
            let got = of(ours, &pieces).map_err(told)?;
            same(|| format!("HMAC-{digest} cut at {first} and {second}"), &right, &got)?;
        }
        let run = || {
            let mut work = ours.hmac(digest, &data[..40])?;
            work.update(&data[..first])?;
            let mut copy = work.duplicate()?;
            work.update(&data[..17])?;
            copy.update(&data[first..])?;
            let codes = (code(&mut work)?, code(&mut copy)?);
            copy.init()?;
            copy.update(&data)?;
            Ok((codes, code(&mut copy)?))
        };
        let ((other, copied), again) = run().map_err(told)?;
        let right_other = of(measure, &[&data[..first], &data[..17]]).map_err(told)?;
        same(|| format!("HMAC-{digest} beside its copy at {first}"), &right_other, &other)?;
        same(|| format!("a copy of HMAC-{digest} at {first}"), &right, &copied)?;
        same(|| format!("a copy of HMAC-{digest} begun again"), &right, &again)?;
    }
    Ok(())
}

/// Calls in an order that no program would choose.
fn schedules(digest: &str, measure: &Context, ours: &Context) -> Result<(), String> {
    let data = painted(123, 400);
    let name = std::ffi::CString::new(digest).unwrap_or_default();
    for round in painted(124, 6000).chunks_exact(24) {
        let mut works = Vec::new();
        for by in [measure, ours] {
            works.push(by.bare_hmac().map_err(told)?);
        }
        // Behind its end a message of the default provider's goes on with whatever is there, before 3.3.
        let (mut is_running, mut has_key) = (false, false);
        for (place, step) in round.chunks_exact(2).enumerate() {
            let length = usize::from(step[1]);
            let named = [Param::utf8(c"digest", &name)];
            let action = match step[0] % 8 {
                0..=2 if !is_running && has_key => 4,
                other => other,
            };
            let mut outcomes = Vec::new();
            for work in &mut works {
                let nothing = |()| Vec::new();
                outcomes.push(match action {
                    0 | 1 => work.update(&data[..length]).map(nothing),
                    2 => code(work),
                    3 => work.start(Some(&data[..length]), &named).map(nothing),
                    4 => work.init().map(nothing),
                    5 => work.rekey(&data[..length]).map(nothing),
                    6 => work.set(&named).map(nothing),
                    _ => work.duplicate().map(|copy| {
                        *work = copy;
                        Vec::new()
                    }),
                });
            }
            match (&outcomes[0], &outcomes[1]) {
                (Ok(right), Ok(got)) => {
                    same(|| format!("HMAC-{digest}: {round:?} at {place}"), right, got)?;
                }
                (Err(_), Err(_)) => {}
                (right, got) => {
                    return Err(format!("{round:?} at {place}, {action}: {got:?}, not {right:?}"));
                }
            }
            match (action, outcomes[0].is_ok()) {
                (2, _) => is_running = false,
                (3 | 5, true) => (is_running, has_key) = (true, true),
                (4, true) => is_running = true,
                _ => {}
            }
        }
    }
    Ok(())
}

/// What a context takes beside a key and a hash function, where the host's is beside us.
fn parameters(digest: &str, measure: &Context, ours: &Context) -> Result<(), String> {
    let data = painted(125, 600);
    let name = std::ffi::CString::new(digest).unwrap_or_default();
    let named = Param::utf8(c"digest", &name);
    let lists: [&[Param<'_>]; 14] = [
        &[named],
        &[named, Param::octets(c"key", &data[..20])],
        &[named, Param::utf8(c"properties", c"provider=default")],
        &[named, Param::utf8(c"properties", c"provider=nobody")],
        &[Param::utf8(c"properties", c"provider=default")],
        &[Param::utf8(c"digest", c"SHAKE-256")],
        &[Param::utf8(c"digest", c"SM3")],
        &[Param::utf8(c"digest", c"no such hash")],
        &[Param { key: c"digest", value: Value::Octets(b"SHA1") }],
        &[Param::size(c"tls-data-size", 0)],
        // A record of TLS with its MAC and padding: what comes is its header, then its data.
        &[Param::size(c"tls-data-size", 96)],
        &[named, named],
        &[Param { key: c"key", value: Value::Uint(7) }],
        &[Param::uint(c"digest-noinit", 0), Param::uint(c"something else", 5)],
    ];
    for (first, list) in lists.iter().enumerate() {
        for (second, more) in lists.iter().enumerate() {
            for before in 0..4 {
                let run = |by: &Context| {
                    let mut said = Vec::new();
                    let mut work = by.bare_hmac()?;
                    if before & 1 != 0 {
                        said.push(work.start(Some(&data[..33]), &[named]).map(|()| Vec::new()));
                    }
                    said.push(work.set(list).map(|()| Vec::new()));
                    let key = (before & 2 != 0).then_some(&data[..50]);
                    said.push(work.start(key, more).map(|()| Vec::new()));
                    let sizes = (work.get(c"size").ok(), work.get(c"block-size").ok());
                    said.push(Ok(format!("{sizes:?}").into_bytes()));
                    let mut copy = work.duplicate()?;
                    for work in [&mut work, &mut copy] {
                        said.push(work.update(&data[..13]).map(|()| Vec::new()));
                        said.push(work.update(&data[..60]).map(|()| Vec::new()));
                        said.push(code(work));
                    }
                    Ok::<_, Error>(said)
                };
                let (right, got) = (run(measure).map_err(told)?, run(ours).map_err(told)?);
                for (place, (right, got)) in right.iter().zip(&got).enumerate() {
                    let what = || {
                        format!("HMAC-{digest}, lists {first} and {second}, {before}, call {place}")
                    };
                    match (right, got) {
                        (Ok(right), Ok(got)) => same(what, right, got)?,
                        (Err(_), Err(_)) => {}
                        _ => return Err(format!("{}: {got:?}, not {right:?}", what())),
                    }
                }
            }
        }
    }
    under_way(digest, measure, ours).map_err(told)?
}

/// Records of TLS whose padding is secret, as libssl takes them: each by a copy, under a key that changes.
fn records(digest: &str, measure: &Context, ours: &Context) -> Result<(), String> {
    let data = painted(126, 2000);
    let run = |by: &Context| {
        let mut codes = Vec::new();
        let mut keyed = by.hmac(digest, b"the first key")?;
        for (round, bytes) in [0, 1, 60, 1000, 17, 64, 200, 5].into_iter().enumerate() {
            if round % 3 == 2 {
                keyed.rekey(&data[..10 * round])?;
            }
            let mut record = keyed.duplicate()?;
            if round % 2 == 1 {
                record = record.duplicate()?;
            }
            // The code and its padding follow the data.
            record.set(&[Param::size(c"tls-data-size", (bytes + 64 + 16) & !15)])?;
            record.update(&data[..13])?;
            record.update(&data[13..][..bytes])?;
            codes.push(code(&mut record)?);
        }
        // The one that was copied is a message of its own.
        keyed.update(b"abc")?;
        codes.push(code(&mut keyed)?);
        Ok::<_, Error>(codes)
    };
    let (right, got) = (run(measure).map_err(told)?, run(ours).map_err(told)?);
    if right == got { Ok(()) } else { Err(format!("HMAC-{digest}: {got:?}, not {right:?}")) }
}

/// Parameters that say nothing of a message.
fn idle(digest: &str, measure: &Context, ours: &Context) -> Result<(), Error> {
    let run = |by: &Context, list: &[Param<'_>]| {
        let mut work = by.hmac(digest, b"key")?;
        work.update(b"abc")?;
        work.set(list)?;
        work.update(b"def")?;
        code(&mut work)
    };
    for list in [
        &[Param::utf8(c"properties", c"provider=default")][..],
        &[Param::size(c"tls-data-size", 0)],
    ] {
        assert_eq!(run(measure, list)?, run(ours, list)?, "HMAC-{digest}, {list:?}");
    }
    Ok(())
}

/// A message goes on behind parameters that are refused or say nothing of it, and so does its key.
fn refused(digest: &str, measure: &Context, ours: &Context) -> Result<(), String> {
    idle(digest, measure, ours).map_err(told)?;
    let lists: [&[Param<'_>]; 3] = [
        &[Param::utf8(c"digest", c"no such hash")],
        &[Param { key: c"digest", value: Value::Octets(b"SHA1") }],
        &[Param { key: c"key", value: Value::Uint(7) }],
    ];
    for list in lists {
        let run = |by: &Context| {
            let mut work = by.hmac(digest, b"key")?;
            work.update(b"abc")?;
            let is_refused = work.set(list).is_err();
            work.update(b"def")?;
            let first = code(&mut work)?;
            let is_refused_again = work.start(Some(b"another key"), list).is_err();
            work.init()?;
            work.update(b"ghi")?;
            Ok::<_, Error>((is_refused && is_refused_again, first, code(&mut work)?))
        };
        let (right, got) = (run(measure).map_err(told)?, run(ours).map_err(told)?);
        if right != got || !right.0 {
            return Err(format!("HMAC-{digest}, {list:?}: {got:?}, not {right:?}"));
        }
    }
    Ok(())
}

/// A message under way cannot be handed over: it fails and is not wrong, until another one begins.
fn under_way(digest: &str, measure: &Context, ours: &Context) -> Result<Result<(), String>, Error> {
    let other = "BLAKE2S-256";
    let mut work = ours.hmac(digest, b"key")?;
    work.update(b"abc")?;
    work.set(&[Param::utf8(c"digest", c"BLAKE2S-256")])?;
    let goes_on = work.update(b"def").is_ok() || code(&mut work).is_ok();
    let was_ours = matches!(digests::all().find(|it| it.name() == digest), Some(it) if takes(&it));
    if goes_on && was_ours {
        return Ok(Err(format!("HMAC-{digest} went on without its beginning")));
    }
    let mut right = measure.hmac(other, b"another key")?;
    work.rekey(b"another key")?;
    right.update(b"abc")?;
    work.update(b"abc")?;
    let same_code = |right: &mut MacContext, work: &mut MacContext| {
        let (right, got) = (code(right)?, code(work)?);
        Ok::<_, Error>(same(|| format!("HMAC-{other} after {digest}"), &right, &got))
    };
    if let Err(why) = same_code(&mut right, &mut work)? {
        return Ok(Err(why));
    }
    // A key among parameters begins a message, too.
    let run = |by: &Context| {
        let mut work = by.hmac(digest, b"key")?;
        work.update(b"abc")?;
        work.set(&[Param::utf8(c"digest", c"BLAKE2S-256"), Param::octets(c"key", b"another key")])?;
        work.update(b"def")?;
        Ok::<_, Error>(work)
    };
    same_code(&mut run(measure)?, &mut run(ours)?)
}
