//! Text for people: figures, tables, the header, the progress bar; and JSON for programs.

pub(crate) mod call;
pub(crate) mod figures;
mod header;
mod notes;
mod people;
mod progress;
mod sink;
pub(crate) mod table;

pub(crate) use header::header;
pub(crate) use notes::{DEBUG_BUILD, notes, warnings};
pub(crate) use people::People;
pub(crate) use progress::Progress;
pub(crate) use sink::{check_writable, say, tell, write_json, write_metrics, write_text};

/// The widest line.
pub(crate) const WIDTH: usize = 100;
