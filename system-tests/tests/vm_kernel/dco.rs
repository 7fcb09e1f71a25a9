//! OpenVPN with data channel offload: Linux encrypts the packets, the doctor says so, and our module sees none of them.
//!
//! Debian's own OpenVPN, with the module of its package openvpn-dco-dkms (`cargo xtask vm --dco`); or that of the system
//! which `WIRESPEED_OPENVPN` names, with the module of Linux 6.16 and later.

use std::env;
use std::process::Command;

use wirespeed_cipher::Direction;
use wirespeed_conformance::data::{painted, same};
use wirespeed_results::schema::services::Standing;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process::{command, output};
use wirespeed_system_tests::servers::openvpn::Tunnel;

use crate::{services, system};

const NAME: &str = "OpenVPN DCO";
const CIPHER: &str = "AES-256-GCM";
const BYTES: usize = 2_000_003;

/// The OpenVPN that is to run.
fn program() -> Result<Command, String> {
    match env::var_os("WIRESPEED_OPENVPN") {
        Some(root) => system::program(root, "/usr/sbin/openvpn"),
        None => Ok(command("/usr/sbin/openvpn")),
    }
}

/// The same tunnel by OpenVPN and by Linux.
pub(crate) fn openvpn() -> Result<(), String> {
    output(command("/sbin/modprobe").args(["--all", "tun", "veth"]))?;
    let data = painted(4, BYTES);
    for in_linux in [false, true] {
        let ours = Watched::new()?;
        let options: &[&str] = if in_linux { &[] } else { &["--disable-dco"] };
        let tunnel = Tunnel::started(&program()?, [Provided::Ours(&ours); 2], CIPHER, options)?;
        same(|| format!("in Linux: {in_linux}"), &data, &tunnel.send(&data)?)?;
        let found = services::of(services::said_here()?, NAME)?;
        if !in_linux {
            services::is(&found, Standing::Possible, "no tunnel uses it")?;
            for direction in [Direction::Encrypt, Direction::Decrypt] {
                ours.ran(CIPHER, direction, BYTES as u64)?;
            }
            continue;
        }
        // Both ends, each in a network of its own.
        let ends = found.text.matches("tun0 carried ").count();
        if ends != 2 || found.text.matches(" MiB").count() != 2 {
            return Err(format!("not two tunnels with what they carried: {found:?}"));
        }
        services::is(&found, Standing::Used, "; no provider sees its packets")?;
        if !found.lever.is_some_and(|it| it.contains("disable-dco")) {
            return Err("no lever".to_owned());
        }
        system::only_handshakes(&ours, CIPHER, BYTES)?;
    }
    Ok(())
}
