//! `wirespeed vpn`: packets through every suite, and the links that they fill.

mod document;
pub(crate) mod real;
mod request;
mod table;
mod work;

use clap::Args;
use wirespeed_bench::Host;

use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{People, check_writable, header, write_json};
use document::Found;

const HELP: &str = "\
Examples:
  wirespeed vpn  every suite with 1420 bytes and a mix, the fastest with more
  wirespeed vpn --suites aes128gcm16,aes256-sha256,wireguard --sizes 64,1420,imix
  wirespeed vpn --suites all --sizes all --seconds 0.2
  wirespeed vpn --batch  32 packets at once besides, through the multi-buffer kernels
  wirespeed vpn --json here.json
  sudo wirespeed vpn --real                   real tunnels with iperf3's traffic: about four minutes
  sudo wirespeed vpn --real --suites aes128gcm16,aes256-sha256 --seconds 3

Each packet is really built: header, IV, padding, check value; encrypted, then authenticated; or
verified, then decrypted. Suites are named as strongSwan spells proposals. imix is the simple IMIX:
of twelve packets seven of 40, four of 576 and one of 1500 bytes.

--real sets up the kernel's ESP (ip xfrm), OpenVPN and strongSwan's libipsec between two network
namespaces, whichever are installed, the latter two with and without Wirespeed. All is gone when the
program is, however it ends. docs/vpn.md tells the rest.

Exit status: 0 done; 1 a suite gives wrong packets; 2 usage, environment or Ctrl-C, with one line
that says what.";

#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct VpnArguments {
    /// Suites as strongSwan spells them, such as aes128gcm16 or aes256-sha256, or wireguard; all by default
    #[arg(long, value_name = "SUITE,…", value_delimiter = ',')]
    suites: Vec<String>,
    /// Bytes of the packets inside the tunnel, or imix; all are 64 to 9000 and imix
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',')]
    sizes: Vec<String>,
    /// Threads at once, besides one; by default as many as there are CPUs
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Seconds for each figure; with --real whole ones, for each of five rounds
    #[arg(long, value_name = "S", default_value_t = 0.05)]
    seconds: f64,
    /// Measure 32 packets at once besides, through the multi-buffer kernels
    #[arg(long)]
    batch: bool,
    /// Measure real tunnels instead; needs root
    #[arg(long, conflicts_with_all = ["sizes", "threads", "batch"])]
    real: bool,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

pub(crate) fn run(arguments: VpnArguments) -> Result<(), Fault> {
    let request = arguments.understand()?;
    check_writable(request.json.as_deref())?;
    let host = Host::discover();
    let interruption = Interruption::watch()?;
    let people = People::beside(request.json.as_deref());
    let mut found = Found::begin(&request, host.machine.clone());
    people.show(&format!("{}\n", header(&host.machine)))?;
    let ended = match &request.real {
        None => {
            if let Err(why) = host.harness.library() {
                people.show(&format!("{why}; only --batch measures without it\n"))?;
            }
            work::run(&request, &host, &interruption, people, &mut found)
        }
        Some(tunnels) => {
            let ended = real::run(tunnels, &interruption, &mut found.vpn.real);
            people.show(&real::text(&found.vpn.real))?;
            ended
        }
    };
    found.vpn.interrupted = ended.is_err();
    found.conclude();
    let kept = write_json(request.json.as_deref(), &found.vpn);
    people.finish(ended, kept, &found.closing(), &found.vpn.warnings)
}
