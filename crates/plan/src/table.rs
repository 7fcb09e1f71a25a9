//! The table itself: rows by their place, and the routes by size bucket.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use wirespeed_cipher::{Algorithm, Delegated, Digest, Direction, Route, SIZE_CLASSES, Subject};

use crate::error::PlanError;
use crate::fingerprint::Fingerprint;
use crate::parse;
use crate::row::{Offload, Row, way};
use crate::sizes::{SIZE_BUCKETS, class_index, speaking_classes};

/// Bytes in a plan at most: four times what `wirespeed tune` writes.
pub const LARGEST: usize = 512 << 10;

/// What to write above a plan for whoever opens it.
const REMARKS: &str = "\
# Which route serves which call, as measured on this machine by `wirespeed tune`.
# `wirespeed routes --why` explains it. On any other machine it is ignored.
";

/// What to write above the rows.
const HEADING: &str =
    "# algorithm dir bytes route     use           ns a call second       ns a call      libcrypto";

/// A plan that has been validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    fingerprint: Fingerprint,
    /// By algorithm, direction and size class; symmetric modes have the rows of encryption alone.
    rows: Vec<Option<Row>>,
    /// The route of each hash function that is claimed.
    digests: [Option<Route>; Digest::ALL.len()],
    /// From how many bytes on Linux's crypto serves, and by which way, by [`offload_place`].
    offloads: [Option<(usize, Route)>; OFFLOADS],
    /// The driver that the kernel's figures are of, by [`Subject::index`].
    drivers: BTreeMap<(usize, Route), (Subject, String)>,
    constant_time: bool,
}

/// Hash functions of ours and algorithms of others, in both directions.
const OFFLOADS: usize = (Digest::ALL.len() + Delegated::COUNT) * Direction::BOTH.len();

impl Plan {
    /// A plan with nothing in it.
    pub fn new(fingerprint: Fingerprint) -> Self {
        let places = Algorithm::ALL.len() * Direction::BOTH.len() * SIZE_CLASSES.len();
        let digests = [None; Digest::ALL.len()];
        let (offloads, drivers) = ([None; OFFLOADS], BTreeMap::new());
        let rows = vec![None; places];
        Self { fingerprint, rows, digests, offloads, drivers, constant_time: false }
    }

    /// Reads a plan's text; the error is one line that says where and what.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        parse::plan(text)
    }

    /// Reads a plan's file, if it is a regular one of a plan's size.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let bytes = read(path)?;
        match str::from_utf8(&bytes) {
            Ok(text) => Self::parse(text),
            Err(wrong) => {
                let before = bytes.iter().take(wrong.valid_up_to());
                let line = 1 + before.filter(|byte| **byte == b'\n').count();
                Err(PlanError::at(line, "not text"))
            }
        }
    }

    /// What the plan was made for.
    pub const fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The same plan, made for another machine or other programs.
    #[must_use]
    pub fn made_for(self, fingerprint: Fingerprint) -> Self {
        Self { fingerprint, ..self }
    }

    /// The same plan, in which nothing is left to libcrypto where its code looks up in tables and there is another way.
    #[must_use]
    pub fn for_constant_time(self) -> Self {
        Self { constant_time: true, ..self }
    }

    /// Whether it is such a plan. That is somebody's choice, which a plan that is made anew keeps.
    pub const fn is_for_constant_time(&self) -> bool {
        self.constant_time
    }

    /// Whether a file has such a plan. A choice stands, too, where another version of Wirespeed wrote it and this one cannot
    /// read the rest.
    pub fn is_file_for_constant_time(file: &Path) -> bool {
        let text = read(file).unwrap_or_default();
        let mut lines = text.split(|byte| *byte == b'\n');
        lines.any(|line| line.trim_ascii() == parse::CONSTANT_TIME.as_bytes())
    }

    /// The route for each [`size_bucket`](crate::size_bucket) of lengths; nothing if the algorithm is left to
    /// libcrypto, which it is in both directions or in none.
    pub fn routes(
        &self,
        algorithm: Algorithm,
        direction: Direction,
    ) -> Option<[Route; SIZE_BUCKETS]> {
        self.cells(algorithm, direction, |row| row.route)
    }

    /// The same where some ways to Linux's crypto may not be used: the second best has their calls.
    pub fn routes_with(
        &self,
        algorithm: Algorithm,
        direction: Direction,
        may: impl Fn(Route) -> bool,
    ) -> Option<[Route; SIZE_BUCKETS]> {
        let goes = |route: &Route| !route.is_offload() || may(*route);
        self.cells(algorithm, direction, |row| {
            let second = || row.reason.map(|reason| reason.second).filter(goes);
            Some(row.route).filter(goes).or_else(second).unwrap_or(Route::Libcrypto)
        })
    }

    fn cells(
        &self,
        algorithm: Algorithm,
        direction: Direction,
        route: impl Fn(&Row) -> Route,
    ) -> Option<[Route; SIZE_BUCKETS]> {
        if !self.claims(algorithm) {
            return None;
        }
        let first = place(algorithm, direction, 0);
        let rows = &self.rows[first..first + SIZE_CLASSES.len()];
        let cell = |class: usize| rows[class].as_ref().map_or(Route::Libcrypto, &route);
        Some(speaking_classes().map(cell))
    }

    /// Whether anything of the algorithm goes another way than libcrypto's own.
    pub fn claims(&self, algorithm: Algorithm) -> bool {
        let first = place(algorithm, Direction::Encrypt, 0);
        let rows = &self.rows[first..first + Direction::BOTH.len() * SIZE_CLASSES.len()];
        rows.iter().flatten().any(|row| row.route != Route::Libcrypto)
    }

    /// The row of a size class, if the plan has it.
    pub fn row(&self, algorithm: Algorithm, direction: Direction, size: usize) -> Option<&Row> {
        self.rows[place(algorithm, direction, class_index(size)?)].as_ref()
    }

    /// Every row, in the order of algorithms, directions and sizes.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().flatten()
    }

    /// The hash functions that are claimed, with their routes.
    pub fn digests(&self) -> impl Iterator<Item = (Digest, Route)> {
        Digest::ALL.into_iter().zip(self.digests).filter_map(|(it, route)| Some((it, route?)))
    }

    /// Claims a hash function for a route; the route that it had before.
    pub fn put_digest(&mut self, digest: Digest, route: Route) -> Option<Route> {
        self.digests[digest as usize].replace(route)
    }

    /// From how many bytes on Linux's crypto serves something that has no rows; nothing if it never does.
    pub fn offload(&self, subject: Subject, direction: Direction) -> Option<Offload> {
        let (bytes, route) = self.offloads[offload_place(subject, direction)?]?;
        Some(Offload { subject, direction, bytes, route })
    }

    /// Everything without rows that Linux's crypto serves.
    pub fn offloads(&self) -> impl Iterator<Item = Offload> {
        let everything = Subject::all()
            .flat_map(|subject| subject.directions().iter().map(move |way| (subject, *way)));
        everything.filter_map(|(subject, direction)| self.offload(subject, direction))
    }

    /// Gives calls from so many bytes on to Linux's crypto; what stood there before.
    ///
    /// # Panics
    /// If the subject has rows, or takes its messages whole: an AEAD or a MAC of others; or the route is another.
    pub fn put_offload(&mut self, offload: Offload) -> Option<Offload> {
        let Offload { subject, direction, bytes, route } = offload;
        assert!(route.is_offload(), "{route} is no way to Linux's crypto");
        if let Some(refusal) = Offload::refusal(subject) {
            panic!("{refusal}");
        }
        let place = offload_place(subject, direction).expect("a subject without rows");
        let (bytes, route) = self.offloads[place].replace((bytes, route))?;
        Some(Offload { bytes, route, ..offload })
    }

    /// The kernel's driver that was measured for a subject, and the only one that the plan speaks of:
    /// where it is gone, the kernel's route is. Nothing in a plan that leaves the choice to the kernel.
    pub fn driver(&self, subject: Subject, route: Route) -> Option<&str> {
        self.drivers.get(&(subject.index(), route)).map(|(_, driver)| driver.as_str())
    }

    /// The driver of a subject, and the way to it; the usual one where both are named.
    pub fn named_driver(&self, subject: Subject) -> Option<(Route, &str)> {
        Route::OFFLOADS.into_iter().find_map(|route| Some((route, self.driver(subject, route)?)))
    }

    /// Every driver that was measured, and by which way.
    pub fn drivers(&self) -> impl Iterator<Item = (Subject, Route, &str)> {
        let all = self.drivers.iter();
        all.map(|((_, route), (subject, driver))| (*subject, *route, driver.as_str()))
    }

    /// Names the driver of a subject by one way; the one that it had before.
    ///
    /// # Panics
    /// If that is no name for a driver: one word of printable ASCII, 127 characters at most.
    pub fn put_driver(&mut self, subject: Subject, route: Route, driver: &str) -> Option<String> {
        assert!(is_driver(driver), "no name for a driver: {driver}");
        let before = self.drivers.insert((subject.index(), route), (subject, driver.to_owned()));
        before.map(|(_, driver)| driver)
    }

    /// Puts a row in its place; the row that was there before, and is now lost.
    ///
    /// # Panics
    /// If the row's size is no size class.
    pub fn put(&mut self, row: Row) -> Option<Row> {
        let class = class_index(row.size).expect("a size class");
        self.rows[place(row.algorithm, row.direction, class)].replace(row)
    }
}

/// Where a row is kept.
fn place(algorithm: Algorithm, direction: Direction, class: usize) -> usize {
    let symmetric = algorithm.mode().is_symmetric();
    let direction = if symmetric { Direction::Encrypt } else { direction };
    (algorithm.index() * Direction::BOTH.len() + direction as usize) * SIZE_CLASSES.len() + class
}

/// Characters in the name of a driver at most: the kernel's CRYPTO_MAX_ALG_NAME without the end.
pub(crate) const LONGEST_DRIVER: usize = 127;

/// Whether the kernel could call a driver so.
pub fn is_driver(name: &str) -> bool {
    (1..=LONGEST_DRIVER).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Where it is kept from how many bytes on the kernel serves; nowhere for what has rows.
fn offload_place(subject: Subject, direction: Direction) -> Option<usize> {
    let index = match subject {
        Subject::Cipher(_) => return None,
        Subject::Digest(digest) => digest as usize,
        Subject::Delegated(delegated) => Digest::ALL.len() + delegated.index(),
    };
    let direction = if subject.is_symmetric() { Direction::Encrypt } else { direction };
    Some(index * Direction::BOTH.len() + direction as usize)
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{REMARKS}{} {}\n{}", parse::FORMAT, parse::VERSION, self.fingerprint)?;
        if self.constant_time {
            writeln!(f, "{}", parse::CONSTANT_TIME)?;
        }
        writeln!(f, "{HEADING}")?;
        self.rows().try_for_each(|row| writeln!(f, "{row}"))?;
        let mut digests = self.digests();
        digests.try_for_each(|(it, route)| writeln!(f, "{} {it} {route}", parse::DIGEST))?;
        self.offloads().try_for_each(|offload| writeln!(f, "{} {offload}", parse::OFFLOAD))?;
        let mut drivers = self.drivers();
        drivers.try_for_each(|(it, route, driver)| {
            writeln!(f, "{} {it} {driver}{}", parse::DRIVER, way(route))
        })
    }
}

/// The bytes of a plan, and one more than a plan may have of what is no plan.
fn read(path: &Path) -> Result<Vec<u8>, PlanError> {
    let cannot = |why: std::io::Error| PlanError::file(format!("cannot be read: {why}"));
    // Opening a pipe would wait for somebody to write to it.
    if !fs::metadata(path).map_err(cannot)?.is_file() {
        return Err(PlanError::file("is not a regular file"));
    }
    let mut bytes = Vec::new();
    let mut limited = File::open(path).map_err(cannot)?.take(LARGEST as u64 + 1);
    limited.read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use wirespeed_cipher::Use;

    use super::*;
    use crate::Reason;

    fn algorithm(name: &str) -> Algorithm {
        name.parse().expect("known")
    }

    fn filled(name: &str, direction: Direction, route: impl Fn(usize) -> Route) -> Vec<Row> {
        let row = |&size: &usize| Row {
            algorithm: algorithm(name),
            direction,
            size,
            route: route(size),
            reason: None,
        };
        SIZE_CLASSES.iter().map(row).collect()
    }

    fn plan(rows: impl IntoIterator<Item = Row>) -> Plan {
        let mut plan = Plan::new(Fingerprint::here("3.0.18"));
        for row in rows {
            assert_eq!(plan.put(row), None);
        }
        plan
    }

    #[test]
    fn a_row_becomes_thirteen_ranges() {
        let route = |size| if size < 512 { Route::AesNi } else { Route::Vaes512 };
        let plan = plan(filled("AES-128-CTR", Direction::Encrypt, route));
        let encrypt = plan.routes(algorithm("AES-128-CTR"), Direction::Encrypt).expect("claimed");
        assert_eq!(encrypt[..5], [Route::AesNi; 5]);
        assert_eq!(encrypt[5..], [Route::Vaes512; 8]);
        // A counter mode is the same both ways.
        let decrypt = plan.routes(algorithm("AES-128-CTR"), Direction::Decrypt);
        assert_eq!(decrypt, Some(encrypt));
    }

    #[test]
    fn an_algorithm_is_claimed_in_both_directions_or_in_none() {
        let cbc = algorithm("AES-256-CBC");
        let host = filled("AES-256-CBC", Direction::Encrypt, |_| Route::Libcrypto);
        let ours = filled("AES-256-CBC", Direction::Decrypt, |_| Route::Vaes256);
        let both = plan(host.iter().chain(&ours).copied());
        assert_eq!(both.routes(cbc, Direction::Encrypt), Some([Route::Libcrypto; SIZE_BUCKETS]));
        assert_eq!(both.routes(cbc, Direction::Decrypt), Some([Route::Vaes256; SIZE_BUCKETS]));
        assert_eq!(plan(host).routes(cbc, Direction::Encrypt), None);
        assert_eq!(plan([]).routes(cbc, Direction::Decrypt), None);
    }

    #[test]
    fn without_the_kernel_the_second_best_serves() {
        let time = |nanos: &str| nanos.parse().expect("a time");
        let reason = Reason {
            constant_time: false,
            usage: Use::Message,
            time: time("10.0+-1.0"),
            second: Route::AesNi,
            second_time: time("20.0+-1.0"),
            libcrypto: time("30.0+-1.0"),
        };
        let mut rows = filled("AES-128-CTR", Direction::Encrypt, |_| Route::Kernel);
        rows.iter_mut().filter(|row| row.size < 4096).for_each(|row| row.reason = Some(reason));
        let plan = plan(rows);
        let ctr = algorithm("AES-128-CTR");
        let without = plan.routes_with(ctr, Direction::Encrypt, |_| false).expect("claimed");
        assert_eq!(without[..8], [Route::AesNi; 8]);
        assert_eq!(without[8..], [Route::Libcrypto; 5]);
        assert_eq!(plan.routes(ctr, Direction::Encrypt), Some([Route::Kernel; SIZE_BUCKETS]));
    }

    #[test]
    fn files_that_cannot_be_plans() {
        let told = |path: &str| Plan::read(Path::new(path)).expect_err("no plan").to_string();
        assert!(told("/nowhere/at/all").starts_with("cannot be read: "));
        assert_eq!(told("/dev/zero"), "is not a regular file");
        assert_eq!(told("/proc"), "is not a regular file");
    }

    #[test]
    fn the_choice_of_constant_time_stands_in_a_plan_that_cannot_be_read() {
        let file = std::env::temp_dir().join(format!("wirespeed-choice-{}", std::process::id()));
        let chosen = |text: &str| {
            fs::write(&file, text).expect("written");
            Plan::is_file_for_constant_time(&file)
        };
        let found = [
            chosen("wirespeed-plan 99\nconstant-time\nof the future 1 2 3\n"),
            chosen("wirespeed-plan 99\n# constant-time\nby constant-time\n"),
        ];
        fs::remove_file(&file).expect("removed");
        assert_eq!(found, [true, false]);
        assert!(!Plan::is_file_for_constant_time(Path::new("/proc")));
    }
}
