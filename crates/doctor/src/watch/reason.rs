//! Why a program did not use Wirespeed.

use std::path::{Path, PathBuf};
use std::process;

use wirespeed_cipher::Route;
use wirespeed_stats::Snapshot;

use super::command::{Command, file_name};
use super::run::Ran;
use crate::examined::Examined;
use crate::finding::Finding;
use crate::module;
use crate::serving::libraries::LIBRARIES;
use wirespeed_installation::openssl_folder;

/// Programs that only ask others to start something.
const LAUNCHERS: [&str; 8] =
    ["systemctl", "service", "docker", "podman", "ssh", "su", "sudo", "systemd-run"];

/// No process loaded the module.
pub(super) fn not_loaded(examined: &Examined<'_>, command: &Command, ran: &Ran) -> Finding {
    let name = command.name();
    let none =
        |why: String, mend: &str| Finding::mend(format!("{name} used none of it: {why}"), mend);
    if LAUNCHERS.contains(&name.as_str()) {
        let mend = "run the service itself, in the foreground";
        return none("it only launches other processes".to_owned(), mend);
    }
    if command.elevated {
        let why = "it is set-user-ID, so OpenSSL ignores OPENSSL_CONF in it and cannot be watched";
        let mend =
            "once installed, Wirespeed serves it all the same: stats = FILE in openssl.cnf shows";
        return none(why.to_owned(), mend);
    }
    let libraries = Libraries::of(command, ran);
    if let Some(old) = libraries.find("libcrypto.so.1") {
        let why = format!("it runs on {}, and OpenSSL 1 knows no providers", old.display());
        return none(why, "use a build of it for OpenSSL 3 or later");
    }
    if let Some(libcrypto) = libraries.find("libcrypto.so") {
        return libcrypto_without_us(examined, ran, libcrypto, &none);
    }
    if let Some(version) = &command.inside.openssl {
        let why = format!(
            "it carries an OpenSSL {version} of its own, which did not load the module from the configuration"
        );
        let build = "use a build of it that is linked with the system's libcrypto";
        return match name.as_str() {
            "node" | "nodejs" => none(why, "run it with --openssl-shared-config"),
            _ => none(why, build),
        };
    }
    let other = LIBRARIES.iter().find(|library| libraries.find(library.file).is_some());
    if let Some(other) = other {
        return none(format!("it encrypts with {}, not with OpenSSL", other.name), other.lever);
    }
    if command.binary.as_ref().is_some_and(|binary| binary.interpreter.is_none()) {
        let why = "it is statically linked and no OpenSSL is seen in it";
        return none(
            why.to_owned(),
            "use a build of it that is linked with the system's libcrypto",
        );
    }
    none("it never loaded OpenSSL".to_owned(), "watch it while it encrypts something")
}

/// There is a libcrypto of OpenSSL 3 or later, but our module did not come.
fn libcrypto_without_us(
    examined: &Examined<'_>,
    ran: &Ran,
    libcrypto: &Path,
    none: &dyn Fn(String, &str) -> Finding,
) -> Finding {
    if let Some(fault) = module::module(examined).into_iter().find(Finding::is_fault) {
        return fault;
    }
    if let Some(program) = ran.seen.without_variable.first() {
        let why =
            format!("{program} was started with an environment of its own, without OPENSSL_CONF");
        return none(
            why,
            "sudo wirespeed install, which needs no variable; then stats = FILE shows",
        );
    }
    let why = format!(
        "it has {}, but reads another configuration or none, or never asked it for a cipher",
        libcrypto.display()
    );
    none(
        why,
        "look into its own settings for a configuration of OpenSSL; watch it while it encrypts",
    )
}

/// The module was loaded, but no data went through it; `except` says what else did.
pub(super) fn not_used(command: &Command, ran: &Ran, except: &str) -> Finding {
    let other = LIBRARIES.iter().find(|library| ran.seen.library(library.file).is_some());
    let other = other.map(|it| format!(", or by {}, which it loads too", it.name));
    Finding::mend(
        format!(
            "{} loaded Wirespeed and used none of it{except}: nothing was encrypted, or only by what \
             Wirespeed leaves to OpenSSL (wirespeed routes){}",
            command.name(),
            other.unwrap_or_default()
        ),
        "watch it while it encrypts something",
    )
}

/// A libcrypto that is not the machine's reads a configuration of its own, if nobody sets the variable.
pub(super) fn own_openssl(examined: &Examined<'_>, ran: &Ran) -> Option<Finding> {
    let openssl = examined.openssl.as_ref().ok()?;
    let own = ran.seen.files.iter().find(|file| {
        let name = file_name(file);
        (name.starts_with("libcrypto.so.3") || name.starts_with("libcrypto.so.4"))
            && examined.here.entry(file).ok().map(|entry| entry.place)
                != examined.here.entry(&openssl.path).ok().map(|entry| entry.place)
    })?;
    let folder = openssl_folder(&examined.here.read(own).ok()?)?;
    let reads = Path::new(&folder).join("openssl.cnf");
    (reads != openssl.configuration_file()).then(|| {
        Finding::mend(
            format!(
                "it brings its own {}, which by itself reads {} and not {}",
                own.display(),
                reads.display(),
                openssl.configuration_file().display()
            ),
            format!("set OPENSSL_CONF={} for it", openssl.configuration_file().display()),
        )
    })
}

/// Routes that gave wrong bytes meanwhile.
pub(super) fn quarantined(counted: &Snapshot) -> Option<Finding> {
    let routes: Vec<&str> = counted.quarantined().into_iter().map(Route::name).collect();
    (!routes.is_empty()).then(|| {
        Finding::mend(
            format!("quarantined meanwhile, for it gave wrong bytes: {}", routes.join(" ")),
            "please report it with the output of wirespeed --json -",
        )
    })
}

/// The libraries that a program was seen to map; for one that was too quick, those that it asks for.
struct Libraries(Vec<PathBuf>);

impl Libraries {
    fn of(command: &Command, ran: &Ran) -> Self {
        let mut files: Vec<PathBuf> = ran.seen.files.iter().cloned().collect();
        let interpreter = command.binary.as_ref().and_then(|binary| binary.interpreter.as_ref());
        if let Some(loader) = interpreter {
            // What ldd(1) does: the loader loads the libraries, names them, and runs nothing.
            let listed = process::Command::new(loader).arg("--list").arg(&command.path).output();
            let listed = listed.map(|output| output.stdout).unwrap_or_default();
            let listed = String::from_utf8_lossy(&listed).into_owned();
            let paths = listed.split_whitespace().filter(|word| word.starts_with('/'));
            files.extend(paths.map(PathBuf::from));
        }
        Self(files)
    }

    fn find(&self, beginning: &str) -> Option<&Path> {
        let mut files = self.0.iter().map(PathBuf::as_path);
        files.find(|file| file_name(file).starts_with(beginning))
    }
}
