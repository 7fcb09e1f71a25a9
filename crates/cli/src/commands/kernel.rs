//! `wirespeed kernel`: the kernel's crypto drivers, what each is worth, and which is to serve.

mod devcrypto;
mod document;
mod lines;
mod measure;
mod modules;
mod prefer;
mod raised;
mod speed;
mod verdict;

use clap::{ArgGroup, Args};
use wirespeed_af_alg::Transform;
use wirespeed_cipher::{Subject, nearest};
use wirespeed_machine::Source;

use crate::arguments::MachineFiles;
use crate::fault::Fault;
use crate::output::{say, write_json};
use document::Found;

const EXAMPLES: &str = "\
Examples:
  wirespeed kernel                            the kernel's drivers, measured, and what serves
  wirespeed kernel AES-256-CBC SHA2-512       all that does these
  wirespeed kernel --list                     what is there already, nothing measured
  wirespeed kernel --json                     everything as JSON
  wirespeed kernel --prefer virtio_crypto_aes_cbc --dry-run
  sudo wirespeed kernel --prefer padlock      load PadLock's drivers where AES or SHA is wanted
  sudo wirespeed kernel --unprefer            take all of that back

Measuring opens sockets of the family AF_ALG, which security software may report, and /dev/crypto
where that is here; --list opens nothing.
A driver is listed once somebody has asked for its algorithm: measuring asks, which loads the
modules that the kernel finds for it. Hardware is named only where a driver's name leaves no doubt.
docs/kernel.md tells the rest.

Exit status: 0 done; 2 usage or environment, with one line that says what.";

#[derive(Args)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("change").args(["prefer", "unprefer"]))]
pub(crate) struct KernelArguments {
    /// OpenSSL's names, or the kernel's, such as AES-128-CBC or cbc(aes)
    #[arg(value_name = "ALGORITHM", conflicts_with_all = ["change", "list"])]
    algorithms: Vec<String>,
    /// Show what is there already: no socket, nothing loaded, nothing measured
    #[arg(long, conflicts_with = "change")]
    list: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "change")]
    json: bool,
    /// Let this driver serve: padlock, a driver of the list, or a crypto module
    #[arg(long, value_name = "DRIVER")]
    prefer: Option<String>,
    /// Take that back, for one driver or for all
    #[arg(long, value_name = "DRIVER", num_args = 0..=1)]
    unprefer: Option<Option<String>>,
    /// With --prefer or --unprefer: only show what would change
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    files: MachineFiles,
}

pub(crate) fn run(arguments: KernelArguments) -> Result<(), Fault> {
    match (&arguments.prefer, &arguments.unprefer) {
        (Some(name), _) => prefer::prefer(name, arguments.dry_run),
        (None, Some(name)) => prefer::unprefer(name.as_deref(), arguments.dry_run),
        (None, None) if arguments.dry_run => {
            Err(Fault::usage("--dry-run of what? Name --prefer DRIVER or --unprefer"))
        }
        (None, None) => {
            let asked = asked(&arguments.algorithms)?;
            let found = match (arguments.files.folder()?, arguments.list) {
                (Some(folder), _) => Found::in_files(&folder),
                (None, true) => Found::listed(),
                (None, false) => Found::measured(asked.as_deref()),
            };
            match arguments.json {
                true => write_json("-", &found.kernel),
                false => say(&found.text()),
            }
        }
    }
}

/// The algorithms of these names, by OpenSSL or by the kernel; nothing if none is named.
fn asked(names: &[String]) -> Result<Option<Vec<&'static Transform>>, Fault> {
    let find = |name: &String| {
        let of_kernel = || Transform::ALL.iter().find(|it| it.kernel == *name);
        let of_others = || Transform::named(name.parse::<Subject>().ok()?.name());
        Transform::named(name).or_else(of_kernel).or_else(of_others).ok_or_else(|| {
            let known = Transform::ALL.iter().map(|it| it.name);
            let suggested = match nearest(name, known) {
                Some(name) => format!("did you mean {name}? "),
                None => String::new(),
            };
            Fault::usage(format!(
                "unknown algorithm '{name}': {suggested}wirespeed kernel --list shows what is here"
            ))
        })
    };
    let found: Vec<_> = names.iter().map(find).collect::<Result<_, _>>()?;
    Ok((!found.is_empty()).then_some(found))
}

/// The kernel's release, such as "6.1.0-18-amd64".
fn release(source: &dyn Source) -> Option<String> {
    Some(source.file("proc/sys/kernel/osrelease")?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_go_by_both_names() {
        let names = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|name| (*name).to_owned()).collect();
            asked(&given)
                .map(|found| found.map(|it| it.iter().map(|it| it.name).collect::<Vec<_>>()))
        };
        assert_eq!(names(&[]).expect("nothing"), None);
        let given = ["aes-256-cbc", "sha1", "cbc(aes)", "aes256", "sha-512", "aes-xts-plain64"];
        let found = names(&given).expect("known");
        let meant =
            ["AES-256-CBC", "SHA1", "AES-128-CBC", "AES-256-CBC", "SHA2-512", "AES-256-XTS"];
        assert_eq!(found, Some(meant.to_vec()));
        let Err(Fault::Usage(said)) = names(&["AES-128-CBD"]) else { panic!("no such thing") };
        assert!(
            said.contains("'AES-128-CBD': did you mean AES-128-CBC? wirespeed kernel"),
            "{said}"
        );
        let Err(Fault::Usage(said)) = names(&["padlock"]) else { panic!("no such thing") };
        assert!(said.contains("'padlock': wirespeed kernel --list shows"), "{said}");
    }
}
