# $1: a root of Debian 12; $2: the folder for one laid out as Alpine's; $3: an OpenSSL that was built as Alpine's is.
# musl's loader looks into folders of its own. Python and sshd stay Debian's, with another openssl.cnf.
rm -rf "$2"
cp -a "$1" "$2"
cd "$2"
LC_ALL=C sed -i "s#/usr/lib/ssl#/usr/lib/old#g" usr/lib/*-linux-gnu/libcrypto.so.3
cp -L "/lib/$(uname -m)-linux-musl/libc.so" "lib/ld-musl-$(uname -m).so.1"
cp "$3"/lib/lib* usr/lib
cp "$3/bin/openssl" usr/bin
mkdir -p usr/lib/ossl-modules etc/periodic/15min
rm -f etc/ssl/openssl.cnf
printf 'HOME = .\nopenssl_conf = openssl_init\n[ openssl_init ]\n[ req ]\ndefault_bits = 2048\n' > etc/ssl/openssl.cnf
rm -f etc/os-release
printf 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.22.0\nPRETTY_NAME="Alpine Linux of files of Debian"\n' > etc/os-release
echo 3.22.0 > etc/alpine-release
rm -f etc/debian_version
# Ansible finds busybox's commands first, as on Alpine; but for the shell, which is /bin/sh there and here.
cp /bin/busybox usr/bin
for name in $(usr/bin/busybox --list); do ln -s /usr/bin/busybox "usr/local/bin/$name"; done
