# A machine that systemd starts for the first time: the timer is off, then on, and the hardened unit does its work.
cd /tmp
link=/etc/systemd/system/timers.target.wants/wirespeed-keep.timer
not test -h $link
not systemctl --quiet is-active wirespeed-keep.timer
wirespeed install --keep
test -h $link
systemctl --quiet is-active wirespeed-keep.timer
not systemctl --quiet is-failed wirespeed-keep.service

# The unit as it is, but for its place behind everybody else, where it might wait for long, and for how busy this machine is.
echo '0.00 0.00 0.00 1/1 1' > /idle
mkdir /etc/systemd/system/wirespeed-keep.service.d
cat > /etc/systemd/system/wirespeed-keep.service.d/here.conf <<'END'
[Service]
Nice=0
CPUSchedulingPolicy=other
CPUWeight=100
BindReadOnlyPaths=/idle:/proc/loadavg
END
systemctl daemon-reload

# A plan that fits: not a word.
systemctl start wirespeed-keep.service
journalctl --sync
test -z "$(journalctl --quiet --output=cat --identifier=wirespeed)"

sed -i 's/^kernel  .*/kernel 5.10.0-1-amd64/' /etc/wirespeed/plan
systemctl start wirespeed-keep.service || { journalctl --no-pager; exit 1; }
journalctl --sync
journalctl --quiet --output=cat --identifier=wirespeed > lines
cat lines
test "$(wc -l < lines)" = 1
grep -x '/etc/wirespeed/plan was made for kernel 5.10.0-1-amd64, this is .*: measured again, .*' lines
wirespeed routes > seen
not grep 'is ignored' seen
test "$(stat -c '%a %U' /etc/wirespeed/plan)" = '644 root'

# It can write nothing else, and reach nobody.
property() { systemctl show --value --property="$1" wirespeed-keep.service; }
test "$(property ProtectSystem) $(property NoNewPrivileges) $(property PrivateNetwork)" = 'strict yes yes'

# A package that brings another OpenSSL begins the timer anew.
since() { systemctl show --value --property=ActiveEnterTimestampMonotonic wirespeed-keep.timer; }
before=$(since)
libcrypto_changed
test "$before" != "$(since)"

# Where nobody asked, an upgrade does not switch it on.
wirespeed uninstall
not systemctl --quiet is-active wirespeed-keep.timer
not test -h $link
libcrypto_changed
not systemctl --quiet is-active wirespeed-keep.timer
