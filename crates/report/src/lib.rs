//! Results as one HTML file: charts, and every chart as a table too, with nothing fetched from elsewhere.
//!
//! What a file says is text and figures to us, never markup: all of it goes through [`text::Text`].
#![forbid(unsafe_code)]

mod chart;
mod comparison;
mod curves;
mod disk;
mod fleet;
mod intro;
mod page;
mod routes;
mod speeds;
mod table;
mod text;
mod vpn;

use wirespeed_results::{Content, Results, computers};

use disk::Drive;
pub use fleet::fleet;

/// A page about these results, side by side where they are of several machines.
pub fn page(results: &[Results]) -> String {
    let machines = computers(results);
    let mut body = intro::intro(&machines);
    if machines.len() > 1 {
        body.push_str(&comparison::section(&machines));
    }
    body.push_str(&routes::section(&machines));
    body.push_str(&speeds::section(&machines));
    body.push_str(&vpn::section(&machines));
    let drives: Vec<Drive<'_>> = machines
        .iter()
        .enumerate()
        .filter_map(|(place, machine)| Drive::of(place, machine))
        .collect();
    if !drives.is_empty() {
        body.push_str(&disk::charts(&drives, machines.len()));
        for drive in &drives {
            body.push_str(&disk::figures(drive, machines.len() > 1));
        }
    }
    let is_disk = |it: &Results| matches!(it.content, Content::Disk(_));
    let title = match machines.as_slice() {
        _ if results.iter().all(is_disk) => "Encrypted disks".to_owned(),
        [machine] => format!("How fast {} encrypts", machine.label),
        _ => "Machines side by side".to_owned(),
    };
    page::page(&title, &body)
}

#[cfg(test)]
mod tests;
