# Into an unpacked system, with absolute links inside, and out again byte for byte.
mkdir -p /unpacked/dev
libraries=$(ldd /usr/bin/openssl | grep -o '/[^ ]*')
cp -a --parents /etc/ssl /usr/lib/ssl /usr/lib/*/ossl-modules/legacy.so /unpacked
for file in /usr/bin/openssl $libraries /lib/*/libgcc_s.so.1; do
    mkdir -p /unpacked/$(dirname $file)
    cp -L $file /unpacked$file
done
mkdir -p /unpacked/usr/lib/$(basename /usr/lib/*-linux-gnu)
cp -L /usr/lib/*-linux-gnu/libcrypto.so.3 /unpacked/usr/lib/*-linux-gnu/
# As it was before anything was installed.
rm -r /unpacked/etc/ssl
cp -a /before/ssl /unpacked/etc/ssl
cp -a /unpacked/etc /tmp/unpacked

wirespeed install --root /unpacked --dry-run | grep '^Nothing was changed'
diff -r /unpacked/etc /tmp/unpacked
wirespeed install --root /unpacked --plan /etc/wirespeed/plan | grep '^Installed there, untried'
cmp /etc/wirespeed/plan /unpacked/etc/wirespeed/plan
chroot /unpacked /usr/bin/openssl list -providers | grep -x '  wirespeed'
wirespeed install --root /unpacked | grep '^Already installed there'
wirespeed uninstall --root /unpacked | grep 'byte for byte'
diff -r /unpacked/etc /tmp/unpacked
test -z "$(find /unpacked -name '*wirespeed*')"

# Nothing to install for: each in one line, and nothing changed.
refused() {
    not wirespeed install --root /unpacked > /tmp/said 2>&1
    grep "$1" /tmp/said
    test "$(wc -l < /tmp/said)" = 1
    diff -r /unpacked/etc /tmp/unpacked
}
mount --bind /unpacked /unpacked
mount -o remount,ro,bind /unpacked
not wirespeed install --root /unpacked > /dev/null 2> /tmp/said
umount /unpacked
grep 'remount it for writing' /tmp/said
test "$(wc -l < /tmp/said)" = 1
diff -r /unpacked/etc /tmp/unpacked
mkdir /tmp/unwinder
mv /unpacked/lib/*/libgcc_s.so.1 /tmp/unwinder
refused 'has no libgcc_s.so.1, which the module needs'
mv /tmp/unwinder/* /unpacked/lib/*-linux-gnu/
rmdir /tmp/unwinder
library=$(echo /unpacked/usr/lib/*-linux-gnu/libcrypto.so.3)
cp $library /tmp/library
# EM_AARCH64 in e_machine.
printf '\267\000' | dd of=$library bs=1 seek=18 conv=notrunc 2> /dev/null
refused 'is for 64-bit ARM, and this module for x86-64'
sed 's/libc\.so\.6/libc.so.m/' /tmp/library > $library
refused 'has musl: take the tarball for musl'
rm $library /unpacked/lib/*-linux-gnu/libcrypto.so.3 || true
refused 'no OpenSSL 3 or 4 below /unpacked'
rm -r /unpacked /tmp/unpacked
