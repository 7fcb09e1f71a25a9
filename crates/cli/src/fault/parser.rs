//! What the parser of the command line has to say, in one line: what is wrong, what is possible, where to read on.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

/// The line about the words of a command line.
pub(super) fn one_line(error: &clap::Error, typed: impl IntoIterator<Item = OsString>) -> String {
    let all = crate::command();
    let command = typed.into_iter().nth(1).and_then(|first| all.find_subcommand(first));
    let name = command.map_or(String::new(), |it| format!(" {}", it.get_name()));
    let told = error.to_string();
    let first = told.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first).trim_end_matches(':');
    let said = match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            format!("missing: {}", words(error, ContextKind::InvalidArg).join(" "))
        }
        ErrorKind::ArgumentConflict => {
            let others = words(error, ContextKind::PriorArg).join(" ");
            let given = words(error, ContextKind::InvalidArg).join(" ");
            format!("{given} cannot be used with {others}")
        }
        _ => first.to_owned(),
    };
    let suggested =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    // The likeliest comes last.
    let suggested = suggested.into_iter().find_map(|kind| words(error, kind).pop());
    let suggested = suggested.or_else(|| program(error, command?));
    let possible = words(error, ContextKind::ValidValue);
    let hint = match suggested {
        Some(word) => format!("; did you mean {word}?"),
        None if possible.is_empty() => String::new(),
        None => format!("; choose from {}", possible.join(" ")),
    };
    format!("{said}{hint}: see wirespeed{name} --help")
}

/// A program to be run, where the command wants it behind two hyphens.
fn program(error: &clap::Error, command: &Command) -> Option<String> {
    let word = words(error, ContextKind::InvalidArg).pop();
    let word = word.filter(|it| error.kind() == ErrorKind::UnknownArgument && !it.starts_with('-'));
    let runs_programs = command.get_positionals().any(Arg::is_last_set);
    word.filter(|_| runs_programs).map(|it| format!("-- {it}"))
}

/// What the error knows of that kind.
fn words(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(word)) => vec![word.clone()],
        Some(ContextValue::Strings(words)) => words.clone(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::Arguments;

    fn said(line: &str) -> String {
        match Arguments::try_parse_from(line.split(' ')) {
            Ok(_) => panic!("{line} is understood"),
            Err(error) => one_line(&error, line.split(' ').map(OsString::from)),
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let help = "see wirespeed compare --help";
        assert_eq!(said("wirespeed compare"), format!("missing: <FILE>...: {help}"));
        let line = said("wirespeed sum --algorithm");
        assert!(line.contains("--algorithm <ALGORITHM>"), "{line}");
        assert!(line.ends_with(": see wirespeed sum --help"), "{line}");
        assert!(said("wirespeed --json").ends_with(": see wirespeed --help"));
    }

    #[test]
    fn what_is_possible_is_told() {
        let line = said("wirespeed sum --algorithm nope");
        assert!(line.contains("invalid value 'nope' for '--algorithm <ALGORITHM>'"), "{line}");
        assert!(line.contains(": choose from md5 sha1 "), "{line}");
        let line = said("wirespeed bench --unit furlongs");
        assert!(line.ends_with("; choose from MB/s kB/s: see wirespeed bench --help"), "{line}");
    }

    #[test]
    fn what_was_meant_is_suggested() {
        let line = said("wirespeed bench --secnds 1");
        assert!(line.contains("; did you mean --seconds?: see wirespeed bench --help"), "{line}");
        let line = said("wirespeed instal");
        assert!(line.contains("; did you mean install?: see wirespeed --help"), "{line}");
        let line = said("wirespeed doctor curl -s x");
        assert!(line.ends_with("; did you mean -- curl?: see wirespeed doctor --help"), "{line}");
        assert!(said("wirespeed tune curl").ends_with("found: see wirespeed tune --help"));
    }

    #[test]
    fn what_excludes_each_other_is_named() {
        let line = said("wirespeed bench --decrypt --both");
        let help = "see wirespeed bench --help";
        assert_eq!(line, format!("--decrypt cannot be used with --both: {help}"));
    }
}
