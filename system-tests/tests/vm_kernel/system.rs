//! Programs of another Debian, in its own files: a container to whoever looks from outside.

use std::env;
use std::ffi::OsStr;
use std::process::Command;

use wirespeed_system_tests::module::Watched;
use wirespeed_system_tests::process::command;

/// It sees our module, what tests write, and this kernel's devices.
const ENTER: &str = r#"
root=$1 modules=$2
shift 2
for place in /dev /sys /tmp "$modules"; do
    mkdir -p "$root$place"
    mount --rbind "$place" "$root$place"
done
mkdir -p "$root/proc"
mount -t proc proc "$root/proc"
exec chroot "$root" "$@"
"#;

/// A program in the system that lies there, arguments to come; it is started in a mount namespace of its own.
pub(crate) fn program(root: impl AsRef<OsStr>, program: &str) -> Result<Command, String> {
    let modules = env::var_os("WIRESPEED_MODULES").ok_or("WIRESPEED_MODULES is not set")?;
    let mut entered = command("sh");
    entered.args(["-ec", ENTER, "sh"]).arg(root).arg(modules).arg(program);
    Ok(entered)
}

/// Requires that our module was loaded, encrypted something, and nothing near so many bytes.
pub(crate) fn only_handshakes(ours: &Watched, cipher: &str, bytes: usize) -> Result<(), String> {
    let counted = ours.counted()?;
    let by_us: u64 =
        counted.rows().filter(|row| row.subject.name() == cipher).map(|row| row.bytes).sum();
    match (1..bytes as u64 / 10).contains(&by_us) {
        true => Ok(()),
        false => Err(format!(
            "{cipher}: {by_us} bytes by the module: {:?}",
            counted.rows().collect::<Vec<_>>()
        )),
    }
}
