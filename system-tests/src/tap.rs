//! Reading the Test Anything Protocol, as OpenSSL's recipes speak it: subtests are indented, before their sum.

/// What one recipe reported.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The tests that passed, each of a subtest for itself.
    pub passed: usize,
    /// The innermost tests that failed, each with the names of those around it: "running x > test_y > iteration 1".
    pub failed: Vec<String>,
    /// Why nothing was run.
    pub skipped: Option<String>,
}

/// A test that failed, and how far its line was indented.
type Failure = (usize, String);

/// Reads a recipe's output.
pub fn read(output: &str) -> Report {
    let mut report = Report::default();
    let mut failures: Vec<Failure> = Vec::new();
    for line in output.lines() {
        // OpenSSL 4.0 passes on what test programs say as comments.
        let line = line.strip_prefix("# ").filter(|it| it.starts_with("    ")).unwrap_or(line);
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(reason) = text.strip_prefix("1..0 # ").filter(|_| indent == 0) {
            let reason = reason.strip_prefix("SKIP").or_else(|| reason.strip_prefix("skip"));
            report.skipped = reason.map(|it| it.trim().to_owned());
        } else if let Some(test) = text.strip_prefix("not ok ").filter(|it| !it.contains("# TODO"))
        {
            close(&mut failures, indent, Some(name(test)));
        } else if is_ok(text) {
            // Its subtests failed where failing was right.
            close(&mut failures, indent, None);
            report.passed += 1;
        }
    }
    report.failed = failures.into_iter().map(|(_, name)| name).collect();
    report
}

fn is_ok(text: &str) -> bool {
    text.strip_prefix("ok ").is_some_and(|rest| rest.starts_with(|it: char| it.is_ascii_digit()))
}

/// Ends a test with its subtests, which are the failures indented further than it.
fn close(failures: &mut Vec<Failure>, indent: usize, failed: Option<&str>) {
    let from = failures.iter().rposition(|(at, _)| *at <= indent).map_or(0, |last| last + 1);
    let inner = failures.split_off(from);
    let Some(name) = failed else { return };
    if inner.is_empty() {
        failures.push((indent, name.to_owned()));
    }
    failures.extend(inner.into_iter().map(|(_, within)| (indent, format!("{name} > {within}"))));
}

/// A test's name, behind its number.
fn name(test: &str) -> &str {
    let behind = test.trim_start_matches(|it: char| it.is_ascii_digit()).trim_start();
    behind.strip_prefix("- ").unwrap_or(behind).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_named_with_what_is_around_them() {
        let report = read(
            "1..3\n    # Subtest: ../test/x\n    1..3\n    ok 1 - test_a\n        # Subtest: test_b\n        \
             1..2\n        ok 1 - iteration 1\n        not ok 2 - iteration 2\n    not ok 2 - test_b\n    \
             not ok 3 - test_c # TODO later\nnot ok 1 - running x\n# Failed test\nok 2 - running y\n\
             #     not ok 1 - test_d\nnot ok 3 - running z\nok, so be it\n",
        );
        let failed = ["running x > test_b > iteration 2", "running z > test_d"].map(str::to_owned);
        assert_eq!(report, Report { passed: 3, failed: failed.into(), skipped: None });
    }

    #[test]
    fn what_fails_as_it_must_is_no_failure() {
        let report = read("    not ok 1 - test_a\nok 1 - running x is expected to fail\n");
        assert_eq!(report, Report { passed: 1, ..Report::default() });
    }

    #[test]
    fn a_recipe_that_skips_says_why() {
        let report = read("1..0 # SKIP test_x needs fips enabled\n");
        assert_eq!(report.skipped.as_deref(), Some("test_x needs fips enabled"));
    }
}
