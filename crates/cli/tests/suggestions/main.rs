//! Every command that our programs suggest is run: what help, messages, findings and remarks in written files name.
//!
//! The commands are read from the sources, so a new one cannot be forgotten. Each runs as a shell takes it, in a mount namespace where
//! /etc and OpenSSL's modules are copies. One that works on is ended after a while.

#![forbid(unsafe_code)]

mod commands;
mod literals;
mod sandbox;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use sandbox::{Ended, Sandbox};

/// Where programs say something.
const SOURCES: [&str; 4] = ["crates", "emulator/runner/src", "emulator/preload/src", "packaging"];

/// What stands for something else, and an example of that.
const STANDS_FOR: [(&str, &str); 18] = [
    ("--prefer {name}", "--prefer padlock"),
    ("--unprefer {name}", "--unprefer"),
    ("--prefer {}", "--prefer padlock"),
    ("--unprefer {}", "--unprefer"),
    ("{option} {driver}", "--prefer padlock"),
    ("--routes {},", "--routes kernel,"),
    ("--constant-time={wanted}", "--constant-time=off"),
    ("openssl enc …", "openssl version"),
    ("{algorithm}", "AES-128-CBC"),
    ("ALGORITHM", "AES-128-CBC"),
    ("--output {file}", "--output there/plan"),
    ("--output {}", "--output there/plan"),
    ("--plan FILE", "--plan plan"),
    ("FILE", "here.json"),
    ("--root DIR", "--root there"),
    ("--root {}", "--root there"),
    ("-- CMD", "-- openssl version"),
    ("https://…", "https://localhost/"),
];

/// What examples speak of, and is made for them alone.
const MADE_BEFORE: [(&str, &str); 4] = [
    ("--plan plan", "wirespeed tune --quick --output plan"),
    ("tune --keep", "wirespeed install > installed"),
    ("wirespeed stats", COUNTED),
    ("./i386-program", "echo 'int main(void) { return 0; }' | gcc -m32 -x c -o i386-program -"),
];

/// A configuration that has the module count.
const COUNTED: &str = "export OPENSSL_CONF=$PWD/counted.cnf
    cat > counted.cnf <<END
openssl_conf = init
[init]
providers = providers
[providers]
wirespeed = wirespeed_sect
default = default_sect
[default_sect]
activate = 1
[wirespeed_sect]
module = /mnt/bin/libwirespeed.so
stats = /var/lib/wirespeed/stats
activate = 1
END
openssl version > version";

/// Prose that names a command which needs to be told more.
const NEEDS_MORE: [(&str, &str); 6] = [
    ("wirespeed compare", "wirespeed compare here.json there.json"),
    (
        "wirespeed compare --json here.json",
        "wirespeed compare --json both.json here.json there.json",
    ),
    ("wirespeed doctor --why-slow", "wirespeed doctor --why-slow -- openssl version"),
    ("wirespeed kernel --prefer", "wirespeed kernel --prefer padlock"),
    ("wirespeed report", "wirespeed report here.json"),
    ("wirespeed sum", "wirespeed sum here.json"),
];

/// What would change more than files: its options alone are tried.
const HARMFUL: [&str; 3] = ["--dm-crypt", "--real", "--device"];

/// What only some machines have, or lack: words of the error that says so.
const LACKS: [&str; 9] = [
    "has no PadLock",
    "route devcrypto is absent: ",
    "route kernel is absent: ",
    "route padlock is absent: ",
    "this kernel has no",
    "no driver ",
    "cryptsetup: not found",
    "cannot bind",
    "cannot find Scrt1.o",
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let suggested = suggested(&root);
    let mut trials = vec![Trial::test("found", {
        let count = suggested.len();
        move || match count {
            60.. => Ok(()),
            _ => Err(format!("only {count} commands were found").into()),
        }
    })];
    let obstacle = sandbox::obstacle();
    for (command, source) in suggested {
        let (name, obstacle) = (command.clone(), obstacle.clone());
        let run = move || match obstacle {
            Some(reason) => Ok::<_, Failed>(Completion::ignored_with(reason)),
            None => works(&command).map_err(|why| format!("{source}: {why}").into()),
        };
        trials.push(Trial::ignorable_test(name, run));
    }
    trials.push(match obstacle {
        Some(reason) => Trial::ignorable_test("Make it so", move || {
            Ok::<_, Failed>(Completion::ignored_with(reason))
        }),
        None => Trial::test("Make it so", || Ok(make_it_so()?)),
    });
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Each command once, and a file that has it.
fn suggested(root: &Path) -> BTreeMap<String, String> {
    let program = wirespeed_cli::command();
    let mut found = BTreeMap::new();
    for source in SOURCES.iter().flat_map(|folder| sources(&root.join(folder))) {
        let text = fs::read_to_string(&source).unwrap_or_default();
        let words = match source.extension().is_some_and(|it| it == "rs") {
            true => literals::words(&text),
            false => vec![text],
        };
        let name = source.strip_prefix(root).unwrap_or(&source).display().to_string();
        let commands = words.iter().flat_map(|text| commands::of(text, &program));
        found.extend(commands.map(|command| (complete(command), name.clone())));
    }
    found
}

/// What programs are made of, and what packages run; no tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_test = ["tests", "tests.rs", "fake.rs", "benches", "examples"].contains(&&*name);
        match path.is_dir() {
            _ if is_test => {}
            true => found.extend(sources(&path)),
            false => found.push(path),
        }
    }
    found
}

fn complete(command: String) -> String {
    let told = |command: String, (word, example): &(&str, &str)| command.replace(word, example);
    let command = STANDS_FOR.iter().fold(command, told);
    let more = NEEDS_MORE.iter().find(|(prose, _)| *prose == command);
    more.map_or(command, |(_, more)| (*more).to_owned())
}

/// It is understood, and does what it can on this machine.
fn works(command: &str) -> Result<Completion, String> {
    if command.contains(['{', '…']) {
        return Err("what does that stand for? The table STANDS_FOR says".to_owned());
    }
    let command = match HARMFUL.iter().any(|word| command.contains(word)) {
        true => format!("{command} --help"),
        false => match MADE_BEFORE.iter().find(|(word, _)| command.contains(word)) {
            Some((_, made)) => format!("{made} || exit 2\n{command}"),
            None => command.to_owned(),
        },
    };
    let Ended { code, errors } = Sandbox::new()?.run(&command)?;
    match code {
        // 1: the thing asked about is not so, such as a machine where nothing is to be mended.
        None | Some(0 | 1) => Ok(Completion::Completed),
        Some(2) if LACKS.iter().any(|words| errors.contains(words)) => {
            Ok(Completion::ignored_with(errors.lines().last().unwrap_or_default().to_owned()))
        }
        Some(code) => Err(format!("exit status {code}: {errors}")),
    }
}

/// The line below a plan, from the program at its path: copied whole into a shell, it installs.
fn make_it_so() -> Result<(), String> {
    let program = env!("CARGO_BIN_EXE_wirespeed");
    let script = format!(
        "{program} tune --quick > said
         sed -n '/^Make it so/,/^See why/p' said | sed '$d; s/^Make it so//' > line
         grep -q '# shows the diff first' line
         grep -q 'sudo {program} install' line
         sh -ec \"$(cat line)\"
         openssl list -providers | grep -x '  wirespeed'
         sh -ec \"$(sed -n 's/.*# *.*undo: //p' line)\"
         not() {{ ! \"$@\"; }}
         not grep wirespeed \"$settings/openssl.cnf\""
    );
    let ended = Sandbox::new()?.run(&script)?;
    match ended.code {
        Some(0) => Ok(()),
        code => Err(format!("{code:?}: {}", ended.errors)),
    }
}
