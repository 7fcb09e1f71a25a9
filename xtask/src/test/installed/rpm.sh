# rpm itself installs them into a system that is laid out as Fedora's. In namespaces of its own.
root=$1
system=$2
layout=$3
shift 3
rm -rf "$root" "$root.etc"
cp -a "$system" "$root"
cd "$root"
sh -euc "$layout"
mount -t proc none proc
ip link set lo up
cp -a etc "$root.etc"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 chroot "$root" "$@"; }
rpm() { command rpm --root "$root" "$@"; }
works() {
    inside openssl list -providers | grep -qx '  wirespeed'
    inside wirespeed install | grep -q '^Already installed'
    cmp etc/pki/tls/openssl.cnf "$root.etc/pki/tls/openssl.cnf"
    grep -q '^module = /usr/lib64.*/ossl-modules/libwirespeed.so' etc/pki/tls/openssl.d/wirespeed.cnf
}

inside openssl version -d -m
rpm --install --nodeps "$@"
rpm --verify --all --nodeps
# A package changes no configuration; rpm's own database lies elsewhere.
diff -r --no-dereference etc "$root.etc"
inside wirespeed install > /dev/null
works

# The same once more, as an upgrade, while nginx runs.
printf 'pid /tmp/nginx.pid;\nerror_log /tmp/nginx.log;\nevents {}\n' > tmp/nginx.conf
inside nginx -c /tmp/nginx.conf
plan=$(cksum < etc/wirespeed/plan)
rpm --upgrade --force --nodeps "$@"
grep -q 'libwirespeed.so.*(deleted)' "proc/$(cat tmp/nginx.pid)/maps"
inside nginx -c /tmp/nginx.conf -s reload
inside nginx -c /tmp/nginx.conf -s stop
test "$plan" = "$(cksum < etc/wirespeed/plan)"
works

# What would leave programs with a module that is gone is refused.
! rpm --erase --nodeps libwirespeed-provider || exit 1
works
rpm --query --all | xargs rpm --root "$root" --erase --nodeps > tmp/said
grep 'wirespeed.cnf is gone' tmp/said
diff -r --no-dereference etc "$root.etc"
inside openssl version
# OpenSSL has an engine padlock of its own.
left=$(find . -path ./proc -prune -o -path ./tmp -prune -o -path '*/engines-3/padlock.so' -o \
    \( -name '*wirespeed*' -o -name '*padlock*' \) -print)
test -z "$left" || { echo "left: $left"; exit 1; }
umount proc
rm -rf "$root" "$root.etc"
