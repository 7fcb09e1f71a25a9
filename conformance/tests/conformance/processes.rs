//! The provider inside a process: many threads, a fork with contexts open, which route ran, and what is
//! left in the vector registers.

use std::thread;

use libtest_mimic::Trial;
use wirespeed_cipher::{Algorithm, Direction, InOut, Route};
use wirespeed_conformance::api_path::{ApiPath, Work};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::evp::Provider;
use wirespeed_conformance::kernels::Kernels;
use wirespeed_conformance::{fork, here, vectors_in_use};
use wirespeed_cpu::Features;
use wirespeed_provider::trace;

use crate::messages::Message;
use crate::{digests, planned, skipped, trial};

/// Tells the program to be the child of [`in_a_child`], and on which route.
const CHILD: &str = "WIRESPEED_ONLY_ROUTE";
/// In place of a route: whichever the provider takes.
const PRIORITY: &str = "priority";

pub(crate) fn trials(name: &str, route: Route, measure: &Provider, ours: &Provider) -> Vec<Trial> {
    type Run = fn(&Provider, &Provider) -> Result<(), String>;
    let runs: [(&str, Run); 2] = [("threads", threads), ("fork", forked)];
    let mut trials: Vec<_> = runs
        .into_iter()
        .map(|(what, run)| {
            let (measure, ours) = (measure.clone(), ours.clone());
            trial(format!("{name}::processes::{what}"), move || run(&measure, &ours))
        })
        .collect();
    trials.push(trial(format!("{name}::processes::route"), move || only_this_route(route)));
    let registers = format!("{name}::processes::registers");
    trials.push(match vectors_in_use::obstacle() {
        Some(reason) => skipped(&registers, reason.to_owned()),
        None => {
            let (measure, ours) = (measure.clone(), ours.clone());
            trial(registers, move || clean_registers(&measure, &ours))
        }
    });
    trials
}

/// A message that every algorithm takes.
const LENGTH: usize = 1040;

/// Threads with contexts of their own, all at once.
fn threads(measure: &Provider, ours: &Provider) -> Result<(), String> {
    let rounds = match () {
        () if here::reduced() => 1,
        () if here::again() || !ours.is_fast() => 5,
        () => 30,
    };
    let algorithms = ours.algorithms();
    let worker = |number: u64| {
        for (round, &algorithm) in (0..rounds).flat_map(|n| algorithms.iter().map(move |a| (n, a)))
        {
            let message = Message::new(algorithm, number * 100 + round);
            let data = painted(number, LENGTH);
            for direction in Direction::BOTH {
                let setup = message.setup(direction);
                let right = measure.right(&setup, &data)?;
                ours.agree(&|| format!("{algorithm}, thread {number}"), &setup, &data, &right)?;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..16).map(|number| scope.spawn(move || worker(number))).collect();
        workers
            .into_iter()
            .try_for_each(|it| it.join().map_err(|_| "a thread panicked".to_owned())?)
    })
}

/// A context that is in the middle of its message when the process forks: both go on rightly.
fn forked(measure: &Provider, ours: &Provider) -> Result<(), String> {
    for algorithm in ours.algorithms() {
        let message = Message::new(algorithm, 61);
        let setup = message.setup(Direction::Encrypt);
        let data = painted(62, LENGTH);
        let right = measure.right(&setup, &data)?;
        let cut = if algorithm.mode().takes_whole_messages() { 0 } else { 160 };
        let mut output = vec![0; LENGTH];
        let mut work = ours.begin(&setup)?;
        if cut > 0 {
            work.update(InOut::between(&data[..cut], &mut output[..cut]))?;
        }
        let mut finish = |work: &mut dyn Work| {
            work.update(InOut::between(&data[cut..], &mut output[cut..]))?;
            same(|| format!("{algorithm} after a fork"), &right.output, &output)?;
            right.tag.map_or(Ok(()), |tag| work.close(&tag))
        };
        let child = fork::child(|| finish(work.as_mut()).is_ok());
        finish(work.as_mut())?;
        if !child.wait() {
            return Err(format!("{algorithm}: wrong in the child"));
        }
    }
    Ok(())
}

/// In a process where only one route is asked for, every data call runs on it and none elsewhere.
fn only_this_route(route: Route) -> Result<(), String> {
    in_a_child(route.name())
}

/// Left to itself, the provider takes the first route of the default priority that this machine has.
pub(crate) fn priority() -> Trial {
    trial("provider::priority::route", || in_a_child(PRIORITY))
}

/// Runs this program again, for what [`child`] makes of the word.
pub(crate) fn in_a_child(word: &str) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = here::command(program).env(CHILD, word).output();
    let output = output.map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

/// What the child does; `None` if this process is no such child.
pub(crate) fn child() -> Option<Result<(), String>> {
    let word = std::env::var(CHILD).ok()?;
    let library = here::library();
    if word == planned::CHILD {
        return Some(planned::routes_as_planned(library));
    }
    Some(if word == PRIORITY {
        match Provider::priority(library) {
            Ok(ours)
                if best(Algorithm::ALL[0]).is_none() && ours.cipher(Algorithm::ALL[0]).is_ok() =>
            {
                Err("claims ciphers without a route for them".to_owned())
            }
            Ok(ours) => Provider::default(library)
                .map_err(|error| error.to_string())
                .and_then(|host| only_what_suits(&ours, &host))
                .and_then(|()| count(&ours, best)),
            Err(why) if best(Algorithm::ALL[0]).is_some() => Err(why),
            Err(_) => Ok(()),
        }
    } else {
        let route: Route = word.parse().expect("a route");
        let ours = Provider::routed(library, route);
        ours.and_then(|ours| {
            count(&ours, |_| Some(route)).and_then(|()| digests::count(route, &ours))
        })
    })
}

/// The first route of the default priority that has an algorithm here.
fn best(algorithm: Algorithm) -> Option<Route> {
    let has = |route: &Route| {
        Kernels::new(*route, Features::detect()).is_ok_and(|kernels| kernels.has(algorithm))
    };
    Route::PRIORITY.into_iter().find(has)
}

/// Without a measurement what serves calls of every length well is claimed, and nothing else.
fn only_what_suits(ours: &Provider, host: &Provider) -> Result<(), String> {
    let suits = |algorithm: Algorithm| {
        let suits = |it| wirespeed_kernels::suits_every_call(it, algorithm, Features::detect());
        best(algorithm).is_some_and(suits)
    };
    let wrong = Algorithm::ALL.iter().find(|it| host.has(**it) && ours.has(**it) != suits(**it));
    wrong.map_or(Ok(()), |it| Err(format!("{it} is claimed: {}", ours.has(*it))))
}

/// Every data call runs on the route that it should, and on no other.
fn count(ours: &Provider, right: impl Fn(Algorithm) -> Option<Route>) -> Result<(), String> {
    let calls = || Route::ALL.map(trace::calls);
    for algorithm in ours.algorithms() {
        let message = Message::new(algorithm, 63);
        for direction in Direction::BOTH {
            let before = calls();
            let mut data = painted(64, LENGTH);
            ours.begin(&message.setup(direction))?.update(InOut::in_place(&mut data))?;
            let counts = before.into_iter().zip(calls());
            let ran: Vec<Route> = Route::ALL
                .into_iter()
                .zip(counts)
                .filter_map(|(route, (before, after))| (before < after).then_some(route))
                .collect();
            if ran != Vec::from_iter(right(algorithm)) {
                return Err(format!("{algorithm} {direction} ran on {ran:?}"));
            }
        }
    }
    Ok(())
}

/// The upper halves of vector registers are clean after a call: dirty ones slow down every SSE
/// instruction of the host (Intel optimisation manual, "Mixing AVX code with SSE code").
fn clean_registers(measure: &Provider, ours: &Provider) -> Result<(), String> {
    for algorithm in ours.algorithms() {
        let message = Message::new(algorithm, 65);
        for direction in Direction::BOTH {
            for length in [16, 64, 272, LENGTH, 16384] {
                let leaves_dirt = |provider: &Provider| {
                    let mut data = painted(66, length);
                    let mut work = provider.begin(&message.setup(direction))?;
                    vectors_in_use::clean();
                    work.update(InOut::in_place(&mut data))?;
                    Ok::<_, String>(vectors_in_use::dirty())
                };
                // OpenSSL's own code for Poly1305 leaves some, also on the route that leads there.
                if leaves_dirt(ours)? && !leaves_dirt(measure)? {
                    return Err(format!(
                        "{algorithm} {direction}, {length} bytes: dirty registers"
                    ));
                }
            }
        }
    }
    Ok(())
}
