//! Text that is text in HTML, whatever it says.

use std::fmt::{self, Write};

/// Shows a text with HTML's own signs escaped, for content and for attributes in quotes.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.0.chars() {
            match letter {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                // HTML knows no other control characters, and a page shows none.
                letter if letter.is_control() && !letter.is_whitespace() => {
                    f.write_char('\u{fffd}')?;
                }
                letter => f.write_char(letter)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup() {
        let text = Text("<script>\"a\" & 'b'\u{0}</script>").to_string();
        assert_eq!(text, "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;\u{fffd}&lt;/script&gt;");
    }
}
