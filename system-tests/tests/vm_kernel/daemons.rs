//! nginx, sshd and OpenVPN with `kernel = on` and a plan that gives the kernel what they use.

use std::fs;
use std::io::Write;

use wirespeed_cipher::{Direction, Route};
use wirespeed_conformance::data::{painted, same};
use wirespeed_conformance::scratch::Scratch;
use wirespeed_system_tests::client::download;
use wirespeed_system_tests::module::{Provided, Watched};
use wirespeed_system_tests::process;
use wirespeed_system_tests::servers::nginx::{Nginx, Style};
use wirespeed_system_tests::servers::openvpn::Tunnel;
use wirespeed_system_tests::servers::sshd::Sshd;

use crate::plans;

const BYTES: usize = 1_000_003;

/// Our module with the permission and a plan.
struct Planned {
    watched: Watched,
    _scratch: Scratch,
}

impl Planned {
    fn new(offloaded: &[(&str, usize)]) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let plan = plans::file(&scratch, offloaded)?;
        let watched = Watched::with(&format!("kernel = on\nplan = {}", plan.display()))?;
        Ok(Self { watched, _scratch: scratch })
    }

    const fn provided(&self) -> Provided<'_> {
        Provided::Ours(&self.watched)
    }

    /// Requires that the kernel ran so many bytes: a plugin that is loaded and never used is a fault.
    fn by_kernel(
        &self,
        name: &str,
        direction: Option<Direction>,
        least: usize,
    ) -> Result<(), String> {
        let counted = self.watched.counted()?;
        let wanted = |row: &wirespeed_stats::Row| {
            row.subject.name() == name
                && row.route == Route::Kernel
                && direction.is_none_or(|direction| row.direction == direction)
        };
        let bytes: u64 = counted.rows().filter(wanted).map(|row| row.bytes).sum();
        let (rows, quarantined) = (counted.rows().collect::<Vec<_>>(), counted.quarantined());
        match bytes >= least as u64 && quarantined.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "{name}: the kernel ran {bytes} bytes, not {least}; quarantined {quarantined:?}; \
                 {} loads, {rows:?}",
                counted.loads()
            )),
        }
    }
}

/// nginx reads the configuration of OpenSSL before anything else, forks workers, and changes its user.
pub(crate) fn nginx() -> Result<(), String> {
    let ours = Planned::new(&[("AES-256-CBC", 1024), ("SHA2-384", 1024)])?;
    let style =
        Style { workers: 2, lines: "ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES256-SHA384;" };
    let nginx = Nginx::start(ours.provided(), style)?;
    let data = painted(1, BYTES);
    nginx.offer("file", &data)?;
    for _ in 0..2 {
        let got = download(nginx.certificate(), &nginx.address("file"), &[])?;
        same(|| format!("the file: {}", nginx.said()), &data, &got)?;
        nginx.reload()?;
    }
    ours.by_kernel("AES-256-CBC", Some(Direction::Encrypt), 2 * BYTES)
}

/// In sshd's sandbox socket(2) kills. Nothing there opens one, login works, and the session is the kernel's.
pub(crate) fn sshd() -> Result<(), String> {
    let ours = Planned::new(&[("AES-128-CTR", 16), ("SHA2-256", 16)])?;
    let sshd = Sshd::start(ours.provided())?;
    // A stranger's process waits in the sandbox, where the module has been used for the greeting's hashes.
    let mut stranger = sshd.connect()?;
    stranger.write_all(b"SSH-2.0-stranger\r\n").map_err(|error| error.to_string())?;
    let confined = || {
        let all = sshd.running().processes();
        all.into_iter().find(|process| process::is_filtered(*process))
    };
    sshd.running().wait_until("a process in the sandbox", || confined().is_some())?;
    let data = painted(2, BYTES);
    let mut client = sshd.ssh("aes128-ctr", &[]);
    let got = process::through(Provided::Stock.to(&mut client).arg("cat"), &data)?;
    same(|| format!("through ssh: {}", sshd.running().said()), &data, &got)?;
    let sandboxed = confined().ok_or("the process in the sandbox is gone")?;
    let sockets = crypto_sockets(sandboxed)?;
    if sockets != 0 {
        return Err(format!("{sockets} sockets of the kernel's crypto in the sandbox"));
    }
    // The kernel says so when a filter kills (audit record 1326, SECCOMP).
    let log =
        String::from_utf8_lossy(&process::output(&mut process::command("dmesg"))?).into_owned();
    if let Some(line) = log.lines().find(|line| line.contains("type=1326") && line.contains("sshd"))
    {
        return Err(format!("killed in the sandbox: {line}"));
    }
    // OpenSSH's CTR calls its cipher in the same direction both ways.
    ours.by_kernel("AES-128-CTR", None, 2 * BYTES)
}

/// Descriptors of a process that are sockets of no family that /proc lists, as AF_ALG's are.
fn crypto_sockets(process: u32) -> Result<usize, String> {
    let folder = format!("/proc/{process}/fd");
    let mut count = 0;
    for entry in fs::read_dir(&folder).map_err(|error| format!("{folder}: {error}"))?.flatten() {
        let target = fs::read_link(entry.path()).unwrap_or_default();
        let number = entry.file_name().to_string_lossy().into_owned();
        if target.to_string_lossy().starts_with("socket:") {
            let known =
                fs::read_to_string(format!("/proc/{process}/fdinfo/{number}")).unwrap_or_default();
            let inode =
                known.lines().find_map(|line| line.strip_prefix("ino:\t")).unwrap_or_default();
            count += usize::from(!is_listed(process, inode));
        }
    }
    Ok(count)
}

/// Whether a socket is of a family that /proc lists.
fn is_listed(process: u32, inode: &str) -> bool {
    ["tcp", "tcp6", "udp", "udp6", "unix", "netlink"].iter().any(|family| {
        let text = fs::read_to_string(format!("/proc/{process}/net/{family}")).unwrap_or_default();
        text.lines().any(|line| line.split_whitespace().any(|word| word == inode))
    })
}

/// Packets of the tunnel are the kernel's, both ways.
pub(crate) fn openvpn() -> Result<(), String> {
    process::output(process::command("/sbin/modprobe").args(["--all", "tun", "veth"]))?;
    let data = painted(3, BYTES);
    for direction in [Direction::Decrypt, Direction::Encrypt] {
        // A hash function is chosen once for each message, and HMAC's begin with a block of key.
        let ours = Planned::new(&[("AES-256-CBC", 512), ("SHA1", 16)])?;
        let ends = match direction {
            Direction::Decrypt => [ours.provided(), Provided::Stock],
            Direction::Encrypt => [Provided::Stock, ours.provided()],
        };
        let tunnel = Tunnel::start(ends, "AES-256-CBC")?;
        same(|| format!("{direction:?}"), &data, &tunnel.send(&data)?)?;
        // Full packets go there, short ones stay.
        ours.by_kernel("AES-256-CBC", Some(direction), BYTES / 2)?;
        ours.by_kernel("SHA1", None, BYTES / 2)?;
    }
    Ok(())
}
