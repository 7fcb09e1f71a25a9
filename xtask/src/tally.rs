//! Counts of what passed, failed and was skipped, read from test programs' own reports.

use std::fmt;
use std::ops::AddAssign;

/// What one stage, or all of them, came to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// One line per failure or skip whose cause is known.
    pub(crate) remarks: Vec<String>,
}

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
        Self { skipped: 1, remarks: vec![format!("skipped: {reason}")], ..Self::default() }
    }

    pub(crate) fn fail(&mut self, remark: String) {
        self.failed += 1;
        self.remarks.push(remark);
    }

    /// Takes in one line of a test program's output: libtest's form, which ours share.
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            let count = |label: &str| {
                let field = result.split([';', '.']).find_map(|f| f.trim().strip_suffix(label));
                field.and_then(|number| number.trim().parse::<u64>().ok()).unwrap_or(0)
            };
            self.passed += count("passed");
            self.failed += count("failed");
            self.skipped += count("ignored");
        } else if let Some(test) = line.strip_prefix("test ")
            && let Some((name, outcome)) = test.split_once(" ... ")
        {
            if outcome.starts_with("ignored") {
                self.remarks.push(format!("skipped: {} ({outcome})", name.trim()));
            } else if outcome.starts_with("FAILED") {
                self.remarks.push(format!("failed: {}", name.trim()));
            }
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.remarks.extend(other.remarks);
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
            "running 3 tests",
            "test a::b ... ok",
            "test c ... FAILED",
            "test d ... ignored, no valgrind",
            "test result: FAILED. 7 passed; 1 failed; 2 ignored; 0 measured; 5 filtered out; \
             finished in 0.00s",
        ] {
            tally.read(line);
        }
        assert_eq!((tally.passed, tally.failed, tally.skipped), (7, 1, 2));
        assert_eq!(tally.remarks, ["failed: c", "skipped: d (ignored, no valgrind)"]);
        tally += Tally::skip("no nightly");
        assert_eq!(tally.to_string(), "7 passed, 1 failed, 3 skipped");
    }
}
