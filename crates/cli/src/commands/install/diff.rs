//! The difference between two contents of a file, as `diff -u` shows it.

use std::path::Path;

use similar::TextDiff;

/// The lines that change with those around them; nothing where none does.
pub(crate) fn unified(path: &Path, before: &[u8], after: &[u8]) -> String {
    let [before, after] = [before, after].map(|text| String::from_utf8_lossy(text).into_owned());
    let name = path.display().to_string();
    let difference = TextDiff::from_lines(&before, &after);
    let text = difference.unified_diff().context_radius(3).header(&name, &name).to_string();
    // A carriage return moves a terminal's cursor.
    text.replace("\r\n", "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_like_diff() {
        let text = unified(Path::new("/etc/x"), b"a\r\nb\r\n", b"a\r\nc\r\nb\r\n");
        assert_eq!(text, "--- /etc/x\n+++ /etc/x\n@@ -1,2 +1,3 @@\n a\n+c\n b\n");
        assert_eq!(unified(Path::new("/etc/x"), b"a", b"a"), "");
    }
}
