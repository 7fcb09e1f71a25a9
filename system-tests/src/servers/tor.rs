//! A Tor network on the loopback interface: an authority, three relays, a client.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;

use crate::module::Provided;
use crate::network::free_port;
use crate::process::{command, output};
use crate::running::{Daemon, Running};
use crate::scratch::Scratch;
use crate::servers::plain::serve;

/// The program.
pub const PROGRAM: &str = "/usr/bin/tor";
/// Makes the keys of authorities.
const MAKES_KEYS: &str = "/usr/bin/tor-gencert";

const AUTHORITY: &str = "authority";
const RELAYS: [&str; 3] = ["relay1", "relay2", "relay3"];
const CLIENT: &str = "client";

/// What every program of a small network is told (chutney's templates).
const EVERYBODY: &str = "\
TestingTorNetwork 1
Address 127.0.0.1
AssumeReachable 1
PathsNeededToBuildCircuits 0.25
TestingDirAuthVoteExit *
TestingDirAuthVoteGuard *
TestingDirAuthVoteHSDir *
TestingMinExitFlagThreshold 0
V3AuthNIntervalsValid 2
";

/// The shortest votes that are allowed.
const VOTES: &str = "\
AuthoritativeDirectory 1
V3AuthoritativeDirectory 1
ContactInfo nobody
SocksPort 0
ExitRelay 0
TestingV3AuthInitialVotingInterval 5
TestingV3AuthInitialVoteDelay 2
TestingV3AuthInitialDistDelay 2
V3AuthVotingInterval 10
V3AuthVoteDelay 2
V3AuthDistDelay 2
";

const RELAY: &str = "\
SocksPort 0
ExitRelay 1
ExitPolicy accept *:*
ExitPolicyRejectPrivate 0
";

/// A running network with a web server behind it.
#[derive(Debug)]
pub struct Network {
    running: Running,
    socks: u16,
    behind: String,
    _scratch: Scratch,
}

impl Network {
    /// Starts one and waits until its client has a way through it, to a server that answers with `body`.
    pub fn start(provided: Provided<'_>, body: Arc<[u8]>) -> Result<Self, String> {
        let behind = serve(body).map_err(|error| error.to_string())?;
        let scratch = Scratch::new()?;
        let socks = free_port()?;
        let authority = authority(&scratch)?;
        for relay in RELAYS {
            let port = free_port()?;
            let lines = format!("{authority}ORPort 127.0.0.1:{port} IPv4Only\n{RELAY}");
            configure(&scratch, relay, &lines)?;
        }
        let lines = format!("{authority}SocksPort {socks}\nEnforceDistinctSubnets 0\n");
        configure(&scratch, CLIENT, &lines)?;
        let names = [&[AUTHORITY][..], &RELAYS, &[CLIENT]].concat();
        let start = format!("for name; do {PROGRAM} -f $name.rc > $name.log & done; wait");
        let daemon = Daemon::new("sh", provided, &format!("cd {}", scratch.root().display()))
            .arguments(["-c", &start, "sh"])
            .arguments(names);
        let running = daemon.start(&scratch.path("log"))?;
        let log = scratch.path(&format!("{CLIENT}.log"));
        let joined = || fs::read_to_string(&log).is_ok_and(|it| it.contains("Bootstrapped 100%"));
        running.wait_until("Tor to find its way", joined)?;
        Ok(Self { running, socks, behind: format!("http://{behind}/"), _scratch: scratch })
    }

    /// All of its programs.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// A download through it.
    pub fn download(&self) -> Command {
        let mut curl = command("/usr/bin/curl");
        curl.args(["--silent", "--show-error", "--fail", "--max-time", "120", "--socks5"]);
        curl.args([&format!("127.0.0.1:{}", self.socks), &self.behind]);
        curl
    }
}

/// Writes the configuration of one program.
fn configure(scratch: &Scratch, name: &str, lines: &str) -> Result<String, String> {
    let folder = scratch.folder(name)?;
    let own = fs::Permissions::from_mode(0o700);
    fs::set_permissions(&folder, own).map_err(|error| error.to_string())?;
    let text = format!("{EVERYBODY}Nickname {name}\nDataDirectory {}\n{lines}", folder.display());
    let file = scratch.write(&format!("{name}.rc"), text)?;
    Ok(file.display().to_string())
}

/// Makes the authority; the line that tells others of it.
fn authority(scratch: &Scratch) -> Result<String, String> {
    let [relay, directory] = [free_port()?, free_port()?];
    let place = format!("127.0.0.1:{directory}");
    let ports = format!("ORPort 127.0.0.1:{relay} IPv4Only\nDirPort {place} IPv4Only\n");
    let file = configure(scratch, AUTHORITY, &format!("{ports}{VOTES}"))?;
    let keys = scratch.folder(&format!("{AUTHORITY}/keys"))?;
    let secret = scratch.write("secret", "secret\n")?;
    let secret = fs::File::open(secret).map_err(|error| error.to_string())?;
    let mut make = command(MAKES_KEYS);
    make.args(["--create-identity-key", "--passphrase-fd", "0", "-m", "1", "-a", &place]);
    make.args(["-i", "authority_identity_key", "-s", "authority_signing_key"]);
    make.args(["-c", "authority_certificate"]).current_dir(&keys).stdin(secret);
    output(Provided::Stock.to(&mut make))?;
    let certificate = fs::read_to_string(keys.join("authority_certificate"));
    let certificate = certificate.map_err(|error| error.to_string())?;
    let identity = certificate.lines().find_map(|line| line.strip_prefix("fingerprint "));
    let identity = identity.ok_or("an authority without a fingerprint")?;
    let line = |fingerprint: &str| {
        format!(
            "DirAuthority {AUTHORITY} orport={relay} v3ident={identity} {place} {fingerprint}\n"
        )
    };
    // An authority that knows of none does not start; whose it is it says itself.
    let mut ask = command(PROGRAM);
    let nobody = line(&"0".repeat(40)).replacen("DirAuthority ", "", 1);
    ask.args(["-f", &file, "--quiet", "--list-fingerprint", "--DirAuthority", nobody.trim()]);
    let said = output(Provided::Stock.to(&mut ask))?;
    let said = String::from_utf8_lossy(&said);
    let fingerprint = said.split_once(' ').ok_or_else(|| format!("no fingerprint: {said}"))?.1;
    let line = line(&fingerprint.split_whitespace().collect::<String>());
    let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
    scratch.write(&format!("{AUTHORITY}.rc"), format!("{text}{line}"))?;
    Ok(line)
}
