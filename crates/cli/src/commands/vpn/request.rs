//! What was asked for, and what of it makes no sense.

use wirespeed_vpn::{Candidate, Sizes, Suite};

use super::VpnArguments;
use super::real::Tunnels;
use crate::arguments::{seconds, threads};
use crate::fault::Fault;

/// What `wirespeed vpn` was asked to do.
pub(super) struct Request {
    pub(super) suites: Vec<Suite>,
    pub(super) sizes: Vec<Sizes>,
    /// With which sizes the fastest suite is measured besides.
    pub(super) more_sizes: Vec<Sizes>,
    /// How many threads at once, in turn.
    pub(super) threads: Vec<usize>,
    pub(super) seconds: f64,
    pub(super) batch: bool,
    /// The real tunnels that are asked for instead.
    pub(super) real: Option<Tunnels>,
    pub(super) json: Option<String>,
}

/// What everybody wants to know first: full packets of a tunnel through an Ethernet, and a mix.
const USUAL: [Sizes; 2] = [Sizes::Fixed(1420), Sizes::Imix];

/// Where the fastest suite is looked at more closely.
const MORE: [Sizes; 4] =
    [Sizes::Fixed(64), Sizes::Fixed(512), Sizes::Fixed(1500), Sizes::Fixed(9000)];

impl VpnArguments {
    /// Parses every word, or names the first that means nothing.
    pub(super) fn understand(self) -> Result<Request, Fault> {
        let most = threads(self.threads)?;
        let mut threads = vec![1, most];
        threads.dedup();
        let (sizes, more_sizes) = match self.sizes.is_empty() {
            true => (USUAL.to_vec(), MORE.to_vec()),
            false => (each(&self.sizes, &Sizes::ALL)?, Vec::new()),
        };
        let suites = match self.suites.is_empty() {
            true => None,
            false => Some(each(&self.suites, &Suite::ALL)?),
        };
        let real = self.real.then(|| Tunnels::of(suites.as_deref(), self.seconds)).transpose()?;
        Ok(Request {
            suites: suites.unwrap_or_else(|| Suite::ALL.to_vec()),
            sizes,
            more_sizes,
            threads,
            seconds: seconds(self.seconds)?,
            batch: self.batch,
            real,
            json: self.json,
        })
    }
}

impl Request {
    /// Who competes.
    pub(super) fn candidates(&self) -> &'static [Candidate] {
        match self.batch {
            false => &[Candidate::Host, Candidate::Ours],
            true => &[Candidate::Host, Candidate::Ours, Candidate::Many],
        }
    }
}

/// What the words name, each once; "all" is all of them.
fn each<T>(words: &[String], all: &[T]) -> Result<Vec<T>, Fault>
where
    T: std::str::FromStr<Err: std::fmt::Display> + PartialEq + Copy,
{
    let mut found: Vec<T> = Vec::new();
    for word in words {
        let named = match word.as_str() {
            "all" => all.to_vec(),
            word => vec![word.parse().map_err(Fault::usage)?],
        };
        found.extend(named.into_iter().filter(|it| !found.contains(it)).collect::<Vec<_>>());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    /// A command line of this command alone.
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: VpnArguments,
    }

    fn understood(words: &str) -> Result<Request, String> {
        let words = ["vpn"].into_iter().chain(words.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.arguments.understand().map_err(|fault| match fault {
            Fault::Usage(said) => said,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn words_and_what_they_mean() {
        let request = understood("").expect("nothing");
        assert_eq!((request.suites.len(), &request.sizes[..]), (Suite::ALL.len(), &USUAL[..]));
        assert_eq!(request.more_sizes, MORE);
        let request =
            understood("--suites wireguard,aes128-sha1,WireGuard --sizes 64,all --threads 1")
                .expect("sense");
        let names: Vec<&str> = request.suites.iter().map(|suite| suite.name).collect();
        assert_eq!(names, ["WireGuard", "ESP AES-128-CBC HMAC-SHA1"]);
        assert_eq!((request.sizes.len(), request.threads), (Sizes::ALL.len(), vec![1]));
        assert!(request.more_sizes.is_empty());
        assert_eq!(understood("--threads 3").expect("sense").threads, [1, 3]);
    }

    #[test]
    fn what_makes_no_sense_is_one_line() {
        for (words, said) in [
            ("--suites aes-xts", "unknown suite 'aes-xts': choose from aes128gcm16 aes256gcm16 "),
            ("--sizes 10", "unknown packet size '10': choose from 64 128 "),
            ("--threads 0", "--threads 0: choose from 1 to 1024"),
            ("--real --suites wireguard", "--real has tunnels of ESP and OpenVPN alone"),
            ("--real --batch", "cannot be used with"),
            ("--seconds -1", "unexpected argument"),
            ("--seconds 1e9", "--seconds 1000000000: choose from 0 to 3600"),
        ] {
            let message =
                understood(words).err().unwrap_or_else(|| panic!("'{words}' makes sense"));
            assert!(message.contains(said), "{words}: {message}");
        }
    }
}
