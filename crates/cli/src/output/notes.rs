//! What disturbed a measurement, in sentences of advice.

use std::collections::BTreeSet;

use wirespeed_measure::noise::Noise;

use super::table::paragraph;

/// Unoptimised kernels say nothing about the machine.
pub(crate) const DEBUG_BUILD: &str =
    "This is a debug build: its figures mean nothing. Use cargo run --release.";

/// Each warning once.
pub(crate) fn warnings(noise: impl IntoIterator<Item = Noise>) -> Vec<String> {
    let noise: BTreeSet<Noise> = noise.into_iter().collect();
    let debug = cfg!(debug_assertions).then_some(DEBUG_BUILD);
    debug.into_iter().chain(noise.into_iter().map(Noise::advice)).map(str::to_owned).collect()
}

/// The warnings as paragraphs, an empty line before them.
pub(crate) fn notes(warnings: &[impl AsRef<str>]) -> String {
    let note = |warning: &_| {
        let warning: &str = AsRef::as_ref(warning);
        paragraph(&format!("note: {warning}"), 0, 6)
    };
    let text: String = warnings.iter().map(note).collect();
    if text.is_empty() { text } else { format!("\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_paragraphs() {
        assert_eq!(notes(&[""; 0]), "");
        assert_eq!(notes(&["One.", "Two."]), "\nnote: One.\nnote: Two.\n");
    }
}
