# Stands before each step's script.
ip link set lo up
# A shell with -e goes on after `! command`.
not() {
    if "$@"; then echo "it should fail: $*"; exit 1; fi
}
# dpkg tells that OpenSSL's package has changed: libssl3, or libssl3t64 from Debian 13 on.
libcrypto_changed() {
    library=$(echo /usr/lib/*/libcrypto.so.3)
    dpkg-trigger --no-await --by-package="$(dpkg-query --search "$library" | cut -d : -f 1)" "$library"
    dpkg --triggers-only --pending
}
