# While nginx runs with the module: it goes on with the old one, and starts anew with the new one.
cd /tmp
fetch() { curl --silent --insecure https://127.0.0.1:8443/message | cmp - message; }
before=$(sha256sum /etc/wirespeed/plan /etc/ssl/openssl.cnf)
old=$(stat -c %i /usr/lib/*/ossl-modules/libwirespeed.so)
nginx -c /tmp/nginx.conf
fetch
apt-get install --yes /later/*.deb > said
fetch
grep -q 'ossl-modules/libwirespeed.so.*(deleted)' "/proc/$(cat nginx.pid)/maps"
nginx -c /tmp/nginx.conf -s reload
fetch
nginx -c /tmp/nginx.conf -s stop
dpkg-query --show wirespeed | grep -q '+later$'
test "$old" != "$(stat -c %i /usr/lib/*/ossl-modules/libwirespeed.so)"
test "$before" = "$(sha256sum /etc/wirespeed/plan /etc/ssl/openssl.cnf)"
not grep 'is ignored' said
openssl list -providers | grep -q '^  wirespeed$'
wirespeed install | grep -q '^Already installed'
