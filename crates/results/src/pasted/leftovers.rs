//! Lines that were not used, and why.

/// Lines by what is the matter with them.
#[derive(Debug, Default)]
pub(super) struct Leftovers {
    unknown: Vec<usize>,
    public_key: Vec<usize>,
    no_speed: Vec<usize>,
    assumed: Vec<usize>,
    unnamed: Vec<usize>,
    other_tests: usize,
}

impl Leftovers {
    /// Nothing that is known.
    pub(super) fn unknown(&mut self, line: usize) {
        self.unknown.push(line);
    }

    /// Operations with public keys.
    pub(super) fn public_key(&mut self, line: usize) {
        self.public_key.push(line);
    }

    /// A figure that cannot be a speed.
    pub(super) fn no_speed(&mut self, line: usize) {
        if self.no_speed.last() != Some(&line) {
            self.no_speed.push(line);
        }
    }

    /// Figures without sizes above them.
    pub(super) fn assumed(&mut self, line: usize) {
        self.assumed.push(line);
    }

    /// Figures of nobody knows what.
    pub(super) fn unnamed(&mut self, line: usize) {
        self.unnamed.push(line);
    }

    /// Something that sbc-bench measured besides.
    pub(super) const fn other_test(&mut self) {
        self.other_tests += 1;
    }

    /// What is said where there is nothing better.
    pub(super) fn instead(&self) -> Option<String> {
        let said = |lines: &[usize], what: &str| {
            (!lines.is_empty()).then(|| format!("its figures {what}: {}", named(lines)))
        };
        said(&self.no_speed, "are no speeds (nothing done, negative or cut)")
            .or_else(|| said(&self.public_key, "are about public keys, which are not compared"))
            .or_else(|| said(&self.unnamed, "are of algorithms that are not named"))
    }

    /// A sentence for each kind.
    pub(super) fn sentences(&self) -> Vec<String> {
        let one = |lines: &[usize], what: &str, whats: &str| {
            let verb = if lines.len() == 1 { what } else { whats };
            (!lines.is_empty()).then(|| format!("{} {verb}.", named(lines)))
        };
        let mut found: Vec<String> = [
            one(&self.unknown, "was not understood", "were not understood"),
            one(
                &self.unnamed,
                "has figures of an algorithm that is not named, and was not used",
                "have figures of algorithms that are not named, and were not used",
            ),
            one(
                &self.no_speed,
                "has a figure that is no speed (nothing done, negative or cut), which was not used",
                "have figures that are no speed (nothing done, negative or cut), which were not used",
            ),
            one(
                &self.assumed,
                "has no line of sizes above it: those that openssl speed takes by itself are assumed",
                "have no line of sizes above them: those that openssl speed takes by itself are assumed",
            ),
            one(
                &self.public_key,
                "is about public keys, which are not compared",
                "are about public keys, which are not compared",
            ),
        ]
        .into_iter()
        .flatten()
        .collect();
        if self.other_tests > 0 {
            found.push(format!(
                "{} lines are about what else sbc-bench measured, and were passed over.",
                self.other_tests
            ));
        }
        found
    }
}

/// At most so many ranges are named.
const MOST: usize = 12;

/// "Line 3", "Lines 3 to 9, 12 and 14".
fn named(lines: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    // Two are no range.
    let pair = |(first, last): (usize, usize)| match last - first {
        1 => vec![(first, first), (last, last)],
        _ => vec![(first, last)],
    };
    let ranges: Vec<(usize, usize)> = ranges.into_iter().flat_map(pair).collect();
    let more = ranges.len().saturating_sub(MOST);
    let mut words: Vec<String> = ranges
        .iter()
        .take(MOST)
        .map(|&(first, last)| match last - first {
            0 => first.to_string(),
            _ => format!("{first} to {last}"),
        })
        .collect();
    if more > 0 {
        words.push(format!("{more} more places"));
    }
    let list = match words.as_slice() {
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    };
    format!("{} {list}", if lines.len() == 1 { "Line" } else { "Lines" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_in_ranges() {
        assert_eq!(named(&[3]), "Line 3");
        assert_eq!(named(&[3, 4]), "Lines 3 and 4");
        assert_eq!(named(&[3, 4, 5, 9, 12]), "Lines 3 to 5, 9 and 12");
        let many: Vec<usize> = (0..20).map(|it| it * 2).collect();
        assert!(named(&many).ends_with(", 20, 22 and 8 more places"), "{}", named(&many));
    }

    #[test]
    fn each_kind_is_a_sentence() {
        let mut leftovers = Leftovers::default();
        assert!(leftovers.sentences().is_empty());
        leftovers.unknown(1);
        leftovers.no_speed(2);
        leftovers.no_speed(2);
        leftovers.public_key(7);
        leftovers.public_key(8);
        leftovers.other_test();
        let said = leftovers.sentences();
        assert_eq!(said[0], "Line 1 was not understood.");
        assert!(said[1].starts_with("Line 2 has a figure that is no speed"), "{said:?}");
        assert_eq!(said[2], "Lines 7 and 8 are about public keys, which are not compared.");
        assert_eq!(said.len(), 4);
    }
}
