//! Bars as inline SVG, and the same figures as a table.
//!
//! Widths are shares of the window and heights are pixels, so that a chart is as wide as there is room while its
//! words stay as large as all others, on a telephone, on a screen and on paper.

use std::fmt::Write;

use crate::table::{Cell, Table};
use crate::text::Text;

/// Figures of several series, compared name by name.
pub(crate) struct Chart {
    /// What it shows.
    pub(crate) title: String,
    /// Unique on the page.
    pub(crate) id: String,
    /// The names of the series, one for each file.
    pub(crate) series: Vec<String>,
    pub(crate) groups: Vec<Group>,
}

/// What is compared under one name.
pub(crate) struct Group {
    pub(crate) name: String,
    /// One for each series, in their order.
    pub(crate) bars: Vec<Option<Bar>>,
}

/// A speed, and how it stands to that without encryption.
#[derive(Clone, Copy)]
pub(crate) struct Bar {
    pub(crate) bytes_per_second: f64,
    pub(crate) factor: Option<f64>,
}

/// Pixels.
const LINE: usize = 19;
const NAME: usize = 18;
const BETWEEN: usize = 7;
/// The share of the width that bars have; the figures have the rest.
const BARS: usize = 60;

/// The letter of a series: colours alone tell too little.
pub(crate) fn letter(series: usize) -> String {
    let letter = char::from(b'A' + (series % 26) as u8);
    match series / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

impl Bar {
    pub(crate) fn megabytes(self) -> String {
        format!("{:.1}", self.bytes_per_second / 1e6)
    }

    pub(crate) fn factor(self) -> String {
        self.factor.map_or("-".to_owned(), factor)
    }
}

/// "0.43", with more digits where it takes them to see anything.
pub(crate) fn factor(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 0.0995 => format!("{ratio:.2}"),
        ratio if ratio >= 0.009_95 => format!("{ratio:.3}"),
        ratio => format!("{ratio:.4}"),
    }
}

impl Chart {
    /// The fastest first, by the first series that has figures.
    pub(crate) fn sort(&mut self) {
        let speed = |group: &Group| {
            let first = group.bars.iter().flatten().next();
            first.map_or(0.0, |bar| bar.bytes_per_second)
        };
        self.groups.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
    }

    /// The figure: a drawing, and the table of it.
    pub(crate) fn html(&self) -> String {
        format!(
            "<figure>\n<figcaption>{}</figcaption>\n{}{}</figure>\n",
            Text(&self.title),
            self.svg(),
            self.table().html()
        )
    }

    fn svg(&self) -> String {
        let bars = |group: &Group| group.bars.iter().flatten().count();
        let most = self
            .groups
            .iter()
            .flat_map(|group| group.bars.iter().flatten())
            .map(|bar| bar.bytes_per_second)
            .fold(f64::MIN_POSITIVE, f64::max);
        let height: usize =
            self.groups.iter().map(|group| NAME + bars(group) * LINE + BETWEEN).sum();
        let (id, title) = (&self.id, Text(&self.title));
        let mut text = format!(
            "<svg width=\"100%\" height=\"{height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
             <title id=\"{id}-t\">{title}</title>\n<desc id=\"{id}-d\">{}</desc>\n",
            Text(&self.description())
        );
        let mut y = 0;
        for group in &self.groups {
            let baseline = y + NAME - 5;
            // Writing to a String cannot fail.
            let _ = writeln!(text, "<text x=\"0\" y=\"{baseline}\">{}</text>", Text(&group.name));
            y += NAME;
            for (series, bar) in group.bars.iter().enumerate() {
                let Some(bar) = bar else { continue };
                self.bar(&mut text, y, series, *bar, bar.bytes_per_second / most);
                y += LINE;
            }
            y += BETWEEN;
        }
        text.push_str("</svg>\n");
        text
    }

    /// One bar and its figures. The nested drawing makes room for these to the right of the longest bar.
    fn bar(&self, text: &mut String, y: usize, series: usize, bar: Bar, share: f64) {
        let colour = series % COLOURS;
        let letter = if self.series.len() > 1 { letter(series) + " " } else { String::new() };
        let _ = writeln!(
            text,
            "<svg y=\"{y}\" width=\"{BARS}%\" height=\"{height}\"><rect class=\"track\" width=\"100%\" \
             height=\"100%\"/><rect class=\"s{colour}\" width=\"{:.2}%\" height=\"100%\"/></svg>\
             <text class=\"figure\" x=\"100%\" y=\"{baseline}\">{letter}{} MB/s <tspan class=\"factor\">{}</tspan></text>",
            (share * 100.0).max(0.3),
            bar.megabytes(),
            bar.factor(),
            height = LINE - 4,
            baseline = y + LINE - 8,
        );
    }

    /// The drawing in words.
    fn description(&self) -> String {
        let ends = [self.groups.first(), self.groups.last()];
        let words = ends.into_iter().flatten().filter_map(|group| {
            let bar = group.bars.iter().flatten().next()?;
            Some(format!("{} {} MB/s", group.name, bar.megabytes()))
        });
        let words: Vec<String> = words.collect();
        format!(
            "Bars of {} names, from {}. The table has all figures.",
            self.groups.len(),
            words.join(" to ")
        )
    }

    fn table(&self) -> Table {
        let mut head = vec![Cell::name("cipher")];
        for series in 0..self.series.len() {
            let letter = if self.series.len() > 1 { letter(series) + " " } else { String::new() };
            head.push(Cell::figure(format!("{letter}MB/s")));
            head.push(Cell::figure(format!("{letter}factor")));
        }
        let mut table = Table::new(&self.title, head);
        for group in &self.groups {
            let mut cells = vec![Cell::name(&group.name)];
            for bar in &group.bars {
                let figures = bar.map_or(["-".to_owned(), "-".to_owned()], |bar| {
                    [bar.megabytes(), bar.factor()]
                });
                cells.extend(figures.map(Cell::figure));
            }
            table.row(cells);
        }
        table
    }
}

/// Colours that the page knows.
pub(crate) const COLOURS: usize = 6;
