#!/bin/busybox sh
# The guest's first process: makes the host's files its root, below what it writes itself; or a system that lies
# somewhere in them, with some of the host's folders.
# The kernel passes what begins with `vm_` on from its command line.
b=/bin/busybox
fail() {
	$b echo "vm: $1" >/dev/console
	$b poweroff -f
}

$b mount -t proc proc /proc
$b mount -t sysfs sysfs /sys
$b mount -t devtmpfs devtmpfs /dev
while read -r module; do
	$b insmod "/modules/$module" || fail "$module cannot be loaded"
done </modules/order
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /host ||
	fail "the host's files are not there"
$b mount -t tmpfs -o mode=755 written /run
$b mkdir /run/upper /run/work
$b mount -t overlay -o lowerdir=/host,upperdir=/run/upper,workdir=/run/work root /whole ||
	fail "nothing can be laid over the host's files"
$b mount --bind "/whole$vm_system" /new || fail "no system in $vm_system"
IFS=:
for folder in $vm_folders; do
	$b mkdir -p "/new$folder"
	$b mount --bind "/whole$folder" "/new$folder" || fail "$folder is not there"
done
unset IFS
for place in proc sys dev; do
	$b mount --move /$place /new/$place
done
$b mkdir -p /new/dev/pts /new/dev/shm
$b mount -t devpts devpts /new/dev/pts
$b mount -t tmpfs shm /new/dev/shm
$b mount -t tmpfs -o mode=755 run /new/run
$b mkdir -p /new/run/lock /new/run/vm /new/lib/modules /new/boot
for name in fd:/proc/self/fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do
	$b ln -sf "${name#*:}" "/new/dev/${name%%:*}"
done
$b cp $b /session /new/run/vm
release=$($b uname -r)
$b ln -sfn "$vm_modules" "/new/lib/modules/$release"
# Where Debian would have put it.
$b ln -sfn "${vm_modules%/lib/modules/*}/boot/config-$release" "/new/boot/config-$release"
exec $b switch_root /new /run/vm/busybox sh /run/vm/session "$vm_session"
