# Alpine's layout: musl, busybox, an OpenSSL that was built as Alpine's is. Packages of apk are not to be had here, so
# the line that adds nginx is left out; the others of docs/install.md are carried out. In namespaces of its own.
root=$1
tarball=$2
openssl=$3
document=$4
rm -rf "$root" "$root.etc"
mkdir -p "$root"
cd "$root"
mkdir -p bin dev etc/ssl lib opt proc tmp usr/bin usr/lib/ossl-modules
mount -t proc none proc
cp /bin/busybox bin
for name in $(bin/busybox --list); do ln -s busybox "bin/$name" 2> /dev/null || true; done
cp -L "/lib/$(uname -m)-linux-musl/libc.so" "lib/ld-musl-$(uname -m).so.1"
cp "$openssl"/lib/lib* usr/lib
cp "$openssl/bin/openssl" usr/bin
printf 'HOME = .\nopenssl_conf = openssl_init\n[ openssl_init ]\n[ req ]\ndefault_bits = 2048\n' > etc/ssl/openssl.cnf
cp -a etc "$root.etc"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root chroot "$root" "$@"; }
inside openssl version -m | grep /usr/lib/ossl-modules

sed -n '/^FROM alpine:/,/^```$/p' "$document" > lines
test "$(grep -c '^[A-Z]' lines)" = 4
while read -r word line; do
    case "$word $line" in
        "RUN apk "*) echo "not carried out: $line" ;;
        RUN*) inside sh -ec "$line" ;;
        ADD*)
            # Docker unpacks what it adds.
            name=$(echo "${line% *}" | sed 's/VERSION/[0-9.]*/')
            basename "$tarball" | grep -qx "$name"
            tar --extract --file "$tarball" --directory "$root${line#* }"
            ;;
    esac
done < lines
inside openssl list -providers | grep -x '  wirespeed'
echo through | inside openssl enc -aes-128-ctr -K 00 -iv 00 | inside openssl enc -d -aes-128-ctr -K 00 -iv 00 | grep -x through
inside sh -c '/opt/wirespeed-*/bin/wirespeed doctor' | grep 'is active'
inside sh -c '/opt/wirespeed-*/bin/wirespeed uninstall --root /' | grep 'byte for byte'
diff -r etc "$root.etc"
umount proc
rm -rf "$root" "$root.etc"
