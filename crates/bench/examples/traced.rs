//! Does what it is told once, between two marks, for whoever reads a trace of the instructions that ran.
//!
//! Each argument is an algorithm, a direction, a size and a route, with blanks between: `AES-128-GCM enc 1420 aes-ce`. The
//! host's own code is the route `libcrypto`. A line on the standard output says what became of each.

use std::hint::black_box;

use wirespeed_bench::{ApiPath, Candidate, Case, Host};
use wirespeed_cipher::{Direction, Route, Subject, Use};
use wirespeed_measure::Contestant;

/// Begins and ends what counts.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn wirespeed_trace_mark() {
    black_box(());
}

fn main() {
    let host = Host::discover();
    for argument in std::env::args().skip(1) {
        match run(&host, &argument) {
            Ok(()) => println!("ran"),
            Err(why) => println!("{why}"),
        }
    }
}

fn run(host: &Host, argument: &str) -> Result<(), String> {
    let words: Vec<&str> = argument.split_whitespace().collect();
    let [subject, direction, size, route] = words[..] else {
        return Err(format!("{argument}: four words are wanted"));
    };
    let subject: Subject = subject.parse().map_err(|why| format!("{subject}: {why}"))?;
    let direction = if direction == "dec" { Direction::Decrypt } else { Direction::Encrypt };
    let size = size.parse().map_err(|why| format!("{size}: {why}"))?;
    let route: Route = route.parse().map_err(|why| format!("{route}: {why}"))?;
    let case = Case::new(subject, direction, Use::Message, size)?;
    let candidate = Candidate::for_route(route, ApiPath::Evp);
    let mut runner = host.harness.runner(candidate, case).map_err(|why| why.to_string())?;
    // What is done once is over then: self-tests, tables of a key.
    runner.run(2);
    wirespeed_trace_mark();
    runner.run(1);
    wirespeed_trace_mark();
    Ok(())
}
