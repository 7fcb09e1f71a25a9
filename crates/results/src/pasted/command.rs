//! The command that was typed, where it was pasted as well: a table does not tell directions, processes or engines.

use wirespeed_cipher::Direction;

/// What was asked of `openssl speed`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The name behind `-evp`, `-hmac` or `-cmac`.
    pub(super) evp: Option<String>,
    pub(super) is_decryption: bool,
    pub(super) is_elapsed: bool,
    pub(super) is_aead: bool,
    /// Several records at once, `-mb`.
    pub(super) is_multi_block: bool,
    /// Processes at once, 0 where that is not a number: `-multi $(nproc)`.
    pub(super) processes: Option<usize>,
    /// Requests in flight, `-async_jobs`.
    pub(super) jobs: Option<usize>,
    pub(super) engine: Option<String>,
    /// Who was put before the default provider.
    pub(super) provider: Option<String>,
    /// `OPENSSL_ia32cap` or its like in front of it.
    pub(super) without: Option<String>,
}

/// Providers of OpenSSL's own.
const OWN: [&str; 5] = ["default", "legacy", "base", "fips", "null"];

/// More processes nobody starts.
const MOST: usize = 100_000;

impl Command {
    /// Reads a line in which it is typed, behind whatever prompt.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_program = |word: &str| {
            let word = word.trim_end_matches('>').trim_end_matches(".exe");
            word.rsplit(['/', '\\', '`', '$', '#', '%']).next().is_some_and(|it| {
                it.eq_ignore_ascii_case("openssl")
                    || it.starts_with("openssl-")
                    || it == "openssl11"
            })
        };
        let place = words.windows(2).position(|two| is_program(two[0]) && two[1] == "speed")?;
        let mut found = Self {
            without: words[..place].iter().find_map(|word| {
                let (name, value) = word.split_once('=')?;
                let is_it =
                    ["OPENSSL_ia32cap", "OPENSSL_armcap", "OPENSSL_riscvcap"].contains(&name);
                is_it.then(|| value.trim_matches(['"', '\'']).to_owned())
            }),
            ..Self::default()
        };
        let mut rest = words[place + 2..].iter();
        while let Some(word) = rest.next() {
            // 3.0 and later take two dashes as well.
            let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-'));
            let mut value = || rest.next().map(|it| (*it).to_owned());
            match option {
                Some("evp" | "hmac" | "cmac") => {
                    let name = value();
                    found.evp = match option {
                        Some("evp") => name,
                        Some(mac) => name.map(|name| format!("{mac}({name})")),
                        None => None,
                    };
                }
                Some("decrypt") => found.is_decryption = true,
                Some("elapsed") => found.is_elapsed = true,
                Some("aead") => found.is_aead = true,
                Some("mb") => found.is_multi_block = true,
                Some("multi") => found.processes = Some(number(value())),
                Some("async_jobs") => found.jobs = Some(number(value()).max(1)),
                Some("engine") => found.engine = value(),
                Some("provider") => {
                    found.provider =
                        value().filter(|it| !OWN.contains(&it.as_str())).or(found.provider);
                }
                _ => {}
            }
        }
        Some(found)
    }

    pub(super) const fn direction(&self) -> Direction {
        if self.is_decryption { Direction::Decrypt } else { Direction::Encrypt }
    }
}

fn number(word: Option<String>) -> usize {
    word.and_then(|word| word.parse().ok()).unwrap_or(0).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_behind_any_prompt() {
        for line in [
            "openssl speed -evp aes-256-cbc",
            "root@OpenWrt:~# openssl speed -evp aes-256-cbc",
            "pi@pi5:~ $ openssl speed -evp aes-256-cbc",
            "[admin@firewall]/root(6): openssl speed -evp aes-256-cbc",
            "~ ❯ openssl speed -evp aes-256-cbc",
            "# /usr/bin/openssl speed -evp aes-256-cbc",
            "LD_LIBRARY_PATH=$PWD ./apps/openssl speed --evp aes-256-cbc",
            "OpenSSL> speed -evp aes-256-cbc",
        ] {
            let command = Command::parse(line).unwrap_or_else(|| panic!("none in {line}"));
            assert_eq!(command.evp.as_deref(), Some("aes-256-cbc"), "{line}");
        }
        for other in ["openssl version", "speed of openssl", "the openssl speed-up", ""] {
            assert_eq!(Command::parse(other), None, "{other}");
        }
    }

    #[test]
    fn every_option_that_changes_what_a_figure_means() {
        let line = "OPENSSL_ia32cap=\"~0x200000200000000\" openssl speed -elapsed -decrypt -multi 4 -aead \
                    -engine devcrypto -provider default -provider libwirespeed -async_jobs 8 -hmac sha256";
        let expected = Command {
            evp: Some("hmac(sha256)".to_owned()),
            is_decryption: true,
            is_elapsed: true,
            is_aead: true,
            is_multi_block: false,
            processes: Some(4),
            jobs: Some(8),
            engine: Some("devcrypto".to_owned()),
            provider: Some("libwirespeed".to_owned()),
            without: Some("~0x200000200000000".to_owned()),
        };
        assert_eq!(Command::parse(line), Some(expected));
        let counted =
            Command::parse("openssl speed -multi $(nproc) -evp aes-128-gcm").expect("one");
        assert_eq!(counted.processes, Some(0));
    }
}
