//! strongSwan with ESP in user space: its plugin kernel-libipsec, and of its ciphers those of OpenSSL alone.
//!
//! By default strongSwan takes AES from its own plugin aesni, and no provider of OpenSSL's has a part in it.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use wirespeed_vpn::Suite;

use crate::cable::{ADDRESSES, Cable, End};
use crate::carrier::INNER;
use crate::program::{Daemon, file, find, lacking, output, write};
use crate::provided::Provided;
use crate::tunnel::{Tunnel, Witness};

/// Where distributions put the daemon, which is in nobody's path.
const PLACES: [&str; 4] = [
    "/usr/lib/ipsec/charon",
    "/usr/libexec/ipsec/charon",
    "/usr/lib/strongswan/charon",
    "/usr/libexec/strongswan/charon",
];
/// Its plugins that Debian keeps in packages of their own.
const PLUGINS: [(&str, &str); 2] =
    [("openssl", "libstrongswan-standard-plugins"), ("kernel-libipsec", "libcharon-extra-plugins")];
/// All that it loads; older ones have no kdf, and do without.
const LOADED: &str = "random nonce openssl kdf kernel-libipsec kernel-netlink socket-default vici";
/// Where it says that it runs, wherever that was compiled to; a second one would not start.
const PID_FILE: &str = "/run/charon.pid";
/// Debian's AppArmor profiles for both programs allow none of our files, so they run without.
const UNCONFINED: &str =
    r#"{ echo 'exec unconfined' > /proc/self/attr/apparmor/exec; } 2>/dev/null; exec "$@""#;

/// Why there is none here.
pub(super) fn obstacle() -> Option<String> {
    let Some(charon) = charon() else {
        return Some(lacking("strongSwan's charon", "strongswan-charon"));
    };
    let plugins = charon.parent().unwrap_or(Path::new("/")).join("plugins");
    let is_lacking =
        |name: &str| plugins.is_dir() && !plugins.join(format!("libstrongswan-{name}.so")).exists();
    let plugin = PLUGINS.into_iter().find(|(name, _)| is_lacking(name));
    plugin
        .map(|(name, package)| lacking(&format!("strongSwan's plugin {name}"), package))
        .or_else(|| find("swanctl", "strongswan-swanctl").err())
}

fn charon() -> Option<PathBuf> {
    PLACES.into_iter().map(PathBuf::from).find(|it| it.exists())
}

/// Starts both ends, and lets the first of them call the other.
pub(super) fn open(name: &str, suite: &Suite, provided: Provided) -> Result<Tunnel, String> {
    let charon = charon().ok_or("charon is gone")?;
    let cable = Cable::lay(name)?;
    let mut daemons = Vec::new();
    for (own, end) in cable.ends().iter().enumerate() {
        end.ip(&["address", "add", &format!("{}/32", INNER[own]), "dev", "lo"])?;
        let files = Files::write(end, own, suite)?;
        let mut command = files.command(end, &charon);
        let mut daemon = Daemon::start(provided.to(&mut command), end.name())?;
        daemon.wait_until("charon", |_| UnixStream::connect(&files.socket).is_ok())?;
        forget_the_first();
        files.swanctl(end, &["--load-all", "--file"], Some(&files.connections))?;
        daemons.push(daemon);
    }
    let first = &cable.ends()[0];
    let call = ["--initiate", "--child", "tunnel", "--timeout", "20"];
    Files::of(first).swanctl(first, &call, None)?;
    Ok(Tunnel { daemons, cable, addresses: INNER, witness: Witness::Module(provided) })
}

/// Takes the file away by which a second charon would know of the first. It comes about when the socket does, so it is
/// waited for; where it lies elsewhere the next one says so.
fn forget_the_first() {
    let is_here = || Path::new(PID_FILE).exists();
    for _ in 0..200 {
        if is_here() {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let _ = std::fs::remove_file(PID_FILE);
}

/// One end's files.
struct Files {
    configuration: PathBuf,
    connections: PathBuf,
    socket: PathBuf,
}

impl Files {
    fn of(end: &End) -> Self {
        let named = |suffix: &str| file(&format!("{}.{suffix}", end.name()));
        Self {
            configuration: named("strongswan.conf"),
            connections: named("swanctl.conf"),
            socket: named("vici"),
        }
    }

    fn write(end: &End, own: usize, suite: &Suite) -> Result<Self, String> {
        let files = Self::of(end);
        write(
            &format!("{}.strongswan.conf", end.name()),
            &format!(
                "charon {{\n  load = {LOADED}\n  install_virtual_ip = no\n  \
                 filelog {{\n    stderr {{\n      default = 1\n      flush_line = yes\n    }}\n  }}\n  \
                 plugins {{\n    vici {{\n      socket = unix://{}\n    }}\n    \
                 openssl {{\n      load_legacy = no\n    }}\n  }}\n}}\n",
                files.socket.display()
            ),
        )?;
        let other = 1 - own;
        write(
            &format!("{}.swanctl.conf", end.name()),
            &format!(
                "connections {{\n  tunnel {{\n    version = 2\n    \
                 local_addrs = {}\n    remote_addrs = {}\n    encap = yes\n    \
                 proposals = aes128gcm16-prfsha256-ecp256\n    \
                 local {{\n      auth = psk\n      id = end{own}\n    }}\n    \
                 remote {{\n      auth = psk\n      id = end{other}\n    }}\n    \
                 children {{\n      tunnel {{\n        local_ts = {}/32\n        \
                 remote_ts = {}/32\n        esp_proposals = {}\n      }}\n    }}\n  }}\n}}\n\
                 secrets {{\n  ike {{\n    secret = known-in-these-namespaces-alone\n  }}\n}}\n",
                ADDRESSES[own], ADDRESSES[other], INNER[own], INNER[other], suite.keyword
            ),
        )?;
        Ok(files)
    }

    /// A program of strongSwan's that will run at this end.
    fn command(&self, end: &End, program: &Path) -> Command {
        let mut command = end.command("sh");
        command.args(["-c", UNCONFINED, "sh"]).arg(program);
        command.env("STRONGSWAN_CONF", &self.configuration);
        command
    }

    fn swanctl(&self, end: &End, words: &[&str], last: Option<&Path>) -> Result<(), String> {
        let mut command = self.command(end, &find("swanctl", "strongswan-swanctl")?);
        command.args(words).args(last).arg("--uri");
        command.arg(format!("unix://{}", self.socket.display()));
        Provided::Default.to(&mut command);
        let said = output(&mut command, Duration::from_secs(30));
        said.map(|_| ()).map_err(|why| format!("swanctl: {why}"))
    }
}
