//! What was asked for, and what of it makes no sense.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use wirespeed_cipher::{Direction, Route, SIZE_CLASSES, Subject, Use};

use super::gateway;
use crate::arguments::{MOST_THREADS, library, seconds, within};
use crate::fault::Fault;
use crate::units;

const EXAMPLES: &str = "\
Examples:
  wirespeed bench                             the survey's algorithms, encryption, every size
  wirespeed bench --all                       all that there is a choice for: a quarter of an hour
  wirespeed bench AES-128-GCM AES-256-GCM --both --sizes 1420,16KiB
  wirespeed bench AES-128-CBC --decrypt --use message,stream --routes libcrypto,vaes256
  wirespeed bench AES-128-CTR --threads 2 --seconds 1 --json -
  wirespeed bench SHA2-256 --routes libcrypto,padlock --sizes 16,64,256,1024,8192 --unit kB/s
  wirespeed bench --set gateway --json here.json    what gateways use, for wirespeed compare
  wirespeed bench AES-128-GCM --prometheus /var/lib/prometheus/node-exporter/wirespeed.prom
  wirespeed bench AES-128-CBC --routes libcrypto,kernel --sizes 16,64,256,1024,8192
  wirespeed bench AES-128-CBC --routes libcrypto --driver cbc-aes-aesni,cbc-aes-geode
  wirespeed bench AES-256-GCM --openssl new/usr/lib/libcrypto.so.3   is an upgrade worth as much?

ECB and CBC take whole blocks: 1420 becomes 1408. Without a libcrypto the kernels run directly.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchArguments {
    /// OpenSSL's names, such as AES-128-GCM; by default those of the survey
    #[arg(value_name = "ALGORITHM")]
    algorithms: Vec<String>,
    /// All that there is a choice for
    #[arg(long, conflicts_with_all = ["algorithms", "set"])]
    all: bool,
    /// A set of algorithms: gateway, those by which VPN gateways are compared, at 1024 bytes, with plain code beside
    #[arg(long, value_name = "SET", conflicts_with = "algorithms")]
    set: Option<Set>,
    #[arg(long, value_name = "R,…", value_delimiter = ',', help = routes_help())]
    routes: Vec<String>,
    /// Drivers of the kernel's by their own names, a column for each; `wirespeed kernel` lists them
    #[arg(long = "driver", value_name = "D,…", value_delimiter = ',')]
    drivers: Vec<String>,
    /// libcryptos of other OpenSSLs (3.0 or later), a column for each beside this machine's
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        value_delimiter = ',',
        conflicts_with_all = ["set", "drivers", "lanes", "prometheus"]
    )]
    openssl: Vec<String>,
    /// The libcrypto of this process, for --openssl
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "openssl")]
    libcrypto: Option<PathBuf>,
    /// A column for the kernel with N requests in flight at once
    #[arg(long, value_name = "N")]
    lanes: Option<usize>,
    /// Bytes in one call, such as 1420 or 4KiB
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    sizes: Vec<String>,
    /// Uses: message (new IV each call), stream (one long message), rekey (new key each call)
    #[arg(long = "use", value_name = "USE,…", value_delimiter = ',')]
    uses: Vec<String>,
    /// Decrypt instead of encrypting
    #[arg(long, conflicts_with = "both")]
    decrypt: bool,
    /// Encrypt and decrypt
    #[arg(long)]
    both: bool,
    /// The unit of the table: MB/s, or kB/s as `openssl speed` has it
    #[arg(long, value_name = "UNIT", default_value = "MB/s")]
    unit: Unit,
    /// Threads at once; figures are then of all together
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Seconds for each figure
    #[arg(long, value_name = "S", default_value_t = 0.1)]
    seconds: f64,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
    /// Write the result as CSV; - is standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<String>,
    /// Write the result for node_exporter's textfile collector, in one piece; - is standard output
    #[arg(long, value_name = "FILE")]
    prometheus: Option<String>,
}

/// A set of algorithms.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Set {
    Gateway,
}

/// The unit of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// Millions of bytes in a second.
    #[value(name = "MB/s")]
    Megabytes,
    /// Thousands of bytes in a second.
    #[value(name = "kB/s")]
    Kilobytes,
}

/// What `wirespeed bench` was asked to do.
pub(super) struct Request {
    /// Those asked for; otherwise the survey's.
    pub(super) algorithms: Option<Vec<Subject>>,
    /// Whether all that there is a choice for was asked for.
    pub(super) all: bool,
    /// Those asked for; otherwise all that are here.
    pub(super) routes: Option<Vec<Route>>,
    /// Drivers of the kernel's.
    pub(super) drivers: Vec<&'static str>,
    /// Requests in flight in the kernel, if asked for.
    pub(super) lanes: Option<usize>,
    pub(super) sizes: Vec<usize>,
    pub(super) uses: Vec<Use>,
    pub(super) directions: Vec<Direction>,
    pub(super) threads: usize,
    pub(super) seconds: f64,
    pub(super) unit: Unit,
    pub(super) json: Option<String>,
    pub(super) csv: Option<String>,
    pub(super) prometheus: Option<String>,
    /// Whether the set of gateways was asked for.
    pub(super) is_gateway: bool,
    /// libcryptos to compare with.
    pub(super) openssl: Vec<PathBuf>,
    /// The libcrypto to open instead of the host's.
    pub(super) libcrypto: Option<PathBuf>,
}

impl Request {
    /// Where results go.
    pub(super) fn targets(&self) -> impl Iterator<Item = &str> {
        [&self.json, &self.csv, &self.prometheus].into_iter().flatten().map(String::as_str)
    }
}

impl BenchArguments {
    /// Parses every word, or names the first that means nothing.
    pub(super) fn understand(self) -> Result<Request, Fault> {
        let targets = [("json", &self.json), ("csv", &self.csv), ("prometheus", &self.prometheus)];
        let mut to_output = targets.iter().filter(|(_, it)| it.as_deref() == Some("-"));
        if let (Some((one, _)), Some((other, _))) = (to_output.next(), to_output.next()) {
            return Err(Fault::usage(format!(
                "--{one} - and --{other} - both want standard output: name a file"
            )));
        }
        let is_gateway = self.set == Some(Set::Gateway);
        let mut algorithms = self.algorithms;
        // "--openssl FILE FILE ALGORITHM": what is no file but an algorithm's name is one.
        let (names, files): (Vec<String>, Vec<String>) =
            self.openssl.into_iter().partition(|word| is_algorithm(word));
        algorithms.extend(names);
        let directions = match (self.decrypt, self.both) {
            (_, true) => Direction::BOTH.to_vec(),
            (true, _) => vec![Direction::Decrypt],
            _ => vec![Direction::Encrypt],
        };
        let mut sizes = match self.sizes.is_empty() {
            true if is_gateway => vec![gateway::SIZE],
            true => SIZE_CLASSES.to_vec(),
            false => self.sizes.iter().map(|text| size(text)).collect::<Result<_, _>>()?,
        };
        sizes.sort_unstable();
        Ok(Request {
            algorithms: match is_gateway {
                true => Some(gateway::algorithms()),
                false => each(&algorithms)?,
            },
            all: self.all,
            routes: each(&self.routes)?,
            // Candidates are values that are copied about; a few names that stay for good make them so.
            drivers: self.drivers.into_iter().map(|name| &*name.leak()).collect(),
            lanes: self.lanes.map(|lanes| within("lanes", lanes, 2, 64)).transpose()?,
            sizes,
            uses: each(&self.uses)?.unwrap_or_else(|| match is_gateway {
                true => gateway::USES.to_vec(),
                false => vec![Use::Message],
            }),
            directions,
            threads: within("threads", self.threads, 1, MOST_THREADS)?,
            seconds: seconds(self.seconds)?,
            unit: self.unit,
            json: self.json,
            csv: self.csv,
            prometheus: self.prometheus,
            is_gateway,
            openssl: files.iter().map(|file| library(file)).collect::<Result<_, _>>()?,
            libcrypto: self.libcrypto,
        })
    }
}

/// Every word once, or nothing if there is none.
fn each<T>(words: &[String]) -> Result<Option<Vec<T>>, Fault>
where
    T: std::str::FromStr<Err = wirespeed_cipher::UnknownName> + PartialEq,
{
    if words.is_empty() {
        return Ok(None);
    }
    let mut all = Vec::new();
    for word in words {
        let one = word.parse().map_err(Fault::usage)?;
        if !all.contains(&one) {
            all.push(one);
        }
    }
    Ok(Some(all))
}

fn routes_help() -> String {
    let names: Vec<_> = wirespeed_kernels::ROUTES.iter().map(|route| route.name()).collect();
    format!(
        "Routes to compare: {} libcrypto; and Linux's crypto, which runs only where it is named: kernel (AF_ALG) and \
         devcrypto (/dev/crypto)",
        names.join(" ")
    )
}

fn is_algorithm(word: &str) -> bool {
    !word.contains('/') && !Path::new(word).exists() && word.parse::<Subject>().is_ok()
}

/// The largest size: what XTS allows in a data unit.
const LARGEST: usize = 16 << 20;

fn size(text: &str) -> Result<usize, Fault> {
    let bytes = units::parse(text).and_then(|bytes| usize::try_from(bytes).ok());
    bytes.filter(|bytes| (1..=LARGEST).contains(bytes)).ok_or_else(|| {
        Fault::usage(match units::in_units_of_1024(text) {
            Some(meant) => format!("unknown size '{text}': write {meant}"),
            None => {
                format!("unknown size '{text}': choose from 1 to 16MiB, such as 1420 or 4KiB")
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size("1420").expect("a size"), 1420);
        assert_eq!(size("16KiB").expect("a size"), 16384);
        assert_eq!(size("4k").expect("a size"), 4096);
        assert_eq!(size("16MiB").expect("a size"), LARGEST);
        for wrong in ["", "0", "-1", "17MiB", "12x", "4KB", "99999999999999999999KiB"] {
            let Err(Fault::Usage(message)) = size(wrong) else { panic!("{wrong} is no size") };
            assert!(message.starts_with(&format!("unknown size '{wrong}'")), "{message}");
            assert_eq!(message.ends_with("'4KB': write 4KiB"), wrong == "4KB", "{message}");
        }
    }
}
