//! The page around everything: its frame and its style.

use crate::text::Text;

/// Colours have a contrast of at least 4.5 to the ground for words and 3 for bars (WCAG 2.2, 1.4.3 and 1.4.11).
const STYLE: &str = include_str!("page/style.css");

/// A whole page.
pub(crate) fn page(title: &str, body: &str) -> String {
    let title = Text(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"wirespeed {}\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n{body}</main>\n\
         </body>\n</html>\n",
        env!("CARGO_PKG_VERSION")
    )
}
