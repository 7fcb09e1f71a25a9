# What starts a host, and starts it again; before each script.
# The letter of a host's name tells what it is: a and b of Debian 12, c and d of Debian 13, f laid out as Fedora, l as
# Alpine. b and d lack AVX2, and f lacks BMI2: that makes other kinds of them.
# Where OpenSSL's configuration is, below etc.
CONFIGURED="ssl pki"
# NAME
boot() {
    folder=$WORK/hosts/$1
    read -r address < "$folder/address"
    case $1 in
        [bd]*) variables="OPENSSL_ia32cap=:~0x20";;
        f*) variables="OPENSSL_ia32cap=:~0x100";;
        *) variables=HOST="$1";;
    esac
    # An sshd that ends is started again, as an init would.
    unshare --pid --mount --uts --ipc --fork --kill-child --mount-proc="$folder/root/proc" \
        chroot "$folder/root" sh -uc \
        "hostname $1; while :; do /usr/sbin/sshd -D -E /run/sshd.log -o ListenAddress=$address -o UsePAM=no \
            -o MaxSessions=50 -o 'SetEnv=$variables'; sleep 0.2; done" < /dev/null > "$folder/log" 2>&1 &
    echo $! > "$folder/process"
}
# Prometheus, which goes on from what it has on disk.
watch() {
    prometheus --config.file=prometheus.yml --storage.tsdb.path=prometheus.data \
        --web.listen-address=127.0.0.1:9090 < /dev/null >> prometheus.log 2>&1 &
    echo $! > prometheus.process
}
# NAME: as by a power cut.
cut_off() {
    read -r process < "$WORK/hosts/$1/process"
    kill -KILL "$process"
}
