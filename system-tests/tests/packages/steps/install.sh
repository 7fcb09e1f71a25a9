wirespeed install > /tmp/said
grep -q '^module = .*/ossl-modules/libwirespeed.so' /etc/ssl/openssl.cnf
not grep 'is copied to' /tmp/said
test -s /etc/wirespeed/plan
wirespeed install | grep -q '^Already installed'
