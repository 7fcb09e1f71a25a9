//! The run: every suite proved, then measured, table by table.

use wirespeed_bench::{Absent, Host};
use wirespeed_cipher::Direction;
use wirespeed_results::schema::vpn::Link;
use wirespeed_vpn::{Case, Gateway, Sizes, Suite, measure, prove, ticks};

use super::document::Found;
use super::request::Request;
use super::table;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{People, Progress};

/// Runs everything that was asked for. What was measured is in `found`, however it ends.
pub(super) fn run(
    request: &Request,
    host: &Host,
    interruption: &Interruption,
    people: People,
    found: &mut Found,
) -> Result<(), Fault> {
    let gateway = Gateway::new(&host.harness);
    anything_here(request, &gateway)?;
    let cases = request.suites.len() * request.sizes.len() + request.more_sizes.len();
    let of_case = ticks(request.candidates(), request.seconds) * 2 * request.threads.len() as u64;
    let progress = Progress::new(cases as u64 * of_case);
    let mut run = Run { request, gateway, interruption, found, progress, of_case, done: 0 };
    let ended = run.everything(people);
    run.progress.done();
    ended
}

/// That somebody can do something.
fn anything_here(request: &Request, gateway: &Gateway<'_>) -> Result<(), Fault> {
    let mut last = Absent("nothing was asked for".to_owned());
    for suite in &request.suites {
        for candidate in request.candidates() {
            match gateway.end(*candidate, *suite, Direction::Encrypt) {
                Ok(_) => return Ok(()),
                Err(why) => last = why,
            }
        }
    }
    Err(Fault::usage(format!("nothing here runs what was asked for: {last}")))
}

struct Run<'a> {
    request: &'a Request,
    gateway: Gateway<'a>,
    interruption: &'a Interruption,
    found: &'a mut Found,
    progress: Progress,
    /// Slices of the bar for a suite with packets of one kind.
    of_case: u64,
    /// Of these, how many are done.
    done: u64,
}

impl Run<'_> {
    fn everything(&mut self, people: People) -> Result<(), Fault> {
        let checks = self.proofs()?;
        let suites = match self.request.suites.len() {
            1 => "One suite".to_owned(),
            count => format!("{count} suites"),
        };
        let proved =
            format!("{suites} proved with {checks} packets, right, changed and cut short\n");
        self.progress.around(|| people.show(&proved))?;
        for sizes in &self.request.sizes {
            let suites = self.request.suites.iter();
            let ended = suites.clone().try_for_each(|suite| self.suite(*suite, *sizes));
            let text = table::packets(self.found, &sizes.to_string(), self.request.batch);
            self.progress.around(|| people.show(&text))?;
            ended?;
        }
        let Some(suite) = self.fastest() else { return Ok(()) };
        let ended = self.request.more_sizes.iter().try_for_each(|sizes| self.suite(suite, *sizes));
        let text = table::sizes(self.found, suite);
        self.progress.around(|| people.show(&text))?;
        ended
    }

    fn proofs(&self) -> Result<usize, Fault> {
        let mut checks = 0;
        for suite in &self.request.suites {
            self.progress.at(format!("proof {}", suite.keyword));
            self.interruption.check("nothing was measured yet")?;
            let proof = prove(&self.gateway, *suite, self.request.candidates());
            checks += proof.map_err(|wrong| Fault::NotSo(wrong.to_string()))?;
        }
        Ok(checks)
    }

    /// One suite with packets of one kind, on each number of threads, both ways.
    fn suite(&mut self, suite: Suite, sizes: Sizes) -> Result<(), Fault> {
        for threads in &self.request.threads {
            for direction in Direction::BOTH {
                self.interruption.check("what was measured so far is above")?;
                let case = Case { suite, direction, sizes, threads: *threads };
                self.progress.at(case.to_string());
                let (candidates, seconds) = (self.request.candidates(), self.request.seconds);
                let tick = || self.progress.tick();
                let measured = measure(&self.gateway, &case, candidates, seconds, &tick);
                self.found.add(measured);
            }
        }
        // Whoever is absent took no time.
        self.done += self.of_case;
        self.progress.reach(self.done);
        Ok(())
    }

    /// The fastest suite of the first table, which is worth a closer look.
    fn fastest(&self) -> Option<Suite> {
        let first = self.request.sizes.first().filter(|_| !self.request.more_sizes.is_empty())?;
        let links = self.found.links_of(&first.to_string());
        let speed = |link: &Link| link.packets_per_second_per_core;
        let fastest = links.iter().max_by(|a, b| speed(a).total_cmp(&speed(b)))?;
        fastest.suite.parse().ok()
    }
}
