//! Columns without boxes: text to the left, figures to the right.

use super::{WIDTH, call};

/// How a column stands.
#[derive(Clone, Copy)]
pub(crate) enum Side {
    Left,
    Right,
}

/// Rows of equal length, aligned column by column.
pub(crate) struct Table {
    sides: Vec<Side>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Spaces between two columns.
    const GAP: usize = 2;

    pub(crate) fn new(sides: &[Side]) -> Self {
        Self { sides: sides.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has not as many cells as there are columns.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.sides.len(), "cells in a row");
        self.rows.push(cells);
    }

    /// Adds the rows of another table of the same columns.
    pub(crate) fn append(&mut self, other: Self) {
        other.rows.into_iter().for_each(|cells| self.row(cells));
    }

    /// The lines, without spaces at their ends.
    pub(crate) fn render(&self) -> String {
        let widths: Vec<usize> = (0..self.sides.len())
            .map(|column| {
                self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, side), width) in row.iter().zip(&self.sides).zip(&widths) {
                if !line.is_empty() {
                    line.push_str(&" ".repeat(Self::GAP));
                }
                match side {
                    Side::Left => line.push_str(&format!("{cell:<width$}")),
                    Side::Right => line.push_str(&format!("{cell:>width$}")),
                }
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

/// Fills lines of at most the width with `words`. The first begins in column `first`, the others in column `later`.
pub(crate) fn wrap(words: &[&str], separator: &str, first: usize, later: usize) -> String {
    let mut text = String::new();
    let mut column = first;
    for word in words {
        let length = word.chars().count();
        let gap = if text.is_empty() { 0 } else { separator.chars().count() };
        if gap > 0 && column > later && column + gap + length > WIDTH {
            text.push_str(&format!("\n{:later$}", ""));
            column = later;
        } else if gap > 0 {
            text.push_str(separator);
            column += gap;
        }
        text.push_str(word);
        column += length;
    }
    text
}

/// The words of a text in such lines, with commands as a shell here starts this program: its name may be a long path.
pub(crate) fn paragraph(text: &str, first: usize, later: usize) -> String {
    let text = call::named(text);
    let words: Vec<&str> = text.split(' ').collect();
    wrap(&words, " ", first, later) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let mut table = Table::new(&[Side::Left, Side::Right, Side::Left]);
        table.row(vec!["AES".into(), "16 B".into(), "x".into()]);
        table.row(vec![String::new(), "16 KiB".into(), String::new()]);
        assert_eq!(table.render(), "AES    16 B  x\n     16 KiB\n");
    }

    #[test]
    fn long_lines_break_between_words() {
        assert_eq!(wrap(&["one", "two", "three"], " · ", 90, 2), "one · two\n  three");
        assert_eq!(wrap(&[], " ", 90, 2), "");
    }
}
