# The lines for an image in docs/install.md, as an image's builder carries them out. What the first installs from the
# network is in this root already.
mkdir /tmp/context
cp /packages/*.deb /tmp/context
sed -n '/^FROM debian:/,/^```$/p' /packages/install.md > /tmp/lines
test "$(grep -c '^[A-Z]' /tmp/lines)" = 4
while read -r word line; do
    case $word in
        RUN) (cd / && sh -ec "$line" < /dev/null) ;;
        COPY) (cd /tmp/context && sh -ec "cp $line") ;;
    esac
done < /tmp/lines
openssl list -providers | grep -qx '  wirespeed'
test ! -e /etc/wirespeed
printf 'pid /tmp/nginx.pid;\nerror_log /tmp/nginx.log;\nevents {}\n' > /tmp/image.conf
nginx -c /tmp/image.conf
grep -q ossl-modules/libwirespeed.so "/proc/$(cat /tmp/nginx.pid)/maps"
nginx -c /tmp/image.conf -s stop

# And back.
apt-get purge --yes wirespeed libwirespeed-provider > /tmp/said
grep 'is as it was, byte for byte' /tmp/said
diff -r --no-dereference /etc /before
