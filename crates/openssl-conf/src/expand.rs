//! From a value as it was written to what it means: quotes, escapes and variables.

use crate::reading::Mistake;
use crate::statement::is_word;

/// The longest value that OpenSSL lets variables make, counted as it counts.
const LONGEST: usize = 65536;

/// Resolves a value. `look_up` gives the value of a variable by section and name, where there is one.
pub(crate) fn expand<'v>(
    written: &[u8],
    section: &[u8],
    dollar: bool,
    look_up: impl Fn(&[u8], &[u8]) -> Option<std::borrow::Cow<'v, [u8]>>,
) -> Result<Vec<u8>, Mistake> {
    let mut value = Vec::new();
    let mut reckoned = written.len() + 1;
    let mut rest = written;
    while let Some((&byte, after)) = rest.split_first() {
        match byte {
            b'"' | b'\'' | b'`' => rest = quoted(after, byte, &mut value),
            b'\\' => {
                let Some((&escaped, after)) = after.split_first() else { break };
                value.push(match escaped {
                    b'r' => b'\r',
                    b'n' => b'\n',
                    b'b' => 8,
                    b't' => b'\t',
                    other => other,
                });
                rest = after;
            }
            b'$' if !dollar || matches!(after.first(), Some(b'{' | b'(')) => {
                let (variable, after) = Variable::parse(after, section, dollar)?;
                let found = look_up(variable.section, variable.name);
                let found = found.ok_or_else(|| variable.unknown())?;
                reckoned = reckoned + found.len() - (rest.len() - after.len());
                if reckoned > LONGEST {
                    return Err(Mistake::TooLong);
                }
                value.extend_from_slice(&found);
                rest = after;
            }
            _ => {
                value.push(byte);
                rest = after;
            }
        }
    }
    Ok(value)
}

/// Takes what is quoted, and gives what follows the closing quote.
fn quoted<'a>(text: &'a [u8], quote: u8, value: &mut Vec<u8>) -> &'a [u8] {
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            _ if byte == quote => break,
            b'\\' => {
                let Some((&escaped, after)) = rest.split_first() else { break };
                value.push(escaped);
                rest = after;
            }
            _ => value.push(byte),
        }
    }
    rest
}

/// `$name`, `${name}`, `$(name)`, each perhaps with `section::`.
struct Variable<'a> {
    section: &'a [u8],
    name: &'a [u8],
}

impl<'a> Variable<'a> {
    /// Reads what follows the dollar; gives what follows the variable.
    fn parse(text: &'a [u8], section: &'a [u8], dollar: bool) -> Result<(Self, &'a [u8]), Mistake> {
        let word = |text: &'a [u8]| {
            let length = text.iter().take_while(|byte| is_word(**byte, dollar)).count();
            text.split_at(length)
        };
        let close = match text.first() {
            Some(b'{') => Some(b'}'),
            Some(b'(') => Some(b')'),
            _ => None,
        };
        let (first, rest) = word(&text[usize::from(close.is_some())..]);
        let (section, name, rest) = match rest.strip_prefix(b"::") {
            Some(rest) => {
                let (name, rest) = word(rest);
                (first, name, rest)
            }
            None => (section, first, rest),
        };
        let rest = match (close, rest.split_first()) {
            (None, _) => rest,
            (Some(close), Some((byte, after))) if *byte == close => after,
            (Some(_), _) => return Err(Mistake::NoClosingBrace),
        };
        Ok((Self { section, name }, rest))
    }

    fn unknown(&self) -> Mistake {
        Mistake::NoSuchVariable { section: self.section.into(), name: self.name.into() }
    }
}
