//! A line with a hash and a name: written and read as coreutils' digest.c does, version 9.1.

use std::borrow::Cow;

use wirespeed_batch::Hash;

/// How lines are written.
pub(super) struct Style {
    /// The function's name, for lines in BSD's style.
    pub(super) tag: Option<&'static str>,
    pub(super) binary: bool,
    /// Whether lines end with NUL, and names stay as they are.
    pub(super) zero: bool,
}

/// The line for a file.
pub(super) fn format(style: &Style, hash: &Hash, name: &[u8]) -> Vec<u8> {
    let problematic = name.iter().any(|byte| b"\\\n\r".contains(byte));
    let escaped = problematic && !style.zero;
    let mut line = if escaped { b"\\".to_vec() } else { Vec::new() };
    let name = if escaped { escape(name) } else { name.into() };
    match style.tag {
        Some(tag) => {
            line.extend([tag.as_bytes(), b" (", &name, b") = "].concat());
            line.extend(hash.to_string().bytes());
        }
        None => {
            line.extend(hash.to_string().bytes());
            line.extend(if style.binary { b" *" } else { b"  " });
            line.extend_from_slice(&name);
        }
    }
    line.push(if style.zero { 0 } else { b'\n' });
    line
}

/// A name on one line.
pub(super) fn escape(name: &[u8]) -> Cow<'_, [u8]> {
    let mut escaped = Vec::with_capacity(name.len() + 4);
    for byte in name {
        match byte {
            b'\n' => escaped.extend(b"\\n"),
            b'\r' => escaped.extend(b"\\r"),
            b'\\' => escaped.extend(b"\\\\"),
            other => escaped.push(*other),
        }
    }
    escaped.into()
}

/// The name that was escaped, unless nobody can have written it.
fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'n' => b'\n',
                b'r' => b'\r',
                b'\\' => b'\\',
                _ => return None,
            },
            0 => return None,
            other => *other,
        });
    }
    Some(name)
}

/// A hash that a file is said to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) name: Vec<u8>,
    /// In hexadecimal, of either case.
    pub(super) digits: Vec<u8>,
}

/// Reads lines of one hash function.
pub(super) struct Reader {
    tag: &'static str,
    digits: usize,
    /// Whether names follow one space, as BSD's `md5 -r` has it: the first line decides, so that a name that
    /// begins with a space is never taken for another.
    reversed: Option<bool>,
}

impl Reader {
    pub(super) const fn new(tag: &'static str, hash_bytes: usize) -> Self {
        Self { tag, digits: 2 * hash_bytes, reversed: None }
    }

    /// The claim of a line without its end, or nothing if it makes none.
    pub(super) fn read(&mut self, line: &[u8]) -> Option<Claim> {
        let line = skip_blanks(line);
        let (line, escaped) = match line.strip_prefix(b"\\") {
            Some(line) => (line, true),
            None => (line, false),
        };
        if let Some(tagged) = line.strip_prefix(self.tag.as_bytes()) {
            let tagged = tagged.strip_prefix(b" ").unwrap_or(tagged);
            return self.read_tagged(tagged.strip_prefix(b"(")?, escaped);
        }
        // At least a blank and a name of one letter.
        if line.len() < self.digits + 2 + usize::from(line.first() == Some(&b'\\')) {
            return None;
        }
        let (digits, rest) = line.split_at(self.digits);
        let rest = rest.strip_prefix(b" ").or_else(|| rest.strip_prefix(b"\t"))?;
        self.check_digits(digits)?;
        let reversed = rest.len() == 1 || !matches!(rest[0], b' ' | b'*');
        let name = match (reversed, self.reversed) {
            (true, Some(false)) => return None,
            (true, _) => {
                self.reversed = Some(true);
                rest
            }
            (false, Some(true)) => rest,
            (false, _) => {
                self.reversed = Some(false);
                &rest[1..]
            }
        };
        self.claim(name, digits, escaped)
    }

    /// `NAME) = DIGITS`.
    fn read_tagged(&self, line: &[u8], escaped: bool) -> Option<Claim> {
        let end = line.iter().rposition(|byte| *byte == b')')?;
        let digits = skip_blanks(&line[end + 1..]).strip_prefix(b"=")?;
        let digits = skip_blanks(digits);
        self.check_digits(digits)?;
        self.claim(&line[..end], digits, escaped)
    }

    fn check_digits(&self, digits: &[u8]) -> Option<()> {
        (digits.len() == self.digits && digits.iter().all(u8::is_ascii_hexdigit)).then_some(())
    }

    fn claim(&self, name: &[u8], digits: &[u8], escaped: bool) -> Option<Claim> {
        let name = match escaped {
            true => unescape(name)?,
            // What follows a NUL is no part of a name.
            false => name.split(|byte| *byte == 0).next().unwrap_or_default().to_vec(),
        };
        Some(Claim { name, digits: digits.to_vec() })
    }
}

/// The bytes from the first on that is no space and no tabulator.
fn skip_blanks(bytes: &[u8]) -> &[u8] {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    &bytes[bytes.iter().position(|byte| !blank(byte)).unwrap_or(bytes.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(reader: &mut Reader, line: &str) -> Option<String> {
        reader.read(line.as_bytes()).map(|claim| String::from_utf8(claim.name).expect("UTF-8"))
    }

    #[test]
    fn styles_of_names_do_not_mix() {
        let digits = "0".repeat(32);
        let mut standard = Reader::new("MD5", 16);
        assert_eq!(name(&mut standard, &format!("{digits}  a")).as_deref(), Some("a"));
        assert_eq!(name(&mut standard, &format!("{digits} a")), None);
        assert_eq!(name(&mut standard, &format!("{digits} *a")).as_deref(), Some("a"));
        let mut reversed = Reader::new("MD5", 16);
        assert_eq!(name(&mut reversed, &format!("{digits} a")).as_deref(), Some("a"));
        assert_eq!(name(&mut reversed, &format!("{digits}  a")).as_deref(), Some(" a"));
        assert_eq!(name(&mut reversed, &format!("MD5 (a) = {digits}")).as_deref(), Some("a"));
    }

    #[test]
    fn escaped_names_come_back() {
        for given in [&b"a\\b"[..], b"\n", b"\\n", b"x\r\n\\\\y"] {
            assert_eq!(unescape(&escape(given)).as_deref(), Some(given));
        }
        for wrong in [&b"\\"[..], b"\\x", b"a\0"] {
            assert_eq!(unescape(wrong), None);
        }
    }
}
