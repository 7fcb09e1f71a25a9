//! The run in this process: in memory, then through a file.

use std::io;
use std::path::Path;

use wirespeed_disk::run::{self, Settings};
use wirespeed_disk::store::{Memory, Store, Temporary};
use wirespeed_results::schema::disk::{Disk, Row};

use super::cryptsetup;
use super::graph::graph;
use super::listener::Listener;
use super::pace::Pace;
use super::request::Request;
use super::table::Subject;
use super::warnings;
use crate::fault::Fault;
use crate::units;

pub(super) fn run(
    directory: &Path,
    compare: bool,
    request: &Request,
    listener: &Listener<'_>,
    document: &mut Disk,
) -> Result<(), Fault> {
    let settings = &request.settings;
    // Before the minutes in memory, so that a full disk shows now.
    let temporary = Temporary::create(directory, settings.bytes)
        .map_err(|error| unusable(directory, settings.bytes, &error))?;
    document.warnings.extend(warnings::of_file(directory, temporary.is_direct));
    listener.pace(Pace::of(&settings.candidates, 2));
    let file = match temporary.is_direct {
        true => format!("Through a file in {}, past the page cache", directory.display()),
        false => format!("Through a file in {}, and the page cache", directory.display()),
    };
    let places: [(&dyn Store, &str); 2] = [(&Memory, "In memory"), (&temporary.store, &file)];
    for (store, title) in places {
        let title = format!("{title}, {}", setting(settings));
        listener.table(&title, Subject::Ciphers, settings.bytes);
        let ended = run::in_process(store, settings, listener);
        keep(listener.end_table(), request, listener, document);
        ended?;
    }
    listener.end_pace();
    if compare {
        cryptsetup::compare(listener, document)?;
    }
    Ok(())
}

/// What all lines of a table have in common.
pub(super) fn setting(settings: &Settings) -> String {
    let Settings { bytes, threads, sector_bytes, .. } = settings;
    let threads = if *threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    format!("{} a test, {threads}, sectors of {sector_bytes} bytes", units::format(*bytes))
}

/// Draws the rows of a table if asked for, and puts them into the document.
pub(super) fn keep(
    rows: Vec<Row>,
    request: &Request,
    listener: &Listener<'_>,
    document: &mut Disk,
) {
    if request.graph {
        listener.show(&graph(&rows));
    }
    document.rows.extend(rows);
}

/// Why there can be no file.
fn unusable(directory: &Path, bytes: u64, error: &io::Error) -> Fault {
    let place = directory.display();
    Fault::usage(match error.kind() {
        io::ErrorKind::StorageFull => format!(
            "no room for {} in {place}: take less with --size, or another place with --directory DIR",
            units::format(bytes)
        ),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            format!("{place} is no directory: name one with --directory DIR")
        }
        _ => format!("cannot make a file in {place}: {error}: name another with --directory DIR"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: io::ErrorKind) -> String {
        let Fault::Usage(said) = unusable(Path::new("/place"), 2 << 30, &kind.into()) else {
            panic!("an environment that does not allow it")
        };
        said
    }

    #[test]
    fn a_place_that_will_not_do_is_named_with_what_to_do() {
        assert_eq!(
            said(io::ErrorKind::StorageFull),
            "no room for 2 GiB in /place: take less with --size, or another place with --directory DIR"
        );
        assert!(said(io::ErrorKind::NotFound).starts_with("/place is no directory: name one"));
        let said = said(io::ErrorKind::PermissionDenied);
        assert!(
            said.starts_with("cannot make a file in /place: permission denied: name"),
            "{said}"
        );
    }
}
