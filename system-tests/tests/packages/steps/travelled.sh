# A plan that was measured elsewhere: tried in seconds on a machine of the same kind, or refused by name.
cp -a /etc/wirespeed/plan /tmp/mine
sed 's/^kernel  .*/kernel 5.10.0-1-amd64/; s/^microcode .*/microcode 0x1/' /tmp/mine > /tmp/elsewhere
wirespeed install --plan /tmp/elsewhere > /tmp/said
grep 'of its choices hold beside this OpenSSL' /tmp/said
grep '^# Measured on another machine:' /etc/wirespeed/plan
grep '^# kernel  *5.10.0-1-amd64' /etc/wirespeed/plan
wirespeed routes > /tmp/said
not grep 'is ignored' /tmp/said
cp /etc/wirespeed/plan /tmp/adopted

refused() {
    not wirespeed install --plan /tmp/bad > /tmp/said 2>&1
    grep "$1" /tmp/said
    cmp /tmp/adopted /etc/wirespeed/plan
}
sed 's|^cpu  .*|cpu GenuineIntel 6/1/1 Another|' /tmp/mine > /tmp/bad
refused 'made for CPU GenuineIntel'
sed 's/^libcrypto  .*/libcrypto 9.9.1/' /tmp/mine > /tmp/bad
refused 'made for libcrypto 9.9, this is'
grep -v '^AES-128-GCM ' /tmp/mine > /tmp/bad
for direction in enc dec; do
    for size in 16 64 256 512 1024 1420 4096 8192 16384 65536; do
        echo "AES-128-GCM $direction $size portable" >> /tmp/bad
    done
done
refused 'AES-128-GCM enc of 1420 B by portable takes'
sed '/^kernel  /,$d' /tmp/mine > /tmp/bad
refused 'the plan ends without a line for kernel'
sed 's/^wirespeed-plan 1/wirespeed-plan 9/' /tmp/mine > /tmp/bad
refused 'version 9 of the format'
rm /tmp/bad
ln -s /dev/zero /tmp/bad
refused 'is not a regular file'
cp -a /tmp/mine /etc/wirespeed/plan
