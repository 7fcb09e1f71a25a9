//! What can be completed: the names of algorithms, routes and the like, where an argument takes them.

use std::collections::BTreeSet;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command};
use wirespeed_cipher::{Route, Subject, Use};
use wirespeed_disk::Candidate;
use wirespeed_vpn::Suite;

/// What an argument can be that has this word for its value. The programs themselves understand more
/// names than these.
struct Names {
    word: &'static str,
    all: fn() -> Vec<&'static str>,
}

const NAMES: [Names; 5] = [
    Names { word: "ALGORITHM", all: || Subject::all().map(Subject::name).collect() },
    Names { word: "R,…", all: || Route::ALL.map(Route::name).into() },
    Names { word: "USE,…", all: || Use::ALL.map(Use::name).into() },
    Names { word: "SUITE,…", all: || Suite::ALL.map(|suite| suite.keyword).into() },
    Names { word: "NAME,…", all: disk_ciphers },
];

/// Several keys of a cipher have one name.
fn disk_ciphers() -> Vec<&'static str> {
    let candidates = Candidate::all();
    let names: BTreeSet<_> = candidates.iter().map(|it| it.specification.to_string()).collect();
    names.into_iter().map(|name| &*name.leak()).collect()
}

/// The command, with what each argument can be.
pub(crate) fn told(command: Command) -> Command {
    command.mut_args(argument).mut_subcommands(told)
}

fn argument(argument: Arg) -> Arg {
    let words = argument.get_value_names().unwrap_or_default();
    let found = NAMES.iter().find(|names| words.iter().any(|word| word == names.word));
    let is_open = argument.get_possible_values().is_empty();
    match found {
        Some(names) if is_open => argument.value_parser(PossibleValuesParser::new((names.all)())),
        _ => argument,
    }
}
