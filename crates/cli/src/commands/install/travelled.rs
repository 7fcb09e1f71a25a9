//! A plan that was measured on another machine of the same kind: tried here in seconds, and made this machine's.

use std::path::{Path, PathBuf};

use wirespeed_bench::{Candidate, Case, Contest, Host};
use wirespeed_cipher::{Route, Use};
use wirespeed_measure::Effort;
use wirespeed_plan::{Plan, Row};

use super::plan::lacks;
use crate::arguments::Switch;
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{Progress, say};
use crate::plan::{Destination, cost_in_words, fingerprint};

/// Seconds of measuring for each cell that is tried.
const SECONDS: f64 = 0.15;
/// A route whose calls take longer than this many times OpenSSL's is a wrong choice, however noisy the machine is.
const CLEARLY_WRONG: f64 = 1.25;

/// A plan from elsewhere.
pub(super) struct Travelled {
    file: PathBuf,
    plan: Plan,
    host: Host,
}

impl Travelled {
    /// Reads it, if it is for this kind of machine, and what somebody asks for.
    pub(super) fn read(file: PathBuf, constant_time: Option<Switch>) -> Result<Self, Fault> {
        let name = file.display();
        let plan = Plan::read(&file).map_err(|why| Fault::usage(format!("{name}: {why}")))?;
        if let Some(lack) = lacks(&plan, constant_time) {
            return Err(refused(&file, &lack, constant_time));
        }
        let host = Host::discover();
        match plan.fingerprint().difference_of_kind(&fingerprint(&host)) {
            None => Ok(Self { file, plan, host }),
            Some(why) => Err(Fault::usage(format!(
                "{name} is {why}: without --plan, wirespeed install measures here"
            ))),
        }
    }

    /// Tries it, and makes it this machine's if it holds.
    pub(super) fn settle(self, interruption: &Interruption) -> Result<(), Fault> {
        say(&format!("Trying {} on this machine\n", self.file.display()))?;
        let cells = self.check(interruption)?;
        let cost = cost_in_words(&self.plan).unwrap_or_default();
        self.keep()?;
        let said = format!(
            "  its routes are proved, {cells} of its choices hold beside this OpenSSL\n{cost}\n"
        );
        say(&said)
    }

    /// Proves the routes that it names, and measures some of its cells beside this OpenSSL; how many.
    fn check(&self, interruption: &Interruption) -> Result<usize, Fault> {
        let host = &self.host;
        let mut routes: Vec<Route> = self.plan.rows().map(|row| row.route).collect();
        routes.sort_unstable();
        routes.dedup();
        for route in routes {
            let found = host.find(route);
            let refused = |why: String| self.refused(&format!("its route {route} {why}"));
            found.presence.as_ref().map_err(|why| refused(format!("is absent: {why}")))?;
            host.prove(&found).map_err(|why| refused(format!("fails its proof: {why}")))?;
        }
        let cells: Vec<&Row> = self.plan.common_rows().filter(|row| is_for_speed(row)).collect();
        let progress = Progress::new(cells.len() as u64);
        for row in &cells {
            interruption.check("nothing was changed")?;
            progress.at(format!("{} {} {} B", row.algorithm, row.direction, row.size));
            self.try_cell(row)?;
            progress.tick();
        }
        progress.done();
        Ok(cells.len())
    }

    /// Makes it this machine's; it says where it is from.
    fn keep(self) -> Result<(), Fault> {
        let made = self.plan.fingerprint().facts();
        // A fact in a line: the lines of a plan are not long.
        let origin: String = made.map(|(name, value)| format!("# {name:<10} {value}\n")).collect();
        let text = format!(
            "# Measured on another machine:\n{origin}{}",
            self.plan.made_for(fingerprint(&self.host))
        );
        Destination::new(None)?.write(&text)
    }

    /// Measured twice before the plan is refused: the first time something else may have run.
    fn try_cell(&self, row: &Row) -> Result<(), Fault> {
        let mut least = f64::INFINITY;
        for _ in 0..2 {
            least = least.min(times_openssl(&self.host, row)?);
            if least <= CLEARLY_WRONG {
                return Ok(());
            }
        }
        let Row { algorithm, direction, size, route, .. } = row;
        Err(self.refused(&format!(
            "{algorithm} {direction} of {size} B by {route} takes {least:.1} times as long as this OpenSSL's"
        )))
    }

    fn refused(&self, why: &str) -> Fault {
        Fault::NotSo(format!(
            "{} does not hold here: {why}; nothing was changed; without --plan, wirespeed install \
             measures here",
            self.file.display()
        ))
    }
}

/// What is said of a plan that was not measured as somebody asks for now.
pub(super) fn refused(file: &Path, lack: &str, constant_time: Option<Switch>) -> Fault {
    let wanted = constant_time.map_or("", Switch::name);
    Fault::usage(format!(
        "{}: {lack}: wirespeed tune --constant-time={wanted} measures another on its machine",
        file.display()
    ))
}

/// Whether the plan gives the row to a route of ours for its speed.
fn is_for_speed(row: &Row) -> bool {
    row.reason.is_none_or(|reason| !reason.constant_time) && row.route.is_own()
}

/// A call by the row's route, in calls of this OpenSSL's.
fn times_openssl(host: &Host, row: &Row) -> Result<f64, Fault> {
    let contest = Contest::plain(&host.harness, Effort::lasting(SECONDS));
    let usage = row.reason.map_or(Use::Message, |reason| reason.usage);
    let case = Case::new(row.algorithm, row.direction, usage, row.size);
    let case = case.map_err(Fault::usage)?;
    let candidates = [Candidate::Provider(row.route), Candidate::Host];
    let measured = contest.measure(case, &candidates, &|| ())?;
    let median = |candidate| measured.entry(candidate).map(|entry| entry.estimate.median);
    let [ours, openssl] = candidates.map(median);
    ours.zip(openssl)
        .map(|(ours, openssl)| ours / openssl)
        .ok_or_else(|| Fault::usage(format!("{case}: there are no times of it")))
}
