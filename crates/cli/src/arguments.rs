//! The command line: what was typed, and what it means.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use wirespeed_cipher::{Direction, Route, SIZE_CLASSES, Subject, Use};
use wirespeed_machine::Folder;

use crate::commands;
use crate::commands::bench::gateway;
use crate::fault::Fault;
use crate::units;

const EXAMPLES: &str = "\
Examples:
  wirespeed                                   survey this machine, in under a minute
  wirespeed --json -                          the same as JSON
  wirespeed --openssl new/usr/lib/libcrypto.so.3    would another OpenSSL do as much?
  wirespeed bench AES-128-GCM --both          one algorithm at every size, routes side by side
  wirespeed bench AES-256-XTS --sizes 512,4KiB --csv sectors.csv
  wirespeed tune                              measure everything, write this machine's plan
  wirespeed routes --why                      what serves what, and why

Exit status: 0 done; 1 a proof failed; 2 usage or environment, with one line that says what.";

/// Survey the crypto of this machine: what it can do, what its OpenSSL does, and what is gained
#[derive(Parser)]
#[command(name = "wirespeed", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) survey: SurveyArguments,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measure algorithms at every size, the routes side by side
    Bench(BenchArguments),
    /// Show what serves what, and why the rest is absent
    Routes(RoutesArguments),
    /// Measure every route and write the plan for this machine
    Tune(commands::tune::TuneArguments),
    /// Put Wirespeed to work for every program on this machine
    Install(commands::install::InstallArguments),
    /// Take it back: restore openssl.cnf byte for byte
    Uninstall(commands::uninstall::UninstallArguments),
    /// Check every known way to get this wrong, and say how to mend it
    Doctor(commands::doctor::DoctorArguments),
    /// Show what programs did through Wirespeed, where openssl.cnf has it count
    Stats(commands::stats::StatsArguments),
    /// Tells what the machine's configuration gives the user who runs it
    #[command(name = wirespeed_doctor::READING, hide = true)]
    DoctorReading(commands::doctor::ReadingArguments),
    /// Show the kernel's crypto drivers, and choose which ones it loads
    Kernel(commands::kernel::KernelArguments),
    /// Measure encrypted disks: every cipher, in memory, in a file, or by the kernel's dm-crypt
    Disk(commands::disk::DiskArguments),
    /// Takes down what a killed `disk --dm-crypt` left
    #[command(name = commands::disk::WATCHER, hide = true)]
    DiskWatcher,
    /// Measure VPN packets: every suite of ESP and WireGuard, and the links that it fills
    Vpn(commands::vpn::VpnArguments),
    /// Sets tunnels up and measures them, in namespaces that end with the program that started it
    #[command(name = commands::vpn::real::INSIDE, hide = true)]
    VpnInside,
    /// Put machines side by side: ratios, winners, and what it means
    Compare(commands::compare::CompareArguments),
    /// Draw results as one HTML file, several machines side by side
    Report(commands::report::ReportArguments),
    /// Show the PadLock units of this CPU, and what is made of them
    #[command(name = "padlock")]
    PadLock(commands::padlock::PadLockArguments),
    /// Write random bytes from PadLock, tested while they come
    Random(commands::random::RandomArguments),
    /// Print or check the hashes of many files at once, as sha256sum does
    Sum(commands::sum::SumArguments),
}

/// An option that stays as it was chosen until it is chosen otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Switch {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }

    /// As it is typed.
    pub(crate) fn name(self) -> &'static str {
        if self.is_on() { "on" } else { "off" }
    }
}

/// Another machine to describe, for tests.
#[derive(Args)]
pub(crate) struct MachineFiles {
    /// Describe the machine that these files are of: proc/cpuinfo and others, by their paths there
    #[arg(long, value_name = "DIR", hide = true)]
    machine_files: Option<PathBuf>,
}

impl MachineFiles {
    /// The files, if some are named.
    pub(crate) fn folder(&self) -> Result<Option<Folder>, Fault> {
        let Some(root) = &self.machine_files else { return Ok(None) };
        match Folder::open(root) {
            Some(folder) => Ok(Some(folder)),
            None => {
                Err(Fault::usage(format!("--machine-files {}: no proc/cpuinfo", root.display())))
            }
        }
    }
}

#[derive(Args)]
pub(crate) struct SurveyArguments {
    #[command(flatten)]
    pub(crate) files: MachineFiles,
    /// Seconds for each figure
    #[arg(long, value_name = "S", default_value_t = 0.12)]
    pub(crate) seconds: f64,
    /// libcryptos of other OpenSSLs (3.0 or later): the last lines say whether one is worth as much
    #[arg(long, value_name = "FILE", num_args = 1.., value_delimiter = ',')]
    pub(crate) openssl: Vec<String>,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<String>,
}

const BENCH_EXAMPLES: &str = "\
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
#[command(after_help = BENCH_EXAMPLES)]
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
    /// Bytes in one call; KiB and MiB are understood
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

#[derive(Args)]
pub(crate) struct RoutesArguments {
    /// One of OpenSSL's names; all of them by default
    #[arg(value_name = "ALGORITHM")]
    pub(crate) algorithm: Option<String>,
    /// Show what was measured, against which second best, for each size
    #[arg(long)]
    pub(crate) why: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl Arguments {
    /// Reads the process's own command line.
    pub(crate) fn from_command_line() -> Result<Self, Fault> {
        Self::try_parse().map_err(Fault::Parser)
    }
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
pub(crate) struct BenchRequest {
    /// Those asked for; otherwise the survey's.
    pub(crate) algorithms: Option<Vec<Subject>>,
    /// Whether all that there is a choice for was asked for.
    pub(crate) all: bool,
    /// Those asked for; otherwise all that are here.
    pub(crate) routes: Option<Vec<Route>>,
    /// Drivers of the kernel's.
    pub(crate) drivers: Vec<&'static str>,
    /// Requests in flight in the kernel, if asked for.
    pub(crate) lanes: Option<usize>,
    pub(crate) sizes: Vec<usize>,
    pub(crate) uses: Vec<Use>,
    pub(crate) directions: Vec<Direction>,
    pub(crate) threads: usize,
    pub(crate) seconds: f64,
    pub(crate) unit: Unit,
    pub(crate) json: Option<String>,
    pub(crate) csv: Option<String>,
    pub(crate) prometheus: Option<String>,
    /// Whether the set of gateways was asked for.
    pub(crate) is_gateway: bool,
    /// libcryptos to compare with.
    pub(crate) openssl: Vec<PathBuf>,
    /// The libcrypto to open instead of the host's.
    pub(crate) libcrypto: Option<PathBuf>,
}

impl BenchRequest {
    /// Where results go.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &str> {
        [&self.json, &self.csv, &self.prometheus].into_iter().flatten().map(String::as_str)
    }
}

impl BenchArguments {
    /// Parses every word, or names the first that means nothing.
    pub(crate) fn understand(self) -> Result<BenchRequest, Fault> {
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
        Ok(BenchRequest {
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
            threads: within("threads", self.threads, 1, 1024)?,
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

/// A file by a path with a slash: without one the dynamic loader would look for it elsewhere.
pub(crate) fn library(file: &str) -> Result<PathBuf, Fault> {
    let failed = |why| Fault::usage(format!("--openssl {file}: {why}"));
    match fs::metadata(file) {
        Err(why) => Err(failed(why.to_string())),
        Ok(about) if about.is_dir() => {
            Err(failed("that is a folder: name the libcrypto.so.3 or .4 in it".to_owned()))
        }
        Ok(_) => std::path::absolute(file).map_err(|why| failed(why.to_string())),
    }
}

/// The largest size: what XTS allows in a data unit.
const LARGEST: usize = 16 << 20;

fn size(text: &str) -> Result<usize, Fault> {
    let bytes = units::parse(text).and_then(|bytes| usize::try_from(bytes).ok());
    bytes.filter(|bytes| (1..=LARGEST).contains(bytes)).ok_or_else(|| {
        let classes = SIZE_CLASSES.map(|class| class.to_string()).join(" ");
        Fault::usage(format!(
            "unknown size '{text}': choose from {classes}, or any number of bytes from 1 to 16MiB"
        ))
    })
}

/// A number within these bounds.
pub(crate) fn within(what: &str, value: usize, least: usize, most: usize) -> Result<usize, Fault> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(Fault::usage(format!("--{what} {value}: choose from {least} to {most}")))
}

/// Seconds for a figure, within reason.
pub(crate) fn seconds(value: f64) -> Result<f64, Fault> {
    if (0.0..=3600.0).contains(&value) {
        return Ok(value);
    }
    Err(Fault::usage(format!("--seconds {value}: choose from 0 to 3600")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parser_is_sound() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes() {
        assert_eq!(size("1420").expect("a size"), 1420);
        assert_eq!(size("16KiB").expect("a size"), 16384);
        assert_eq!(size("16MiB").expect("a size"), LARGEST);
        for wrong in ["", "0", "-1", "17MiB", "12x", "99999999999999999999KiB"] {
            let Err(Fault::Usage(message)) = size(wrong) else { panic!("{wrong} is no size") };
            assert!(message.starts_with(&format!("unknown size '{wrong}'")), "{message}");
        }
    }

    #[test]
    fn seconds_are_a_number_in_reason() {
        assert!(seconds(0.01).is_ok());
        assert!(seconds(-1.0).is_err() && seconds(f64::NAN).is_err());
    }
}
