//! Trials: programs of this machine run with the new configuration before and after it is in place.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use wirespeed_stats::Snapshot;

use crate::program::{self, Outcome, Run};

/// A configuration to be tried.
pub struct Trial<'a> {
    /// The new configuration.
    pub configuration: &'a Path,
    /// A copy of the configuration before, or an empty file.
    pub before: &'a Path,
    /// Where the module lies that it loads.
    pub module: &'a Path,
    /// The counters that the module writes, where it does.
    pub stats: Option<&'a Path>,
    /// Whether the module follows a plan.
    pub has_plan: bool,
    /// A folder for what the trials need.
    pub scratch: &'a Path,
}

/// Why a configuration cannot be used: a program, and its words.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// A program did not do what it did before.
    Program(String),
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Program(format!("cannot run trial programs: {error}"))
    }
}

/// A program whose own test of its configuration must pass.
struct Daemon {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Words of a program that is not set up, or that is not ours to try: it proves nothing either way.
    unprepared: &'static [&'static str],
}

const DAEMONS: [Daemon; 4] = [
    Daemon {
        name: "sshd",
        arguments: &["-t"],
        unprepared: &[
            "privilege separation directory",
            "no hostkeys available",
            "No such file or directory",
        ],
    },
    Daemon {
        name: "nginx",
        arguments: &["-t", "-q"],
        unprepared: &["Permission denied", "No such file or directory"],
    },
    Daemon { name: "curl", arguments: &["--version"], unprepared: &[] },
    Daemon {
        name: "python3",
        arguments: &[
            "-c",
            "import ssl, hashlib; ssl.create_default_context(); hashlib.sha256(b'').digest()",
        ],
        unprepared: &["No module named"],
    },
];

/// No configuration at all.
const STOCK: &str = "/dev/null";

/// Ciphers whose output is compared with stock OpenSSL's.
const CIPHERS: [&str; 3] = ["-aes-128-ctr", "-aes-256-cbc", "-aes-128-ecb"];

impl Trial<'_> {
    /// The program without which nothing can be tried.
    ///
    /// # Errors
    /// If it is not here: what to do.
    pub fn program() -> Result<PathBuf, String> {
        program::find("openssl")
            .ok_or_else(|| "no openssl program here to try it with: install it".to_owned())
    }

    /// Runs every trial there is here, unless somebody interrupts it; what was proved, a line each.
    ///
    /// # Errors
    /// If a program did not do what it did before.
    pub fn run(&self, interrupted: impl Fn() -> bool) -> Result<Vec<String>, Failure> {
        let openssl = Self::program().map_err(Failure::Program)?;
        let mut proved = Vec::new();
        let mut step = |line: Result<Option<String>, Failure>| {
            proved.extend(line?);
            if interrupted() { Err(Failure::Interrupted) } else { Ok(()) }
        };
        step(self.providers(&openssl))?;
        step(self.bytes(&openssl))?;
        step(self.handshake(&openssl))?;
        step(self.counters())?;
        for daemon in &DAEMONS {
            step(self.daemon(daemon))?;
        }
        Ok(proved)
    }

    /// Every provider that was there is there, and ours with them.
    fn providers(&self, openssl: &Path) -> Result<Option<String>, Failure> {
        const LIST: [&str; 2] = ["list", "-providers"];
        let before = names(&Run::new(openssl, LIST, self.before).finish()?);
        let run = Run::new(openssl, LIST, self.configuration);
        let title = run.to_string();
        let outcome = run.finish()?;
        if !outcome.succeeded() {
            return Err(failed(&title, &outcome));
        }
        let now = names(&outcome);
        if !now.contains("wirespeed") {
            // A provider that does not start is left out without a word; loaded by name it has some.
            let words = self.refusal(openssl)?;
            return Err(Failure::Program(format!("{title}: wirespeed is not there: {words}")));
        }
        let expected = before.into_iter().chain(["default".to_owned()]);
        if let Some(lost) = expected.into_iter().find(|name| !now.contains(name)) {
            return Err(Failure::Program(format!("{title}: the provider {lost} would be lost")));
        }
        let list: Vec<_> = now.into_iter().collect();
        Ok(Some(format!("{title}: {}", list.join(", "))))
    }

    fn refusal(&self, openssl: &Path) -> Result<String, Failure> {
        let folder = self.module.parent().unwrap_or(Path::new("/"));
        let arguments = [
            "list".as_ref(),
            "-provider-path".as_ref(),
            folder.as_os_str(),
            "-provider".as_ref(),
            self.module.file_stem().unwrap_or_default(),
            "-providers".as_ref(),
        ];
        let outcome = Run::new(openssl, arguments, self.configuration).finish()?;
        Ok(match outcome.succeeded() {
            true => "the configuration does not lead to it".to_owned(),
            false => outcome.words(),
        })
    }

    /// The same bytes as stock OpenSSL's, for messages that are no round number of blocks.
    fn bytes(&self, openssl: &Path) -> Result<Option<String>, Failure> {
        let message: Vec<u8> = (0..100_003_u64).map(|index| (index * index / 127) as u8).collect();
        let [plain, sealed] = ["plain", "sealed"].map(|name| self.scratch.join(name));
        fs::write(&plain, &message)?;
        for cipher in CIPHERS {
            let key = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
            let key = if cipher.contains("128") { &key[..32] } else { key };
            let iv = if cipher.contains("ecb") { &[][..] } else { &["-iv", &key[..32]] };
            let run = |file: &Path, direction, configuration| {
                let arguments =
                    ["enc", cipher, direction, "-K", key].into_iter().chain(iv.iter().copied());
                let arguments = arguments.map(PathBuf::from).chain(["-in".into(), file.to_owned()]);
                Run::new(openssl, arguments, configuration)
            };
            let encrypt = run(&plain, "-e", self.configuration);
            let title = encrypt.to_string();
            let outcome = encrypt.finish()?;
            if !outcome.succeeded() {
                return Err(failed(&title, &outcome));
            }
            fs::write(&sealed, &outcome.output)?;
            let stock = run(&plain, "-e", Path::new(STOCK)).finish()?;
            let opened = run(&sealed, "-d", self.configuration).finish()?;
            if stock.output != outcome.output || opened.output != message {
                return Err(Failure::Program(format!("{title}: not the bytes of stock OpenSSL")));
            }
        }
        Ok(Some(
            format!("openssl enc: the same bytes as stock OpenSSL with {}", CIPHERS.len())
                + " ciphers, both ways",
        ))
    }

    /// Our module was at work in what ran until now.
    fn counters(&self) -> Result<Option<String>, Failure> {
        let Some(stats) = self.stats else { return Ok(None) };
        let snapshot = Snapshot::read(stats);
        let rows: Vec<_> = snapshot.iter().flat_map(Snapshot::rows).collect();
        let routes: BTreeSet<&str> = rows.iter().map(|row| row.route.name()).collect();
        let calls: u64 = rows.iter().map(|row| row.calls).sum();
        if calls == 0 {
            // The module does not claim what its plan leaves to the host.
            let is_loaded = snapshot.is_ok_and(|snapshot| snapshot.loads() > 0);
            return match is_loaded && self.has_plan {
                true => Ok(Some("its plan leaves all that was called to this OpenSSL".to_owned())),
                false => Err(Failure::Program(
                    "openssl ran without Wirespeed: its module counted no call".to_owned(),
                )),
            };
        }
        let routes: Vec<_> = routes.into_iter().collect();
        Ok(Some(format!("its calls were served by {}", routes.join(", "))))
    }

    /// A TLS handshake with a server of our own.
    fn handshake(&self, openssl: &Path) -> Result<Option<String>, Failure> {
        let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| self.scratch.join(name));
        let request = [
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            "/CN=localhost",
            "-days",
            "2",
            "-config",
            STOCK,
            "-keyout",
        ];
        let request = request.iter().map(PathBuf::from);
        let request = request.chain([key.clone(), "-out".into(), certificate.clone()]);
        let outcome = Run::new(openssl, request, self.configuration).finish()?;
        if !outcome.succeeded() {
            return Err(failed("openssl req", &outcome));
        }
        let curl = program::find("curl");
        let title = if curl.is_some() { "curl" } else { "openssl s_client" };
        let title = format!("{title}: a TLS handshake with openssl s_server");
        // Client and server have the same configuration.
        let shake = |configuration: &Path| {
            let server = ["s_server", "-accept", "127.0.0.1:0", "-www", "-naccept", "1", "-key"];
            let server = server.iter().map(PathBuf::from);
            let server = server.chain([key.clone(), "-cert".into(), certificate.clone()]);
            Run::new(openssl, server, configuration).serve(port, |port| {
                let address = format!("127.0.0.1:{port}");
                let url = format!("https://{address}/");
                match &curl {
                    Some(curl) => {
                        let quietly =
                            ["--silent", "--show-error", "--insecure", "--noproxy", "*", &url];
                        Run::new(curl, quietly, configuration).finish()
                    }
                    None => Run::new(openssl, ["s_client", "-connect", &address], configuration)
                        .finish(),
                }
            })
        };
        let outcome = shake(self.configuration)?;
        match outcome.succeeded() {
            true => Ok(Some(title)),
            false => Err(fails(&title, &outcome, shake(self.before)?.succeeded())),
        }
    }

    /// A program's own test, unless it is not here or not set up.
    fn daemon(&self, daemon: &Daemon) -> Result<Option<String>, Failure> {
        let Some(program) = program::find(daemon.name) else { return Ok(None) };
        let run = |configuration| Run::new(&program, daemon.arguments, configuration);
        let outcome = run(self.configuration).finish()?;
        let title = match daemon.name {
            "python3" => "python3 with ssl and hashlib".to_owned(),
            _ => format!("{} {}", daemon.name, daemon.arguments[0]),
        };
        if outcome.succeeded() {
            return Ok(Some(format!("{title}: works")));
        }
        let before = run(self.before).finish()?;
        if !before.succeeded() && outcome.mentions(daemon.unprepared) {
            let words = outcome.words();
            return Ok(Some(format!("{title}: not tried, it is not set up: {words}")));
        }
        Err(fails(&title, &outcome, before.succeeded()))
    }
}

/// What is wrong with a program that may have failed before.
fn fails(title: &str, outcome: &Outcome, worked_before: bool) -> Failure {
    if worked_before {
        return failed(title, outcome);
    }
    let words = outcome.words();
    Failure::Program(format!("{title} fails, without Wirespeed too; mend that first: {words}"))
}

fn failed(title: &str, outcome: &Outcome) -> Failure {
    Failure::Program(format!("{title} failed: {}", outcome.words()))
}

/// The names in what `openssl list -providers` prints: two blanks before each, four before the rest.
fn names(outcome: &Outcome) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(&outcome.output);
    let names = text.lines().filter_map(|line| line.strip_prefix("  "));
    names.filter(|line| !line.starts_with(' ')).map(str::to_owned).collect()
}

/// The port in what `openssl s_server` prints when it listens.
fn port(printed: &str) -> Option<u16> {
    let line = printed.lines().find(|line| line.starts_with("ACCEPT"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}
