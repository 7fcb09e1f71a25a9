//! Who hears what the workload does: the bar, the table, and the list of rows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use wirespeed_disk::Candidate;
use wirespeed_disk::run::{Audience, Step};
use wirespeed_disk::workload::Watch;
use wirespeed_results::schema::disk::Row;

use super::pace::Pace;
use super::table::{Subject, Table};
use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{People, Progress};

/// Prints rows as they are measured, and keeps them.
pub(super) struct Listener<'a> {
    interruption: &'a Interruption,
    people: People,
    /// Whether nobody reads it any more; workers ask between any two chunks.
    is_unheard: AtomicBool,
    told: Mutex<Told>,
}

/// What was told so far.
struct Told {
    progress: Option<Progress>,
    pace: Pace,
    table: Option<Table>,
    rows: Vec<Row>,
    /// Why nothing more can be printed.
    unprinted: Option<Fault>,
}

impl<'a> Listener<'a> {
    pub(super) fn new(interruption: &'a Interruption, people: People) -> Self {
        let told = Told {
            progress: None,
            pace: Pace::default(),
            table: None,
            rows: Vec::new(),
            unprinted: None,
        };
        Self { interruption, people, is_unheard: AtomicBool::new(false), told: Mutex::new(told) }
    }

    /// From here on the bar is about this.
    pub(super) fn pace(&self, pace: Pace) {
        let mut told = self.told();
        told.progress = Some(Progress::new(pace.slices()));
        told.pace = pace;
    }

    /// Begins a table.
    pub(super) fn table(&self, title: &str, subject: Subject, bytes: u64) {
        let table = Table::new(subject, bytes);
        let text = format!("\n{title}\n{}", table.heading());
        self.told().table = Some(table);
        self.show(&text);
    }

    /// The rows of the table, which has come to its end.
    pub(super) fn end_table(&self) -> Vec<Row> {
        let mut told = self.told();
        let rest = told.table.take().map(|mut table| table.end()).unwrap_or_default();
        let rows = std::mem::take(&mut told.rows);
        drop(told);
        self.show(&rest);
        rows
    }

    /// Prints for people, around the bar.
    pub(super) fn show(&self, text: &str) {
        self.print(&mut self.told(), text);
    }

    fn print(&self, told: &mut Told, text: &str) {
        if text.is_empty() || told.unprinted.is_some() {
            return;
        }
        let print = || self.people.show(text);
        let printed = match &told.progress {
            Some(progress) => progress.around(print),
            None => print(),
        };
        told.unprinted = printed.err();
        self.is_unheard.store(told.unprinted.is_some(), Ordering::Relaxed);
    }

    /// Takes the bar away.
    pub(super) fn end_pace(&self) {
        if let Some(progress) = self.told().progress.take() {
            progress.done();
        }
    }

    /// Why printing failed, if it did.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        self.told().unprinted.take().map_or(Ok(()), Err)
    }

    /// A worker that panicked has printed nothing by halves.
    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Told {
    /// Moves the bar to where the pace is.
    fn move_bar(&self) {
        if let Some(progress) = &self.progress {
            progress.reach(self.pace.reached());
        }
    }
}

impl Watch for Listener<'_> {
    fn advance(&self, bytes: u64) {
        let mut told = self.told();
        told.pace.advance(bytes);
        told.move_bar();
    }

    fn is_stopped(&self) -> bool {
        self.interruption.is_asked() || self.is_unheard.load(Ordering::Relaxed)
    }
}

impl Audience for Listener<'_> {
    fn begins(&self, store: &str, candidate: Candidate, step: Step, bytes: u64) {
        let what = match step {
            Step::Proof => "proof",
            Step::Test(test) => test.name(),
            Step::Check => "compare",
        };
        let mut told = self.told();
        if let Some(progress) = &told.progress {
            progress.at(format!("{store} {what:7} {candidate}"));
        }
        // A proof is no part of what the bar counts.
        if step != Step::Proof {
            told.pace.begin(bytes);
        }
    }

    fn row(&self, row: &Row) {
        let mut told = self.told();
        let line = told.table.as_mut().map(|table| table.row(row)).unwrap_or_default();
        self.print(&mut told, &line);
        told.rows.push(row.clone());
        // The comparison is the last that is done to a cipher.
        if row.absent.is_some() || row.wrong.is_some() || row.compared_bytes.is_some() {
            told.pace.next();
            told.move_bar();
        }
    }
}
