//! `wirespeed disk`: every cipher for an encrypted disk, compared with no encryption.

mod advice;
mod cautions;
mod cryptsetup;
mod document;
mod figures;
mod graph;
mod kernel;
mod listener;
mod pace;
mod process;
mod request;
mod table;
mod warnings;

use std::path::PathBuf;

use clap::Args;
use wirespeed_bench::Host;
use wirespeed_disk::run::Failure;
use wirespeed_disk::workload;

use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{People, check_writable, header, notes, write_json};
pub(crate) use kernel::{WATCHER, watch_over};
use listener::Listener;
use request::Place;

const HELP: &str = "\
Examples:
  wirespeed disk                              all ciphers, in memory and through a file here
  wirespeed disk --cipher aes-xts-plain64,serpent-xts-plain64 --key-size 512 --size 2GiB
  wirespeed disk --sector 4096 --threads 2 --directory /var/tmp --graph
  wirespeed disk --compare-cryptsetup         and what cryptsetup benchmark says beside it
  sudo wirespeed disk --dm-crypt              the kernel's own encryption, on a disk in memory
  sudo wirespeed disk --dm-crypt --loop /var/tmp/scratch
  sudo wirespeed disk --dm-crypt --device /dev/sdX        DESTROYS what is on it, and asks first
  wirespeed disk --json here.json && wirespeed report here.json --output here.html

Ciphers: aes anubis arc4 aria blowfish camellia cast5 cast6 khazad serpent sm4 tea tnepres twofish
xeta xtea xchacha12,aes xchacha20,aes aegis128. A name is cipher-mode-iv as cryptsetup spells it,
such as aes-xts-plain64; AES-256-XTS and xts(aes) are understood, too.

Each cipher writes, reads, writes again and reads again (w r w2 r2), then everything is compared.
All ciphers together take about two minutes with the usual size, most of it for those of the past:
name a few.

What is written where: without --dm-crypt one file without a name, of --size, in --directory, which
is gone when the program is, however it ends. With it: --ram makes a disk in memory, --loop makes
FILE, which must not exist, and deletes it; --device overwrites PATH, and refuses what is mounted,
in use, holds a known signature or is part of LVM or RAID. All is taken down at the end, at Ctrl-C
and after a crash; a later run cleans up after a killed one. docs/disk.md tells the rest.

Exit status: 0 done; 1 what was read is not what was written; 2 usage, environment or Ctrl-C, with
one line that says what.";

#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct DiskArguments {
    /// Bytes for each test, such as 256MiB or 2GiB
    #[arg(long, value_name = "BYTES", default_value = "128MiB")]
    size: String,
    /// Ciphers as cryptsetup spells them, such as aes-xts-plain64; by default all of the comparison of 2007
    /// and today's
    #[arg(long, value_name = "NAME,…")]
    cipher: Option<String>,
    /// Bits of their keys, as cryptsetup counts them: both halves with XTS
    #[arg(long, value_name = "BITS")]
    key_size: Option<u32>,
    /// Workers, or with --dm-crypt requests in flight; by default as many as there are CPUs
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Bytes in a sector: 512 or 4096
    #[arg(long, value_name = "BYTES", default_value_t = 512)]
    sector: usize,
    /// Where the temporary file lies
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Measure the kernel's dm-crypt instead; needs root
    #[arg(long)]
    dm_crypt: bool,
    /// With --dm-crypt: on this block device, whose content is lost
    #[arg(long, value_name = "PATH", conflicts_with_all = ["ram", "loop"])]
    device: Option<PathBuf>,
    /// With --dm-crypt: on a disk in memory (the standard), by brd, zram or null_blk
    #[arg(long, value_name = "DRIVER", num_args = 0..=1, conflicts_with = "loop")]
    ram: Option<Option<request::Ram>>,
    /// With --dm-crypt: on a new file, made and deleted again
    #[arg(long = "loop", value_name = "FILE", id = "loop")]
    new_file: Option<PathBuf>,
    /// With --device: do not ask; the path once more
    #[arg(long, value_name = "PATH")]
    yes_destroy: Option<PathBuf>,
    /// Draw the table as bars
    #[arg(long)]
    graph: bool,
    /// Run cryptsetup benchmark for the same ciphers, and show it beside the figures in memory
    #[arg(long, conflicts_with = "dm_crypt")]
    compare_cryptsetup: bool,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

pub(crate) fn run(arguments: DiskArguments) -> Result<(), Fault> {
    let request = arguments.understand()?;
    check_writable(request.json.as_deref())?;
    let people = People::beside(request.json.as_deref());
    // A question is no step: Ctrl-C ends it as it ends any program.
    if let Place::Kernel { backing, agreed } = &request.place {
        kernel::may_begin(backing, *agreed, &request, people)?;
    }
    let host = Host::discover();
    // Before anything is set up that must be taken down again.
    let interruption = Interruption::watch()?;
    let listener = Listener::new(&interruption, people);
    listener.show(&format!("{}\n", header(&host.machine)));
    let mut document = document::begin(&request, host.machine);
    let ended = match &request.place {
        Place::Process { directory, compare } => {
            process::run(directory, *compare, &request, &listener, &mut document)
        }
        Place::Kernel { backing, .. } => kernel::run(backing, &request, &listener, &mut document),
    };
    document.interrupted = ended.is_err();
    document::conclude(&mut document);
    listener.show(&document::closing(&document));
    listener.show(&notes(&document.warnings));
    // What was measured is kept, however the run ended.
    let kept = write_json(request.json.as_deref(), &document);
    listener.finish()?;
    ended.and(kept).and_then(|()| document::verdict(&document))
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Test(_, workload::Failure::Stopped) => {
                Self::usage("interrupted: what was measured so far is above")
            }
            _ => Self::usage(failure),
        }
    }
}
