//! Hash functions through the provider, against the default provider's: names and sizes, every length,
//! every cut, every alignment, copies in mid-stream, threads and forks, and which route ran.

use std::thread;

use libtest_mimic::Trial;
use wirespeed_cipher::{Route, Shape, Subject};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::{fork, here};
use wirespeed_libcrypto::{self as libcrypto, DigestContext, Error, Param};

use crate::{extendable, hash_vectors, skipped, subjects, trial};

/// How a hash is put to the test.
pub(crate) type Check = fn(Subject, &libcrypto::Digest, &libcrypto::Digest) -> Result<(), String>;

/// Every hash function that the default provider, our measure, has.
pub(crate) fn all() -> impl Iterator<Item = Subject> {
    Subject::all().filter(|it| match it {
        Subject::Cipher(_) => false,
        Subject::Digest(_) => true,
        Subject::Delegated(it) => matches!(it.shape(), Shape::Hash { .. }) && !it.is_legacy(),
    })
}

/// Those that a route has here.
pub(crate) fn of_route(route: Route) -> Vec<Subject> {
    all().filter(|it| route != Route::Libcrypto && subjects::has(route, *it)).collect()
}

/// `has` is what must be on offer, and nothing else.
pub(crate) fn trials(
    name: &str,
    has: Vec<Subject>,
    measure: &Provider,
    ours: &Provider,
) -> Vec<Trial> {
    let checks: [(&str, Check); 8] = [
        ("vectors", hash_vectors::provided),
        ("contract", contract),
        ("lengths", lengths),
        ("cuts", cuts),
        ("copies", copies),
        ("processes", processes),
        ("secrets", secrets),
        ("serials", serials),
    ];
    let mut trials = Vec::new();
    let writes_down = writes_down(measure);
    for digest in has.clone() {
        // What the kernel has of a message nobody can write down.
        let kept = |what: &str| what != "serials" || !name.ends_with("offloaded");
        for (what, check) in checks.into_iter().filter(|(what, _)| kept(what)) {
            let title = format!("{name}::digests::{what}::{digest}");
            if what == "serials" && !writes_down {
                trials.push(skipped(&title, "this libcrypto is older than 4.0".to_owned()));
                continue;
            }
            let (measure, ours) = (measure.clone(), ours.clone());
            trials.push(trial(title, move || {
                let fetch = |from: &Provider| from.context().digest(digest.name(), None);
                check(digest, &fetch(&measure).map_err(told)?, &fetch(&ours).map_err(told)?)
            }));
        }
    }
    trials.extend(extendable::trials(name, &has, measure, ours));
    let ours = ours.clone();
    trials.push(trial(format!("{name}::digests::offer"), move || offer(&has, &ours)));
    trials
}

pub(crate) fn told(error: Error) -> String {
    error.to_string()
}

/// Those are offered, and no others.
fn offer(has: &[Subject], ours: &Provider) -> Result<(), String> {
    let offered = |it: &Subject| ours.context().digest(it.name(), None).is_ok();
    let odd = all().find(|digest| offered(digest) != has.contains(digest));
    odd.map_or(Ok(()), |it| Err(format!("{it}: offered is {}", !has.contains(&it))))
}

fn contract(
    _: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let said = |digest: &libcrypto::Digest| (digest.names(), digest.sizes_and_flags());
    let (right, got) = (said(measure), said(ours));
    if right == got { Ok(()) } else { Err(format!("{got:?} instead of {right:?}")) }
}

/// The hash of pieces.
fn hash(digest: &libcrypto::Digest, pieces: &[&[u8]]) -> Result<Vec<u8>, String> {
    let run = || {
        let mut work = digest.context()?;
        work.init()?;
        pieces.iter().try_for_each(|piece| work.update(piece))?;
        end(&mut work)
    };
    run().map_err(told)
}

/// The end of a message: its hash, of an extendable function more than two blocks of it.
pub(crate) fn end(work: &mut DigestContext) -> Result<Vec<u8>, Error> {
    if work.digest().is_extendable() {
        let mut output = vec![0; 345];
        work.finish_long(&mut output)?;
        return Ok(output);
    }
    let mut hash = [0; 64];
    let length = work.finish(&mut hash)?;
    Ok(hash[..length].to_vec())
}

/// Every length to 1100 and some beyond, at changing alignments, in one context that begins again.
fn lengths(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(101, 66_000);
    let step = if here::reduced() { 13 } else { 1 };
    let lengths = (0..=1100).step_by(step).chain([4095, 4096, 4097, 16384, 65_536, 65_900]);
    let mut work = ours.context().map_err(told)?;
    for length in lengths {
        let message = &data[length % 17..][..length];
        let right = hash(measure, &[message])?;
        let mut run = || {
            work.init()?;
            work.update(message)?;
            end(&mut work)
        };
        let got = run().map_err(told)?;
        same(|| format!("{digest} of {length} bytes"), &right, &got)?;
    }
    Ok(())
}

/// Two cuts at every place around block borders, empty pieces among them.
fn cuts(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let length = if here::reduced() { 150 } else { 3 * measure.sizes_and_flags().1 as usize + 5 };
    let data = painted(102, length);
    let right = hash(measure, &[&data])?;
    for first in 0..=length {
        for second in (first..=length).step_by(if here::reduced() { 31 } else { 3 }) {
            let pieces = [&data[..first], &data[first..second], &data[second..]];
            let got = hash(ours, &pieces)?;
            same(|| format!("{digest} cut at {first} and {second}"), &right, &got)?;
        }
    }
    Ok(())
}

/// A copy in mid-stream goes its own way.
fn copies(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(103, 400);
    for cut in 0..=300 {
        let run = || {
            let mut work = ours.context()?;
            work.init()?;
            work.update(&data[..cut])?;
            let mut copy = work.duplicate()?;
            work.update(&data[cut..])?;
            copy.update(&data[..17])?;
            let (whole, other) = (end(&mut work)?, end(&mut copy)?);
            // Into a context that has begun something else.
            let mut reused = ours.context()?;
            reused.init()?;
            reused.update(&data[..70])?;
            let mut begun = ours.context()?;
            begun.init()?;
            begun.update(&data[..cut])?;
            reused.copy_from(&begun)?;
            begun.update(&data[..99])?;
            reused.update(&data[cut..])?;
            Ok([whole, other, end(&mut reused)?])
        };
        let [whole, other, reused] = run().map_err(told)?;
        same(|| format!("{digest} after {cut}"), &hash(measure, &[&data])?, &whole)?;
        same(|| format!("{digest} copied over another after {cut}"), &whole, &reused)?;
        let right = hash(measure, &[&data[..cut], &data[..17]])?;
        same(|| format!("a copy of {digest} after {cut}"), &right, &other)?;
    }
    Ok(())
}

/// What a context takes, and what SSL 3.0's master secret makes of a hash (RFC 6101 §5.6.8).
fn secrets(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(106, 300);
    let settable = |digest: &libcrypto::Digest| {
        let mut work = digest.context().map_err(told)?;
        work.init().map_err(told)?;
        Ok::<_, String>(work.settable())
    };
    let (right, got) = (settable(measure)?, settable(ours)?);
    if right != got {
        return Err(format!("{digest} takes {got:?} instead of {right:?}"));
    }
    for (bytes, cut) in [(48, 0), (48, 1), (48, 64), (48, 300), (47, 64), (49, 64), (0, 64)] {
        let params = [Param::octets(c"ssl3-ms", &data[..bytes])];
        let run = |digest: &libcrypto::Digest, at_init: bool| {
            let mut work = digest.context()?;
            if at_init {
                work.init_with(&params)?;
            } else {
                work.init()?;
            }
            work.update(&data[..cut])?;
            if !at_init {
                work.set(&params)?;
            }
            end(&mut work)
        };
        for at_init in [false, true] {
            let what = || format!("{digest} with a secret of {bytes} bytes after {cut}, {at_init}");
            match (run(measure, at_init), run(ours, at_init)) {
                (Ok(right), Ok(got)) => same(what, &right, &got)?,
                (Err(_), Err(_)) => {}
                (right, got) => return Err(format!("{}: {got:?}, not {right:?}", what())),
            }
        }
    }
    Ok(())
}

/// Whether a message can be written down, and gone on with from there.
fn writes_down(measure: &Provider) -> bool {
    let begun = || {
        let mut work = measure.context().digest("SHA1", None)?.context()?;
        work.init()?;
        Ok::<_, Error>(work.knows_serialisation())
    };
    begun().unwrap_or(false)
}

/// What one provider has written down, either goes on from; what one refuses to read, so does the other.
fn serials(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(107, 400);
    let begun = |digest: &libcrypto::Digest, count: usize| {
        let mut work = digest.context()?;
        work.init()?;
        work.update(&data[..count])?;
        Ok(work)
    };
    let right = hash(measure, &[&data])?;
    for count in [0, 1, 55, 63, 64, 65, 127, 128, 200, 256, 399] {
        for (from, to) in [(measure, ours), (ours, measure), (ours, ours)] {
            let run = || {
                let written = begun(from, count)?.serialise()?;
                let mut work = begun(to, 33)?;
                work.deserialise(&written)?;
                work.update(&data[count..])?;
                Ok((written.len(), end(&mut work)?))
            };
            let reads = |with: &libcrypto::Digest| begun(with, count)?.serialise();
            if reads(measure).is_err() {
                // Where the default provider has none, neither have we.
                let odd = || format!("{digest} can be written down");
                return if reads(ours).is_err() { Ok(()) } else { Err(odd()) };
            }
            let (length, got) = run().map_err(told)?;
            let expected = reads(measure).map_err(told)?.len();
            if length != expected {
                return Err(format!("{digest}: {length} bytes instead of {expected}"));
            }
            same(|| format!("{digest} written down after {count}"), &right, &got)?;
        }
    }
    let written = begun(measure, 100).and_then(|mut it| it.serialise()).map_err(told)?;
    for place in 0..16 {
        for value in [0, 1, 64, 128, 255] {
            let mut changed = written.clone();
            changed[place] = value;
            let taken = |by: &libcrypto::Digest| {
                begun(by, 0).is_ok_and(|mut work| work.deserialise(&changed).is_ok())
            };
            if taken(measure) != taken(ours) {
                return Err(format!("{digest}: byte {place} changed to {value}: {}", taken(ours)));
            }
        }
    }
    Ok(())
}

/// Threads at once, and a fork in mid-stream.
fn processes(
    digest: Subject,
    measure: &libcrypto::Digest,
    ours: &libcrypto::Digest,
) -> Result<(), String> {
    let data = painted(104, 5000);
    let right = hash(measure, &[&data])?;
    let worker = || hash(ours, &[&data]).and_then(|got| same(|| digest.to_string(), &right, &got));
    thread::scope(|scope| {
        let workers: Vec<_> = (0..8).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|it| it.join().map_err(|_| "a thread panicked".to_owned())?)
    })?;
    let mut work = ours.context().map_err(told)?;
    work.init().map_err(told)?;
    work.update(&data[..1001]).map_err(told)?;
    let mut finish = || {
        work.update(&data[1001..]).map_err(told)?;
        same(|| format!("{digest} after a fork"), &right, &end(&mut work).map_err(told)?)
    };
    let child = fork::child(|| finish().is_ok());
    finish()?;
    if child.wait() { Ok(()) } else { Err(format!("{digest}: wrong in the child")) }
}

/// Every hash function runs on its route and on no other.
pub(crate) fn count(route: Route, ours: &Provider) -> Result<(), String> {
    use wirespeed_provider::trace;
    for digest in of_route(route) {
        let before = Route::ALL.map(trace::calls);
        let fetched = ours.context().digest(digest.name(), None).map_err(told)?;
        hash(&fetched, &[&painted(105, 1000)])?;
        for (other, before) in Route::ALL.into_iter().zip(before) {
            let calls = trace::calls(other) - before;
            if calls != u64::from(other == route) {
                return Err(format!("{digest}: {calls} calls on {other}"));
            }
        }
    }
    Ok(())
}
