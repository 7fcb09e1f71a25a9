//! Logical lines: what OpenSSL takes for one line of a file, and which bytes it came from.
//!
//! OpenSSL reads with `fgets` into pieces of 510 bytes and ends each at its first NUL
//! (crypto/conf/conf_def.c, `def_load_bio`). That shows only in files that nobody writes on purpose,
//! but an editor that cuts lines elsewhere than OpenSSL would edit another file than OpenSSL reads.

use std::ops::Range;

/// The most bytes that OpenSSL reads at once.
const PIECE: usize = 510;

/// What may stand before the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One logical line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its bytes in the file, line ends included; lines adjoin.
    pub(crate) span: Range<usize>,
    /// The number of its first physical line, from 1.
    pub(crate) number: usize,
    /// Its content: continuations joined, line ends gone.
    pub(crate) text: Vec<u8>,
}

/// How many bytes of a main file come before its first line.
pub(crate) fn lead(bytes: &[u8]) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

/// The lines from `start` on. Bytes behind the last one, if any, are never read by OpenSSL: they
/// follow a line that begins with NUL.
pub(crate) fn split(bytes: &[u8], start: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    let (mut begin, mut position) = (start, start);
    let (mut number, mut next_number) = (1, 1);
    let mut unfinished = false;
    // The mark counts as part of the first piece.
    let mut room = PIECE - start;
    loop {
        let rest = &bytes[position..];
        let end = rest.iter().take(room).position(|byte| *byte == b'\n');
        let taken = end.map_or(rest.len().min(room), |end| end + 1);
        room = PIECE;
        let seen = rest[..taken].split(|byte| *byte == 0).next().unwrap_or_default();
        if seen.is_empty() && !unfinished {
            return lines;
        }
        position += taken;
        next_number += usize::from(end.is_some());
        let content = without_line_end(seen);
        text.extend_from_slice(content);
        unfinished = !seen.is_empty() && content.len() == seen.len();
        if !unfinished && text.ends_with(b"\\") && !text.ends_with(b"\\\\") {
            text.pop();
            unfinished = true;
        }
        if !unfinished {
            let text = std::mem::take(&mut text);
            lines.push(Line { span: begin..position, number, text });
            (begin, number) = (position, next_number);
        }
    }
}

fn without_line_end(piece: &[u8]) -> &[u8] {
    let kept = piece.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
    &piece[..kept.map_or(0, |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(bytes: &[u8]) -> Vec<String> {
        let lines = split(bytes, lead(bytes));
        lines.iter().map(|line| String::from_utf8_lossy(&line.text).into_owned()).collect()
    }

    #[test]
    fn lines_end_as_they_like() {
        assert_eq!(texts(b"a\nb\r\nc"), ["a", "b", "c"]);
        assert_eq!(texts(b"a\n\nb\n"), ["a", "", "b"]);
        assert_eq!(texts(b""), [""; 0]);
        assert_eq!(texts(b"\xef\xbb\xbfa\n"), ["a"]);
    }

    #[test]
    fn a_backslash_continues_a_line_even_at_the_end_of_the_file() {
        assert_eq!(texts(b"a \\\n b\nc\\\\\nd\n"), ["a  b", "c\\\\", "d"]);
        assert_eq!(texts(b"a\\\r\nb\\"), ["ab"]);
        let lines = split(b"a\\\n\\\nb\nc\n", 0);
        assert_eq!((lines[0].span.clone(), lines[0].number), (0..7, 1));
        assert_eq!((lines[1].span.clone(), lines[1].number), (7..9, 4));
    }

    #[test]
    fn a_nul_ends_a_piece_and_at_the_start_of_a_line_the_file() {
        assert_eq!(texts(b"ab\0cd\nef\ngh\n\0ij\nkl\n"), ["abef", "gh"]);
    }

    #[test]
    fn long_lines_are_one_line() {
        let long = [vec![b'x'; 2000], b"\ny\n".to_vec()].concat();
        assert_eq!(split(&long, 0).len(), 2);
    }
}
