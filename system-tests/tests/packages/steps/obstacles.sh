# A plan's place that is none, a full disk, a read-only /etc: one line that says how to go on, and nothing is changed.
cp -a /etc/wirespeed/plan /tmp/mine
wirespeed uninstall > /dev/null
refused() {
    words=$1
    shift
    cp -a /etc /tmp/etc
    not wirespeed "$@" > /tmp/shown 2> /tmp/said
    grep "$words" /tmp/said
    test "$(wc -l < /tmp/said)" = 1
    diff -r --no-dereference /etc /tmp/etc
    rm -r /tmp/etc
}

for target in /dev/null /tmp; do
    ln -sf $target /tmp/link
    mv -T /tmp/link /etc/wirespeed/plan
    refused "$target is no regular file: rm /etc/wirespeed/plan" install
    refused "$target is no regular file: rm /etc/wirespeed/plan" install --plan /tmp/mine
done
rm /etc/wirespeed/plan
cp -a /tmp/mine /etc/wirespeed/plan

mount --bind /etc /etc
mount -o remount,ro,bind /etc
refused 'remount it for writing' install
refused 'remount it for writing' install --plan /tmp/mine
mount -o remount,rw,bind /etc
wirespeed install > /dev/null
mount -o remount,ro,bind /etc
refused 'remount it for writing' uninstall
umount /etc

# A copy of /etc on a disk of its own, and no room on it.
cp -a /etc /tmp/room
mount -t tmpfs -o size=64m none /etc
cp -a /tmp/room/. /etc
fill() { dd if=/dev/zero of=/etc/filler bs=4k > /dev/null 2>&1 || true; }
fill
refused 'make room first' uninstall
rm /etc/filler
wirespeed uninstall > /dev/null
fill
# As much as for one file: the other gives way again, and the plan is not even measured.
truncate --size=-20480 /etc/filler
refused 'make room first; all is as before' install
refused 'cannot write /etc/wirespeed/plan: .*: make room first' install --plan /tmp/mine
umount /etc
rm -r /tmp/room
openssl list -providers | grep -qx '  wirespeed'
wirespeed install | grep -q '^Already installed'
