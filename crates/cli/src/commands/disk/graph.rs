//! The table as bars in the terminal.

use wirespeed_results::schema::disk::Row;

use super::figures::{factor, megabytes};
use crate::output::WIDTH;

/// What bars are made of: a full piece, and pieces by their eighths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signs {
    /// Block elements.
    Unicode,
    /// For terminals that know no others.
    Ascii,
}

/// One to seven eighths.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// The speed of every row, for each test of which a second one tells more: those with warm caches and code.
pub(super) fn graph(rows: &[Row]) -> String {
    graph_in(rows, Signs::of_locale())
}

fn graph_in(rows: &[Row], signs: Signs) -> String {
    let measured: Vec<&Row> = rows.iter().filter(|row| row.test.is_some()).collect();
    let has = |test: &str| measured.iter().any(|row| row.test.as_deref() == Some(test));
    let tests = [("w2", "w", "written"), ("r2", "r", "read")];
    let drawn = tests.into_iter().filter_map(|(second, first, word)| {
        let test = [second, first].into_iter().find(|test| has(test))?;
        let rows = measured.iter().copied().filter(|row| row.test.as_deref() == Some(test));
        Some(format!(
            "\nMB/s {word} ({test}), and the factor\n{}",
            bars(&rows.collect::<Vec<_>>(), signs)
        ))
    });
    drawn.collect()
}

/// A bar for each row, the longest as wide as there is room.
fn bars(rows: &[&Row], signs: Signs) -> String {
    let names: Vec<String> = rows.iter().map(|row| name(row)).collect();
    let figures: Vec<String> = rows
        .iter()
        .map(|row| {
            let speed = row.bytes_per_second.map_or("-".to_owned(), megabytes);
            let ratio = row.factor.map_or("-".to_owned(), factor);
            format!("{speed:>8}  {ratio:>7}")
        })
        .collect();
    let widest = |texts: &[String]| texts.iter().map(|it| it.chars().count()).max().unwrap_or(0);
    let (left, right) = (widest(&names), widest(&figures));
    let room = WIDTH.saturating_sub(left + right + 4).max(8);
    let speeds = rows.iter().map(|row| row.bytes_per_second.unwrap_or(0.0));
    let most = speeds.clone().fold(f64::MIN_POSITIVE, f64::max);
    let lines = names.iter().zip(&figures).zip(speeds).map(|((name, figure), speed)| {
        let bar = signs.bar(speed / most, room);
        format!("{}\n", format!("{name:<left$}  {figure:>right$}  {bar}").trim_end())
    });
    lines.collect()
}

/// What a bar stands for.
pub(super) fn name(row: &Row) -> String {
    let mut name = row.cipher.clone();
    if row.key_bits > 0 {
        name.push_str(&format!(" {}", row.key_bits));
    }
    if row.variant == "generic" {
        name.push_str(" generic");
    }
    name
}

impl Signs {
    /// What the locale allows: the first of its variables that says anything (locale(7)).
    fn of_locale() -> Self {
        let said =
            ["LC_ALL", "LC_CTYPE", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
        Self::of(said.iter().map(String::as_str))
    }

    fn of<'a>(mut variables: impl Iterator<Item = &'a str>) -> Self {
        let locale = variables.find(|value| !value.is_empty()).unwrap_or_default();
        let locale = locale.to_ascii_lowercase();
        match locale.contains("utf-8") || locale.contains("utf8") {
            true => Self::Unicode,
            false => Self::Ascii,
        }
    }

    /// A share of `room` characters; something of it is always to be seen.
    fn bar(self, share: f64, room: usize) -> String {
        let eighths = ((share * room as f64 * 8.0).round() as usize).clamp(1, room * 8);
        match self {
            Self::Unicode => {
                let rest = (eighths % 8).checked_sub(1).map(|place| EIGHTHS[place]);
                "█".repeat(eighths / 8) + &rest.map(String::from).unwrap_or_default()
            }
            Self::Ascii => "#".repeat(eighths.div_ceil(8)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cipher: &str, test: &str, megabytes: f64) -> Row {
        Row {
            cipher: cipher.to_owned(),
            variant: "best".to_owned(),
            key_bits: if cipher == "none" { 0 } else { 128 },
            test: Some(test.to_owned()),
            bytes_per_second: Some(megabytes * 1e6),
            factor: Some(megabytes / 55.35),
            ..Row::default()
        }
    }

    #[test]
    fn the_articles_graph() {
        let rows = [row("none", "w2", 55.35), row("aes", "w2", 19.69), row("arc4", "w2", 13.3)];
        let text = graph_in(&rows, Signs::Ascii);
        let expected = format!(
            "\nMB/s written (w2), and the factor\n\
             none          55.4   1.00    {}\n\
             aes 128       19.7   0.36    {}\n\
             arc4 128      13.3   0.24    {}\n",
            "#".repeat(71),
            "#".repeat(26),
            "#".repeat(17)
        );
        assert_eq!(text, expected);
        assert!(graph_in(&rows, Signs::Unicode).contains("  █████████████████\n"));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn tests_once_only_are_drawn_too_and_absent_rows_are_not() {
        let absent = Row { test: None, absent: Some("removed".to_owned()), ..row("tea", "w", 0.0) };
        let text =
            graph_in(&[row("none", "w", 50.0), absent, row("none", "r", 50.0)], Signs::Ascii);
        assert!(text.contains("written (w)") && text.contains("read (r)") && !text.contains("tea"));
        assert_eq!(graph_in(&[], Signs::Ascii), "");
    }

    #[test]
    fn the_first_variable_that_says_anything_is_the_locale() {
        assert_eq!(Signs::of(["", "C", "de_DE.UTF-8"].into_iter()), Signs::Ascii);
        assert_eq!(Signs::of(["", "", "de_DE.utf8"].into_iter()), Signs::Unicode);
        assert_eq!(Signs::of(["", "", ""].into_iter()), Signs::Ascii);
    }
}
