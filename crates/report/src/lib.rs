//! Results as one HTML file: charts, and every chart as a table too, with nothing fetched from elsewhere.
//!
//! So far those of `wirespeed disk` are drawn. What a file says is text and figures to us, never markup: all of it goes
//! through [`text::Text`].
#![forbid(unsafe_code)]

mod chart;
mod disk;
mod page;
mod results;
mod table;
mod text;

pub use results::{Results, Unreadable};

/// A page about these results, side by side where they are of several machines.
pub fn page(results: &[Results]) -> String {
    let disks: Vec<_> = results.iter().map(Results::disk).collect();
    page::page("Encrypted disks", &disk::body(&disks))
}

#[cfg(test)]
mod tests;
