//! Data through a tunnel, or through three.

use std::sync::Arc;

use wirespeed_system_tests::process::output;
use wirespeed_system_tests::running::Running;
use wirespeed_system_tests::servers::openvpn::Tunnel;
use wirespeed_system_tests::servers::tor;

use super::{MIB, Meter, Provided, Ready};

/// One connection through OpenVPN, both of whose ends are measured.
pub(crate) fn openvpn(provided: Provided<'_>, cipher: &'static str, mebibytes: usize) -> Ready {
    let tunnel = Tunnel::start([provided, provided], cipher)?;
    let data = vec![0x5a; mebibytes * MIB];
    Ok(Box::new(move |meter: &Meter| {
        let ends = tunnel.ends().iter().flat_map(Running::processes);
        meter.during(ends, || match tunnel.send(&data)?.len() {
            length if length == data.len() => Ok(()),
            length => Err(format!("{length} bytes arrived")),
        })
    }))
}

/// A download through Tor, all of whose programs are measured: each relay takes off one layer, the client three.
pub(crate) fn tor(provided: Provided<'_>, mebibytes: usize) -> Ready {
    let body: Arc<[u8]> = vec![0x5a; mebibytes * MIB].into();
    let network = tor::Network::start(provided, body)?;
    Ok(Box::new(move |meter: &Meter| {
        let mut client = network.download();
        meter.during(network.running().processes(), || {
            output(client.args(["--output", "/dev/null"])).map(drop)
        })
    }))
}
