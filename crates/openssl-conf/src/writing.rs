//! Writing so that OpenSSL reads what was meant, in the manner of the file.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::lines::{self, Line};
use crate::statement::{comment, is_blank, is_name};

/// What every line of ours ends with: what is so marked was not in the file before, and goes when
/// Wirespeed goes. Nothing else of a file is ever changed.
pub(crate) const MARK: &str = "# wirespeed install";

/// What stands above our lines at the end of a file, for each number of line ends that had to be
/// put before it: to take the lines away is also to take those away.
const ABOVE: [&str; 3] = [
    "# Wirespeed: take these lines away with wirespeed uninstall",
    "# Wirespeed: this file had no last line end; take it away with wirespeed uninstall",
    "# Wirespeed: this file ended in a backslash; take these lines away with wirespeed uninstall",
];

/// A value as it must be written.
fn value(meant: &[u8]) -> Vec<u8> {
    let inner = meant.trim_ascii();
    let start = meant.len() - meant.trim_ascii_start().len();
    let mut written = Vec::new();
    for (at, &byte) in meant.iter().enumerate() {
        let outer = at < start || at >= start + inner.len();
        match byte {
            b'\r' => written.extend(b"\\r"),
            b'\n' => written.extend(b"\\n"),
            // Blanks around a value are dropped, unless quoted.
            _ if outer && is_blank(byte) => written.extend([b'"', byte, b'"']),
            b'\\' | b'#' | b'$' | b'"' | b'\'' | b'`' => written.extend([b'\\', byte]),
            _ => written.push(byte),
        }
    }
    written
}

/// A key and its value.
pub(crate) fn key(name: &[u8], meant: &[u8]) -> Vec<u8> {
    [name, b" = ", &value(meant)].concat()
}

/// A section's header as it must be written.
pub(crate) fn header(name: &[u8]) -> Vec<u8> {
    let mut written = b"[".to_vec();
    for &byte in name {
        match byte {
            b'\r' => written.extend(b"\\r"),
            b'\n' => written.extend(b"\\n"),
            8 => written.extend(b"\\b"),
            b'\t' => written.extend(b"\\t"),
            _ if is_name(byte, false) => written.push(byte),
            _ => written.extend([b'\\', byte]),
        }
    }
    written.push(b']');
    written
}

/// Whether a line is ours: one physical line, whose comment is the mark and nothing else.
pub(crate) fn is_ours(bytes: &[u8], line: &Line) -> bool {
    let physical = bytes[line.span.clone()].trim_ascii_end();
    if line.text.trim_ascii_end() != physical || !physical.ends_with(MARK.as_bytes()) {
        return false;
    }
    let is_marked = comment(&line.text) == physical.len() - MARK.len();
    is_marked || gap_of(line).is_some()
}

/// Whether a file has lines of ours.
pub(crate) fn has_ours(bytes: &[u8]) -> bool {
    lines::split(bytes, lines::lead(bytes)).iter().any(|line| is_ours(bytes, line))
}

/// The line ends that came with a line, if it is the one above ours.
fn gap_of(line: &Line) -> Option<usize> {
    (0..ABOVE.len()).find(|gap| line.text.trim_ascii_end() == line_above(*gap).as_bytes())
}

/// A file about to be changed, line by line.
pub(crate) struct Sheet<'a> {
    bytes: &'a [u8],
    line_end: &'static [u8],
    /// Line ends that a line after the last one needs before it; none where nothing after it would
    /// be read.
    gap: Option<usize>,
    /// Ours that go.
    replaced: BTreeMap<usize, Range<usize>>,
    /// Ours that come, by their place, each without its line end.
    inserted: BTreeMap<usize, Vec<Vec<u8>>>,
    /// Ours that come after all else.
    appended: Vec<Vec<u8>>,
}

impl<'a> Sheet<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (mut windows, mut unix) = (0, 0);
        for end in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            match bytes[..end.0].ends_with(b"\r") {
                true => windows += 1,
                false => unix += 1,
            }
        }
        let line_end: &[u8] = if windows > unix { b"\r\n" } else { b"\n" };
        Self {
            bytes,
            line_end,
            gap: gap(bytes, line_end),
            replaced: BTreeMap::new(),
            inserted: BTreeMap::new(),
            appended: Vec::new(),
        }
    }

    /// Whether lines can be added at the end.
    pub(crate) fn is_open(&self) -> bool {
        self.gap.is_some()
    }

    /// Puts a line of ours at the start of a line, or at the end of the file.
    pub(crate) fn insert(&mut self, at: usize, content: &[u8]) {
        self.inserted.entry(at).or_default().push(marked(content));
    }

    /// Puts a line of ours after all else.
    pub(crate) fn append(&mut self, content: &[u8]) {
        self.appended.push(marked(content));
    }

    /// Puts a line of ours in the place of another of ours.
    pub(crate) fn replace(&mut self, line: Range<usize>, content: &[u8]) {
        self.insert(line.start, content);
        self.replaced.insert(line.start, line);
    }

    /// The file with all changes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes.len() + 512);
        if !self.appended.is_empty() {
            self.inserted.entry(self.bytes.len()).or_default().append(&mut self.appended);
        }
        let mut done = 0;
        for (at, lines) in self.inserted {
            bytes.extend_from_slice(&self.bytes[done..at]);
            done = at;
            if at == self.bytes.len() {
                let gap = self.gap.unwrap_or_default();
                bytes.extend(self.line_end.repeat(gap));
                bytes.extend(line_above(gap).as_bytes());
                bytes.extend(self.line_end);
            }
            for line in lines {
                bytes.extend(line);
                bytes.extend(self.line_end);
            }
            if let Some(replaced) = self.replaced.get(&at) {
                done = replaced.end;
            }
        }
        bytes.extend_from_slice(&self.bytes[done..]);
        bytes
    }
}

/// A line as one of ours.
pub(crate) fn marked(content: &[u8]) -> Vec<u8> {
    [content, b" ", MARK.as_bytes()].concat()
}

/// The line above ours.
pub(crate) fn line_above(gap: usize) -> String {
    format!("{} {MARK}", ABOVE[gap])
}

/// Line ends that must be added for a line of its own to follow.
fn gap(bytes: &[u8], line_end: &[u8]) -> Option<usize> {
    const PROBE: &[u8] = b"#";
    let lead = lines::lead(bytes);
    let before = lines::split(bytes, lead);
    (0..ABOVE.len()).find(|gap| {
        let probed = [bytes, &line_end.repeat(*gap), PROBE].concat();
        let lines = lines::split(&probed, lead);
        let Some((last, others)) = lines.split_last() else { return false };
        let same = others.iter().zip(&before).all(|(now, then)| now.text == then.text);
        last.text == PROBE && same && others.len() == before.len()
    })
}

/// Takes lines of ours away, and the line ends that were put before them.
pub(crate) fn without(bytes: &[u8], ours: &[&Line]) -> Vec<u8> {
    let mut kept: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut done = 0;
    for line in ours {
        kept.extend_from_slice(&bytes[done..line.span.start]);
        done = line.span.end;
        // The line's own end tells which kind was put before it.
        let line_end: &[u8] = if bytes[..done].ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
        for _ in 0..gap_of(line).unwrap_or_default() {
            kept.truncate(kept.strip_suffix(line_end).unwrap_or(&kept).len());
        }
    }
    kept.extend_from_slice(&bytes[done..]);
    kept
}
