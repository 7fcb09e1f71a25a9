//! The page of all documents in JSON, from the comments of the types that are written and read.

use std::fmt::Write;

use wirespeed_results::schema::{Description, descriptions};

const HEAD: &str = "\
# The JSON that Wirespeed writes

`--json FILE` writes it to a file, `--json -` to standard output (the table then goes nowhere; the progress bar stays \
on standard error). `routes`, `doctor`, `kernel` and `padlock` have `--json` without FILE: they write to standard output. Every document names its schema: the word after the dot is the command, the number after the \
slash changes when a field goes away or changes its meaning. Fields may be added without a new number.

Rates are bytes in a second, times are nanoseconds, sizes are bytes; a share of 1 is 100 %. `null` means \"not known\" \
or \"does not apply\". Field names are given as paths. `cargo xtask documents` writes this page from the comments in \
[schema.rs](../crates/results/src/schema.rs) and below.
";

/// The text of the page.
pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    for Description { schema, about, fields } in descriptions() {
        // Writing to a String cannot fail.
        let _ = write!(page, "\n## {schema}\n\n{about}\n\n| field | meaning |\n|---|---|\n");
        for field in fields {
            let _ = writeln!(page, "| `{}` | {} |", field.path, field.meaning.replace('|', "\\|"));
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_meaning_and_every_document_names_itself() {
        for Description { schema, about, fields } in descriptions() {
            assert!(!about.is_empty(), "{schema}");
            for field in &fields {
                assert!(field.meaning.ends_with('.'), "{schema}: {field:?}");
            }
            let named = fields.iter().find(|it| it.path == "schema").map(|it| it.meaning.as_str());
            assert_eq!(named, Some(format!("`\"{schema}\"`.").as_str()));
        }
    }

    #[test]
    fn what_stands_in_lists_and_may_be_null_is_there() {
        let page = page();
        for field in ["machine.libcrypto.version", "links[].cores_needed[].cores", "plan.file"] {
            assert!(page.contains(&format!("\n| `{field}` | ")), "{field}");
        }
    }
}
