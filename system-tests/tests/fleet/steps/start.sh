# Starts the fleet: hosts with their own roots and OpenSSL, an sshd and a node_exporter for each, and Prometheus.
# They share a network of their own, and end with it.
# $WORK: an empty folder; $ROOTS: unpacked systems; $PACKAGES: ours; $OPENSSL: Debian 12's, in older/ and newer/.
ip link set lo up
mount -t tmpfs none "$WORK"
cd "$WORK"
mkdir hosts
ssh-keygen -q -t ed25519 -N "" -f key

# NAME ROOT NUMBER CONFIGURATION-OF-SSHD
host() {
    folder=$WORK/hosts/$1 root=$WORK/hosts/$1/root address=127.0.1.$3
    mkdir -p "$folder/upper" "$folder/work" "$root"
    mount -t overlay overlay -o "lowerdir=$2,upperdir=$folder/upper,workdir=$folder/work" "$root"
    mkdir -p "$root/root/.ssh" "$root/run/sshd" "$root/var/lib/prometheus/node-exporter" \
        "$root/srv" "$root/etc/cron.d"
    cp key.pub "$root/root/.ssh/authorized_keys"
    head -c 1000000 /dev/zero > "$root/srv/zeros"
    cat > "$root/etc/nginx/nginx.conf" <<END
events {}
pid /run/nginx.pid;
http { access_log off; server { listen $address:443 ssl; root /srv;
    ssl_certificate /srv/certificate; ssl_certificate_key /srv/key; ssl_protocols TLSv1.3; } }
END
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" \
        -keyout "$root/srv/key" -out "$root/srv/certificate" 2>> said
    [ "$2" != "$ROOTS/bookworm" ] || {
        cp -r "$OPENSSL/older" "$OPENSSL/newer" "$root/srv"
        chroot "$root" sh -ec 'dpkg --install /srv/older/*.deb' > said 2>&1
    }
    mkdir "$folder/before"
    cp -a "$root/etc/ssl" "$folder/before"
    # One that ends is started again, as an init would.
    unshare --pid --mount --uts --ipc --fork --kill-child --mount-proc="$root/proc" chroot "$root" sh -uc \
        "hostname $1; while :; do /usr/sbin/sshd -D -E /run/sshd.log -o ListenAddress=$address -o UsePAM=no \
            -o MaxSessions=50 ${4:-}; sleep 0.2; done" &
    prometheus-node-exporter --collector.disable-defaults --collector.textfile \
        --collector.textfile.directory="$root/var/lib/prometheus/node-exporter" \
        --web.listen-address="$address:9100" 2> "$folder/exporter.log" &
    echo "$1 ansible_host=$address" >> inventory
    printf -- '- {targets: ["%s:9100"], labels: {instance: "%s"}}\n' "$address" "$1" >> targets.yml
}
# Of Debian 12 one is of another kind: AVX2 is denied to it.
host a1 "$ROOTS/bookworm" 1
host a2 "$ROOTS/bookworm" 2
host a3 "$ROOTS/bookworm" 3
host b1 "$ROOTS/bookworm" 4 "-o SetEnv=OPENSSL_ia32cap=:~0x20"
host c1 "$ROOTS/trixie" 5
host c2 "$ROOTS/trixie" 6

# The rules as they are shipped, but for the time that they wait.
sed 's/^\( *for:\).*/\1 0s/' "$REPOSITORY/fleet/monitoring/wirespeed.rules.yml" > rules.yml
cat > prometheus.yml <<'END'
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs: [{job_name: node, file_sd_configs: [{files: [targets.yml]}]}]
alerting: {alertmanagers: [{static_configs: [{targets: ["127.0.0.1:9093"]}]}]}
END
echo '{route: {receiver: nobody}, receivers: [{name: nobody}], global: {resolve_timeout: 5s}}' > alertmanager.yml
prometheus --config.file=prometheus.yml --storage.tsdb.path=prometheus.data \
    --web.listen-address=127.0.0.1:9090 2> prometheus.log &
prometheus-alertmanager --config.file=alertmanager.yml --storage.path=alertmanager.data \
    --web.listen-address=127.0.0.1:9093 --cluster.listen-address= 2> alertmanager.log &

ansible-galaxy collection build "$REPOSITORY/fleet" --output-path . > said
ansible-galaxy collection install --offline wirespeed-fleet-*.tar.gz -p collections > said 2>&1
cat >> inventory <<'END'
[all:vars]
ansible_user=root
ansible_python_interpreter=/usr/bin/python3
END
cat > variables.yml <<END
wirespeed_packages: "$PACKAGES"
wirespeed_plans: "$WORK/plans"
wirespeed_results: "$WORK/results"
wirespeed_textfiles: /var/lib/prometheus/node-exporter
wirespeed_stats: true
wirespeed_restart: [nginx]
wirespeed_batches: [1, 2, "100%"]
END
echo ready
