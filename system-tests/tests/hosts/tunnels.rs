//! `wirespeed vpn --real`: tunnels that are measured, and of which nothing is left however the program ends.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use wirespeed_conformance::scratch::Scratch;
use wirespeed_results::schema::tunnel::Row;
use wirespeed_results::schema::vpn::Vpn;
use wirespeed_system_tests::process::{command, name, output, tree, wait_until};
use wirespeed_system_tests::running::signal;

/// Why there can be none here.
pub(crate) fn obstacle() -> Option<String> {
    let needed = ["/usr/bin/iperf3", "/usr/lib/ipsec/charon", "/usr/sbin/swanctl"];
    let lacking = needed.into_iter().find(|file| !Path::new(file).exists())?;
    Some(format!("no {lacking}"))
}

/// `wirespeed vpn --real` with one suite, the shortest that there is.
fn real(suite: &str, scratch: &Scratch) -> Result<Command, String> {
    let folder = env::var_os("WIRESPEED_MODULES").ok_or("WIRESPEED_MODULES is not set")?;
    let mut command = command(PathBuf::from(folder).join("wirespeed"));
    command.args(["vpn", "--real", "--suites", suite, "--seconds", "1", "--json", "-"]);
    command.env("TMPDIR", scratch.root());
    Ok(command)
}

/// OpenVPN and libipsec carry traffic with and without our module, whose routes run; the kernel's ESP does, or is told
/// to be absent.
pub(crate) fn measured() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let machine = Machine::now()?;
    let said = output(&mut real("aes128gcm16", &scratch)?)?;
    let json: Vpn = serde_json::from_slice(&said).map_err(|error| error.to_string())?;
    let of = |carrier: &str, provider: &str| {
        let is_it = |row: &&Row| row.carrier == carrier && row.provider == provider;
        let row = json.real.iter().find(is_it);
        row.ok_or_else(|| format!("no row of {carrier} {provider}: {json:?}"))
    };
    for carrier in ["openvpn", "libipsec"] {
        for provider in ["default", "wirespeed"] {
            has_figures(of(carrier, provider)?)?;
        }
        if of(carrier, "wirespeed")?.routes.is_empty() {
            return Err(format!("{carrier}: none of our routes: {json:?}"));
        }
    }
    let kernel = of("xfrm", "kernel")?;
    if !kernel.absent.as_ref().is_some_and(|why| why.contains("no such ESP")) {
        has_figures(kernel)?;
    }
    machine.is_unchanged(&scratch)
}

/// Every figure is there, and none is impossible.
fn has_figures(row: &Row) -> Result<(), String> {
    let figures = [row.bits_per_second, row.plain_bits_per_second, row.cpu_s_per_gib];
    match figures.iter().all(|it| it.is_some_and(|it| it > 0.0)) && row.absent.is_none() {
        true => Ok(()),
        false => Err(format!("no figures: {row:?}")),
    }
}

/// Asked to end in the middle of it, by Ctrl-C or otherwise: all is gone when the program is.
pub(crate) fn interrupted() -> Result<(), String> {
    for (stage, number) in [("openvpn", libc::SIGINT), ("iperf3", libc::SIGTERM)] {
        let scratch = Scratch::new()?;
        let run = Run::until(stage, &scratch)?;
        signal(run.child.id(), number)?;
        let Run { child, machine, namespace } = run;
        let ended = child.wait_with_output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        if ended.status.code() != Some(2) || !said.contains("interrupted: ") {
            return Err(format!("{stage}: {}: {said}", ended.status));
        }
        if let Some(left) = inside(&namespace).first() {
            return Err(format!("{stage}: {left} is left"));
        }
        machine.is_unchanged(&scratch)?;
    }
    Ok(())
}

/// Killed, at any stage: all is gone a moment later.
pub(crate) fn by_force() -> Result<(), String> {
    for stage in ["vpn-inside", "openvpn", "iperf3", "charon"] {
        let scratch = Scratch::new()?;
        let Run { mut child, machine, namespace } = Run::until(stage, &scratch)?;
        child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
        wait_until("the end of all", || inside(&namespace).is_empty())
            .map_err(|why| format!("{stage}: {why}: {:?}", inside(&namespace)))?;
        machine.is_unchanged(&scratch)?;
    }
    Ok(())
}

/// A run that has come so far.
struct Run {
    child: Child,
    machine: Machine,
    /// The processes' PID namespace.
    namespace: PathBuf,
}

impl Run {
    /// Starts one and lets it come to where it runs a program of that name.
    fn until(stage: &str, scratch: &Scratch) -> Result<Self, String> {
        let machine = Machine::now()?;
        // One that OpenVPN lacks brings charon up at once.
        let suite = if stage == "charon" { "aes128ccm16" } else { "aes128gcm16" };
        let mut command = real(suite, scratch)?;
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{command:?}: {error}"))?;
        let own = namespace_of(std::process::id());
        let mut namespace = None;
        let mut ended = None;
        wait_until(stage, || {
            ended = child.try_wait().ok().flatten();
            // Until the program is there, its process is still ip(8) or a shell.
            let is_it = |process: &u32| {
                name(*process).is_some_and(|it| words(*process, &it).contains(stage))
            };
            let there = tree(child.id()).into_iter().find(is_it);
            namespace = there.and_then(namespace_of).filter(|it| Some(it) != own.as_ref());
            ended.is_some() || namespace.is_some()
        })?;
        match (namespace, ended) {
            (Some(namespace), None) => Ok(Self { child, machine, namespace }),
            (_, ended) => Err(format!("{stage}: it ended before: {ended:?}")),
        }
    }
}

/// What a process is known by: the name of its program, or for our own its command.
fn words(process: u32, name: &str) -> String {
    match name {
        "wirespeed" => fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default(),
        name => name.to_owned(),
    }
}

fn namespace_of(process: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{process}/ns/pid")).ok()
}

/// All processes of a PID namespace.
fn inside(namespace: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter(|process| namespace_of(*process).as_deref() == Some(namespace)).collect()
}

/// What of a machine could be left changed.
#[derive(Debug, PartialEq, Eq)]
struct Machine {
    interfaces: BTreeSet<String>,
    /// Named network namespaces, and what of ours or strongSwan's lies in /run.
    run: BTreeSet<String>,
    mounts: BTreeSet<String>,
}

impl Machine {
    fn now() -> Result<Self, String> {
        let mounts = fs::read_to_string("/proc/self/mounts").map_err(|error| error.to_string())?;
        let mut run = listed("/run")?;
        // Other programs come and go.
        run.retain(|name| ["wirespeed", "charon"].iter().any(|it| name.starts_with(it)));
        run.extend(listed("/run/netns").unwrap_or_default());
        Ok(Self {
            interfaces: listed("/sys/class/net")?,
            run,
            mounts: mounts.lines().map(str::to_owned).collect(),
        })
    }

    /// Everything is as it was, and the folder for temporary files is empty.
    fn is_unchanged(&self, scratch: &Scratch) -> Result<(), String> {
        let now = Self::now()?;
        if now != *self {
            return Err(format!("before: {self:?}; after: {now:?}"));
        }
        let mut left = fs::read_dir(scratch.root()).map_err(|error| error.to_string())?.flatten();
        left.next().map_or(Ok(()), |file| Err(format!("{} is left", file.path().display())))
    }
}

fn listed(folder: &str) -> Result<BTreeSet<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    Ok(entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}
