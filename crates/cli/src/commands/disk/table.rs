//! The table of the comparison of 2007, line by line as the tests end.

use std::collections::VecDeque;

use wirespeed_results::schema::disk::Row;

use super::figures::{clock, factor, megabytes};
use crate::output::WIDTH;

/// What the lines are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// One cipher after the other.
    Ciphers,
    /// One cipher, with sectors of both sizes and with dm-crypt's options.
    Options,
}

/// A table whose lines are printed before the next one is known.
///
/// A name and what stands below it (the route or driver) share the first column, beside the tests' figures.
pub(super) struct Table {
    subject: Subject,
    /// Characters of each column.
    widths: [usize; COLUMNS],
    /// What is still to be said in the first column.
    names: VecDeque<String>,
    /// Of whom the last line was.
    last: Option<Identity>,
}

const COLUMNS: usize = 10;
const GAP: &str = "  ";

/// What makes a row another one's neighbour.
type Identity = (String, String, u32, Option<usize>, Vec<String>);

fn identity(row: &Row) -> Identity {
    let Row { cipher, variant, key_bits, sector_bytes, options, .. } = row.clone();
    (cipher, variant, key_bits, sector_bytes, options)
}

impl Table {
    /// A table for tests of so many bytes.
    pub(super) fn new(subject: Subject, bytes: u64) -> Self {
        let digits = bytes.to_string().len().max("bytes".len());
        let mut widths = [0, 6, 4, 5, 8, 5, digits, 8, 7, 9];
        if subject == Subject::Ciphers {
            widths[1] = 4;
        }
        let others: usize = widths.iter().sum::<usize>() + GAP.len() * (COLUMNS - 1);
        widths[0] = WIDTH.saturating_sub(others).clamp(16, 26);
        Self { subject, widths, names: VecDeque::new(), last: None }
    }

    /// The columns' names.
    pub(super) fn heading(&self) -> String {
        let (first, second) = match self.subject {
            Subject::Ciphers => ("cipher", "key"),
            Subject::Options => ("options", "sector"),
        };
        let factor = "factor";
        let others = ["test", "load", "elapsed", "CPU %", "bytes", "MB/s", factor, "CPU s/GiB"];
        let mut cells = [""; COLUMNS];
        cells[0] = first;
        cells[1] = second;
        cells[2..].copy_from_slice(&others);
        self.line(cells.map(str::to_owned))
    }

    /// The line of a test, behind what was still to be said of the cipher before.
    pub(super) fn row(&mut self, row: &Row) -> String {
        let identity = identity(row);
        let is_new = self.last.as_ref() != Some(&identity);
        let mut text = if is_new { self.end() } else { String::new() };
        self.last = Some(identity);
        if is_new {
            self.names = self.name(row).into();
        }
        for (word, why) in [("absent", &row.absent), ("WRONG", &row.wrong)] {
            if let Some(why) = why {
                text.push_str(&self.reasons(row, is_new, &format!("{word}: {why}")));
                return text;
            }
        }
        let figure = |value: Option<f64>, write: fn(f64) -> String| value.map_or("-".into(), write);
        let cells = [
            self.names.pop_front().unwrap_or_default(),
            if is_new { self.second(row) } else { String::new() },
            row.test.clone().unwrap_or_default(),
            figure(row.load, |load| format!("{load:.2}")),
            row.elapsed_ns.map_or("-".into(), clock),
            figure(row.cpu_percent, |share| format!("{share:.0}")),
            row.bytes.map_or("-".into(), |bytes| bytes.to_string()),
            figure(row.bytes_per_second, megabytes),
            figure(row.factor, factor),
            figure(row.cpu_s_per_gib, |seconds| format!("{seconds:.3}")),
        ];
        text + &self.line(cells)
    }

    /// What is still to be said.
    pub(super) fn end(&mut self) -> String {
        self.names.drain(..).map(|name| name + "\n").collect()
    }

    /// The first column: what it is, who computed.
    fn name(&self, row: &Row) -> Vec<String> {
        let name = match self.subject {
            Subject::Ciphers => row.cipher.clone(),
            Subject::Options if row.cipher == "none" => "no encryption".to_owned(),
            Subject::Options => match row.options.as_slice() {
                [] => "the standard".to_owned(),
                [one] => one.clone(),
                _ => "both".to_owned(),
            },
        };
        let mut lines = pieces(&name, self.widths[0], "");
        let who = row.driver.as_ref().or(row.route.as_ref());
        if let (Some(who), Subject::Ciphers) = (who, self.subject) {
            let generic = if row.variant == "generic" { "generic: " } else { "" };
            lines.extend(pieces(&format!("{generic}{who}"), self.widths[0], "  "));
        }
        lines
    }

    fn second(&self, row: &Row) -> String {
        match (self.subject, row.key_bits, row.sector_bytes) {
            (_, 0, _) | (Subject::Options, _, None) => String::new(),
            (Subject::Ciphers, bits, _) => bits.to_string(),
            (Subject::Options, _, Some(bytes)) => bytes.to_string(),
        }
    }

    /// A line of reasons instead of figures, or several.
    fn reasons(&mut self, row: &Row, is_new: bool, why: &str) -> String {
        let [first, second, ..] = self.widths;
        let room = WIDTH - first - second - 2 * GAP.len();
        let reasons = pieces(why, room, "");
        let mut text = String::new();
        for (place, reason) in reasons.iter().enumerate() {
            let name = self.names.pop_front().unwrap_or_default();
            let key = if is_new && place == 0 { self.second(row) } else { String::new() };
            let line = format!("{name:<first$}{GAP}{key:>second$}{GAP}{reason}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn line(&self, cells: [String; COLUMNS]) -> String {
        let mut line = String::new();
        for (place, (cell, width)) in cells.iter().zip(self.widths).enumerate() {
            if place == 0 {
                line.push_str(&format!("{cell:<width$}"));
            } else {
                line.push_str(&format!("{GAP}{cell:>width$}"));
            }
        }
        format!("{}\n", line.trim_end())
    }
}

/// A text in lines of at most `width`, broken behind what may be broken, each behind `indent`.
fn pieces(text: &str, width: usize, indent: &str) -> Vec<String> {
    let room = width.saturating_sub(indent.len()).max(1);
    let mut lines = vec![String::new()];
    for part in text.split_inclusive([' ', '-', ',', '(']) {
        let mut part = part;
        loop {
            let last = lines.len() - 1;
            let line = &mut lines[last];
            let used = line.chars().count();
            if used + part.trim_end().chars().count() <= room {
                line.push_str(part);
                break;
            }
            if used > 0 {
                lines.push(String::new());
                continue;
            }
            // One word longer than the column.
            let cut = part.char_indices().nth(room).map_or(part.len(), |(place, _)| place);
            line.push_str(&part[..cut]);
            part = &part[cut..];
        }
    }
    lines.into_iter().map(|line| format!("{indent}{}", line.trim_end())).collect()
}

#[cfg(test)]
mod tests;
