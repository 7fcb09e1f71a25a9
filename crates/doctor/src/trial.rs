//! Loading our module by name, as a program would, to hear what OpenSSL says to it.

use std::io::Write;
use std::path::Path;

use wirespeed_libcrypto::{Context, Error, Library};

/// The name under which the module is tried, whatever its section is called.
const NAME: &str = "wirespeed";

/// What a module that was loaded tells about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loaded {
    /// Its version.
    pub(crate) version: Option<String>,
    /// Its provider parameter `wirespeed-routes`; none if it is no module of ours.
    pub(crate) routes: Option<String>,
    /// `wirespeed-plan`: which plan serves, or why none does.
    pub(crate) plan: Option<String>,
    /// `wirespeed-quarantined`: routes that failed their proof, as far as loading makes it.
    pub(crate) quarantined: Option<String>,
}

/// Loads `module` with these keys and values into a context of its own.
///
/// A module that openssl.cnf activates and that does not start is dropped without a word
/// (CONF_modules_load); loaded by name its refusal is an error with OpenSSL's own words.
pub(crate) fn load(
    library: &Library,
    module: &Path,
    settings: &[(String, String)],
) -> Result<Loaded, String> {
    let unwritable = |error| format!("cannot write a temporary configuration: {error}");
    let mut file = tempfile::NamedTempFile::new().map_err(unwritable)?;
    file.write_all(configuration(module, settings).as_bytes()).map_err(unwritable)?;
    let context = Context::new(*library).map_err(words)?;
    context.load_config(file.path()).map_err(words)?;
    context.load(NAME).map_err(words)?;
    let ask = |key| context.provider_text(NAME, key).ok().flatten();
    Ok(Loaded {
        version: ask(c"version"),
        routes: ask(c"wirespeed-routes"),
        plan: ask(c"wirespeed-plan"),
        quarantined: ask(c"wirespeed-quarantined").filter(|text| !text.is_empty()),
    })
}

/// An openssl.cnf that makes the module known without activating it.
fn configuration(module: &Path, settings: &[(String, String)]) -> String {
    let head = "openssl_conf = init\n[init]\nproviders = providers\n[providers]\n";
    let mut text = format!("{head}{NAME} = section\n[section]\n");
    let module = ("module".to_owned(), module.display().to_string());
    for (key, value) in [&module].into_iter().chain(settings) {
        text.push_str(&format!("{key} = {}\n", escape(value)));
    }
    text
}

/// A value as config(5) wants it, so that it is taken to the letter.
pub(crate) fn escape(value: &str) -> String {
    let mut text = String::new();
    for letter in value.chars() {
        if matches!(letter, '\\' | '$' | '#' | '\'' | '"' | '`') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// What OpenSSL said, without its codes: whatever was added to the entries of the queue, else the
/// reasons.
pub(crate) fn words(error: Error) -> String {
    let data = error.queue.iter().map(|entry| entry.data.as_str());
    // libcrypto ends with the name under which it tried (crypto/provider_core.c).
    let mut said: Vec<&str> =
        data.filter(|data| !data.is_empty() && !data.starts_with("name=")).collect();
    said.dedup();
    if said.is_empty() {
        return error.to_string();
    }
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_to_the_letter() {
        assert_eq!(escape("AES-128-GCM, AES-256-GCM"), "AES-128-GCM, AES-256-GCM");
        assert_eq!(escape(r#"/a$b#c\d"#), r"/a\$b\#c\\d");
    }

    #[test]
    fn what_openssl_says_is_passed_on() {
        let library = Library::host().expect("these tests need libcrypto");
        let said = load(&library, Path::new("/nowhere/wirespeed.so"), &[]).expect_err("no module");
        assert!(said.contains("/nowhere/wirespeed.so") && !said.contains("error:"), "{said}");
    }
}
