# $1: a root of Debian 12; $2: the folder for one laid out as Fedora's, with dnf; $3: what lays it out.
# dnf knows the libraries that are there from a package without files.
rm -rf "$2"
cp -a "$1" "$2"
cp /etc/resolv.conf "$2/etc"
mount -t proc none "$2/proc"
chroot "$2" sh -euc 'apt-get update --quiet
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends dnf python3-dnf rpm'
umount "$2/proc"
cd "$2"
sh -euc "$3"
rm -f etc/os-release
printf 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=42\nPRETTY_NAME="Fedora Linux 42, of Debian'\''s files"\n' > etc/os-release
echo 'Fedora release 42 (of Debian files)' > etc/redhat-release
rm -f etc/debian_version
mkdir -p etc/yum.repos.d tmp/rpm
{
    printf 'Name: files-of-debian\nVersion: 1\nRelease: 1\nSummary: What Debian has\nLicense: none\nBuildArch: noarch\n'
    printf 'Provides: /bin/sh\nProvides: openssl\nProvides: rtld(GNU_HASH)\n'
    for library in libc.so.6 libm.so.6 libgcc_s.so.1 libcrypto.so.3 ld-linux*.so.*; do
        find usr/lib/*-linux-gnu -maxdepth 1 -name "$library" -exec /usr/lib/rpm/elfdeps --provides {} + |
            sed 's/^/Provides: /'
    done
    printf '%%description\nNone.\n%%files\n'
} > tmp/rpm/files-of-debian.spec
rpmbuild -bb --quiet --define "_topdir $PWD/tmp/rpm" --define "_rpmdir $PWD/tmp/rpm" tmp/rpm/files-of-debian.spec
mv tmp/rpm/noarch/*.rpm srv
chroot . sh -euc 'export HOME=/root; rpm --install --nodeps /srv/files-of-debian-1-1.noarch.rpm'
rm -rf tmp/rpm
