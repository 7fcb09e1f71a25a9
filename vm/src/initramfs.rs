//! The initial RAM file system: busybox, the modules that the host's files come through, and `init`.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, Permissions};
use std::hash::{Hash, Hasher};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::Kernel;
use crate::packages::in_folder;
use crate::program::output;

/// What holds busybox, for a guest that does not run this machine's.
pub(crate) const BUSYBOX: &str = "busybox-static";

/// What the guest needs before it sees the host's files; modprobe says what each needs in turn.
const MODULES: [&str; 5] = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay"];

/// The scripts in it.
const SCRIPTS: [(&str, &str); 2] =
    [("init", include_str!("guest/init.sh")), ("session", include_str!("guest/session.sh"))];

/// Its name, which is another one when something else is in it.
pub(crate) fn name() -> String {
    let mut hasher = DefaultHasher::new();
    (MODULES, SCRIPTS).hash(&mut hasher);
    format!("initramfs-{:016x}", hasher.finish())
}

/// Makes it, unless it is there; `root` is where the kernel's package was unpacked.
pub(crate) fn provide(kernel: &Kernel, root: &Path) -> Result<(), String> {
    let to = root.join(name());
    if to.exists() { Ok(()) } else { build(kernel, root, &to) }
}

fn build(kernel: &Kernel, root: &Path, to: &Path) -> Result<(), String> {
    let aside = tempfile::tempdir_in(root).map_err(|error| in_folder(root, error))?;
    let tree = aside.path();
    let failed = |error| in_folder(tree, error);
    for name in ["bin", "dev", "modules", "new", "host", "proc", "run", "sys", "whole"] {
        fs::create_dir(tree.join(name)).map_err(failed)?;
    }
    let owner = if kernel.architecture().is_native() { Path::new("/") } else { root };
    // Debian 13's packages know no /bin any more.
    let places = ["bin/busybox", "usr/bin/busybox"].map(|place| owner.join(place));
    let busybox = places.iter().find(|place| place.exists()).unwrap_or(&places[0]);
    fs::copy(busybox, tree.join("bin/busybox")).map_err(|error| in_folder(busybox, error))?;
    for (name, text) in SCRIPTS {
        fs::write(tree.join(name), text).map_err(failed)?;
        fs::set_permissions(tree.join(name), Permissions::from_mode(0o755)).map_err(failed)?;
    }
    let mut modprobe = Command::new("modprobe");
    modprobe.arg("--dirname").arg(root).args([
        "--set-version",
        kernel.release(),
        "--show-depends",
        "--all",
    ]);
    let listed = output(modprobe.args(MODULES))?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    // Each comes after what it needs, and may be needed again later.
    let mut order = String::new();
    for file in listed.lines().filter_map(|line| line.strip_prefix("insmod ")) {
        let file = Path::new(file.trim());
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = name.trim_end_matches(".xz");
        if !order.lines().any(|line| line == name) {
            order += &format!("{name}\n");
            let bytes = match file.extension().is_some_and(|extension| extension == "xz") {
                true => output(Command::new("xz").args(["--decompress", "--stdout"]).arg(file))?,
                false => fs::read(file).map_err(|error| in_folder(file, error))?,
            };
            fs::write(tree.join("modules").join(name), bytes).map_err(failed)?;
        }
    }
    fs::write(tree.join("modules/order"), order).map_err(failed)?;
    let mut pack = Command::new("sh");
    let packed = to.with_extension("new");
    pack.args(["-c", "find . | busybox cpio -o -H newc > \"$0\""]).arg(&packed).current_dir(tree);
    output(&mut pack)?;
    fs::rename(&packed, to).map_err(|error| in_folder(to, error))
}
