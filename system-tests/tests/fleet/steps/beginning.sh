# Stands before each step's script.
cd "$WORK"
export ANSIBLE_COLLECTIONS_PATH=$WORK/collections ANSIBLE_HOST_KEY_CHECKING=False ANSIBLE_PIPELINING=True \
    ANSIBLE_FORKS=6 ANSIBLE_PRIVATE_KEY_FILE=$WORK/key ANSIBLE_NOCOLOR=1 ANSIBLE_LOCALHOST_WARNING=False \
    ANSIBLE_SSH_ARGS="-o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=/dev/null" \
    ANSIBLE_HOME=$WORK/ansible ANSIBLE_LOCAL_TEMP=$WORK/ansible/tmp HOME=$WORK LC_ALL=C.UTF-8
# NAME-OF-PLAYBOOK WORDS...
play() {
    playbook=$1
    shift
    ansible-playbook --inventory inventory --extra-vars @variables.yml "wirespeed.fleet.$playbook" "$@"
}
# HOSTS COMMAND
at() {
    ansible --inventory inventory "$1" --module-name ansible.builtin.shell --args "$2" > told || { cat told; exit 1; }
}
not() {
    if "$@"; then echo "it should fail: $*"; exit 1; fi
}
# A condition that comes to hold within half a minute.
soon() {
    for _ in $(seq 60); do
        if "$@"; then return; fi
        sleep 0.5
    done
    echo "it does not come to hold: $*"
    exit 1
}
# What Prometheus answers, a line for each instance with its value.
ask() {
    promtool query instant http://127.0.0.1:9090 "$1" | sed -n 's/.*instance="\([^"]*\)".*=> \([^ ]*\) .*/\1 \2/p' | sort
}
asks_to() {
    [ "$(ask "$1" | tr '\n' ' ')" = "$2" ]
}
# The hosts that Alertmanager has an alert of.
alerted() {
    amtool --alertmanager.url=http://127.0.0.1:9093 alert query "alertname=$1" --output json |
        python3 -c 'import json, sys; print(*sorted({a["labels"]["instance"] for a in json.load(sys.stdin)}))'
}
alerts() {
    [ "$(alerted "$1")" = "$2" ]
}
# The doctor as its timer would start it.
doctor() {
    at "$1" "wirespeed doctor --prometheus /var/lib/prometheus/node-exporter/wirespeed.prom; test \$? -le 1"
}
