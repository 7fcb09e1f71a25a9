apt-get remove --yes wirespeed libwirespeed-provider padlock-run libwirespeed-batch1 > /tmp/said
grep 'is as it was, byte for byte' /tmp/said
diff -r /etc/ssl /before/ssl
test -s /etc/wirespeed/plan
openssl list -providers > /dev/null
