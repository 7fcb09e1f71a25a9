//! Data through a tunnel.

use wirespeed_system_tests::running::Running;
use wirespeed_system_tests::servers::openvpn::Tunnel;

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
