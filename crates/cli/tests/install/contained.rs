//! A program that runs in a root of its own, as in a container: the doctor names it and the command that reaches it.

use crate::failing::Test;
use crate::machine::{COPY, run};
use crate::scene::expect;

pub(crate) const TESTS: &[Test] = &[("contained::reached", reached)];

/// A root with openssl, its libraries and its configuration; absolute links inside lead into it.
const ROOT: &str = r#"
    root="$folder/root"
    mkdir -p "$root/old" "$root/usr/lib"
    libraries=$(ldd "$(command -v openssl)" | grep -o '/[^ ]*')
    unwinder=$(ldd "$(dirname "$wirespeed")/libwirespeed.so" | grep -o '/[^ ]*libgcc_s[^ ]*')
    for file in "$(command -v openssl)" $libraries $unwinder; do
        mkdir -p "$root$(dirname "$file")"
        cp -L "$file" "$root$file"
    done
    mkdir -p "$root$(dirname "$settings")" "$root$modules"
    cp -a "$settings" "$root$settings"
    rm -rf "$root$settings/certs" "$root$settings/private" "$root$settings/openssl.cnf"
    mkdir -p "$root/etc/contained"
    echo 'HOME = .' > "$root/etc/contained/openssl.cnf"
    ln -s /etc/contained/openssl.cnf "$root$settings/openssl.cnf"
    printf 'PRETTY_NAME="Contained 1"\n' > "$root/usr/lib/os-release"
    cp -a "$root" "$folder/root.before"
    mkfifo "$folder/fifo"
"#;

/// Starts openssl with that root as its own, as container runtimes do; `$process` is it.
const START: &str = r#"
    unshare --mount sh -ec '
        mount --bind "$1" "$1"
        cd "$1"
        pivot_root . old
        exec "$2" enc -aes-128-ctr -K 00 -iv 00
    ' sh "$root" "$(command -v openssl)" < "$folder/fifo" > /dev/null 2> "$folder/said" &
    process=$!
    exec 3> "$folder/fifo"
    # It waits for its input, with its libraries loaded.
    for _ in $(seq 200); do
        grep -q libcrypto "/proc/$process/maps" && break
        sleep 0.05
    done
    grep -q libcrypto "/proc/$process/maps"
"#;

fn reached() -> Result<(), String> {
    let script = format!(
        r#"{COPY}{ROOT}{START}
        doctor() {{
            "$wirespeed" doctor --json > "$folder/found" || test $? = 1
            grep -A 4 '"check": "containers"' "$folder/found" > "$folder/containers"
        }}
        doctor
        grep -q "\"text\": \"go without, in a container (Contained 1): openssl ($process)\"" "$folder/containers"
        grep -q '"state": "note"' "$folder/containers"
        # There may be others on this machine.
        command=$(sed -n "s|.*\"mend\": \"sudo wirespeed \([^;]*/$process/[^;]*\);.*|\1|p" "$folder/containers")
        test "$command" = "install --root /proc/$process/root"

        # /proc/N/root reads "/": nothing of this machine's may be taken for the container's.
        "$wirespeed" $command > "$folder/shown"
        cmp "$settings/openssl.cnf" "$folder/before"
        test ! -e "$modules/wirespeed.so"
        test ! -e "$modules/libwirespeed.so"
        test -e "$root$modules/wirespeed.so"
        grep -q wirespeed "$root/etc/contained/openssl.cnf"
        doctor
        grep -q '"mend": "it is installed there: restart them"' "$folder/containers"
        exec 3>&-
        wait $process

        {START}
        sleep 1
        doctor
        grep -q "\"text\": \"in a container, and served there: openssl ($process)\"" "$folder/containers"
        "$wirespeed" uninstall --root "/proc/$process/root" > "$folder/shown"
        exec 3>&-
        wait $process
        diff -r --no-dereference "$root" "$folder/root.before"
        cmp "$settings/openssl.cnf" "$folder/before"
        echo reached"#
    );
    let ended = run(&script)?.is(0, "")?;
    expect(ended.output.ends_with("reached\n"), &ended.output)
}
