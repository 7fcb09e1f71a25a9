wirespeed install --dry-run | grep -q '^+module = .*/ossl-modules/libwirespeed.so'
diff -r /etc/ssl /before/ssl
test ! -e /etc/wirespeed
