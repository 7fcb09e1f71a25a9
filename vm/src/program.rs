//! Programs: what will run in the guest, and what helps on the host.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A program for the guest: its words, where it starts, and its environment.
#[derive(Clone, Debug)]
pub struct Program {
    words: Vec<OsString>,
    directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
}

impl Program {
    /// A program that starts where this process is, with its environment.
    pub fn here<W: Into<OsString>>(words: impl IntoIterator<Item = W>) -> Result<Self, String> {
        let directory = env::current_dir().map_err(|error| format!("no directory: {error}"))?;
        let words = words.into_iter().map(Into::into).collect();
        Ok(Self { words, directory, environment: env::vars_os().collect() })
    }

    /// One more variable of its environment.
    #[must_use]
    pub fn environment(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The same as a script of the shell.
    pub(crate) fn script(&self) -> Vec<u8> {
        let mut script = Vec::new();
        let mut line = |pieces: &[&OsStr]| {
            for piece in pieces {
                script.extend_from_slice(piece.as_bytes());
            }
            script.push(b'\n');
        };
        for (name, value) in self.environment.iter().filter(|(name, _)| is_shell_name(name)) {
            line(&["export ".as_ref(), name, "=".as_ref(), &quoted(value)]);
        }
        // A user's own path often lacks what only root may run.
        line(&["PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin".as_ref()]);
        line(&["cd ".as_ref(), &quoted(self.directory.as_os_str()), " || exit 126".as_ref()]);
        let mut words = OsString::from("exec");
        for word in &self.words {
            words.push(" ");
            words.push(quoted(word));
        }
        line(&[&words]);
        script
    }
}

/// Bash exports functions under names that no shell takes from a script.
fn is_shell_name(name: &OsStr) -> bool {
    let good = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = name.as_bytes();
    bytes.iter().all(good) && bytes.first().is_some_and(|first| !first.is_ascii_digit())
}

/// One word for the shell, whatever is in it.
pub(crate) fn quoted(word: &OsStr) -> OsString {
    let mut bytes = vec![b'\''];
    for &byte in word.as_bytes() {
        match byte {
            b'\'' => bytes.extend_from_slice(br"'\''"),
            _ => bytes.push(byte),
        }
    }
    bytes.push(b'\'');
    OsStr::from_bytes(&bytes).to_owned()
}

/// Runs a program of the host to its end and gives what it printed; an error holds what it complained of.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said[said.len().saturating_sub(4000)..]).into_owned();
    Err(format!("{command:?}: {}: {}", output.status, said.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_every_word_and_variable() {
        let words = ["printf", "%s|", "a b", "it's", "$HOME", "", "*", "line\nline"];
        let program = Program::here(words).unwrap().environment("WITH_QUOTE", "o'clock\n$PATH");
        let mut shell = Command::new("sh");
        shell.env_clear().env("PATH", "/usr/bin:/bin").arg("-c");
        let said = output(shell.arg(OsStr::from_bytes(&program.script()))).unwrap();
        assert_eq!(said, b"a b|it's|$HOME||*|line\nline|");
        let program = Program { words: vec!["env".into(), "-0".into()], ..program };
        let mut shell = Command::new("sh");
        shell.env_clear().env("PATH", "/usr/bin:/bin").arg("-c");
        let said = output(shell.arg(OsStr::from_bytes(&program.script()))).unwrap();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(said.split('\0').any(|line| line == "WITH_QUOTE=o'clock\n$PATH"), "{said}");
    }
}
