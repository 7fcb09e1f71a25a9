//! The last words of the survey: what the owner would gain, and what to type next.

use std::env;
use std::path::{Path, PathBuf};

use crate::output::figures;
use crate::survey::Gain;

/// The name of the module's file.
const MODULE: &str = "libwirespeed.so";

/// For whom which row stands: records, packets, and the cipher that ssh prefers after ChaCha20.
const USERS: [(&str, &str, &str, usize); 3] = [
    ("TLS", "AES-256-GCM", "enc", 16384),
    ("VPN", "AES-256-GCM", "enc", 1420),
    ("ssh", "AES-256-CTR", "enc", 16384),
];

pub(super) fn text(gains: &[Gain], has_libcrypto: bool) -> String {
    if !has_libcrypto {
        return "\nWhat you would gain   nothing yet: no program here uses a libcrypto of version 3 or 4\n\
                What to do next       install OpenSSL 3 or later, then run wirespeed again\n"
            .to_owned();
    }
    format!("\nWhat you would gain   {}\nTry it now            {}\n", gained(gains), next())
}

/// The cipher's gain, and the truth about whole programs: measured on Debian 12, a TLS file server
/// needs 1.13 to 1.25 times less CPU time with GCM twice to 2.7 times as fast, sshd 1.1 to 1.2 times,
/// OpenVPN 1.02 times less; the kernel and copies take the rest.
fn gained(gains: &[Gain]) -> String {
    let user = |(user, algorithm, direction, size): &(&str, &str, &str, usize)| {
        let row = gains.iter().find(|gain| {
            (gain.algorithm, gain.direction, gain.size) == (algorithm, direction, *size)
        })?;
        if row.openssl_stays { None } else { Some(format!("{user} {}", figures::times(row.gain?))) }
    };
    let users: Vec<String> = USERS.iter().filter_map(user).collect();
    if users.is_empty() {
        return "nothing where it counts: this OpenSSL uses the machine well".to_owned();
    }
    format!("{} in the cipher; whole programs 1.0x to 1.3x", users.join(", "))
}

/// The command that shows the gain with the machine's own `openssl`.
fn next() -> String {
    let folder = beside_this_program();
    let here = env::current_dir().ok();
    let shown = here
        .and_then(|here| folder.strip_prefix(here).ok().map(Path::to_owned))
        .unwrap_or_else(|| folder.clone());
    let build = if folder.join(MODULE).exists() { "" } else { "cargo build --release && " };
    format!(
        "{build}openssl speed -provider-path {} \\\n        \
         -provider libwirespeed -provider default -propquery '?provider=wirespeed' -evp aes-256-gcm",
        shown.display()
    )
}

fn beside_this_program() -> PathBuf {
    let program = env::current_exe().ok();
    program.and_then(|program| program.parent().map(Path::to_owned)).unwrap_or_default()
}
