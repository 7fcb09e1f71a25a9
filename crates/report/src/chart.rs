//! Bars as inline SVG, and the same figures as a table.
//!
//! Widths are shares of the window and heights are pixels, so that a chart is as wide as there is room while its
//! words stay as large as all others, on a telephone, on a screen and on paper.

use std::fmt::Write;

use wirespeed_results::letter;

use crate::table::{Cell, Table};
use crate::text::Text;

/// Figures of several series, compared name by name.
pub(crate) struct Chart {
    /// What it shows.
    pub(crate) title: String,
    /// Unique on the page.
    pub(crate) id: String,
    /// What the names are, at the head of the table.
    pub(crate) names: &'static str,
    /// What the second figure is, at the head of the table; without one there is none.
    pub(crate) factor: Option<&'static str>,
    pub(crate) unit: Unit,
    pub(crate) series: Vec<Series>,
    pub(crate) groups: Vec<Group>,
}

/// What a bar stands for.
#[derive(Clone)]
pub(crate) struct Series {
    /// A machine's letter, a route, or nothing where there is but one: colours alone tell too little.
    pub(crate) mark: String,
    pub(crate) colour: usize,
}

/// A unit, and how many bytes in a second that is.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    pub(crate) name: &'static str,
    pub(crate) bytes_per_second: f64,
}

pub(crate) const MEGABYTES: Unit = Unit { name: "MB/s", bytes_per_second: 1e6 };
pub(crate) const MEGABITS: Unit = Unit { name: "Mbit/s", bytes_per_second: 1e6 / 8.0 };

/// What is compared under one name.
pub(crate) struct Group {
    pub(crate) name: String,
    /// One for each series, in their order.
    pub(crate) bars: Vec<Option<Bar>>,
}

/// A speed, and how it stands to that without encryption, or to another that the chart names.
#[derive(Clone, Copy)]
pub(crate) struct Bar {
    pub(crate) bytes_per_second: f64,
    pub(crate) factor: Option<f64>,
}

/// Pixels.
const LINE: usize = 19;
const NAME: usize = 18;
const BETWEEN: usize = 7;
/// The share of the width that bars have; the figures have the rest, more of it where long marks stand before them.
const BARS: usize = 60;
const BARS_BESIDE_WORDS: usize = 48;

impl Unit {
    pub(crate) fn figure(self, bytes_per_second: f64) -> String {
        format!("{:.1}", bytes_per_second / self.bytes_per_second)
    }
}

impl Series {
    /// The machines at these places of the page, of which it has so many.
    pub(crate) fn of_machines(places: &[usize], machines: usize) -> Vec<Self> {
        let mark = |place: usize| if machines > 1 { letter(place) } else { String::new() };
        places.iter().map(|&place| Self { mark: mark(place), colour: place % COLOURS }).collect()
    }

    /// The mark and a space, before what it marks.
    fn before(&self) -> String {
        if self.mark.is_empty() { String::new() } else { format!("{} ", self.mark) }
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
        // Beside words there is no room for it.
        let unit = if self.has_words() { self.unit.name } else { "" };
        format!(
            "<figure>\n<figcaption>{} <span class=\"quiet\">{unit}</span></figcaption>\n{}{}</figure>\n",
            Text(&self.title),
            self.svg(),
            self.table().html()
        )
    }

    /// Whether marks are words, not letters.
    fn has_words(&self) -> bool {
        self.series.iter().any(|series| series.mark.len() > 2)
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
        let colour = self.series[series].colour;
        let mark = self.series[series].before();
        let (unit, width) = match self.has_words() {
            true => ("", BARS_BESIDE_WORDS),
            false => (self.unit.name, BARS),
        };
        let factor = self.factor.and(bar.factor).map(factor).unwrap_or_default();
        let _ = writeln!(
            text,
            "<svg y=\"{y}\" width=\"{width}%\" height=\"{height}\"><rect class=\"track\" width=\"100%\" \
             height=\"100%\"/><rect class=\"s{colour}\" width=\"{:.2}%\" height=\"100%\"/></svg>\
             <text class=\"figure\" x=\"100%\" y=\"{baseline}\">{}{} {unit} <tspan class=\"factor\">{factor}</tspan></text>",
            (share * 100.0).max(0.3),
            Text(&mark),
            self.unit.figure(bar.bytes_per_second),
            height = LINE - 4,
            baseline = y + LINE - 8,
        );
    }

    /// The drawing in words.
    fn description(&self) -> String {
        let ends = [self.groups.first(), self.groups.last()];
        let words = ends.into_iter().flatten().filter_map(|group| {
            let bar = group.bars.iter().flatten().next()?;
            let figure = self.unit.figure(bar.bytes_per_second);
            Some(format!("{} {figure} {}", group.name, self.unit.name))
        });
        let words: Vec<String> = words.collect();
        format!(
            "Bars of {} names, from {}. The table has all figures.",
            self.groups.len(),
            words.join(" to ")
        )
    }

    fn table(&self) -> Table {
        let mut head = vec![Cell::name(self.names)];
        for series in &self.series {
            let mark = series.before();
            head.push(Cell::figure(format!("{mark}{}", self.unit.name)));
            head.extend(self.factor.map(|name| Cell::figure(format!("{mark}{name}"))));
        }
        let mut table = Table::new(&self.title, head);
        for group in &self.groups {
            let mut cells = vec![Cell::name(&group.name)];
            for bar in &group.bars {
                let speed = bar.map(|bar| self.unit.figure(bar.bytes_per_second));
                let ratio = bar.and_then(|bar| bar.factor).map(factor);
                cells.push(Cell::figure(speed.unwrap_or("-".to_owned())));
                cells.extend(self.factor.map(|_| Cell::figure(ratio.unwrap_or("-".to_owned()))));
            }
            table.row(cells);
        }
        table
    }
}

/// Colours that the page knows.
pub(crate) const COLOURS: usize = 8;
