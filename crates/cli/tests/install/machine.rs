//! The machine's own configuration, in a mount namespace where everything is a copy.

use std::process::Command;

use crate::failing::Test;
use crate::files::Case;
use crate::scene::{Ended, Scene, expect, text};

pub(crate) const TESTS: &[Test] = &[
    ("machine::round", round),
    ("machine::counted", counted),
    ("machine::quarantined", quarantined),
    ("machine::interrupted-measuring", interrupted_measuring),
    ("machine::failing-trial", failing_trial),
    ("machine::plan-not-named", plan_not_named),
    ("machine::no-file", no_file),
    ("machine::constant-time", constant_time),
    ("machine::constant-time-in-root", constant_time_in_root),
    ("machine::kept", kept),
    ("machine::kept-by-cron", kept_by_cron),
    ("machine::not-by-others", not_by_others),
    ("machine::read-only", read_only),
    ("machine::full", full),
];

/// What kills programs besides.
pub(crate) const KILLED: &[Test] = &[("machine::swap", swap)];

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

/// A shell with -e goes on after `! command`.
const NOT: &str = r#"
    not() { if "$@"; then echo "it should fail: $*"; exit 1; fi; }
"#;

/// Runs a script in which `wirespeed` and `folder` are set.
pub(crate) fn run(script: &str) -> Result<Ended, String> {
    let case = Case { name: "", text: Some("HOME = .\n"), included: &[], engines: false };
    let scene = Scene::new(&case)?;
    let mut command = Command::new("unshare");
    let script = format!("{NOT}{script}");
    command.args(["-m", "sh", "-ec", &script]).env("folder", scene.path(""));
    // Plans measured in a hurry, which only debug builds know; and none of the test's own settings.
    command.env("wirespeed", &scene.program).env("WIRESPEED_HURRY", "few");
    // On the least x86-64 there is least to measure.
    command.env("WIRESPEED_DENY", "ssse3");
    command.env_remove("OPENSSL_CONF").env_remove("OPENSSL_MODULES");
    Ok(command.output().map_err(text)?.into())
}

/// What commands may change, copied and mounted over itself; and openssl.cnf as it was before.
pub(crate) const COPY: &str = include_str!("../support/copied-machine.sh");

/// Counting stays until the end, and the file is as before then.
fn counted() -> Result<(), String> {
    let script = format!(
        r#"{COPY}
        mount -t tmpfs none /var/lib
        "$wirespeed" install --stats > "$folder/shown"
        grep -q '^stats = /var/lib/wirespeed/stats # wirespeed install' "$settings/openssl.cnf"
        test "$(stat --format %a /var/lib/wirespeed/stats)" = 1777
        loads() {{ "$wirespeed" stats --json - | sed -n 's/^ *"loads": \([0-9]*\),$/\1/p'; }}
        before=$(loads)
        openssl list -providers > "$folder/shown"
        test "$(loads)" = $((before + 1))
        for words in --stats ""; do
            "$wirespeed" install $words | grep -q '^Already installed'
        done
        # A folder that was removed is made again.
        rm -r /var/lib/wirespeed
        "$wirespeed" install --stats > "$folder/shown"
        test "$(stat --format %a /var/lib/wirespeed/stats)" = 1777
        "$wirespeed" uninstall > "$folder/shown"
        cmp "$settings/openssl.cnf" "$folder/before"
        echo restored"#
    );
    let output = run(&script)?.is(0, "")?.output;
    expect(output.ends_with("restored\n"), &output)
}

/// A route that gives wrong bytes is named, and the rest is installed.
fn quarantined() -> Result<(), String> {
    let script = format!(
        r#"{COPY}
        WIRESPEED_DISPROVE=portable "$wirespeed" install > "$folder/shown"
        grep -q '^quarantined, not in the plan: portable: ' "$folder/shown"
        grep -q '^Installed, and tried again in place: ' "$folder/shown"
        test -s /etc/wirespeed/plan
        not grep -q portable /etc/wirespeed/plan
        echo installed"#
    );
    let output =
        run(&script)?.is(0, "quarantined, not used, for the proof failed: portable")?.output;
    expect(output.ends_with("installed\n"), &output)
}

fn round() -> Result<(), String> {
    let script = format!(
        r#"{COPY}
        not env PATH=/nowhere "$wirespeed" install > "$folder/shown" 2>&1
        grep -q 'no openssl program here to try it with' "$folder/shown"
        not grep -q '^Measuring' "$folder/shown"
        rm -rf /etc/wirespeed
        umask 077
        "$wirespeed" install > "$folder/shown"
        test "$(stat --format %a /etc/wirespeed)" = 755
        test -e "$modules/wirespeed.so"
        grep -q '^plan = /etc/wirespeed/plan # wirespeed install' "$settings/openssl.cnf"
        test -s /etc/wirespeed/plan
        openssl list -providers | grep -q '^  wirespeed$'
        "$wirespeed" install | grep -q '^Already installed'
        "$wirespeed" uninstall > "$folder/shown"
        grep -qx '/etc/wirespeed/plan stays, for a later install; to remove it: sudo rm /etc/wirespeed/plan' "$folder/shown"
        test -s /etc/wirespeed/plan
        cmp "$settings/openssl.cnf" "$folder/before"
        test ! -e "$modules/wirespeed.so"
        echo restored"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("restored\n"), &ended.output)
}

/// A signal to this program alone ends the one that measures, which takes long here.
fn interrupted_measuring() -> Result<(), String> {
    let script = format!(
        r#"{COPY}
        unset WIRESPEED_HURRY
        "$wirespeed" install > "$folder/shown" 2>&1 & installing=$!
        until tune=$(pgrep --parent $installing --full ' tune '); do sleep 0.1; done
        kill $installing
        status=0
        wait $installing || status=$?
        test $status = 2
        test ! -e /proc/$tune
        grep -q 'interrupted: nothing was changed$' "$folder/shown"
        test ! -e /etc/wirespeed/plan
        cmp "$settings/openssl.cnf" "$folder/before"
        echo unchanged"#
    );
    let output = run(&script)?.is(0, "")?.output;
    expect(output.ends_with("unchanged\n"), &output)
}

/// A trial that fails after the measuring leaves the plan as it was, too.
fn failing_trial() -> Result<(), String> {
    let script = format!(
        r#"{COPY}
        rm -rf /etc/wirespeed
        mkdir "$folder/path"
        printf '#!/bin/sh\necho this is the end >&2\nexit 1\n' > "$folder/path/sshd"
        chmod 755 "$folder/path/sshd"
        fails() {{
            status=0
            PATH="$folder/path:$PATH" "$wirespeed" install > "$folder/shown" 2>&1 || status=$?
            test $status = 1
            grep -q '^Measuring first' "$folder/shown"
            grep -q 'this is the end; nothing was changed$' "$folder/shown"
            cmp "$settings/openssl.cnf" "$folder/before"
        }}
        fails
        test ! -e /etc/wirespeed/plan
        echo 'of another time' > /etc/wirespeed/plan
        fails
        grep -qx 'of another time' /etc/wirespeed/plan
        echo unchanged"#
    );
    let output = run(&script)?.is(0, "")?.output;
    expect(output.ends_with("unchanged\n"), &output)
}

/// A plan that openssl.cnf does not name is not the module's.
fn plan_not_named() -> Result<(), String> {
    let script = format!(
        r#"{COPY}
        "$wirespeed" install > "$folder/shown"
        "$wirespeed" routes | grep -q '^Chosen by the plan /etc/wirespeed/plan, named at '
        # Through the link: it lies outside of the copies itself.
        sed '/^plan = /d' "$settings/openssl.cnf" > "$folder/without"
        cat "$folder/without" > "$settings/openssl.cnf"
        "$wirespeed" routes > "$folder/shown"
        grep -qx 'The plan /etc/wirespeed/plan, in its usual place, is not in use: openssl.cnf does not name it.' "$folder/shown"
        grep -q '^So .* serves: run sudo .*wirespeed install$' "$folder/shown"
        "$wirespeed" routes --json | grep -q '"chosen_by": "ladder"'
        echo told"#
    );
    let output = run(&script)?.is(0, "")?.output;
    expect(output.ends_with("told\n"), &output)
}

/// Of an installation only the module is left: openssl.cnf is neither made nor removed.
fn no_file() -> Result<(), String> {
    let script = r#"
        mkdir "$folder/there" "$folder/there/modules"
        cd "$folder/there"
        uninstall() {
            echo module > modules/wirespeed.so
            "$wirespeed" uninstall --config openssl.cnf --modules modules | grep -q '/modules/wirespeed.so is gone.$'
            test ! -e modules/wirespeed.so
        }
        uninstall
        test ! -e openssl.cnf
        : > openssl.cnf
        uninstall
        test -e openssl.cnf
        echo untouched"#;
    let output = run(script)?.is(0, "")?.output;
    expect(output.ends_with("untouched\n"), &output)
}

/// A program that only root may change, and a systemd that writes down what it is told; none runs this machine.
const ALONE: &str = r#"
    mount -t tmpfs none /mnt
    cp "$wirespeed" "$(dirname "$wirespeed")/libwirespeed.so" /mnt
    mount -t tmpfs none /run
    mkdir -p /etc/systemd/system /mnt/path
    printf '#!/bin/sh\necho "$@" >> /mnt/told\ntest "$*" != "stop $(cat /mnt/gone)" || exit 5\n' > /mnt/path/systemctl
    : > /mnt/gone
    chmod 755 /mnt/path/systemctl
    PATH=/mnt/path:$PATH
    echo '0.00 0.00 0.00 1/1 1' > /mnt/load
    mount --bind /mnt/load /proc/loadavg
"#;

/// Chosen, kept when the plan is measured again, taken back.
fn constant_time() -> Result<(), String> {
    let script = format!(
        r#"{COPY}{ALONE}
        plan=/etc/wirespeed/plan
        /mnt/wirespeed install > /dev/null
        not grep -qx constant-time $plan
        /mnt/wirespeed install --constant-time > "$folder/shown"
        grep -q '^Measuring first, for there is no plan that fits: it was chosen by speed alone$' "$folder/shown"
        grep -q '^constant time: ' "$folder/shown"
        grep -qx constant-time $plan
        /mnt/wirespeed install --constant-time | grep -q '^Already installed'
        /mnt/wirespeed install | grep -q '^Already installed'

        # Plans that are asked for are not measured for speed alone, nor the other way round.
        cp $plan /mnt/plan
        /mnt/wirespeed install --plan /mnt/plan --constant-time=off 2>&1 | grep -q 'plan: it is for constant time: .*wirespeed tune --constant-time=off '
        sed -i 's/^kernel  .*/kernel 5.10.0/' $plan
        /mnt/wirespeed routes | grep -q '^That it is for constant time stands'
        /mnt/wirespeed tune --keep --quick | grep -q ' measured again, '
        grep -qx constant-time $plan
        # Also where another version wrote the plan.
        sed -i 's/^wirespeed-plan .*/wirespeed-plan 99/' $plan
        /mnt/wirespeed tune --keep --quick | grep -q ' measured again, '
        grep -qx constant-time $plan

        /mnt/wirespeed install --constant-time=off > "$folder/shown"
        not grep -q '^constant time: ' "$folder/shown"
        not grep -q constant-time $plan
        /mnt/wirespeed uninstall > /dev/null
        cmp "$settings/openssl.cnf" "$folder/before"
        echo restored"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("restored\n"), &ended.output)
}

/// Where nothing is measured yet, the choice waits in a plan that says nothing else.
fn constant_time_in_root() -> Result<(), String> {
    let script = format!(
        r#"{COPY}{ALONE}
        plan=/etc/wirespeed/plan
        rm -rf /etc/wirespeed
        /mnt/wirespeed install --root / --constant-time > /dev/null
        grep -qx constant-time $plan
        grep -qx 'cpu        none' $plan
        grep -q '^plan = /etc/wirespeed/plan # wirespeed install' "$settings/openssl.cnf"
        openssl list -providers | grep -q '^  wirespeed$'
        /mnt/wirespeed install --root / --constant-time | grep -q '^Already installed there'
        /mnt/wirespeed install --root / | grep -q '^Already installed there'
        /mnt/wirespeed routes > "$folder/shown"
        grep -q ' is ignored: made for CPU none, ' "$folder/shown"
        grep -q '^That it is for constant time stands' "$folder/shown"
        /mnt/wirespeed tune --keep --quick | grep -q ' was made for CPU none, this is .*: measured again, '
        grep -qx constant-time $plan
        cp $plan /mnt/plan
        /mnt/wirespeed install --root / --plan /mnt/plan > "$folder/shown"
        grep -q '^constant time: ' "$folder/shown"
        cmp /mnt/plan $plan
        /mnt/wirespeed uninstall --root / --dry-run | grep -qx '/etc/wirespeed/plan is removed'
        test -e $plan
        /mnt/wirespeed uninstall --root / | grep -qx '/etc/wirespeed/plan is removed'
        test ! -e $plan
        cmp "$settings/openssl.cnf" "$folder/before"
        echo restored"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("restored\n"), &ended.output)
}

/// Switched on, looked at, measured again, switched off.
fn kept() -> Result<(), String> {
    let script = format!(
        r#"{COPY}{ALONE}
        link=/etc/systemd/system/timers.target.wants/wirespeed-keep.timer
        mkdir -p /run/systemd/system
        cp -a /etc/systemd/system /mnt/units
        /mnt/wirespeed install --keep > "$folder/shown"
        test "$(readlink $link)" = /etc/systemd/system/wirespeed-keep.timer
        grep -qx 'ExecStart=/mnt/wirespeed tune --keep --quick' /etc/systemd/system/wirespeed-keep.service
        test "$(cat /mnt/told)" = "$(printf 'daemon-reload
restart wirespeed-keep.timer')"
        /mnt/wirespeed install --keep | grep -q '^Already installed: nothing'
        /mnt/wirespeed install | grep -q '^Already installed: nothing'

        test -z "$(/mnt/wirespeed tune --keep --quick 2>&1)"
        sed -i 's/^kernel  .*/kernel 5.10.0/' /etc/wirespeed/plan
        cp /etc/wirespeed/plan /mnt/stale
        echo '99.00 0.00 0.00 1/1 1' > /mnt/load
        /mnt/wirespeed tune --keep --quick | grep -q ': measured when the machine is idle$'
        cmp /mnt/stale /etc/wirespeed/plan
        echo '0.00 0.00 0.00 1/1 1' > /mnt/load

        /mnt/wirespeed tune --keep --quick > "$folder/said"
        test "$(wc -l < "$folder/said")" = 1
        grep -q '^/etc/wirespeed/plan was made for kernel 5.10.0, this is .*: measured again, ' "$folder/said"
        test "$(ls -A /etc/wirespeed)" = plan

        # Routes that are listed follow no plan; without one in openssl.cnf there is nothing to keep.
        cp /mnt/stale /etc/wirespeed/plan
        cp "$settings/openssl.cnf" /mnt/installed.cnf
        sed 's/^plan = .*/routes = portable/' /mnt/installed.cnf > /mnt/other.cnf
        OPENSSL_CONF=/mnt/other.cnf /mnt/wirespeed tune --keep 2>&1 | grep -q 'openssl.cnf names no plan'
        printf '
[wirespeed_sect]
routes = portable
' | cat /mnt/installed.cnf - > /mnt/other.cnf
        test -z "$(OPENSSL_CONF=/mnt/other.cnf /mnt/wirespeed tune --keep 2>&1)"

        : > /mnt/told
        # systemd does not know a unit whose file somebody removed.
        rm /etc/systemd/system/wirespeed-keep.service
        echo wirespeed-keep.service > /mnt/gone
        /mnt/wirespeed uninstall > "$folder/shown"
        grep -q "^$link is removed" "$folder/shown"
        test "$(cat /mnt/told)" = "$(printf 'stop wirespeed-keep.timer
stop wirespeed-keep.service
daemon-reload')"
        diff -r --no-dereference /mnt/units /etc/systemd/system
        cmp "$settings/openssl.cnf" "$folder/before"
        /mnt/wirespeed uninstall | grep -q '^Not installed'
        echo restored"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("restored\n"), &ended.output)
}

/// Killed while the plan is measured again and swapped.
fn swap() -> Result<(), String> {
    let script = format!(
        r#"{COPY}{ALONE}
        mkdir -p /run/systemd/system
        /mnt/wirespeed install --keep > "$folder/shown"
        sed -i 's/^kernel  .*/kernel 5.10.0/' /etc/wirespeed/plan
        cp /etc/wirespeed/plan /mnt/stale

        # Killed at every call that changes a file: the old plan is there, or the new one.
        calls=rename,renameat,renameat2,unlink,unlinkat,fchmod,fsync
        n=1
        while ! strace -qqq -o /mnt/trace -e trace=$calls -e inject=$calls:signal=SIGKILL:when=$n \
            /mnt/wirespeed tune --keep --quick > "$folder/said" 2>&1
        do
            grep -q '+++ killed by SIGKILL +++' /mnt/trace || {{ cat "$folder/said"; exit 1; }}
            grep -q '^kernel  *5.10.0$' /etc/wirespeed/plan || test -z "$(/mnt/wirespeed tune --keep 2>&1)"
            cp /mnt/stale /etc/wirespeed/plan
            n=$((n + 1))
        done
        test $n -gt 3
        test "$(wc -l < "$folder/said")" = 1
        grep -q '^/etc/wirespeed/plan was made for kernel 5.10.0, this is .*: measured again, ' "$folder/said"
        test "$(ls -A /etc/wirespeed)" = plan
        echo swapped"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("swapped\n"), &ended.output)
}

/// Where there is no systemd: a file of cron's lines, a folder of jobs, or a refusal before anything is changed.
fn kept_by_cron() -> Result<(), String> {
    let script = format!(
        r#"{COPY}{ALONE}
        # A systemd that is installed and does not run the machine counts for nothing.
        rm -rf /etc/cron.d /etc/periodic
        cp -a /etc /mnt/etc
        not /mnt/wirespeed install --keep 2> /mnt/said
        grep -q 'nothing here runs jobs for --keep' /mnt/said
        diff -r --no-dereference /mnt/etc /etc

        mkdir -p /etc/periodic/hourly
        /mnt/wirespeed install --keep > /mnt/said
        grep -q '/mnt/wirespeed tune --keep' /etc/periodic/hourly/wirespeed-keep
        test -x /etc/periodic/hourly/wirespeed-keep
        # It is a program, and has nothing to say.
        sh -n /etc/periodic/hourly/wirespeed-keep
        mkdir /etc/cron.d
        /mnt/wirespeed install --keep > /mnt/said
        test ! -e /etc/periodic/hourly/wirespeed-keep
        test "$(grep -c ' root .*/mnt/wirespeed tune --keep' /etc/cron.d/wirespeed-keep)" = 2
        /mnt/wirespeed uninstall > /mnt/said
        test -z "$(ls /etc/cron.d /etc/periodic/hourly | grep wirespeed)"
        test ! -e /mnt/told
        echo restored"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("restored\n"), &ended.output)
}

/// Root must not run by a timer what others may exchange.
fn not_by_others() -> Result<(), String> {
    let script = format!(
        r#"{COPY}{ALONE}
        cp -a /etc /mnt/etc
        chmod 777 /mnt
        /mnt/wirespeed install --keep || code=$?
        diff -r --no-dereference /mnt/etc /etc
        exit $code"#
    );
    run(&script)?.is(2, "others may change /mnt: ").map(drop)
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
