//! Plans for this guest that give the kernel what a test wants it to have.

use std::path::PathBuf;

use serde_json::Value;
use wirespeed_cipher::{Algorithm, Direction, Route, SIZE_CLASSES, Subject};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_libcrypto::Library;
use wirespeed_plan::{Fingerprint, Offload, Plan, Row};
use wirespeed_system_tests::process::{command, output};

use crate::drivers;

/// A plan's file: from so many bytes on the kernel has these algorithms, below it another route of ours.
pub(crate) fn file(scratch: &Scratch, offloaded: &[(&str, usize)]) -> Result<PathBuf, String> {
    by(scratch, Route::Kernel, offloaded)
}

/// The same by one of both ways.
pub(crate) fn by(
    scratch: &Scratch,
    route: Route,
    offloaded: &[(&str, usize)],
) -> Result<PathBuf, String> {
    let library = Library::host().map_err(|error| error.to_string())?;
    let mut plan = Plan::new(Fingerprint::here(library.version()));
    for (name, from) in offloaded {
        let subject: Subject = name.parse().map_err(|error| format!("{error}"))?;
        match subject.cipher() {
            Some(algorithm) => rows(&mut plan, algorithm, route, *from),
            None => {
                for direction in Direction::BOTH {
                    plan.put_offload(Offload { subject, direction, bytes: *from, route });
                }
            }
        }
    }
    scratch.write("plan", plan.to_string())
}

/// A plan of one algorithm as `wirespeed bench` measures it here and now: for each size the fastest of these routes.
///
/// It is what `wirespeed tune --kernel` does for everything, which takes a translated guest minutes.
pub(crate) fn measured(scratch: &Scratch, name: &str, routes: &str) -> Result<PathBuf, String> {
    let algorithm: Algorithm = name.parse().map_err(|error| format!("{error}"))?;
    let sizes = SIZE_CLASSES.map(|size| size.to_string()).join(",");
    let mut bench = command(drivers::program("wirespeed")?);
    bench.args(["bench", name, "--routes", routes, "--sizes", &sizes, "--use", "stream"]);
    let said = output(bench.args(["--both", "--seconds", "0.1", "--json", "-"]))?;
    let said: Value = serde_json::from_slice(&said).map_err(|error| format!("bench: {error}"))?;
    let rows = said["rows"].as_array().ok_or("bench: no rows")?;
    let library = Library::host().map_err(|error| error.to_string())?;
    let mut plan = Plan::new(Fingerprint::here(library.version()));
    for &direction in algorithm.directions() {
        let mut route = None;
        for size in SIZE_CLASSES {
            let this = rows.iter().filter(|row| {
                row["direction"] == direction.name() && row["size"].as_u64() == Some(size as u64)
            });
            let time = |row: &&Value| row["median_ns"].as_f64().unwrap_or(f64::INFINITY);
            let best = this.min_by(|one, other| time(one).total_cmp(&time(other)));
            // What is no whole number of blocks was not measured, and goes as the size before it.
            route =
                best.map_or(route, |best| best["route"].as_str().and_then(|it| it.parse().ok()));
            let route = route.ok_or_else(|| format!("bench: nothing for {size} bytes"))?;
            plan.put(Row { algorithm, direction, size, route, reason: None });
        }
    }
    scratch.write("plan", plan.to_string())
}

fn rows(plan: &mut Plan, algorithm: Algorithm, offload: Route, from: usize) {
    for &direction in algorithm.directions() {
        for size in SIZE_CLASSES {
            let route = if size >= from { offload } else { Route::Portable };
            plan.put(Row { algorithm, direction, size, route, reason: None });
        }
    }
}
