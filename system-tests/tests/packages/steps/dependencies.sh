apt-get install --yes /packages/*.deb
test -z "$(dpkg --audit)"
diff -r /etc/ssl /before/ssl
