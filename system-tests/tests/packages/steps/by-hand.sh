# Over what somebody installed by hand: the package's module takes its place, and the copy goes with it.
mkdir -p /opt/built
cp /usr/bin/wirespeed /usr/lib/*/ossl-modules/libwirespeed.so /opt/built
wirespeed uninstall > /dev/null
diff -r /etc/ssl /before/ssl
/opt/built/wirespeed install > /dev/null
grep -q '^module = .*/ossl-modules/wirespeed.so' /etc/ssl/openssl.cnf
rm -r /opt/built
wirespeed install > /dev/null
grep -q '^module = .*/ossl-modules/libwirespeed.so' /etc/ssl/openssl.cnf
test -e /usr/lib/*/ossl-modules/wirespeed.so
