//! Programs at work, each telling what CPU time the process of interest took for it.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;

use wirespeed_system_tests::client::curl;
use wirespeed_system_tests::module::Provided;
use wirespeed_system_tests::process::{self, command, cpu_seconds, cpu_seconds_of, output};
use wirespeed_system_tests::running::Running;
use wirespeed_system_tests::scratch::Scratch;
use wirespeed_system_tests::servers::nginx::{Nginx, Style};
use wirespeed_system_tests::servers::openvpn::Tunnel;
use wirespeed_system_tests::servers::sshd::Sshd;
use wirespeed_system_tests::servers::terminator::{Program, Terminator};

const MIB: usize = 1 << 20;

/// A program that is ready to work.
pub(crate) trait Workload {
    /// Works once; user and system seconds of the processes of interest.
    fn run(&mut self) -> Result<f64, String>;
}

impl<F: FnMut() -> Result<f64, String>> Workload for F {
    fn run(&mut self) -> Result<f64, String> {
        self()
    }
}

type Ready = Result<Box<dyn Workload>, String>;

/// What some running processes spend while something is done.
fn spent(
    processes: impl IntoIterator<Item = u32>,
    work: impl FnOnce() -> Result<(), String>,
) -> Result<f64, String> {
    let processes: Vec<u32> = processes.into_iter().collect();
    if processes.is_empty() {
        return Err("no process to measure".to_owned());
    }
    let sum = || processes.iter().map(|it| cpu_seconds(*it)).sum::<Result<f64, String>>();
    let before = sum()?;
    work()?;
    Ok(sum()? - before)
}

const ONE_WORKER: Style = Style { workers: 1, lines: "ssl_protocols TLSv1.3;" };

/// A file over TLS; nginx's worker is measured.
pub(crate) fn nginx_file(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    let nginx = Nginx::start(provided, ONE_WORKER)?;
    nginx.offer("file", &vec![0x5a; mebibytes * MIB])?;
    Ok(Box::new(move || {
        spent(nginx.workers()?, || {
            let mut client = curl(Provided::Stock, nginx.certificate(), &nginx.address("file"));
            client.args(["--tls13-ciphers", suite, "--output", "/dev/null"]);
            output(&mut client).map(|_| ())
        })
    }))
}

/// Many requests on one connection; nginx's worker is measured.
pub(crate) fn nginx_small(provided: Provided<'_>, suite: &'static str, requests: usize) -> Ready {
    let nginx = Nginx::start(provided, ONE_WORKER)?;
    nginx.offer("file", &[0x5a; 1024])?;
    Ok(Box::new(move || {
        spent(nginx.workers()?, || {
            let addresses = format!("{}?[1-{requests}]", nginx.address("file"));
            let mut client = curl(Provided::Stock, nginx.certificate(), &addresses);
            client.args(["--tls13-ciphers", suite, "--output", "/dev/null"]);
            output(&mut client).map(|_| ())
        })
    }))
}

/// A download through haproxy, which is measured.
pub(crate) fn haproxy(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    let body: Arc<[u8]> = vec![0x5a; mebibytes * MIB].into();
    let server = Terminator::start(Program::Haproxy, provided, suite, body)?;
    Ok(Box::new(move || {
        spent(server.running().processes(), || {
            let mut client = curl(Provided::Stock, server.certificate(), &server.address());
            client.args(["--output", "/dev/null"]);
            output(&mut client).map(|_| ())
        })
    }))
}

/// Data from an sshd, whose process of the session is measured; an empty `mac` is the cipher's own.
pub(crate) fn sshd(
    provided: Provided<'_>,
    cipher: &'static str,
    mac: &'static str,
    mebibytes: usize,
) -> Ready {
    let sshd = Sshd::start(provided)?;
    let options = if mac.is_empty() { vec![] } else { vec!["-m", mac] };
    let master = sshd.running().processes();
    let bytes = mebibytes * MIB;
    let ours = move |it: &u32| {
        process::name(*it).is_some_and(|name| name == "sshd") && !master.contains(it)
    };
    // A session for each round, because one may be lucky with its caches for all its life. It says that
    // it is ready; on a line of input come the data; on the end of input it ends.
    Ok(Box::new(move || {
        let mut client = sshd.ssh(cipher, &options);
        Provided::Stock.to(&mut client);
        client.arg(format!("echo; read line; head -c {bytes} /dev/zero; read line"));
        let mut session = Session::start(&mut client)?;
        session.receive(1)?;
        let mut processes = sshd.running().processes();
        processes.retain(&ours);
        let spent = spent(processes, || {
            session.say(b"\n")?;
            session.receive(bytes)
        })?;
        session.end()?;
        Ok(spent)
    }))
}

/// A program in conversation.
struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Session {
    fn start(program: &mut std::process::Command) -> Result<Self, String> {
        let piped = program.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().map_err(|error| format!("{program:?}: {error}"))?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or("it was piped")?;
        Ok(Self { child, input, output })
    }

    /// Closes its input and waits for its end.
    fn end(mut self) -> Result<(), String> {
        drop(self.input.take());
        self.child.wait().map(|_| ()).map_err(|error| error.to_string())
    }

    fn say(&mut self, words: &[u8]) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("its input is closed")?;
        input.write_all(words).map_err(|error| error.to_string())
    }

    fn receive(&mut self, mut bytes: usize) -> Result<(), String> {
        let mut buffer = vec![0; 1 << 16];
        while bytes > 0 {
            let wanted = bytes.min(buffer.len());
            match self.output.read(&mut buffer[..wanted]) {
                Ok(0) => return Err(format!("ended {bytes} bytes too early")),
                Ok(count) => bytes -= count,
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `openssl enc` from the page cache to nowhere.
pub(crate) fn enc(
    provided: Provided<'_>,
    cipher: &'static str,
    way: &'static str,
    mebibytes: usize,
) -> Ready {
    const IV: &str = "00112233445566778899aabbccddeeff";
    let key = if cipher.contains("256") { IV.repeat(2) } else { IV.to_owned() };
    let secrets = ["-K", &key, "-iv", IV];
    let scratch = Scratch::new()?;
    let mut input = scratch.write("plain", vec![0x5a; mebibytes * MIB])?;
    if way == "-d" {
        let encrypted: PathBuf = scratch.path("encrypted");
        let mut encrypt = command("openssl");
        Provided::Stock.to(&mut encrypt).args(["enc", cipher, "-in"]).arg(&input);
        output(encrypt.args(secrets).arg("-out").arg(&encrypted))?;
        std::fs::remove_file(input).map_err(|error| error.to_string())?;
        input = encrypted;
    }
    let mut program = command("openssl");
    provided.to(&mut program).args(["enc", cipher, way, "-in"]).arg(&input).args(secrets);
    program.stdout(Stdio::null());
    Ok(Box::new(move || {
        // The file goes with the workload.
        let _ = &scratch;
        cpu_seconds_of(&mut program)
    }))
}

/// One connection through a tunnel, both of whose ends are measured.
pub(crate) fn openvpn(provided: Provided<'_>, cipher: &'static str, mebibytes: usize) -> Ready {
    let tunnel = Tunnel::start([provided, provided], cipher)?;
    let data = vec![0x5a; mebibytes * MIB];
    Ok(Box::new(move || {
        let ends = tunnel.ends().iter().flat_map(Running::processes);
        spent(ends, || match tunnel.send(&data)?.len() {
            length if length == data.len() => Ok(()),
            length => Err(format!("{length} bytes arrived")),
        })
    }))
}
