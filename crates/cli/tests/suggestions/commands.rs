//! The commands in a text: whole lines of examples, and what prose calls by name.

use clap::Command;

/// What a command begins with.
const NAME: &str = "wirespeed";
/// What may stand before it.
const BEFORE: [&str; 2] = ["sudo ", "padlock-run --cpu nano "];

/// Every command that a text suggests.
pub(crate) fn of(text: &str, program: &Command) -> Vec<String> {
    let mut found: Vec<String> = text.lines().filter_map(example).collect();
    for line in text.lines().filter(|line| example(line).is_none()) {
        found.extend(line.match_indices(NAME).filter_map(|(at, _)| called(line, at, program)));
    }
    found
}

/// A line of help that is a command, two blanks in, and a remark after two blanks more.
fn example(line: &str) -> Option<String> {
    let line = line.strip_prefix("  ")?;
    let starts = [NAME, "sudo ", "padlock-run ", "find "].iter().any(|it| line.starts_with(it));
    let command = line.split("  ").next()?.trim_end();
    (starts && command.contains(' ')).then(|| command.to_owned())
}

/// The command that begins there, as far as the parser has these words: "wirespeed tune" of "wirespeed tune measures".
fn called(line: &str, at: usize, program: &Command) -> Option<String> {
    let (before, from) = line.split_at(at);
    let is_apart = before.chars().next_back().is_none_or(|it| " (`'\"".contains(it));
    let rest = from[NAME.len()..].strip_prefix(' ').filter(|_| is_apart)?;
    let mut words = rest.split_whitespace();
    let first = words.next()?;
    let mut command = vec![NAME.to_owned(), bare(first).to_owned()];
    let (of, mut is_over, mut wants) = match program.find_subcommand(bare(first)) {
        Some(inner) => (inner, bare(first) != first, false),
        None => (program, false, takes_value(program, bare(first))?),
    };
    for word in words {
        if is_over {
            break;
        }
        is_over = bare(word) != word;
        let is_placeholder = word.starts_with('{')
            || bare(word).len() > 2 && bare(word).chars().all(|it| it.is_ascii_uppercase());
        let has_positionals = of.get_positionals().next().is_some();
        match word.starts_with("--") {
            _ if wants => wants = false,
            // One that the parser does not have is told by running it.
            true => wants = takes_value(of, bare(word)).unwrap_or(false),
            false if is_placeholder && has_positionals => {}
            false => break,
        }
        command.push(bare(word).to_owned());
    }
    let before = BEFORE.iter().find(|it| before.ends_with(*it)).copied().unwrap_or_default();
    Some(format!("{before}{}", command.join(" ")))
}

/// Without what belongs to the sentence.
fn bare(word: &str) -> &str {
    word.trim_end_matches(['.', ',', ';', ':', ')', '\'', '"', '`', '?'])
}

/// Whether an option wants a word after it; nothing if it is no option.
fn takes_value(of: &Command, word: &str) -> Option<bool> {
    let name = word.strip_prefix("--")?;
    let found = of.get_arguments().find(|it| it.get_long() == Some(name))?;
    Some(found.get_action().takes_values())
}
