//! OpenSSH's server with privilege separation and sandbox, and its clients.

use std::ffi::OsStr;
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;

use crate::module::Provided;
use crate::network::{free_port, listening};
use crate::process::{command, output};
use crate::running::{Daemon, Running};
use crate::scratch::Scratch;

const PROGRAM: &str = "/usr/sbin/sshd";

/// A user that exists only where this sshd runs.
const USER: &str = "wirespeed-guest";
/// Its number.
pub const USER_NUMBER: u32 = 54_321;

/// In a mount namespace: the directory that sshd gives up its rights in, and our user.
const PREPARATION: &str = r#"
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -m 755 /run/sshd
for file in passwd shadow; do
    cat /etc/$file $WIRESPEED_FOLDER/$file > /run/$file
    mount --bind /run/$file /etc/$file
done
"#;

/// A running sshd.
#[derive(Debug)]
pub struct Sshd {
    running: Running,
    port: u16,
    scratch: Scratch,
}

impl Sshd {
    /// Starts this machine's and waits until it listens.
    pub fn start(provided: Provided<'_>) -> Result<Self, String> {
        Self::started(&command(PROGRAM), provided, "")
    }

    /// The same for another's, as it is started, with more lines for its configuration.
    pub fn started(sshd: &Command, provided: Provided<'_>, more: &str) -> Result<Self, String> {
        let scratch = Scratch::new()?;
        let folder = scratch.root().display().to_string();
        let home = scratch.folder("home")?;
        let user = format!("{USER}:x:{USER_NUMBER}:{USER_NUMBER}::{}:/bin/sh\n", home.display());
        scratch.write("passwd", user)?;
        scratch.write("shadow", format!("{USER}:*:19000:0:99999:7:::\n"))?;
        for name in ["host", "guest"] {
            let mut make = command("ssh-keygen");
            make.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(scratch.path(name));
            output(Provided::Stock.to(&mut make))?;
        }
        let port = free_port()?;
        // Where the keys lie, in the system's temporary directory, others may write.
        let lines = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n\
             AuthorizedKeysFile {folder}/guest.pub\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\n\
             Subsystem sftp internal-sftp\nLogLevel VERBOSE\nMaxStartups 100\n{more}"
        );
        let file = scratch.write("sshd_config", lines)?;
        let preparation = PREPARATION.replace("$WIRESPEED_FOLDER", &folder);
        let daemon = Daemon::of(sshd, provided, &preparation)
            .arguments(["-D", "-e", "-f"])
            .arguments([file]);
        let running = daemon.start(&scratch.path("log"))?;
        running.wait_until("sshd to listen", || listening(port))?;
        Ok(Self { running, port, scratch })
    }

    /// The processes.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// A connection that says nothing yet.
    pub fn connect(&self) -> Result<TcpStream, String> {
        TcpStream::connect(("127.0.0.1", self.port)).map_err(|error| error.to_string())
    }

    /// A file or directory that the user may write to, seen from both sides.
    pub fn home(&self, name: &str) -> PathBuf {
        self.scratch.path("home").join(name)
    }

    fn options(&self, cipher: &str, program: &str, port: &str) -> Command {
        let mut client = command(program);
        client.args(["-F", "none", "-q", "-i"]).arg(self.scratch.path("guest"));
        client.args([port, &self.port.to_string(), "-c", cipher]);
        for option in [
            "UserKnownHostsFile=/dev/null",
            "StrictHostKeyChecking=no",
            "IdentitiesOnly=yes",
            "BatchMode=yes",
        ] {
            client.args(["-o", option]);
        }
        client
    }

    /// `ssh`, up to and including the destination.
    pub fn ssh(&self, cipher: &str, options: &[&str]) -> Command {
        let mut client = self.options(cipher, "ssh", "-p");
        client.args(options).arg(format!("{USER}@127.0.0.1"));
        client
    }

    /// `scp` from here to there, or back: a remote path is written with a colon before it.
    pub fn scp(&self, cipher: &str, from: &str, to: &str) -> Command {
        let mut client = self.options(cipher, "scp", "-P");
        client.args([place(from), place(to)]);
        client
    }

    /// `rsync` through `ssh`, the same way; it looks for no differences within a file.
    pub fn rsync(&self, cipher: &str, from: &str, to: &str) -> Command {
        let ssh = self.options(cipher, "ssh", "-p");
        let words: Vec<_> = [ssh.get_program()]
            .into_iter()
            .chain(ssh.get_args())
            .map(OsStr::to_string_lossy)
            .collect();
        let mut client = command("rsync");
        client.args(["--whole-file", "--inplace", "--ignore-times", "--rsh", &words.join(" ")]);
        client.args([place(from), place(to)]);
        client
    }
}

fn place(path: &str) -> String {
    match path.strip_prefix(':') {
        Some(path) => format!("{USER}@127.0.0.1:{path}"),
        None => path.to_owned(),
    }
}
