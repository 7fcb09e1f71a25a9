//! `openssl speed` is easily told to measure something else than was meant.

use std::ffi::OsString;
use std::path::Path;

use crate::finding::Finding;

/// Options of `openssl speed` that take a value.
const WITH_VALUE: [&str; 12] = [
    "-evp",
    "-hmac",
    "-cmac",
    "-bytes",
    "-seconds",
    "-multi",
    "-async_jobs",
    "-propquery",
    "-provider",
    "-provider-path",
    "-engine",
    "-rand",
];

/// What is wrong with such a command, and the command as it should be.
pub(super) fn misleading(words: &[OsString]) -> Vec<Finding> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let program = words.first().and_then(|first| Path::new(first).file_name());
    if program.is_none_or(|name| name != "openssl")
        || words.get(1).is_none_or(|word| word != "speed")
    {
        return Vec::new();
    }
    let place = |option: &str| {
        words.iter().position(|word| {
            word.trim_start_matches("--") == option.trim_start_matches('-') || word == option
        })
    };
    let mut faults = Vec::new();
    if place("-elapsed").is_none() {
        faults.push(
            "without -elapsed only the program's own CPU time counts, not what others do for it",
        );
    }
    if let (Some(query), Some(cipher)) = (place("-propquery"), place("-evp"))
        && query > cipher
    {
        faults.push("-propquery after -evp is ignored: the numbers are of another provider");
    }
    let mut findings: Vec<Finding> = Vec::new();
    if !faults.is_empty() {
        findings.push(Finding::mend(
            format!("openssl speed misleads: {}", faults.join("; ")),
            format!("run {}", ordered(&words)),
        ));
    }
    if words.iter().any(|word| word.to_lowercase().contains("-gcm")) {
        findings.push(Finding::note(
            "openssl speed gives every message of an AEAD a new key, which no protocol does: \
             wirespeed bench shows both",
        ));
    }
    findings
}

/// The same command with `-elapsed`, and everything before `-evp` that must be there.
fn ordered(words: &[String]) -> String {
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut rest = words[2..].iter();
    while let Some(word) = rest.next() {
        let part = if word == "-evp" { &mut last } else { &mut first };
        if word != "-elapsed" {
            part.push(word.as_str());
            if WITH_VALUE.contains(&word.as_str()) {
                part.extend(rest.next().map(String::as_str));
            }
        }
    }
    let start = [words[0].as_str(), "speed", "-elapsed"];
    let ordered = [&start[..], &first, &last].concat();
    // No argument of a program has a zero byte.
    shlex::try_join(ordered.iter().copied()).unwrap_or_else(|_| ordered.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(command: &str) -> String {
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        misleading(&words).iter().map(Finding::words).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_right_order_is_shown() {
        let said =
            says("openssl speed -evp aes-128-cbc -bytes 1024 -propquery ?provider=wirespeed");
        assert!(
            said.contains("without -elapsed") && said.contains("-propquery after -evp"),
            "{said}"
        );
        let right = "run openssl speed -elapsed -bytes 1024 -propquery '?provider=wirespeed' -evp \
                     aes-128-cbc";
        assert!(said.ends_with(right), "{said}");
    }

    #[test]
    fn a_good_command_is_left_alone() {
        assert_eq!(says("/usr/bin/openssl speed -elapsed -propquery a=b -evp aes-128-cbc"), "");
        assert_eq!(says("openssl enc -aes-128-cbc"), "");
        assert!(says("openssl speed -elapsed -evp aes-128-gcm").contains("a new key"));
    }
}
