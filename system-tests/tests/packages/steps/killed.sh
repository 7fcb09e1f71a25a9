# Killed at every call that changes a file: programs start, and the same command again mends it.
cd /tmp
calls=rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,symlink,symlinkat,chmod,fchmod,fchmodat,fsync
killed_at() {
    number=$1
    shift
    strace -qqq -o trace -e trace=$calls -e inject=$calls:signal=SIGKILL:when=$number "$@" > said 2>&1 && return 1
    grep -q '+++ killed by SIGKILL +++' trace || { echo "it was not killed: $*"; cat said; exit 1; }
}
nothing_left() {
    left=$(find "$1/" -xdev -path "$1/proc" -prune -o \( -name '.wirespeed-*' -o -name '.plan.*' \) -print)
    test -z "$left" || { echo "left after $number: $left"; exit 1; }
}

# In an unpacked system, where nothing is tried and all is a matter of files.
mkdir -p /unpacked/dev
libraries=$(ldd /usr/bin/openssl | grep -o '/[^ ]*')
(cd / && cp -a --parents /etc/ssl /usr/lib/ssl /usr/lib/*/ossl-modules/legacy.so /unpacked)
for file in /usr/bin/openssl $libraries /lib/*/libgcc_s.so.1; do
    mkdir -p /unpacked/$(dirname $file)
    cp -L $file /unpacked$file
done
mkdir -p /unpacked/usr/lib/$(basename /usr/lib/*-linux-gnu) /unpacked/usr/lib/systemd /unpacked/opt
cp -L /usr/lib/*-linux-gnu/libcrypto.so.3 /unpacked/usr/lib/*-linux-gnu/
rm -r /unpacked/etc/ssl
cp -a /before/ssl /unpacked/etc/ssl
touch /unpacked/usr/lib/systemd/systemd
cp /usr/bin/wirespeed /usr/lib/*/ossl-modules/libwirespeed.so /unpacked/opt
cp -a /unpacked /unpacked.before
rooted="/unpacked/opt/wirespeed install --root /unpacked --keep --plan /etc/wirespeed/plan"
n=1
while killed_at $n $rooted; do
    chroot /unpacked openssl list -providers > said
    $rooted > said
    chroot /unpacked openssl list -providers | grep -qx '  wirespeed'
    cmp /etc/wirespeed/plan /unpacked/etc/wirespeed/plan
    test "$(readlink /unpacked/etc/systemd/system/timers.target.wants/wirespeed-keep.timer)" = \
        /etc/systemd/system/wirespeed-keep.timer
    grep -q '^ExecStart=/opt/wirespeed tune --keep' /unpacked/etc/systemd/system/wirespeed-keep.service
    nothing_left /unpacked
    # And the way back, killed at the same place if it is as long.
    if killed_at $n wirespeed uninstall --root /unpacked; then
        chroot /unpacked openssl list -providers > said
        wirespeed uninstall --root /unpacked > said
    fi
    rmdir /unpacked/etc/systemd/system /unpacked/etc/systemd
    diff -r --no-dereference /unpacked.before/etc /unpacked/etc
    diff -r --no-dereference /unpacked.before/usr /unpacked/usr
    n=$((n + 1))
done
echo "killed at $((n - 1)) calls"
test $n -gt 10
rm -r /unpacked /unpacked.before

# On the machine itself, which systemd runs, at every renaming.
mkdir -p /run/systemd/system
printf '#!/bin/sh\n' > /usr/local/bin/systemctl
chmod 755 /usr/local/bin/systemctl
calls=rename,renameat,renameat2
n=1
wirespeed uninstall > said
while killed_at $n wirespeed install --keep; do
    openssl list -providers > said
    wirespeed install --keep > said
    openssl list -providers | grep -qx '  wirespeed'
    nothing_left ''
    wirespeed uninstall > said
    diff -r /etc/ssl /before/ssl
    n=$((n + 1))
done
test $n -gt 2
wirespeed install --keep > said
rm -r /usr/local/bin/systemctl /run/systemd/system

# While dpkg works, at several moments: the same again mends it.
for moment in 0.05 0.2 0.5 1; do
    setsid dpkg -i /later/*.deb > said 2>&1 &
    group=$!
    sleep $moment
    # It may be through already.
    kill -9 -- -$group 2> /dev/null || true
    wait $group || true
    openssl list -providers | grep -qx '  wirespeed'
    echo through | openssl enc -aes-128-ctr -K 00 -iv 00 2> /dev/null | wc -c | grep -qx 8
    dpkg --configure --pending > said 2>&1
    dpkg -i /later/*.deb > said 2>&1
    test -z "$(dpkg --audit)"
    openssl list -providers | grep -qx '  wirespeed'
done

# While dpkg configures the package: it goes on where it was killed.
sed -i 's/^kernel  .*/kernel 5.10.0-1-amd64/' /etc/wirespeed/plan
printf '#!/bin/sh\nkill -9 $(pidof dpkg)\n' > /usr/local/bin/grep
chmod 755 /usr/local/bin/grep
not dpkg -i /later/wirespeed_*.deb > said 2>&1
rm /usr/local/bin/grep
openssl list -providers | grep -qx '  wirespeed'
test -n "$(dpkg --audit)"
dpkg --configure --pending > said 2>&1
grep 'It is measured again when the machine is idle' said
test -z "$(dpkg --audit)"

# What follows wants a plan that fits.
cp -a fits /etc/wirespeed/plan
