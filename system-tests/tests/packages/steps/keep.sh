# A plan that is kept up to date: off until somebody asks, then it looks, waits for an idle machine, measures and swaps.
cd /tmp
units='wirespeed-keep.timer wirespeed-keep.service'
link=/etc/systemd/system/timers.target.wants/wirespeed-keep.timer
systemd-analyze verify --man=no $units
systemd-analyze security --offline=true --threshold=30 wirespeed-keep.service > said
tail -1 said
not test -h $link
# A machine that systemd runs.
mkdir -p /run/systemd/system
printf '#!/bin/sh\necho "$@" >> /tmp/asked\n' > /usr/local/bin/systemctl
chmod 755 /usr/local/bin/systemctl
wirespeed install --keep --dry-run | grep "^The plan would be kept up to date: $link"
not test -h $link
wirespeed install --keep | grep "^The plan is kept up to date: $link"
test "$(readlink $link)" = /usr/lib/systemd/system/wirespeed-keep.timer
test -z "$(find /etc/systemd -name '*wirespeed*' -type f)"
wirespeed install --keep | grep '^Already installed: nothing to change'

# A plan that fits is left alone, without a word.
echo '0.00 0.00 0.00 1/1 1' > load
mount --bind load /proc/loadavg
cp -a /etc/wirespeed/plan fits
test -z "$(wirespeed tune --keep --quick 2>&1)"
cmp fits /etc/wirespeed/plan

# dpkg tells of another OpenSSL, the package says what comes of it, and the timer begins anew.
stale() { sed 's/^kernel  .*/kernel 5.10.0-1-amd64/' fits > /etc/wirespeed/plan; }
stale
rm asked
libcrypto_changed > said
grep 'is ignored: made for kernel 5.10.0-1-amd64' said
grep 'It is measured again when the machine is idle' said
grep -x 'try-restart wirespeed-keep.timer' asked
rm -r /usr/local/bin/systemctl /run/systemd/system asked

# A busy machine is left alone.
echo '99.00 9.00 9.00 9/9 9' > load
wirespeed tune --keep --quick > said
grep -x '/etc/wirespeed/plan is made for kernel 5.10.0-1-amd64, .*: measured when the machine is idle' said
grep '^kernel *5.10.0-1-amd64' /etc/wirespeed/plan

# What keeps the new plan from its place is told before anything is measured.
echo '0.00 0.00 0.00 1/1 1' > load
mount --bind /etc /etc
mount -o remount,ro,bind /etc
not wirespeed tune --keep --quick > said 2>&1
grep 'cannot write /etc/wirespeed/plan: .*: remount it for writing' said
test "$(wc -l < said)" = 1
umount /etc

# On an idle one it is measured, while programs start all the time: none gets half a plan.
openssl enc -aes-128-ctr -K 00 -iv 00 -in message -out sealed 2> /dev/null
touch going
while test -e going; do
    openssl enc -d -aes-128-ctr -K 00 -iv 00 -in sealed 2> /dev/null | cmp - message || touch broken
    wirespeed routes > seen 2>&1 || touch broken
    grep -q -e 'is ignored: made for kernel 5.10.0-1-amd64' -e '^Chosen by the plan /etc/wirespeed/plan' seen || cp seen broken
done &
wirespeed tune --keep --quick > said 2>&1
rm going
wait
not cat broken
cat said
test "$(wc -l < said)" = 1
grep -x '/etc/wirespeed/plan was made for kernel 5.10.0-1-amd64, this is .*: measured again, .*' said
test -z "$(wirespeed tune --keep --quick 2>&1)"
wirespeed routes > said
not grep 'is ignored' said
test "$(ls -A /etc/wirespeed)" = plan
umount /proc/loadavg
cp -a fits /etc/wirespeed/plan
