//! Tables that can be read out, and moved to the side where the window is narrow.

use crate::text::Text;

/// A cell's text, and which way it stands.
pub(crate) struct Cell {
    text: String,
    is_figure: bool,
    /// Whether it may be broken into lines.
    is_words: bool,
    /// Columns that it takes.
    columns: usize,
}

impl Cell {
    pub(crate) fn name(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_figure: false, is_words: false, columns: 1 }
    }

    /// A text that may be long.
    pub(crate) fn words(text: impl Into<String>) -> Self {
        Self { is_words: true, ..Self::name(text) }
    }

    pub(crate) fn figure(text: impl Into<String>) -> Self {
        Self { is_figure: true, ..Self::name(text) }
    }

    /// A text across so many columns.
    pub(crate) fn across(text: impl Into<String>, columns: usize) -> Self {
        Self { columns, ..Self::words(text) }
    }
}

/// A table with a caption and a head.
pub(crate) struct Table {
    caption: String,
    head: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(caption: &str, head: Vec<Cell>) -> Self {
        Self { caption: caption.to_owned(), head, rows: Vec::new() }
    }

    /// Adds a row; its first cell is the row's name.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The table folded up, as its drawing says the same at first sight.
    pub(crate) fn html(&self) -> String {
        format!("<details>\n<summary>As a table</summary>\n{}</details>\n", self.open())
    }

    /// The table in the open.
    pub(crate) fn open(&self) -> String {
        let cell = |tag: &str, cell: &Cell| {
            let class = match (cell.is_figure, cell.is_words) {
                (true, _) => " class=\"figure\"",
                (false, true) => " class=\"reason\"",
                (false, false) => "",
            };
            let columns = match cell.columns {
                1 => String::new(),
                columns => format!(" colspan=\"{columns}\""),
            };
            let (name, _) = tag.split_once(' ').unwrap_or((tag, ""));
            format!("<{tag}{class}{columns}>{}</{name}>", Text(&cell.text))
        };
        let head: String = self.head.iter().map(|it| cell("th scope=\"col\"", it)).collect();
        let row = |cells: &Vec<Cell>| -> String {
            let mut cells = cells.iter();
            let first = cells.next().map(|it| cell("th scope=\"row\"", it)).unwrap_or_default();
            let others: String = cells.map(|it| cell("td", it)).collect();
            format!("<tr>{first}{others}</tr>\n")
        };
        let rows: String = self.rows.iter().map(row).collect();
        let caption = Text(&self.caption);
        format!(
            "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n<table>\n\
             <caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n"
        )
    }
}
