//! The words of a source file: its string literals and the comments that become help.

/// Every literal with its escapes undone, and every run of documenting comments, without a file's own tests.
pub(crate) fn words(source: &str) -> Vec<String> {
    let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        let (word, length) = match letter {
            '/' if rest.starts_with("//") => comment(rest),
            '"' => quoted(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#\"") => raw(rest),
            '\'' => (None, letter_or_lifetime(rest)),
            // A name that ends in r is no raw literal.
            _ if letter.is_alphanumeric() || letter == '_' => (None, name(rest)),
            _ => (None, letter.len_utf8()),
        };
        found.extend(word);
        rest = &rest[length..];
    }
    found
}

fn name(rest: &str) -> usize {
    rest.find(|it: char| !it.is_alphanumeric() && it != '_').unwrap_or(rest.len())
}

/// Adjoining lines of one comment are one text; what only developers read is none.
fn comment(rest: &str) -> (Option<String>, usize) {
    let (mut text, mut length) = (String::new(), 0);
    for line in rest.split_inclusive('\n') {
        let Some(said) = line.trim_start().strip_prefix("///") else { break };
        text.push_str(said.trim());
        text.push(' ');
        length += line.len();
    }
    match length {
        0 => (None, rest.find('\n').unwrap_or(rest.len())),
        _ => (Some(text), length),
    }
}

fn quoted(rest: &str) -> (Option<String>, usize) {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (Some(text), at + 1),
            '\\' => match letters.next().map(|(_, escaped)| escaped) {
                Some('n') => text.push('\n'),
                // A line that goes on below.
                Some('\n') => while letters.next_if(|(_, it)| it.is_whitespace()).is_some() {},
                Some(other) => text.push(other),
                None => break,
            },
            other => text.push(other),
        }
    }
    panic!("a literal without an end: {}", rest.lines().next().unwrap_or_default());
}

fn raw(rest: &str) -> (Option<String>, usize) {
    let (begin, end) = if rest.starts_with("r#") { ("r#\"", "\"#") } else { ("r\"", "\"") };
    let inside = &rest[begin.len()..];
    let length = inside.find(end).expect("a raw literal ends");
    (Some(inside[..length].to_owned()), begin.len() + length + end.len())
}

/// How long `'a'`, `'\''` or `'a` is.
fn letter_or_lifetime(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let after = at + escaped.len_utf8();
            after + rest[after..].find('\'').expect("a letter ends") + 1
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}
