//! Counts of what passed, failed and was skipped, read from test programs' own reports.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::AddAssign;

/// What one stage, or all of them, came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// What failed, each with the first lines of what it said.
    failures: Vec<Vec<String>>,
    /// What was skipped, by the reason.
    skips: BTreeMap<String, Vec<String>>,
    /// Whose words are being read: libtest repeats them once all tests have run.
    quoted: Option<usize>,
    /// Whether they are of those that passed.
    succeeded: bool,
    /// How many of those that this program will say have passed were skipped.
    untested: u64,
}

/// As much of a failed test's words as the summary repeats: where it failed, and on what.
const QUOTED: usize = 12;

impl Tally {
    /// A stage that is one test by itself.
    pub(crate) fn of(passed: bool, name: &str) -> Self {
        let mut tally = Self { passed: u64::from(passed), ..Self::default() };
        if !passed {
            tally.fail(format!("{name} failed"));
        }
        tally
    }

    /// A stage that cannot run here.
    pub(crate) fn skip(reason: impl fmt::Display) -> Self {
        let skips = [(reason.to_string(), Vec::new())].into();
        Self { skipped: 1, skips, ..Self::default() }
    }

    pub(crate) fn fail(&mut self, remark: String) {
        self.failed += 1;
        self.failures.push(vec![remark]);
    }

    /// Takes in one line of a test program's output: libtest's form, which ours share.
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            let count = |label: &str| {
                let field = result.split([';', '.']).find_map(|f| f.trim().strip_suffix(label));
                field.and_then(|number| number.trim().parse::<u64>().ok()).unwrap_or(0)
            };
            self.passed += count("passed").saturating_sub(self.untested);
            self.failed += count("failed");
            self.skipped += count("ignored");
            (self.quoted, self.succeeded, self.untested) = (None, false, 0);
        } else if let Some(test) = line.strip_prefix("test ")
            && let Some((name, outcome)) = test.split_once(" ... ")
        {
            let name = name.trim();
            if let Some(reason) = outcome.strip_prefix("ignored") {
                let reason = reason.trim_matches([',', ' ']);
                let reason =
                    reason.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or(reason);
                self.skips.entry(reason.to_owned()).or_default().push(name.to_owned());
            } else if outcome.starts_with("FAILED") {
                self.failures.push(vec![name.to_owned()]);
            }
        } else if let Some(what) = line.strip_prefix("skipped") {
            // Of a test, or with a name before the reason of a part of one.
            let reason = what.trim_start_matches([':', ' ']).to_owned();
            let is_test = what.starts_with(':');
            self.untested += u64::from(is_test);
            // Many tests leave out the same part.
            self.skipped += u64::from(is_test || !self.skips.contains_key(&reason));
            self.skips.entry(reason).or_default();
        } else if let Some(whose) = line.strip_prefix("---- ").filter(|_| !self.succeeded) {
            let name = whose.trim_end_matches(" ----").trim_end_matches(" stdout");
            // The last of that name: another program's test may have the same. One that printed while it ran has not been
            // seen to fail.
            let seen = self.failures.iter().rposition(|failure| failure[0] == name);
            self.quoted = seen.or_else(|| {
                self.failures.push(vec![name.to_owned()]);
                Some(self.failures.len() - 1)
            });
        } else if line == "successes:" || line == "failures:" {
            (self.quoted, self.succeeded) = (None, line == "successes:");
        } else if let Some(quoted) = self.quoted
            && let failure = &mut self.failures[quoted]
            && failure.len() <= QUOTED
            && !line.trim().is_empty()
        {
            failure.push(line.to_owned());
        }
    }

    /// What was skipped and why, then what failed: what a reader wants first stands last.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let skips = self.skips.iter().map(|(reason, tests)| match &tests[..] {
            [] => format!("skipped: {reason}"),
            [test] => format!("skipped: {test} ({reason})"),
            [first, others @ ..] => {
                format!("skipped: {first} and {} more ({reason})", others.len())
            }
        });
        let failures = self.failures.iter().map(|said| format!("failed: {}", said.join("\n    ")));
        skips.chain(failures).collect()
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
        for (reason, tests) in other.skips {
            self.skips.entry(reason).or_default().extend(tests);
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libtest_reports_are_counted_with_their_reasons() {
        let mut tally = Tally::default();
        for line in [
            "running 4 tests",
            "test a::b ... ok",
            "test c ... FAILED",
            "test d ... ignored, no valgrind",
            "test f ... it prints",
            "FAILED",
            "test e ... ignored (no valgrind)",
            "successes:",
            "",
            "---- a::b stdout ----",
            "skipped: not root",
            "---- g stdout ----",
            "skipped avx2: it is not here",
            "skipped avx2: it is not here",
            "",
            "failures:",
            "",
            "---- c stdout ----",
            "thread 'c' panicked at here:",
            "wrong",
            "",
            "---- f ----",
            "wrong, too",
            "",
            "failures:",
            "    c",
            "    f",
            "test result: FAILED. 7 passed; 2 failed; 2 ignored; 0 measured; 5 filtered out; \
             finished in 0.00s",
        ] {
            tally.read(line);
        }
        assert_eq!((tally.passed, tally.failed, tally.skipped), (6, 2, 4));
        tally += Tally::skip("no nightly");
        let skips = [
            "skipped: avx2: it is not here",
            "skipped: no nightly",
            "skipped: d and 1 more (no valgrind)",
            "skipped: not root",
        ];
        let failed = "failed: c\n    thread 'c' panicked at here:\n    wrong";
        let failed = [failed, "failed: f\n    wrong, too"];
        assert_eq!(tally.remarks(), [&skips[..], &failed].concat());
        assert_eq!(tally.to_string(), "6 passed, 2 failed, 5 skipped");
    }
}
