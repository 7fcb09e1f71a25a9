# $1: a root of Debian 12, which stays as it is; $2: the folder for two versions of OpenSSL, in older/ and newer/.
rm -rf "$2"
mkdir -p "$2/older" "$2/newer"
mount -t tmpfs none /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o "lowerdir=$1,upperdir=/mnt/upper,workdir=/mnt/work" /mnt/root
cp /etc/resolv.conf /mnt/root/etc
chroot /mnt/root sh -euc '
    apt-get update --quiet
    versions=$(apt-cache madison libssl3 | cut -d "|" -f 2 | tr -d " " | sort --version-sort --unique | tail -n 2)
    cd /srv
    for version in $versions; do
        apt-get download libssl3=$version openssl=$version
        mkdir -p /out/$version
        mv ./*.deb /out/$version
    done'
older=$(ls -v /mnt/root/out | head -n 1) newer=$(ls -v /mnt/root/out | tail -n 1)
[ "$older" != "$newer" ]
cp /mnt/root/out/"$older"/*.deb "$2/older"
cp /mnt/root/out/"$newer"/*.deb "$2/newer"
