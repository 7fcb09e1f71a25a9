//! `wirespeed bench`: algorithms at every size, the routes side by side.

use std::io;

use wirespeed_bench::{Candidate, Case, Contest, Host, Measured, Trouble};
use wirespeed_cipher::Route;
use wirespeed_measure::Effort;
use wirespeed_measure::noise::Noise;
use wirespeed_results::csv::csv;
use wirespeed_results::schema::HOST;
use wirespeed_results::schema::bench::{Bench, Row, Skipped};

use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{
    People, Progress, check_writable, header, warnings, write_json, write_metrics, write_text,
};

mod blocks;
mod break_even;
mod candidates;
mod gateway;
mod prometheus;
pub(crate) mod releases;
mod request;
mod text;

use blocks::{Block, Omitted};
use break_even::break_even;
pub(crate) use request::BenchArguments;
use request::Request;

/// What becomes of the figures when somebody breaks off.
const SO_FAR: &str = "what was measured so far is above";

pub(crate) fn run(arguments: BenchArguments) -> Result<(), Fault> {
    let request = arguments.understand()?;
    check_writable(request.targets())?;
    if !request.openssl.is_empty() {
        return releases::run(&request);
    }
    let host = match &request.libcrypto {
        Some(path) => Host::with_libcrypto(path).map_err(Fault::usage)?,
        None => Host::discover(),
    };
    let interruption = Interruption::watch()?;
    let candidates = candidates::of(&host, &request)?;
    let (blocks, mut skipped) = blocks::of(&request, &host, &candidates);
    if request.is_gateway {
        skipped.extend(gateway::skipped());
    }
    candidates::drivers_exist(&host, &candidates, &blocks)?;
    let contest = Contest {
        harness: &host.harness,
        effort: Effort::lasting(request.seconds),
        threads: request.threads,
        limits: true,
        elapsed: candidates.iter().any(|candidate| candidate.may_sleep()),
    };
    let people = People::beside(request.targets());
    people.show(&format!("{}\n", header(&host.machine)))?;
    if let Err(why) = host.harness.library() {
        people.show(&format!("{why}; the kernels run directly\n"))?;
    }
    let mut omitted = Omitted::new(skipped);
    let mut here = |block| taking_part(&host, &request, &candidates, block, &mut omitted);
    let blocks: Vec<_> = blocks.iter().map(|block| (block, here(block))).collect();
    let slices = |(block, here): &(&Block, Vec<Candidate>)| -> u64 {
        block.cases.iter().map(|case| contest.ticks(*case, here)).sum()
    };
    let progress = Progress::new(blocks.iter().map(slices).sum());
    let document = Bench {
        clock: Some(if contest.by_elapsed_time() { "wall" } else { "thread-cpu" }.to_owned()),
        skipped: omitted.skipped,
        quarantined: omitted.quarantined,
        ..Bench::begin(&host.machine)
    };
    let noise = Vec::new();
    let mut run =
        Run { request: &request, contest, people, interruption, progress, document, noise };
    let ended = run.everything(&blocks);
    run.progress.done();
    let mut document = run.document;
    document.interrupted = ended.is_err();
    document.warnings = warnings(run.noise);
    let kept = keep(&request, &document);
    let left_out = text::left_out(&expected(&request, &document.skipped), &document.quarantined);
    people.finish(ended, kept, &left_out, &document.warnings)?;
    Fault::unless_proved(&document.quarantined)
}

/// What is measured, and what it gives so far.
struct Run<'a> {
    request: &'a Request,
    contest: Contest<'a>,
    people: People,
    interruption: Interruption,
    progress: Progress,
    document: Bench,
    noise: Vec<Noise>,
}

impl Run<'_> {
    /// What was measured is in the document, however it ends.
    fn everything(&mut self, blocks: &[(&Block, Vec<Candidate>)]) -> Result<(), Fault> {
        let mut taken = blocks.iter().filter(|(_, here)| !here.is_empty());
        taken.try_for_each(|(block, here)| self.block(block, here))?;
        if self.request.is_gateway { self.gateway() } else { Ok(()) }
    }

    fn block(&mut self, block: &Block, here: &[Candidate]) -> Result<(), Fault> {
        let mut measured = Vec::new();
        let ended = block.cases.iter().try_for_each(|case| {
            self.interruption.check(SO_FAR)?;
            self.progress.at(case.to_string());
            measured.push(self.case(*case, here)?);
            self.document.rows.extend(measured.last().into_iter().flat_map(Measured::rows));
            Ok(())
        });
        if measured.is_empty() {
            return ended;
        }
        let found = break_even(here, &measured);
        let text = text::block(block, here, &measured, &found, self.request.unit);
        self.progress.around(|| self.people.show(&text))?;
        self.document.break_even.extend(found);
        self.noise.extend(measured.into_iter().flat_map(|it| it.noise));
        ended
    }

    /// A size that a candidate cannot do is left out.
    fn case(&mut self, case: Case, here: &[Candidate]) -> Result<Measured, Fault> {
        let mut able = here.to_vec();
        loop {
            match self.contest.measure(case, &able, &|| self.progress.tick()) {
                Err(Trouble::Absent(candidate, why)) if able.len() > 1 => {
                    able.retain(|it| *it != candidate);
                    let why = format!("{} bytes: {why}", case.size);
                    let skipped = &mut self.document.skipped;
                    blocks::note(skipped, case.subject, None, candidate.route(), why);
                }
                other => return Ok(other?),
            }
        }
    }

    fn gateway(&mut self) -> Result<(), Fault> {
        let rows = &mut self.document.rows;
        match gateway::without_instructions(self.request, rows, &|what| self.progress.at(what)) {
            Ok(more) => rows.extend(more),
            // A signal of the terminal's ends it, too.
            Err(fault) => return self.interruption.check(SO_FAR).and(Err(fault)),
        }
        self.people.show(&gateway::table(rows, self.request.unit))
    }
}

/// Writes the files that were asked for.
fn keep(request: &Request, document: &Bench) -> Result<(), Fault> {
    if let (Some(target), Some(machine)) = (&request.prometheus, &document.machine) {
        write_metrics(target, &prometheus::text(machine, &document.rows))?;
    }
    if let Some(target) = &request.csv {
        write_text(target, &csv(Row::COLUMNS, &document.rows).map_err(io::Error::from)?)?;
    }
    write_json(request.json.as_deref(), document)
}

/// The candidates for a block; those that nobody named only where they can win, and the portable route for want of others.
fn taking_part(
    host: &Host,
    request: &Request,
    candidates: &[Candidate],
    block: &Block,
    omitted: &mut Omitted,
) -> Vec<Candidate> {
    if request.routes.is_some() {
        return omitted.present(host, block, candidates);
    }
    let competes = |it: &Candidate| host.harness.competes(*it, block.subject);
    let competing: Vec<_> = candidates.iter().copied().filter(competes).collect();
    let mut here = omitted.present(host, block, &competing);
    if here.iter().all(|it| *it == Candidate::Host) {
        let portable = [host.find(Route::Portable).candidate];
        here.extend(omitted.present(host, block, &portable));
    }
    here
}

/// Of what was left out, that which somebody asked for by its name, or which a set is known to have.
fn expected(request: &Request, skipped: &[Skipped]) -> Vec<Skipped> {
    let asked_for_route = |name: &str| {
        let mut routes = request.routes.iter().flatten();
        routes.any(|route| route.name() == name)
            || name == Route::Kernel.name() && !request.drivers.is_empty()
    };
    let is_expected = |one: &&Skipped| match one.route.as_deref() {
        Some(name) if asked_for_route(name) => true,
        Some(name) => request.algorithms.is_some() && name == HOST,
        None => request.algorithms.is_some() || request.is_gateway,
    };
    skipped.iter().filter(is_expected).cloned().collect()
}
