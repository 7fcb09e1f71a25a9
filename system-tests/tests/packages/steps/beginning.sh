# Stands before each step's script.
ip link set lo up
# A shell with -e goes on after `! command`.
not() {
    if "$@"; then echo "it should fail: $*"; exit 1; fi
}
