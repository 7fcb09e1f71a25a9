//! Speed by size as lines on logarithmic scales, as inline SVG, and the same figures as a table.
//!
//! Places to the side are shares of the window and heights are pixels, as with the bars; lines lie in a drawing of their
//! own that is stretched, without their strokes.

use std::fmt::Write;

use wirespeed_results::figures;

use crate::table::{Cell, Table};
use crate::text::Text;

/// Speeds of several lines over the bytes of a call.
pub(crate) struct Curves {
    /// What it shows.
    pub(crate) title: String,
    /// Unique on the page.
    pub(crate) id: String,
    pub(crate) lines: Vec<Curve>,
}

/// One line.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) colour: usize,
    /// Bytes in a call and in a second, by size.
    pub(crate) points: Vec<(usize, f64)>,
    /// The size from which on it beats `rival`, if not from its first.
    pub(crate) break_even: Option<usize>,
    /// Whom the break-even is with.
    pub(crate) rival: String,
    /// What the execution unit allows, bytes in a second.
    pub(crate) limit: Option<f64>,
}

/// Pixels: the ground of the lines, and the room below for the sizes.
const HEIGHT: f64 = 220.0;
const TOP: f64 = 8.0;
const BELOW: f64 = 22.0;
/// Shares of the width that stay free at both sides.
const MARGIN: f64 = 3.0;

/// What is where: size buckets to the side, decades upwards.
struct Scale {
    sizes: (f64, f64),
    speeds: (f64, f64),
}

impl Scale {
    /// Of the width, in per cent.
    fn x(&self, size: usize) -> f64 {
        let (least, most) = self.sizes;
        let share = ((size as f64).log2() - least) / (most - least).max(1.0);
        MARGIN + share * (100.0 - 2.0 * MARGIN)
    }

    /// Round speeds, bytes in a second.
    fn steps(&self) -> Vec<f64> {
        let (least, most) = self.speeds;
        let multiples: &[f64] = if most - least > 1.6 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let decades = least.floor() as i32..=most.ceil() as i32;
        let all =
            decades.flat_map(|decade| multiples.iter().map(move |it| it * 10f64.powi(decade)));
        all.filter(|speed| (least..most).contains(&speed.log10())).collect()
    }

    /// In pixels, from above.
    fn y(&self, bytes_per_second: f64) -> f64 {
        let (least, most) = self.speeds;
        let share = (bytes_per_second.log10() - least) / (most - least);
        TOP + (1.0 - share) * HEIGHT
    }
}

impl Curves {
    /// The figure: a legend, a drawing, and the table of it.
    pub(crate) fn html(&self) -> String {
        let scale = self.scale();
        let (id, title, caption) = (&self.id, Text(&self.title), Text(&self.title));
        let mut text = format!(
            "<figure>\n<figcaption>{caption}</figcaption>\n{}<svg width=\"100%\" height=\"{:.0}\" role=\"img\" \
             aria-labelledby=\"{id}-t {id}-d\">\n<title id=\"{id}-t\">{title}</title>\n<desc id=\"{id}-d\">{}</desc>\n",
            self.legend(),
            TOP + HEIGHT + BELOW,
            Text(&self.description())
        );
        self.grid(&mut text, &scale);
        self.lines(&mut text, &scale);
        self.names(&mut text, &scale);
        text.push_str("</svg>\n");
        text.push_str(&self.table().html());
        text.push_str("</figure>\n");
        text
    }

    fn points(&self) -> impl Iterator<Item = &(usize, f64)> {
        self.lines.iter().flat_map(|line| &line.points)
    }

    fn scale(&self) -> Scale {
        let sizes = self.points().map(|(size, _)| (*size as f64).log2());
        let speeds = self.points().map(|(_, speed)| *speed);
        let speeds = speeds.chain(self.lines.iter().filter_map(|line| line.limit));
        let speeds: Vec<f64> = speeds.map(f64::log10).collect();
        let range = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::MAX, f64::MIN), |(least, most), it| (least.min(it), most.max(it)))
        };
        let (least, most) = range(&mut speeds.into_iter());
        Scale {
            sizes: range(&mut sizes.into_iter()),
            // Some room above and below, and never so little that noise looks like a mountain.
            speeds: (least - 0.15, most.max(least + 0.7) + 0.15),
        }
    }

    /// Lines across: at every decade, and where that are few at twice and five times as much.
    fn grid(&self, text: &mut String, scale: &Scale) {
        for speed in scale.steps() {
            let y = scale.y(speed);
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
            );
        }
        let y = TOP + HEIGHT;
        let _ = writeln!(
            text,
            "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
        );
    }

    /// The names of the lines across, and the sizes below.
    fn names(&self, text: &mut String, scale: &Scale) {
        for step in scale.steps() {
            let (y, name) = (scale.y(step) - 3.0, speed(step));
            let _ = writeln!(text, "<text class=\"tick\" x=\"0\" y=\"{y:.1}\">{name}</text>");
        }
        let mut sizes: Vec<usize> = self.points().map(|(size, _)| *size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut free_from = f64::MIN;
        for size in sizes {
            let x = scale.x(size);
            // A name for every size would leave no room on a telephone.
            if x < free_from {
                continue;
            }
            free_from = x + 11.0;
            let anchor = match x {
                x if x < 5.0 => "start",
                x if x > 95.0 => "end",
                _ => "middle",
            };
            let at = if x < 5.0 {
                0.0
            } else if x > 95.0 {
                100.0
            } else {
                x
            };
            let y = TOP + HEIGHT + BELOW - 6.0;
            let _ = writeln!(
                text,
                "<text class=\"tick\" x=\"{at:.2}%\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
                figures::size(size)
            );
        }
    }

    fn lines(&self, text: &mut String, scale: &Scale) {
        let _ = writeln!(
            text,
            "<svg width=\"100%\" height=\"{:.0}\" viewBox=\"0 0 100 {:.0}\" preserveAspectRatio=\"none\">",
            TOP + HEIGHT,
            TOP + HEIGHT
        );
        for line in &self.lines {
            let point = |(size, speed): &(usize, f64)| {
                format!("{:.2},{:.1}", scale.x(*size), scale.y(*speed))
            };
            let points: Vec<String> = line.points.iter().map(point).collect();
            let _ = writeln!(
                text,
                "<polyline class=\"curve c{}\" points=\"{}\"/>",
                line.colour,
                points.join(" ")
            );
        }
        text.push_str("</svg>\n");
        for line in &self.lines {
            let colour = line.colour;
            if let Some(limit) = line.limit {
                let y = scale.y(limit);
                let _ = writeln!(
                    text,
                    "<line class=\"limit c{colour}\" x1=\"0\" x2=\"100%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                     <text class=\"tick figure\" x=\"100%\" y=\"{:.1}\">limit {}</text>",
                    y - 3.0,
                    speed(limit)
                );
            }
            for (size, speed) in &line.points {
                let (x, y) = (scale.x(*size), scale.y(*speed));
                let _ = writeln!(
                    text,
                    "<circle class=\"s{colour}\" cx=\"{x:.2}%\" cy=\"{y:.1}\" r=\"3\"/>"
                );
                if line.break_even == Some(*size) {
                    let _ = writeln!(
                        text,
                        "<line class=\"even c{colour}\" x1=\"{x:.2}%\" x2=\"{x:.2}%\" y1=\"{y:.1}\" y2=\"{:.1}\"/>\
                         <circle class=\"ring c{colour}\" cx=\"{x:.2}%\" cy=\"{y:.1}\" r=\"7\"/>",
                        TOP + HEIGHT
                    );
                }
            }
        }
    }

    /// Each line with its stroke and its name, and where it breaks even.
    fn legend(&self) -> String {
        let mut text = String::from("<ul class=\"legend\">\n");
        for line in &self.lines {
            let mut words = line.name.clone();
            if let Some(size) = line.break_even {
                let _ = write!(words, ", faster than {} from {}", line.rival, figures::size(size));
            }
            let _ = writeln!(
                text,
                "<li><svg width=\"34\" height=\"10\" aria-hidden=\"true\"><line class=\"curve c{0}\" x1=\"0\" x2=\"34\" \
                 y1=\"5\" y2=\"5\"/><circle class=\"s{0}\" cx=\"17\" cy=\"5\" r=\"3\"/></svg>{1}</li>",
                line.colour,
                Text(&words)
            );
        }
        text.push_str("</ul>\n");
        text
    }

    /// The drawing in words.
    fn description(&self) -> String {
        let words = self.lines.iter().filter_map(|line| {
            let (first, last) = (line.points.first()?, line.points.last()?);
            Some(format!(
                "{} from {} at {} to {} at {}",
                line.name,
                speed(first.1),
                figures::size(first.0),
                speed(last.1),
                figures::size(last.0)
            ))
        });
        let words: Vec<String> = words.collect();
        format!(
            "Lines of speed over the bytes of a call, both scales logarithmic: {}. The table has all figures.",
            words.join("; ")
        )
    }

    fn table(&self) -> Table {
        let mut head = vec![Cell::name("bytes")];
        head.extend(self.lines.iter().map(|line| Cell::figure(format!("{} MB/s", line.name))));
        let mut table = Table::new(&self.title, head);
        let mut sizes: Vec<usize> = self.points().map(|(size, _)| *size).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let figure = |value: Option<f64>| {
            Cell::figure(value.map_or("-".to_owned(), |value| format!("{:.1}", value / 1e6)))
        };
        for size in sizes {
            let mut cells = vec![Cell::name(size.to_string())];
            cells.extend(self.lines.iter().map(|line| {
                figure(line.points.iter().find(|(of, _)| *of == size).map(|(_, speed)| *speed))
            }));
            table.row(cells);
        }
        if self.lines.iter().any(|line| line.limit.is_some()) {
            let mut cells = vec![Cell::name("the unit's limit")];
            cells.extend(self.lines.iter().map(|line| figure(line.limit)));
            table.row(cells);
        }
        table
    }
}

/// "100 MB/s", "2.8 GB/s".
pub(crate) fn speed(bytes_per_second: f64) -> String {
    let (value, unit) = match bytes_per_second {
        it if it >= 1e9 => (it / 1e9, "GB/s"),
        it if it >= 1e6 => (it / 1e6, "MB/s"),
        it => (it / 1e3, "kB/s"),
    };
    let text = if value >= 99.95 { format!("{value:.0}") } else { format!("{value:.1}") };
    format!("{} {unit}", text.strip_suffix(".0").unwrap_or(&text))
}
