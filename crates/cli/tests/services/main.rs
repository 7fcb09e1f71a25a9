//! `wirespeed doctor --services` on programs that really listen: what encrypts in each, and what reaches it.

#![forbid(unsafe_code)]

mod listener;
#[path = "../support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use wirespeed_results::schema::services::{Reach, Service, Services};

use listener::{Listener, free_port};
use support::{Case, NOBODY, as_user, assert_narrow, installed, is_of_type, is_root};

/// What a test does.
type Run = fn() -> Result<(), String>;

/// Tests, and the file of a program without which there is none.
const TESTS: &[(&str, &str, Run)] = &[
    ("nginx", "/usr/sbin/nginx", nginx),
    ("sshd", "/usr/sbin/sshd", sshd),
    ("python", "/usr/bin/python3", python),
    ("go", "/usr/bin/caddy", go),
    ("java", "/usr/bin/rmiregistry", java),
    ("node", "/usr/bin/node", node),
    ("served", "/usr/bin/openssl", served),
    ("text", "/usr/bin/openssl", text),
];

/// Those for which one must be root: to change one's root folder, and to be somebody else.
const OF_ROOT: &[(&str, &str, Run)] =
    &[("container", "/usr/bin/unshare", container), ("others", "/usr/bin/openssl", others)];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let not_root = (!is_root()).then(|| "only root can".to_owned());
    let of_root = OF_ROOT.iter().map(|test| trial(test, not_root.clone()));
    let trials = TESTS.iter().map(|test| trial(test, None)).chain(of_root);
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn trial((name, program, run): &(&str, &str, Run), obstacle: Option<String>) -> Trial {
    let run = *run;
    let lacking = (!Path::new(program).exists()).then(|| format!("no {program}"));
    Trial::ignorable_test(*name, move || match obstacle.or(lacking) {
        None => run().map(|()| Completion::Completed).map_err(Failed::from),
        Some(reason) => Ok(Completion::ignored_with(reason)),
    })
}

/// A machine without Wirespeed.
fn bare() -> Case {
    Case::new("openssl_conf = init\n[init]\n")
}

/// What is said of all that listens, to this user or another.
fn services(case: &Case, user: Option<u32>) -> Result<Services, String> {
    let mut doctor = case.doctor();
    doctor.args(["--services", "--json"]);
    let output = as_user(doctor, user).output().map_err(|error| error.to_string())?;
    let json = serde_json::from_slice(&output.stdout);
    let json = json.map_err(|error| format!("{error}: {output:?}"))?;
    is_of_type::<Services>(&json)?;
    serde_json::from_value(json).map_err(|error| error.to_string())
}

/// The line of the program that listens there.
fn of_port(case: &Case, port: u16) -> Result<Service, String> {
    let found = services(case, None)?.services;
    let place = format!("tcp 127.0.0.1:{port}");
    let here = found.iter().find(|it| it.listens.contains(&place));
    here.cloned().ok_or_else(|| format!("nobody listens at {place}: {found:?}"))
}

/// It is that program, with that library, and so far reached.
fn expect(found: &Service, name: &str, crypto: &str, reach: Reach) -> Result<(), String> {
    let first = found.crypto.first().is_some_and(|it| it.name == crypto);
    match found.name == name && first && found.wirespeed == reach && !found.in_container {
        true => Ok(()),
        false => Err(format!("no {name} with {crypto}, {reach:?}: {found:?}")),
    }
}

fn expect_hosts_openssl(found: &Service, name: &str) -> Result<(), String> {
    expect(found, name, "OpenSSL", Reach::Possible)?;
    let crypto = &found.crypto[0];
    match crypto.is_hosts && crypto.version.is_some() {
        true => Ok(()),
        false => Err(format!("not the machine's OpenSSL: {found:?}")),
    }
}

/// A certificate and its key.
fn certificate(case: &Case) -> Result<(String, String), String> {
    let [key, certificate] = ["key", "certificate"].map(|it| case.path(it).display().to_string());
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"]);
    openssl.args(["-keyout", &key, "-out", &certificate]).stderr(Stdio::null());
    match openssl.status() {
        Ok(status) if status.success() => Ok((certificate, key)),
        other => Err(format!("openssl req: {other:?}")),
    }
}

fn nginx() -> Result<(), String> {
    let (case, port) = (bare(), free_port()?);
    let (certificate, key) = certificate(&case)?;
    let folder = case.path("").display().to_string();
    let file = case.write(
        "nginx.conf",
        format!(
            "daemon off; pid {folder}/pid; error_log stderr; events {{}}\n\
             http {{ access_log off; client_body_temp_path {folder}/a; proxy_temp_path {folder}/b;\n\
             fastcgi_temp_path {folder}/c; uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;\n\
             server {{ listen 127.0.0.1:{port} ssl; ssl_certificate {certificate};\n\
             ssl_certificate_key {key}; }} }}\n"
        ),
    );
    let _nginx = Listener::start(case.program("/usr/sbin/nginx").args(["-c", &file]), port)?;
    let found = of_port(&case, port)?;
    expect_hosts_openssl(&found, "nginx")?;
    match found.levers.iter().any(|it| it.contains("ssl_conf_command Options KTLS")) {
        true => Ok(()),
        false => Err(format!("no lever of its own: {found:?}")),
    }
}

fn sshd() -> Result<(), String> {
    let (case, port) = (bare(), free_port()?);
    let key = case.path("host_key").display().to_string();
    let mut keygen = Command::new("ssh-keygen");
    let made = keygen.args(["-q", "-t", "ed25519", "-N", "", "-f", &key]).status();
    made.map_err(|error| format!("ssh-keygen: {error}"))?;
    let mut sshd = case.program("/usr/sbin/sshd");
    sshd.args(["-D", "-e", "-f", "/dev/null", "-h", &key, "-p", &port.to_string()]);
    sshd.args(["-o", "ListenAddress=127.0.0.1", "-o", "PidFile=none", "-o", "UsePAM=no"]);
    if is_root() {
        // Where it gives up its rights; Debian's service makes it.
        fs::create_dir_all("/run/sshd").map_err(|error| error.to_string())?;
    }
    let _sshd = Listener::start(&mut sshd, port)?;
    expect_hosts_openssl(&of_port(&case, port)?, "sshd")
}

fn python() -> Result<(), String> {
    let (case, port) = (bare(), free_port()?);
    let script = format!(
        "import socket, ssl, time\nserver = socket.create_server(('127.0.0.1', {port}))\ntime.sleep(60)"
    );
    let mut python = case.program("/usr/bin/python3");
    let _python = Listener::start(python.args(["-c", &script]), port)?;
    let found = of_port(&case, port)?;
    expect_hosts_openssl(&found, &found.name.clone())
}

/// Go's own code, with the version that it was built with.
fn go() -> Result<(), String> {
    let (case, port) = (bare(), free_port()?);
    let mut caddy = case.program("/usr/bin/caddy");
    caddy.args(["respond", "--listen", &format!("127.0.0.1:{port}"), "here"]);
    caddy.env("HOME", case.path("")).env("XDG_DATA_HOME", case.path(""));
    let _caddy = Listener::start(&mut caddy, port)?;
    let found = of_port(&case, port)?;
    expect(&found, "caddy", "Go", Reach::Never)?;
    match found.crypto[0].version.as_deref().is_some_and(|version| version.starts_with("1.")) {
        true => Ok(()),
        false => Err(format!("no version of Go: {found:?}")),
    }
}

fn java() -> Result<(), String> {
    let (case, port) = (bare(), free_port()?);
    let mut java = case.program("/usr/bin/rmiregistry");
    java.arg(port.to_string());
    let _java = Listener::start(&mut java, port)?;
    // It listens at every address.
    let found = services(&case, None)?.services;
    let here = found.iter().find(|it| it.listens.contains(&format!("tcp {port}")));
    let here = here.ok_or_else(|| format!("nobody listens at {port}: {found:?}"))?;
    expect(here, &here.name, "Java", Reach::Never)
}

/// nodejs.org's has an OpenSSL inside, Debian's uses the machine's: both load the module once they are told to.
fn node() -> Result<(), String> {
    for (case, variable, reach) in [
        (bare(), "", Reach::Possible),
        (Case::new(&installed("")), "--openssl-shared-config", Reach::Serves),
    ] {
        let port = free_port()?;
        let mut node = case.program("/usr/bin/node");
        let script =
            format!("require('tls'); require('net').createServer().listen({port}, '127.0.0.1')");
        node.args(["-e", &script]).env("NODE_OPTIONS", variable);
        let _node = Listener::start(&mut node, port)?;
        let found = of_port(&case, port)?;
        expect(&found, &found.name.clone(), "OpenSSL", reach)?;
    }
    Ok(())
}

/// openssl's own server, which loads its configuration at once.
fn server(case: &Case, port: u16, user: Option<u32>) -> Result<Listener, String> {
    let mut server = as_user(case.program("/usr/bin/openssl"), user);
    server.args(["s_server", "-nocert", "-accept", &format!("127.0.0.1:{port}")]);
    Listener::start(&mut server, port)
}

fn served() -> Result<(), String> {
    let (case, port) = (Case::new(&installed("")), free_port()?);
    let _server = server(&case, port, None)?;
    expect(&of_port(&case, port)?, "openssl", "OpenSSL", Reach::Serves)?;
    // The same configuration, and a program that read another.
    let (before, port) = (bare(), free_port()?);
    let _server = server(&before, port, None)?;
    expect(&of_port(&case, port)?, "openssl", "OpenSSL", Reach::Restart)
}

/// A program with mounts and a root of its own.
fn container() -> Result<(), String> {
    let (case, port) = (bare(), free_port()?);
    let root = case.path("root").display().to_string();
    let script = r#"
        for file in $(command -v openssl) $(ldd "$(command -v openssl)" | grep -o '/[^ ]*'); do
            mkdir -p "$1$(dirname "$file")"
            cp -L "$file" "$1$file"
        done
        exec unshare --mount --root="$1" "$(command -v openssl)" s_server -nocert -accept "$2"
    "#;
    let mut shell = case.program("sh");
    shell.args(["-ec", script, "sh", &root, &format!("127.0.0.1:{port}")]);
    let _contained = Listener::start(&mut shell, port)?;
    let found = of_port(&case, port)?;
    let lever = found.levers.first().cloned().unwrap_or_default();
    let crypto = &found.crypto[0];
    let is_read = crypto.version.is_some() && !crypto.is_hosts;
    match found.in_container && is_read && !lever.is_empty() {
        true => Ok(()),
        false => Err(format!("not told as in a container: {found:?}")),
    }
}

/// Who may not look into a program is told where something listens, and how to see it.
fn others() -> Result<(), String> {
    let (case, port) = (Case::shared(""), free_port()?);
    let _server = server(&case, port, None)?;
    let found = services(&case, Some(NOBODY))?;
    match found.only_own && found.unseen.contains(&format!("tcp 127.0.0.1:{port}")) {
        true => Ok(()),
        false => Err(format!("{found:?}")),
    }
}

fn text() -> Result<(), String> {
    let (case, port) = (bare(), free_port()?);
    let _server = server(&case, port, None)?;
    let output = case.doctor().arg("--services").output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_narrow(&text);
    let words = ["program ", "Wirespeed", "\nin Linux", "\nkTLS ", "\nOpenVPN DCO ", "\nQAT "];
    let place = format!("tcp 127.0.0.1:{port}");
    match words.into_iter().chain([&*place]).find(|word| !text.contains(word)) {
        None => Ok(()),
        Some(word) => Err(format!("no '{word}' in {text}")),
    }
}
