# The others left nothing that dpkg would know of.
apt-get purge --yes wirespeed
test -z "$(dpkg --audit)"
diff -r --no-dereference /etc /before
sh /tmp/list | diff /tmp/files -
