//! All candidates in turn: in this process over a store, or by dm-crypt.

use std::fs::{self, File};
use std::io::{self, Read};

use wirespeed_results::schema::disk::Row;

use crate::mapper::{Choice, Mapping, Setup, Trouble, Unmapped, Unproved};
use crate::sectors;
use crate::store::{Direct, Store};
use crate::workload::{self, Layout, Passed, Test, Watch, Workload};
use crate::{Candidate, Specification};
use crate::{load, memory};

/// What to run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The rows.
    pub candidates: Vec<Candidate>,
    /// Bytes for each test.
    pub bytes: u64,
    /// Workers in this process; requests in flight with dm-crypt.
    pub threads: usize,
    /// Bytes in a sector: 512 or 4096.
    pub sector_bytes: usize,
}

/// What is being done to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// dm-crypt's bytes are compared with ours.
    Proof,
    /// One of the four tests.
    Test(Test),
    /// Everything is read back and compared.
    Check,
}

/// Who hears what goes on.
pub trait Audience: Watch {
    /// A step begins that will process so many bytes.
    fn begins(&self, store: &str, candidate: Candidate, step: Step, bytes: u64);
    /// A line of the results.
    fn row(&self, row: &Row);
}

/// Why a run did not come to its end; what was measured before has been told.
#[derive(Debug)]
pub enum Failure {
    /// A test failed.
    Test(Candidate, workload::Failure),
    /// The mapping failed.
    Mapping(Trouble),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Test(candidate, why) => write!(f, "{candidate}: {why}"),
            Self::Mapping(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Trouble> for Failure {
    fn from(why: Trouble) -> Self {
        Self::Mapping(why)
    }
}

impl Settings {
    /// The candidates, behind `none`, which all are compared with.
    fn compared(&self) -> Vec<Candidate> {
        let none = Candidate::of(Specification::Plain, 0);
        let others = self.candidates.iter().copied().filter(|it| *it != none);
        [none].into_iter().chain(others).collect()
    }
}

/// Runs the candidates in this process, their sectors in `store`.
pub fn in_process(
    store: &dyn Store,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<Vec<Row>, Failure> {
    let mut table = Table::new(audience);
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    for candidate in settings.compared() {
        let failed = |why: workload::Failure| Failure::Test(candidate, why);
        let key = key(candidate).map_err(|why| failed(why.into()))?;
        let mut blank = blank(store.name(), candidate);
        blank.sector_bytes = Some(settings.sector_bytes);
        blank.threads = Some(settings.threads);
        let built = match sectors::build(candidate, &key, settings.sector_bytes) {
            Ok(built) => built,
            Err(why) => {
                table.push(Row { absent: Some(why.to_string()), ..blank });
                continue;
            }
        };
        blank.route = candidate.is_encrypted().then(|| built.route.to_owned());
        let layout = Layout {
            sector_bytes: settings.sector_bytes,
            tag_bytes: candidate.specification.tag_bytes(),
        };
        let tags = layout.tags_of(store.bytes(settings.threads).min(settings.bytes));
        if let Some(why) = memory::lacking(tags, &meminfo) {
            table.push(Row { absent: Some(why), ..blank });
            continue;
        }
        let before = table.rows.len();
        let workload =
            Workload::new(store, built.cipher.as_deref(), layout, settings.bytes, settings.threads);
        let mut workload = workload.map_err(|why| failed(why.into()))?;
        let measured = table.measure(candidate, &mut workload, &Test::ALL, &blank, 0);
        table.quarantine(measured, before, blank).map_err(failed)?;
    }
    Ok(table.rows)
}

/// Runs the candidates by dm-crypt on what was set up, each of them proved first.
pub fn dm_crypt(
    setup: &mut Setup,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<Vec<Row>, Failure> {
    let mut table = Table::new(audience);
    for candidate in settings.compared() {
        mapped(setup, candidate, settings, &[], &Test::ALL, &mut table)?;
    }
    Ok(table.rows)
}

/// The sizes of sectors and the options that are tried.
const SECTORS: [usize; 2] = [512, 4096];
const CHOICES: [&[Choice]; 4] = [
    &[],
    &[Choice::NoReadWorkqueue],
    &[Choice::NoWriteWorkqueue],
    &[Choice::NoReadWorkqueue, Choice::NoWriteWorkqueue],
];

/// What [`options`] measures, one after the other: no encryption, then every choice with every size.
pub const OPTIONS: usize = 1 + SECTORS.len() * CHOICES.len();

/// One candidate with sectors of both sizes and dm-crypt's options, written and read.
pub fn options(
    setup: &mut Setup,
    candidate: Candidate,
    settings: &Settings,
    audience: &dyn Audience,
) -> Result<Vec<Row>, Failure> {
    const TESTS: [Test; 2] = [Test::Write, Test::Read];
    let mut table = Table::new(audience);
    let none = Candidate::of(Specification::Plain, 0);
    mapped(setup, none, settings, &[], &TESTS, &mut table)?;
    for sector_bytes in SECTORS {
        let settings = Settings { sector_bytes, ..settings.clone() };
        for choices in CHOICES {
            mapped(setup, candidate, &settings, choices, &TESTS, &mut table)?;
        }
    }
    Ok(table.rows)
}

/// A candidate's rows by dm-crypt.
fn mapped(
    setup: &mut Setup,
    candidate: Candidate,
    settings: &Settings,
    choices: &[Choice],
    tests: &[Test],
    table: &mut Table<'_>,
) -> Result<(), Failure> {
    let place = setup.place().to_owned();
    let failed = |why: workload::Failure| match why {
        workload::Failure::Store(_) => Failure::Mapping(Trouble(format!("{place}: {why}"))),
        _ => Failure::Test(candidate, why),
    };
    let mut blank = blank(DM_CRYPT, candidate);
    blank.options = choices.iter().map(|it| it.name().to_owned()).collect();
    blank.sector_bytes = Some(settings.sector_bytes);
    blank.threads = Some(settings.threads);
    let mut compared = 0;
    let mut mapping = None;
    if candidate.is_encrypted() {
        let key = key(candidate).map_err(|why| failed(why.into()))?;
        match setup.map(candidate, &key, settings.sector_bytes, choices) {
            Ok(made) => {
                table.audience.begins(DM_CRYPT, candidate, Step::Proof, 0);
                blank.driver.clone_from(&made.driver);
                match setup.prove(&made, candidate, &key) {
                    Ok(bytes) => compared = bytes,
                    Err(Unproved::Wrong(why)) => {
                        table.push(Row { wrong: Some(why), ..blank });
                        return Ok(setup.unmap(made)?);
                    }
                    Err(Unproved::Failed(why)) => return Err(why.into()),
                }
                mapping = Some(made);
            }
            Err(Unmapped::Lacking(why)) => {
                table.push(Row { absent: Some(why), ..blank });
                return Ok(());
            }
            Err(Unmapped::Failed(why)) => return Err(why.into()),
        }
    }
    let (path, bytes) = match &mapping {
        Some(Mapping { path, bytes, .. }) => (path.as_path(), *bytes),
        None => (setup.raw(), setup.bytes()),
    };
    let before = table.rows.len();
    let measured =
        Direct::device(path, bytes).map_err(workload::Failure::from).and_then(|device| {
            let layout = Layout { sector_bytes: settings.sector_bytes, tag_bytes: 0 };
            let mut workload =
                Workload::new(&device, None, layout, settings.bytes, settings.threads)?;
            table.measure(candidate, &mut workload, tests, &blank, compared)
        });
    // A device that failed is taken down with everything else, by whoever holds the setup.
    table.quarantine(measured, before, blank).map_err(failed)?;
    match mapping {
        Some(mapping) => Ok(setup.unmap(mapping)?),
        None => Ok(()),
    }
}

/// The word for the store.
const DM_CRYPT: &str = "dm-crypt";

/// Rows so far; each gets its factor and is told.
struct Table<'a> {
    rows: Vec<Row>,
    audience: &'a dyn Audience,
}

impl<'a> Table<'a> {
    const fn new(audience: &'a dyn Audience) -> Self {
        Self { rows: Vec::new(), audience }
    }

    /// Runs these tests, the last of which reads, then compares everything. `compared` bytes were before.
    fn measure(
        &mut self,
        candidate: Candidate,
        workload: &mut Workload<'_>,
        tests: &[Test],
        blank: &Row,
        compared: u64,
    ) -> Result<(), workload::Failure> {
        if self.rows.is_empty() {
            // What is written first makes a RAM disk or a file find its room: that is nobody's speed.
            let step = Step::Test(Test::Write);
            self.audience.begins(&blank.store, candidate, step, workload.bytes());
            workload.run(Test::Write, self.audience)?;
        }
        for (place, &test) in tests.iter().enumerate() {
            self.audience.begins(&blank.store, candidate, Step::Test(test), workload.bytes());
            let busy = (blank.store == DM_CRYPT).then(load::busy_nanos).flatten();
            let mut passed = workload.run(test, self.audience)?;
            if let (Some(before), Some(after)) = (busy, load::busy_nanos()) {
                passed.cpu_ns = after.saturating_sub(before);
            }
            let mut row = filled(blank.clone(), test, passed);
            if place + 1 == tests.len() {
                let bytes = workload.stored_bytes();
                self.audience.begins(&blank.store, candidate, Step::Check, bytes);
                row.compared_bytes = Some(compared + workload.check(test, self.audience)?);
            }
            self.push(row);
        }
        Ok(())
    }

    /// A candidate that reads what nobody wrote is named and left behind, with none of its rows; the others go on.
    /// There were so many rows `before`.
    fn quarantine(
        &mut self,
        measured: Result<(), workload::Failure>,
        before: usize,
        blank: Row,
    ) -> Result<(), workload::Failure> {
        match measured {
            Err(why @ workload::Failure::Different(_)) => {
                // Its speeds so far are no speeds of a cipher.
                self.rows.truncate(before);
                self.push(Row { wrong: Some(why.to_string()), ..blank });
                Ok(())
            }
            other => other,
        }
    }

    fn push(&mut self, mut row: Row) {
        let none = self.rows.iter().find(|it| it.cipher == "none" && it.test == row.test);
        let against = none.map_or(row.bytes_per_second, |it| it.bytes_per_second);
        row.factor = row.bytes_per_second.zip(against).map(|(own, none)| own / none);
        self.audience.row(&row);
        self.rows.push(row);
    }
}

/// A key that nobody knows: nothing that is written with it is ever wanted again.
fn key(candidate: Candidate) -> io::Result<Vec<u8>> {
    let mut key = vec![0; candidate.key_bytes()];
    File::open("/dev/urandom")?.read_exact(&mut key)?;
    Ok(key)
}

/// A candidate on a store, nothing measured yet.
fn blank(store: &str, candidate: Candidate) -> Row {
    Row {
        store: store.to_owned(),
        cipher: candidate.specification.to_string(),
        variant: candidate.variant.name().to_owned(),
        key_bits: candidate.key_bits,
        ..Row::default()
    }
}

fn filled(row: Row, test: Test, passed: Passed) -> Row {
    let Passed { elapsed_ns, cpu_ns, bytes } = passed;
    // A clock never stands still that long; division by zero would be infinitely fast.
    let elapsed = elapsed_ns.max(1) as f64;
    let gibibytes = bytes as f64 / (1_u64 << 30) as f64;
    Row {
        test: Some(test.name().to_owned()),
        load: load::average(),
        elapsed_ns: Some(elapsed_ns),
        cpu_ns: Some(cpu_ns),
        cpu_percent: Some(cpu_ns as f64 / elapsed * 100.0),
        cpu_s_per_gib: Some(cpu_ns as f64 / 1e9 / gibibytes),
        bytes: Some(bytes),
        bytes_per_second: Some(bytes as f64 / elapsed * 1e9),
        ..row
    }
}

#[cfg(test)]
mod tests;
