//! The machine's own configuration, in a mount namespace where everything is a copy.

use std::process::Command;

use crate::failing::Test;
use crate::files::Case;
use crate::scene::{Ended, Scene, expect, text};

pub(crate) const TESTS: &[Test] =
    &[("machine::round", round), ("machine::read-only", read_only), ("machine::full", full)];

/// Why a namespace cannot be had here.
pub(crate) fn obstacle() -> Option<String> {
    if !cfg!(debug_assertions) {
        return Some("a release build measures the plan for half a minute".to_owned());
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

/// Runs a script in which `wirespeed` and `folder` are set.
fn run(script: &str) -> Result<Ended, String> {
    let case = Case { name: "", text: Some("HOME = .\n"), included: &[], engines: false };
    let scene = Scene::new(&case)?;
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-ec", script]).env("folder", scene.path(""));
    // Plans measured in a hurry, which only debug builds know; and none of the test's own settings.
    command.env("wirespeed", &scene.program).env("WIRESPEED_HURRY", "1");
    command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
    Ok(command.output().map_err(text)?.into())
}

/// What `openssl version` says about its folders, copied and mounted over themselves.
const COPY: &str = r#"
    cp -a /etc "$folder/etc"
    mount --bind "$folder/etc" /etc
    modules=$(openssl version -m | cut -d'"' -f2)
    settings=$(openssl version -d | cut -d'"' -f2)
    cp -a "$modules" "$folder/copied"
    mount --bind "$folder/copied" "$modules"
    case $(realpath "$settings/openssl.cnf") in
        /etc/*) ;;
        *) cp -a "$settings" "$folder/settings"; mount --bind "$folder/settings" "$settings" ;;
    esac
    cp "$settings/openssl.cnf" "$folder/before"
"#;

fn round() -> Result<(), String> {
    let script = format!(
        r#"{COPY}
        "$wirespeed" install > "$folder/shown"
        test -e "$modules/wirespeed.so"
        grep -q '^plan = /etc/wirespeed/plan # wirespeed install' "$settings/openssl.cnf"
        test -s /etc/wirespeed/plan
        openssl list -providers | grep -q '^  wirespeed$'
        "$wirespeed" install | grep -q '^Already installed'
        "$wirespeed" uninstall > "$folder/shown"
        grep -qx '/etc/wirespeed/plan stays, for a later install; to remove it: rm /etc/wirespeed/plan' "$folder/shown"
        test -s /etc/wirespeed/plan
        cmp "$settings/openssl.cnf" "$folder/before"
        test ! -e "$modules/wirespeed.so"
        echo restored"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("restored\n"), &ended.output)
}

/// A file system of its own with the two places in it; `$there` is where.
const MOUNT: &str = r#"
    there="$folder/there"
    mkdir "$there"
    mount -t tmpfs -o size=256k none "$there"
    echo 'HOME = .' > "$there/openssl.cnf"
    mkdir "$there/modules"
"#;

/// Installs there, and checks that it is all as it was.
const TRY: &str = r#"
    "$wirespeed" install --config "$there/openssl.cnf" --modules "$there/modules" || code=$?
    test "$(cat "$there/openssl.cnf")" = 'HOME = .'
    test "$(cd "$there" && find . | sort | tr '\n' ' ')" = '. ./modules ./openssl.cnf '
    exit $code
"#;

fn read_only() -> Result<(), String> {
    let script = format!("{MOUNT} mount -o remount,ro \"$there\"\n{TRY}");
    run(&script)?.is(2, "remount it for writing").map(drop)
}

fn full() -> Result<(), String> {
    run(&format!("{MOUNT}{TRY}"))?.is(2, "make room first").map(drop)
}
