# What would leave programs with a module that is gone is refused.
not dpkg --force-depends -r libwirespeed-provider > /tmp/said 2>&1
grep 'take these lines out first' /tmp/said
openssl list -providers | grep -q '^  wirespeed$'
cp -a /etc/ssl/openssl.cnf /tmp/installed.cnf
prerm=$(echo /var/lib/dpkg/info/libwirespeed-provider*.prerm)
sed -i 's#^module = .*#module = libwirespeed.so#' /etc/ssl/openssl.cnf
not sh "$prerm" remove 2> /tmp/said
# A program of another architecture has a module of its own.
sed -i 's#^module = .*#module = /usr/lib/other-linux-gnu/ossl-modules/libwirespeed.so#' /etc/ssl/openssl.cnf
sh "$prerm" remove
cp -a /tmp/installed.cnf /etc/ssl/openssl.cnf
# A configuration that cannot be read is not restored, so the package stays.
cp -a /etc/ssl/openssl.cnf /tmp/installed.cnf
printf '[broken\n' >> /etc/ssl/openssl.cnf
not apt-get remove --yes wirespeed > /tmp/said 2>&1
grep 'openssl.cnf:[0-9]*: ' /tmp/said
cp -a /tmp/installed.cnf /etc/ssl/openssl.cnf
apt-get install --yes --fix-broken
wirespeed install | grep -q '^Already installed'
