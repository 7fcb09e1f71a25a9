#!/bin/sh
# natively.sh ROOT PROGRAM ARGUMENT...: starts a program of Debian's for i386, unpacked in ROOT, with ROOT's own C library.
#
# This machine runs its instructions, but a program names its loader by a path, which here is another Debian's or nobody's.
# So that path gets ROOT's loader where only this program and those that it starts see it. The loader as a command would
# not do: such a program finds the loader where it looks for its own file.
set -e
if [ "$WIRESPEED_NATIVELY" != "$1" ]; then
    export WIRESPEED_NATIVELY="$1"
    [ "$(id -u)" = 0 ] || namespace=--map-root-user
    exec unshare --mount $namespace sh "$0" "$@"
fi
root=$1
shift
mount --bind "$root/lib/ld-linux.so.2" "$(readlink -f /lib/ld-linux.so.2)"
export LD_LIBRARY_PATH="$root/usr/lib/i386-linux-gnu:$root/lib/i386-linux-gnu"
exec "$@"
