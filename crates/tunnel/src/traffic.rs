//! iperf3: what goes through, and how fast.

use std::fs;
use std::time::Duration;

use serde_json::Value;

use crate::cable::Cable;
use crate::program::{Daemon, find, output};

/// iperf3's own port.
const PORT: u16 = 5201;

/// What arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrived {
    pub(crate) bytes: u64,
    pub(crate) bits_per_second: f64,
}

/// Why there can be no traffic here.
pub(crate) fn obstacle() -> Option<String> {
    find("ip", "iproute2").and_then(|_| find("iperf3", "iperf3")).err()
}

/// Sends over one connection of TCP, from the first end's address to the second's.
pub(crate) fn send(cable: &Cable, [from, to]: [&str; 2], seconds: u32) -> Result<Arrived, String> {
    let [first, second] = cable.ends();
    let mut server = second.command("iperf3");
    server.args(["--server", "--one-off"]);
    let mut server = Daemon::start(&mut server, &format!("{}-iperf3", second.name()))?;
    server.wait_until("iperf3 --server", |it| is_listening(it.id()))?;
    let mut client = first.command("iperf3");
    let seconds_text = seconds.to_string();
    client.args(["--client", to, "--bind", from, "--time", &seconds_text]);
    client.args(["--interval", "0", "--connect-timeout", "5000", "--json"]);
    let limit = Duration::from_secs(u64::from(seconds) + 20);
    let said = output(&mut client, limit);
    let said = said.map_err(|_| format!("iperf3: {}", complaint()))?;
    understand(&said).ok_or_else(|| format!("iperf3 says nothing of what arrived: {said}"))
}

/// With --json it complains in JSON.
fn complaint() -> String {
    let said = fs::read_to_string(crate::program::file("output")).unwrap_or_default();
    let json: Result<Value, _> = serde_json::from_str(&said);
    let error = json.ok().and_then(|json| Some(json["error"].as_str()?.to_owned()));
    error.unwrap_or_else(|| "no answer in time".to_owned())
}

fn understand(said: &str) -> Option<Arrived> {
    let json: Value = serde_json::from_str(said).ok()?;
    let received = &json["end"]["sum_received"];
    let (bytes, bits_per_second) =
        (received["bytes"].as_u64()?, received["bits_per_second"].as_f64()?);
    (bytes > 0).then_some(Arrived { bytes, bits_per_second })
}

/// Whether a process's network has a listener there; to connect would be the one connection.
fn is_listening(process: u32) -> bool {
    // proc(5): the local address in hexadecimal, and 0A for a listening socket.
    let port = format!(":{PORT:04X} ");
    ["tcp", "tcp6"].into_iter().any(|protocol| {
        let sockets = fs::read_to_string(format!("/proc/{process}/net/{protocol}"));
        let is_it = |line: &str| line.contains(&port) && line.contains(" 0A ");
        sockets.is_ok_and(|sockets| sockets.lines().any(is_it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrived_is_what_the_receiver_says() {
        let said = r#"{"end": {"sum_sent": {"bytes": 9, "bits_per_second": 9.5},
                               "sum_received": {"bytes": 8, "bits_per_second": 7.5}}}"#;
        let arrived = understand(said).expect("figures");
        assert_eq!((arrived.bytes, arrived.bits_per_second), (8, 7.5));
        assert!(understand(r#"{"error": "unable to connect"}"#).is_none());
        assert!(understand(&said.replace('8', "0")).is_none(), "nothing arrived");
    }
}
