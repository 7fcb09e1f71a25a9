//! Sockets that listen: proc_net_tcp(5), in every network namespace that has processes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use procfs_core::net::{TcpNetEntries, TcpState, UdpNetEntries, UdpState};
use procfs_core::{ExplicitSystemInfo, FromBufReadSI};

use super::networks::Network;
use crate::examined::Examined;

/// A socket's number, and where it listens: "tcp 443".
pub(super) type Sockets = BTreeMap<u64, String>;

/// Every socket that listens.
pub(super) fn listening(examined: &Examined<'_>, networks: &[Network]) -> Sockets {
    networks.iter().flat_map(|network| in_network(examined, network)).collect()
}

/// Those of a process.
pub(super) fn of_process<'a>(
    examined: &Examined<'_>,
    process: &Path,
    sockets: &'a Sockets,
) -> Vec<(u64, &'a str)> {
    let links = examined.here.inside(process.join("fd")).into_iter();
    let number = |link: PathBuf| {
        let target = examined.here.link(&link)?;
        let number = target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?;
        number.parse::<u64>().ok()
    };
    let numbers = links.filter_map(number);
    numbers.filter_map(|number| Some((number, sockets.get(&number)?.as_str()))).collect()
}

fn in_network(examined: &Examined<'_>, network: &Network) -> Sockets {
    let text = |name: &str| examined.here.read(&network.file(name)).unwrap_or_default();
    let mut sockets = Sockets::new();
    for name in ["tcp", "tcp6"] {
        // A file that cannot be understood tells nothing.
        let Ok(read) = TcpNetEntries::from_buf_read(&text(name)[..], &HERE) else { continue };
        let listening = read.0.into_iter().filter(|it| it.state == TcpState::Listen);
        sockets.extend(listening.map(|it| (it.inode, place("tcp", it.local_address))));
    }
    for name in ["udp", "udp6"] {
        let Ok(read) = UdpNetEntries::from_buf_read(&text(name)[..], &HERE) else { continue };
        // One without a peer takes packets from everybody.
        let open = read.0.into_iter().filter(|it| it.state == UdpState::Close);
        sockets.extend(open.map(|it| (it.inode, place("udp", it.local_address))));
    }
    // What belongs to no file any more has the number 0.
    sockets.remove(&0);
    sockets
}

/// What those files leave to the machine: only the order of bytes matters to them.
const HERE: ExplicitSystemInfo = ExplicitSystemInfo {
    boot_time_secs: 0,
    ticks_per_second: 100,
    page_size: 4096,
    is_little_endian: cfg!(target_endian = "little"),
};

/// "tcp 443", or "tcp 127.0.0.1:443" where only one address is listened at.
fn place(protocol: &str, address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("{protocol} {}", address.port()),
        false => format!("{protocol} {address}"),
    }
}
