//! What was asked for, and what of it makes no sense.

use std::path::PathBuf;

use clap::ValueEnum;
use wirespeed_disk::mapper::{self, Backing};
use wirespeed_disk::run::Settings;
use wirespeed_disk::{Candidate, Specification, Variant};

use super::DiskArguments;
use crate::arguments::threads;
use crate::fault::Fault;
use crate::units;

/// A disk in memory, by the word for its driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Ram {
    Brd,
    Zram,
    #[value(name = "null_blk")]
    NullBlk,
}

/// What `wirespeed disk` was asked to do.
pub(super) struct Request {
    pub(super) settings: Settings,
    pub(super) place: Place,
    pub(super) graph: bool,
    pub(super) json: Option<String>,
}

/// Where ciphers run.
pub(super) enum Place {
    /// In this process: in memory, then through a file.
    Process {
        directory: PathBuf,
        /// Whether cryptsetup is to be asked as well.
        compare: bool,
    },
    /// In the kernel.
    Kernel {
        backing: Backing,
        /// Whether the loss of a device's content was agreed to already.
        agreed: bool,
    },
}

/// The smallest test: a chunk of what goes to a disk at once.
const LEAST: u64 = 1 << 20;

impl DiskArguments {
    /// Parses every word, or names the first that means nothing.
    pub(super) fn understand(self) -> Result<Request, Fault> {
        if ![512, 4096].contains(&self.sector) {
            return Err(Fault::usage(format!("--sector {}: choose 512 or 4096", self.sector)));
        }
        let settings = Settings {
            candidates: candidates(self.cipher.as_deref(), self.key_size)?,
            bytes: size(&self.size)?,
            threads: threads(self.threads)?,
            sector_bytes: self.sector,
        };
        let (graph, json) = (self.graph, self.json.clone());
        Ok(Request { settings, place: self.place()?, graph, json })
    }

    fn place(self) -> Result<Place, Fault> {
        let needs = |flag: &str, other: &str| Err(Fault::usage(format!("{flag} needs {other}")));
        if !self.dm_crypt {
            let of_kernel = [
                ("--device", self.device.is_some()),
                ("--ram", self.ram.is_some()),
                ("--loop", self.new_file.is_some()),
                ("--yes-destroy", self.yes_destroy.is_some()),
            ];
            if let Some((flag, _)) = of_kernel.into_iter().find(|(_, is_given)| *is_given) {
                return needs(flag, "--dm-crypt: nothing else uses a device");
            }
            let directory = self.directory.unwrap_or_else(|| PathBuf::from("."));
            return Ok(Place::Process { directory, compare: self.compare_cryptsetup });
        }
        if self.directory.is_some() {
            return Err(Fault::usage(
                "--directory is for the file of a run without --dm-crypt: --loop FILE names its own",
            ));
        }
        let mut agreed = false;
        if let Some(destroyed) = &self.yes_destroy {
            match &self.device {
                None => return needs("--yes-destroy", "--device PATH"),
                Some(device) if device != destroyed => {
                    return Err(Fault::usage(format!(
                        "--yes-destroy {} is not --device {}: nothing was touched",
                        destroyed.display(),
                        device.display()
                    )));
                }
                Some(_) => agreed = true,
            }
        }
        let backing = match (self.device, self.new_file) {
            (Some(path), _) => Backing::Device(path),
            (_, Some(path)) => Backing::Loop(path),
            _ => Backing::Ram(self.ram.flatten().map(|ram| match ram {
                Ram::Brd => mapper::Ram::Brd,
                Ram::Zram => mapper::Ram::Zram,
                Ram::NullBlk => mapper::Ram::NullBlk,
            })),
        };
        Ok(Place::Kernel { backing, agreed })
    }
}

fn size(text: &str) -> Result<u64, Fault> {
    let refused = |why| Err(Fault::usage(format!("--size {text}: {why}, such as 256MiB or 2GiB")));
    match units::parse(text) {
        // A sector of the larger kind is the unit of everything.
        Some(bytes) if !bytes.is_multiple_of(4096) => refused("choose a multiple of 4096 bytes"),
        Some(bytes) if bytes >= LEAST => Ok(bytes),
        _ => match units::in_units_of_1024(text) {
            Some(meant) => Err(Fault::usage(format!("--size {text}: write {meant}"))),
            None => refused("choose from 1MiB on"),
        },
    }
}

/// The ciphers of a list, with keys of that size; without a list all.
fn candidates(list: Option<&str>, key_bits: Option<u32>) -> Result<Vec<Candidate>, Fault> {
    let all = Candidate::all();
    let Some(list) = list else {
        return match key_bits {
            None => Ok(all),
            Some(_) => {
                Err(Fault::usage("--key-size needs --cipher NAME: not all have keys of one size"))
            }
        };
    };
    let mut found: Vec<Candidate> = Vec::new();
    for (specification, named_bits) in names(list)? {
        let usual = all
            .iter()
            .copied()
            .filter(|it| it.specification == specification && it.variant == Variant::Best);
        let mut wanted: Vec<Candidate> = match key_bits.or(named_bits) {
            Some(_) if specification == Specification::Plain => usual.collect(),
            Some(bits) => vec![with_key(specification, bits)?],
            None => usual.collect(),
        };
        if wanted.is_empty() {
            wanted.extend(
                specification.key_bits().first().map(|bits| Candidate::of(specification, *bits)),
            );
        }
        wanted.retain(|it| !found.contains(it));
        found.extend(wanted);
    }
    Ok(found)
}

fn with_key(specification: Specification, bits: u32) -> Result<Candidate, Fault> {
    let sizes = specification.key_bits();
    if sizes.contains(&bits) {
        return Ok(Candidate::of(specification, bits));
    }
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    Err(Fault::usage(format!(
        "--key-size {bits}: {specification} has keys of {} bits",
        sizes.join(", ")
    )))
}

/// The names of a list. Commas part them, but for the one in `xchacha12,aes-adiantum-plain64`.
fn names(list: &str) -> Result<Vec<(Specification, Option<u32>)>, Fault> {
    let mut found = Vec::new();
    let mut parts = list.split(',').peekable();
    while let Some(part) = parts.next() {
        let with_next = parts.peek().map(|next| format!("{part},{next}"));
        if let Some(Ok(both)) = with_next.map(|it| Specification::meant(&it)) {
            parts.next();
            found.push(both);
        } else {
            found.push(Specification::meant(part).map_err(Fault::usage)?);
        }
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
        arguments: DiskArguments,
    }

    fn understood(words: &str) -> Result<Request, String> {
        let words = ["disk"].into_iter().chain(words.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.arguments.understand().map_err(|fault| match fault {
            Fault::Usage(said) => said,
            other => panic!("{other:?}"),
        })
    }

    fn refused(words: &str) -> String {
        understood(words).err().unwrap_or_else(|| panic!("'{words}' makes sense"))
    }

    fn named(words: &str) -> Vec<String> {
        let candidates = understood(words).expect("known").settings.candidates;
        candidates.iter().map(|it| format!("{it} {}", it.key_bits)).collect()
    }

    #[test]
    fn ciphers_and_their_keys() {
        assert_eq!(understood("").expect("nothing").settings.candidates, Candidate::all());
        assert_eq!(
            named("--cipher aes-xts-plain64,xchacha12,aes-adiantum-plain64,none"),
            [
                "aes-xts-plain64 256",
                "aes-xts-plain64 512",
                "xchacha12,aes-adiantum-plain64 256",
                "none 0"
            ]
        );
        assert_eq!(
            named("--cipher none,camellia-cbc-essiv:sha256,aes-cbc-plain64 --key-size 256"),
            ["none 0", "camellia-cbc-essiv:sha256 256", "aes-cbc-plain64 256"]
        );
        assert_eq!(named("--cipher blowfish-ecb,blowfish-ecb"), ["blowfish-ecb 128"]);
    }

    #[test]
    fn what_makes_no_sense_is_one_line() {
        for (words, said) in [
            (
                "--cipher aes-xts-plain63",
                "unknown cipher 'aes-xts-plain63': did you mean aes-xts-plain64?",
            ),
            ("--cipher xchacha12", "unknown cipher 'xchacha12'"),
            (
                "--cipher aes-xts-plain64 --key-size 128",
                "--key-size 128: aes-xts-plain64 has keys of 256, ",
            ),
            ("--key-size 256", "--key-size needs --cipher"),
            ("--size 12x", "--size 12x: choose from 1MiB on"),
            ("--size 0", "--size 0: choose from 1MiB on"),
            ("--size 1000000000", "choose a multiple of 4096 bytes, such as 256MiB"),
            ("--sector 1024", "--sector 1024: choose 512 or 4096"),
            ("--threads 0", "--threads 0: choose from 1 to 1024"),
            ("--device /dev/x", "--device needs --dm-crypt"),
            ("--ram", "--ram needs --dm-crypt"),
            ("--loop x", "--loop needs --dm-crypt"),
            ("--dm-crypt --ram --loop x", "cannot be used with"),
            ("--dm-crypt --ram floppy", "invalid value 'floppy'"),
            ("--dm-crypt --directory x", "--directory is for the file of a run without --dm-crypt"),
            ("--dm-crypt --yes-destroy /dev/x", "--yes-destroy needs --device PATH"),
            (
                "--dm-crypt --device /dev/x --yes-destroy /dev/y",
                "/dev/y is not --device /dev/x: nothing",
            ),
            ("--dm-crypt --compare-cryptsetup", "cannot be used with"),
        ] {
            let message = refused(words);
            assert!(message.contains(said), "{words}: {message}");
        }
    }

    #[test]
    fn where_ciphers_run() {
        let backing = |words: &str| match understood(words).expect("sense").place {
            Place::Kernel { backing, agreed } => (backing, agreed),
            Place::Process { .. } => panic!("in the kernel"),
        };
        assert_eq!(backing("--dm-crypt"), (Backing::Ram(None), false));
        assert_eq!(backing("--dm-crypt --ram"), (Backing::Ram(None), false));
        let zram = Backing::Ram(Some(mapper::Ram::Zram));
        assert_eq!(backing("--dm-crypt --ram zram --graph"), (zram, false));
        assert_eq!(backing("--dm-crypt --loop a"), (Backing::Loop("a".into()), false));
        let device = Backing::Device("/dev/x".into());
        assert_eq!(backing("--dm-crypt --device /dev/x"), (device.clone(), false));
        assert_eq!(backing("--dm-crypt --device /dev/x --yes-destroy /dev/x"), (device, true));
    }
}
