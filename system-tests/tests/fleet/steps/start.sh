# Starts the fleet: hosts with their own roots and OpenSSL, an sshd and a node_exporter for each, and Prometheus.
# They share a network of their own, and end with it.
# $HOSTS: their names; $WORK: an empty folder; $ROOTS: unpacked systems; $PACKAGES: ours;
# $OPENSSL: Debian 12's, in older/ and newer/.
ip link set lo up
mount -t tmpfs none "$WORK"
cd "$WORK"
mkdir hosts
ssh-keygen -q -t ed25519 -N "" -f key

# NAME ROOT ADDRESS
host() {
    folder=$WORK/hosts/$1 root=$WORK/hosts/$1/root address=$3
    mkdir -p "$folder/upper" "$folder/work" "$root"
    mount -t overlay overlay -o "lowerdir=$2,upperdir=$folder/upper,workdir=$folder/work" "$root"
    mkdir -p "$root/root/.ssh" "$root/run/sshd" \
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
    for place in $CONFIGURED; do
        [ ! -e "$root/etc/$place" ] || cp -a "$root/etc/$place" "$folder/before"
    done
    echo "$address" > "$folder/address"
    boot "$1"
    prometheus-node-exporter --collector.disable-defaults --collector.textfile \
        --collector.textfile.directory="$root/var/lib/prometheus/node-exporter" \
        --web.listen-address="$address:9100" 2> "$folder/exporter.log" &
    echo "$1 ansible_host=$address" >> inventory
    printf -- '- {targets: ["%s:9100"], labels: {instance: "%s"}}\n' "$address" "$1" >> targets.yml
}
number=0
for name in $HOSTS; do
    number=$((number + 1))
    case $name in [cd]*) suite=trixie;; f*) suite=fedora;; l*) suite=alpine;; *) suite=bookworm;; esac
    host "$name" "$ROOTS/$suite" "127.0.1.$number"
done

# The rules as they are shipped, but for the time that they wait.
sed 's/^\( *for:\).*/\1 0s/' "$REPOSITORY/fleet/monitoring/wirespeed.rules.yml" > rules.yml
cat > prometheus.yml <<'END'
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [rules.yml]
scrape_configs: [{job_name: node, file_sd_configs: [{files: [targets.yml]}]}]
alerting: {alertmanagers: [{static_configs: [{targets: ["127.0.0.1:9093"]}]}]}
END
echo '{route: {receiver: nobody}, receivers: [{name: nobody}], global: {resolve_timeout: 5s}}' > alertmanager.yml
watch
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
wirespeed_restart: "{{ [] if inventory_hostname.startswith('l') else ['nginx', 'on-no-host'] }}"
wirespeed_batches: [1, 2, "100%"]
END
echo ready
