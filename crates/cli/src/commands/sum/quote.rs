//! Names in messages as coreutils quotes them: so that a shell would read them back (gnulib's quotearg, the
//! style `shell-escape`).

use std::env;

/// The name, quoted if it has to be.
pub(super) fn quote(name: &[u8]) -> Vec<u8> {
    let utf8 = is_utf8(|key| env::var(key).unwrap_or_default());
    quote_for(name, utf8)
}

/// Whether the locale's letters are Unicode's, by the variables that say so.
fn is_utf8(variable: impl Fn(&str) -> String) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(variable);
    let locale = locale.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

fn quote_for(name: &[u8], utf8: bool) -> Vec<u8> {
    let pieces = pieces(name, utf8);
    let plain = |piece: &Piece<'_>| matches!(piece, Piece::Text(text) if !is_special(text, name));
    if !name.is_empty() && pieces.iter().all(plain) {
        return name.to_vec();
    }
    let soft = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => text.len() == 1 && is_soft(text[0], name),
        Piece::Unprintable(_) => false,
    };
    if name.contains(&b'\'') && pieces.iter().all(soft) {
        return [b"\"", name, b"\""].concat();
    }
    let mut quoted = b"'".to_vec();
    let mut escaping = false;
    for piece in pieces {
        match piece {
            Piece::Unprintable(byte) => {
                if !escaping {
                    quoted.extend(b"'$'");
                }
                escaping = true;
                quoted.extend(escape(byte));
            }
            Piece::Text(b"'") => {
                quoted.extend(b"'\\''");
                escaping = false;
            }
            Piece::Text(text) => {
                if escaping {
                    quoted.extend(b"''");
                }
                escaping = false;
                quoted.extend_from_slice(text);
            }
        }
    }
    quoted.push(b'\'');
    quoted
}

/// A letter, or a byte that is none.
enum Piece<'a> {
    Text(&'a [u8]),
    Unprintable(u8),
}

fn pieces(name: &[u8], utf8: bool) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for chunk in name.utf8_chunks() {
        for (at, letter) in chunk.valid().char_indices() {
            let bytes = &chunk.valid().as_bytes()[at..at + letter.len_utf8()];
            match letter.is_control() || !(utf8 || letter.is_ascii()) {
                true => pieces.extend(bytes.iter().copied().map(Piece::Unprintable)),
                false => pieces.push(Piece::Text(bytes)),
            }
        }
        pieces.extend(chunk.invalid().iter().copied().map(Piece::Unprintable));
    }
    pieces
}

/// Whether a shell, or who reads the message, could mistake it.
fn is_special(text: &[u8], name: &[u8]) -> bool {
    match text {
        b"{" | b"}" => name.len() == 1,
        b"#" | b"~" => name.starts_with(text),
        [byte] => b" !\"$&'()*:;<=>?[\\^`|".contains(byte),
        _ => false,
    }
}

/// Whether it means the same in double quotes.
fn is_soft(byte: u8, name: &[u8]) -> bool {
    match byte {
        b'#' | b'~' => name.first() == Some(&byte),
        _ => byte.is_ascii_alphanumeric() || b" '%+,-./:]_".contains(&byte),
    }
}

/// A byte inside `$'…'`.
fn escape(byte: u8) -> Vec<u8> {
    let letter = match byte {
        0x07 => b'a',
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0b => b'v',
        0x0c => b'f',
        b'\r' => b'r',
        other => return format!("\\{other:03o}").into_bytes(),
    };
    vec![b'\\', letter]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(name: &str) -> String {
        String::from_utf8(quote_for(name.as_bytes(), false)).expect("ASCII")
    }

    #[test]
    fn as_coreutils_does() {
        for (name, right) in [
            ("plain-1.0_x]", "plain-1.0_x]"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's a:b", "\"it's a:b\""),
            ("it's {x}", "'it'\\''s {x}'"),
            ("n\n\rx'y", "'n'$'\\n\\r''x'\\''y'"),
            ("\u{1}", "''$'\\001'"),
            ("é", "''$'\\303\\251'"),
            ("{", "'{'"),
            ("a{", "a{"),
            ("~a", "'~a'"),
            ("a~", "a~"),
        ] {
            assert_eq!(quoted(name), right);
        }
        assert_eq!(quote_for("é".as_bytes(), true), "é".as_bytes());
        assert_eq!(quote_for(b"\xff", true), b"''$'\\377'");
    }

    #[test]
    fn the_first_variable_decides() {
        let of = |all: &'static str, lang: &'static str| {
            is_utf8(|key| match key {
                "LC_ALL" => all.to_owned(),
                "LANG" => lang.to_owned(),
                _ => String::new(),
            })
        };
        assert!(of("C.UTF-8", "C") && of("", "de_DE.utf8") && !of("C", "C.UTF-8") && !of("", ""));
    }
}
