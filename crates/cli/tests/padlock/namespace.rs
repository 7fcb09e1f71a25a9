//! `wirespeed kernel --prefer` and `--unprefer` as root, in a mount namespace where /etc/modprobe.d is
//! another folder; and what modprobe makes of the lines.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{Ended, Test, expect};

pub(crate) const TESTS: &[Test] = &[
    ("namespace::round", round),
    ("namespace::beside_others", beside_others),
    ("namespace::not_root", not_root),
    ("namespace::no_folder", no_folder),
];

pub(crate) const MODPROBE: &[Test] = &[("modprobe::aliases", aliases)];

/// Why a namespace cannot be had here.
pub(crate) fn obstacle() -> Option<String> {
    if !Path::new("/etc/modprobe.d").is_dir() {
        return Some("no /etc/modprobe.d to mount another folder on".to_owned());
    }
    let command = ["-m", "mount", "-t", "tmpfs", "none", "/mnt"];
    match Command::new("unshare").args(command).output() {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            Some(format!("no mount namespace: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
        Err(error) => Some(format!("no unshare: {error}")),
    }
}

/// Why modprobe cannot be asked here.
pub(crate) fn no_modprobe() -> Option<String> {
    let asked = Command::new("modprobe").arg("--version").output();
    obstacle().or_else(|| asked.err().map(|error| format!("no modprobe (Debian: kmod): {error}")))
}

/// Runs a script; `wirespeed` is our program, `there` the folder that /etc/modprobe.d is.
fn run(script: &str) -> Result<Ended, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let script = format!("mount --bind \"$there\" /etc/modprobe.d\n{script}");
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-ec", &script]).env("there", folder.path());
    Ended::of(command.env("wirespeed", env!("CARGO_BIN_EXE_wirespeed")))
}

fn round() -> Result<(), String> {
    let ended = run(r#"
        file=/etc/modprobe.d/wirespeed.conf
        "$wirespeed" kernel --prefer padlock --dry-run
        test ! -e $file
        "$wirespeed" kernel --prefer padlock
        cp $file "$there/copy"
        grep -v '^#' $file
        "$wirespeed" kernel --prefer padlock | grep -q '^Already preferred'
        cmp $file "$there/copy"
        "$wirespeed" kernel --json | grep -q '"preferred": "padlock"'
        "$wirespeed" kernel | grep -q '^Preferred: padlock'
        "$wirespeed" kernel --unprefer --dry-run
        cmp $file "$there/copy"
        "$wirespeed" kernel --unprefer
        test ! -e $file
        "$wirespeed" kernel --unprefer"#)?
    .is(0, "")?;
    let said = [
        "\n+alias crypto-*aes*-all padlock-aes\n",
        "\nNothing was changed.\n",
        "\nalias crypto-*sha1*-all padlock-sha\n",
        "modprobe -a padlock-aes padlock-sha",
        "wirespeed.conf is gone, as before",
        "\nNothing is preferred: nothing to change.\n",
    ];
    said.iter().try_for_each(|words| expect(ended.output.contains(words), &ended.output))
}

/// A file of that name which somebody else wrote, without an end of its last line.
fn beside_others() -> Result<(), String> {
    run(r#"
        file=/etc/modprobe.d/wirespeed.conf
        printf 'options snd index=-2\n# mine' > $file
        chmod 640 $file
        cp -p $file "$there/before"
        "$wirespeed" kernel --prefer padlock
        head -n 1 $file | grep -qx 'options snd index=-2'
        grep -qx '# mine' $file
        "$wirespeed" kernel --unprefer
        cmp $file "$there/before"
        test "$(stat -c %a $file)" = 640
        test "$(ls "$there" | wc -l)" = 2"#)?
    .is(0, "")
    .map(drop)
}

fn not_root() -> Result<(), String> {
    let ended = run(r#"
        chmod 755 "$there"
        cp "$wirespeed" /mnt/ 2>/dev/null || { mount -t tmpfs none /mnt; cp "$wirespeed" /mnt/; }
        exec setpriv --reuid 65534 --regid 65534 --clear-groups /mnt/wirespeed kernel --prefer padlock"#)?
    .is(2, "wirespeed.conf takes root to change: sudo /mnt/wirespeed kernel --prefer padlock")?;
    expect(ended.output.is_empty(), &ended.output)
}

fn no_folder() -> Result<(), String> {
    run(r#"
        mkdir "$there/empty" && mount --bind "$there/empty" /etc
        "$wirespeed" kernel --unprefer
        "$wirespeed" kernel --prefer padlock"#)?
    .is(2, "its folder is not there")
    .map(drop)
}

/// modprobe itself finds PadLock's modules by our lines for what the kernel asks for, and only for that.
fn aliases() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let text =
        "\"$wirespeed\" kernel --prefer padlock > /dev/null; cat /etc/modprobe.d/wirespeed.conf";
    let text = run(text)?.is(0, "")?.output;
    let configuration = folder.path().join("conf");
    let modules = folder.path().join("lib/modules/0.0.0");
    let made = fs::create_dir_all(&configuration)
        .and_then(|()| fs::create_dir_all(&modules))
        .and_then(|()| fs::write(configuration.join("wirespeed.conf"), text));
    made.map_err(|error| error.to_string())?;
    for (asked, expected) in [
        ("crypto-cbc(aes)-all", "padlock_aes"),
        ("crypto-aes-all", "padlock_aes"),
        ("crypto-hmac(sha1)-all", "padlock_sha"),
        ("crypto-sha256-all", "padlock_sha"),
        ("crypto-authenc(hmac(sha1),cbc(aes))-all", "padlock_aes padlock_sha"),
        ("crypto-essiv(cbc(aes),sha256)-all", "padlock_aes padlock_sha"),
        // The first question is answered by whoever answered before.
        ("crypto-cbc(aes)", ""),
        ("crypto-sha1", ""),
        ("crypto-cbc(camellia)-all", ""),
        ("crypto-sha512-all", ""),
    ] {
        let mut command = Command::new("modprobe");
        command.args(["--set-version", "0.0.0", "--resolve-alias", asked, "--dirname"]);
        let ended = Ended::of(command.arg(folder.path()).arg("--config").arg(&configuration))?;
        let mut found: Vec<&str> = ended.output.split_whitespace().collect();
        found.sort_unstable();
        expect(
            found.join(" ") == expected,
            &format!("{asked}: {found:?}, not {expected}: {ended}"),
        )?;
    }
    Ok(())
}
