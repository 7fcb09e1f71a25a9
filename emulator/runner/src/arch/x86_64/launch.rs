//! Becomes the command: with the preload library, or traced.

use std::convert::Infallible;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use padlock_runner::Settings;

use crate::arch::x86_64::arguments::Arguments;
use crate::arch::x86_64::fault::Fault;
use crate::arch::x86_64::{program, system, tracer};

const LIBRARY: &str = "libpadlock_preload.so";
const LD_PRELOAD: &str = "LD_PRELOAD";

/// Becomes the command, or says why not.
pub(crate) fn run(arguments: Arguments) -> Result<Infallible, Fault> {
    let own = env::current_exe()
        .map_err(|error| Fault::unable(format_args!("/proc/self/exe: {error}")))?;
    let traced_by = system::tracer();
    if let Some((number, Some(program))) = &traced_by
        && *program == own
    {
        return Err(Fault::unable(format_args!(
            "this is traced by padlock-run already (process {number}): start the command by itself"
        )));
    }
    let file = if arguments.handed_over {
        // As execve takes it, without PATH.
        Path::new(".").join(&arguments.file)
    } else {
        program::find(&arguments.file)?
    };
    let trace = open_trace(&arguments)?;
    let preload = !arguments.ptrace
        && program::can_be_preloaded(&file).map_err(|error| cannot_execute(&file, &error))?;
    if !arguments.handed_over && !system::can_fault_cpuid() {
        eprintln!(
            "padlock-run: CPUID cannot be made to fault here (no cpuid_fault in /proc/cpuinfo): \
             its instructions are found in the programs and rewritten"
        );
    }
    let mut command = Command::new(&file);
    let [name, rest @ ..] = &arguments.arguments[..] else {
        return Err(Fault::unable("a program needs a name"));
    };
    command.arg0(name).args(rest);
    let settings = arguments.settings();
    if preload {
        preload_into(&mut command, &own.with_file_name(LIBRARY), &settings)?;
    } else {
        leave_preload(&mut command);
        let refusal = tracer::become_traced(&settings, trace)
            .map_err(|error| Fault::unable(format_args!("cannot start the tracer: {error}")))?;
        if let Some(error) = refusal {
            return Err(match traced_by {
                Some((number, _)) => Fault::unable(format_args!(
                    "process {number} traces this, and a program has one tracer: {error}"
                )),
                None => Fault::unable(format_args!(
                    "programs cannot be traced here (see /proc/sys/kernel/yama/ptrace_scope): {error}"
                )),
            });
        }
    }
    system::hand_on_sigpipe(&mut command);
    Err(cannot_execute(&file, &command.exec()))
}

/// What a shell says and returns.
fn cannot_execute(file: &Path, error: &io::Error) -> Fault {
    let message = format!("{}: {error}", file.display());
    match error.kind() {
        io::ErrorKind::NotFound => Fault::NotFound(message),
        _ => Fault::NotExecutable(message),
    }
}

/// The file for `--trace`, empty at first; programs that the preload library hands over add to it.
fn open_trace(arguments: &Arguments) -> Result<Option<File>, Fault> {
    let Some(path) = &arguments.trace else { return Ok(None) };
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    if !arguments.handed_over {
        File::create(path).map_err(|error| fault(path, &error))?;
    }
    let file = File::options().append(true).open(path).map_err(|error| fault(path, &error))?;
    return Ok(Some(file));

    fn fault(path: &Path, error: &io::Error) -> Fault {
        Fault::unable(format_args!("--trace {}: {error}", path.display()))
    }
}

/// Brings the library into the command's environment, before any that is there.
fn preload_into(command: &mut Command, library: &Path, settings: &Settings) -> Result<(), Fault> {
    if !library.is_file() {
        return Err(Fault::unable(format_args!(
            "{LIBRARY} does not lie beside padlock-run, in {} (--ptrace works without)",
            library.parent().unwrap_or(library).display()
        )));
    }
    // ld.so(8): names in LD_PRELOAD are separated by blanks and colons, and nothing quotes them.
    if library.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b' ' | b':')) {
        return Err(Fault::unable(format_args!(
            "{}: LD_PRELOAD takes no path with a blank or a colon (--ptrace works)",
            library.display()
        )));
    }
    let mut list = library.as_os_str().to_owned();
    for other in others() {
        list.push(":");
        list.push(other);
    }
    let text = OsString::from_vec(settings.write().as_bytes().to_vec());
    command.env(LD_PRELOAD, list).env(variable(), text);
    Ok(())
}

/// Takes the library out of the command's environment: what is traced must not have it as well.
fn leave_preload(command: &mut Command) {
    command.env_remove(variable());
    match others().reduce(|list, other| [list, other].join(OsStr::new(":"))) {
        Some(list) => command.env(LD_PRELOAD, list),
        None => command.env_remove(LD_PRELOAD),
    };
}

/// What is to be preloaded besides our library.
fn others() -> impl Iterator<Item = OsString> {
    let list = env::var_os(LD_PRELOAD).unwrap_or_default().into_vec();
    let names: Vec<_> = list
        .split(|byte| matches!(byte, b' ' | b':'))
        .map(|name| PathBuf::from(OsStr::from_bytes(name)))
        .filter(|name| name.file_name().is_some_and(|name| name != LIBRARY))
        .collect();
    names.into_iter().map(PathBuf::into_os_string)
}

fn variable() -> &'static OsStr {
    OsStr::from_bytes(Settings::VARIABLE.to_bytes())
}
