//! What one logical line says: a header, a key, an `.include`, a `.pragma`, or nothing.

use crate::reading::Mistake;

/// A line, understood as far as it can be without knowing the rest of the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Statement<'a> {
    /// Empty, or a comment.
    Blank,
    /// `[ name ]`, escapes still in it.
    Header { name: &'a [u8] },
    /// `name = value` or `section::name = value`, the value as it was written.
    Key { section: Option<&'a [u8]>, name: &'a [u8], value: &'a [u8] },
    /// `.include path` or `.include = path`, the path as it was written.
    Include { section: Option<&'a [u8]>, path: &'a [u8] },
    /// `.pragma keyword:value`.
    Pragma { keyword: &'a [u8], value: &'a [u8] },
}

impl<'a> Statement<'a> {
    /// Understands a line; `dollar` as `.pragma dollarid` says.
    pub(crate) fn parse(text: &'a [u8], dollar: bool) -> Result<Self, Mistake> {
        let line = trim_start(&text[..comment(text)]);
        match line.first() {
            None => Ok(Self::Blank),
            Some(b'[') => header(trim_start(&line[1..]), dollar),
            Some(_) => directive(line, dollar),
        }
    }
}

fn header(rest: &[u8], dollar: bool) -> Result<Statement<'_>, Mistake> {
    // Words may be parted by blanks. What follows the bracket is never looked at.
    let mut word = 0;
    loop {
        let end = word + name_length(&rest[word..], dollar);
        let next = end + blanks(&rest[end..]);
        match rest.get(next) {
            Some(b']') => return Ok(Statement::Header { name: &rest[..end] }),
            Some(_) if next != word => word = next,
            _ => return Err(Mistake::NoClosingBracket),
        }
    }
}

fn directive(line: &[u8], dollar: bool) -> Result<Statement<'_>, Mistake> {
    let length = name_length(line, dollar);
    let (section, line) = match line[length..].strip_prefix(b"::") {
        Some(rest) => (Some(&line[..length]), rest),
        None => (None, line),
    };
    let length = name_length(line, dollar);
    let (name, after) = line.split_at(length);
    let rest = trim_start(after);
    let value = rest.strip_prefix(b"=").map(trim);
    // `.include` and `.pragma` need something between them and what follows. What is glued to them
    // and still part of a name is dropped, as OpenSSL drops it.
    let is = |word: &[u8]| {
        name.starts_with(word) && (name != word || rest.len() < after.len() || value.is_some())
    };
    if is(b".pragma") {
        let text = value.unwrap_or_else(|| trim(rest));
        let colon = text.iter().position(|byte| *byte == b':');
        let colon = colon.filter(|at| *at > 0 && at + 1 < text.len());
        let colon = colon.ok_or(Mistake::Pragma)?;
        return Ok(Statement::Pragma {
            keyword: trim(&text[..colon]),
            value: trim_start(&text[colon + 1..]),
        });
    }
    if is(b".include") {
        return Ok(Statement::Include { section, path: value.unwrap_or_else(|| trim(rest)) });
    }
    let value = value.ok_or(Mistake::NoEqualSign)?;
    Ok(Statement::Key { section, name, value })
}

/// Where the comment begins, or the end. Quotes and backslashes hide a `#`.
pub(crate) fn comment(text: &[u8]) -> usize {
    let mut at = 0;
    let mut quote = None;
    while let Some(&byte) = text.get(at) {
        match (byte, quote) {
            (b'\\', _) => at += 1,
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => {}
            (b'#', None) => return at,
            (b'"' | b'\'' | b'`', None) => quote = Some(byte),
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// What counts as blank.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// The bytes of a variable's name.
pub(crate) const fn is_word(byte: u8, dollar: bool) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || (dollar && byte == b'$')
}

/// The bytes of the name of a key or a section.
pub(crate) const fn is_name(byte: u8, dollar: bool) -> bool {
    let sign = matches!(
        byte,
        b'!' | b'%'
            | b'&'
            | b'*'
            | b'+'
            | b','
            | b'-'
            | b'.'
            | b'/'
            | b';'
            | b'?'
            | b'@'
            | b'^'
            | b'|'
            | b'~'
    );
    sign || is_word(byte, dollar)
}

fn name_length(text: &[u8], dollar: bool) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at = (at + 2).min(text.len()),
            _ if is_name(byte, dollar) => at += 1,
            _ => break,
        }
    }
    at
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| is_blank(**byte)).count()
}

fn trim_start(text: &[u8]) -> &[u8] {
    &text[blanks(text)..]
}

fn trim(text: &[u8]) -> &[u8] {
    let text = trim_start(text);
    let blank = text.iter().rev().take_while(|byte| is_blank(**byte)).count();
    &text[..text.len() - blank]
}
