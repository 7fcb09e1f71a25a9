# Stands before each step's script.
cd "$WORK"
export ANSIBLE_COLLECTIONS_PATH=$WORK/collections ANSIBLE_HOST_KEY_CHECKING=False ANSIBLE_PIPELINING=True \
    ANSIBLE_FORKS=12 ANSIBLE_PRIVATE_KEY_FILE=$WORK/key ANSIBLE_NOCOLOR=1 ANSIBLE_LOCALHOST_WARNING=False \
    ANSIBLE_SSH_ARGS="-o ControlMaster=auto -o ControlPersist=60s -o UserKnownHostsFile=/dev/null" \
    ANSIBLE_HOME=$WORK/ansible ANSIBLE_LOCAL_TEMP=$WORK/ansible/tmp HOME=$WORK LC_ALL=C.UTF-8
# NAME-OF-PLAYBOOK WORDS...
play() {
    playbook=$1
    shift
    ${WITH:-} ansible-playbook --inventory inventory --extra-vars @variables.yml "wirespeed.fleet.$playbook" "$@"
}
# For playbooks whose batches are looked at elsewhere.
AT_ONCE="--extra-vars wirespeed_batches=100%"
# PLAYBOOK TIMES TASK: begins it, to go on beside it when the task has begun so often.
begin() {
    WITH="exec setsid" play "$1" < /dev/null > said 2>&1 &
    controller=$!
    soon has_begun "$2" "$3"
}
has_begun() {
    [ "$(grep -c "^TASK .*$2\]" said)" -ge "$1" ]
}
# The controller with all its children.
kill_controller() {
    env kill -KILL -- "-$controller"
    wait "$controller" || true
}
# VALUE: what Prometheus answers if it is everybody's.
each() {
    for host in $HOSTS; do printf '%s %s ' "$host" "$1"; done
}
# LETTER: the hosts of that name.
named() {
    echo "$HOSTS" | tr ' ' '\n' | grep "^$1" | tr '\n' ' ' | sed 's/ $//'
}
# How many kinds there are.
kinds() {
    echo "$HOSTS" | tr ' ' '\n' | cut -c 1 | sort -u | wc -l
}
# The first host without AVX2, and the last of Debian 13.
LESSER=$(named '[bd]' | cut -d ' ' -f 1)
LAST=$(named '[cd]' | sed 's/.* //')
# HOSTS COMMAND
at() {
    ansible --inventory inventory "$1" --module-name ansible.builtin.shell \
        --args "PATH=\$PATH:\$(echo /opt/wirespeed-*/bin); $2" > told || { cat told; exit 1; }
}
# HOSTS: as an administrator does where it runs on what was replaced.
restart_sshd() {
    at "$1" 'nohup sh -c "sleep 1; for process in /proc/[0-9]*; do
        case \$(cat \$process/comm) in sshd*) kill \${process#/proc/};; esac; done" > /dev/null 2>&1 &'
    sleep 2
}
# Those whose nginx has the OpenSSL that the module is for: that of the host as Alpine's is Debian's.
WITH_NGINX='all:!l*'
# The configuration is on each host as it was.
as_before() {
    for host in hosts/*; do
        for place in $CONFIGURED; do
            [ ! -e "$host/before/$place" ] || diff -r "$host/before/$place" "$host/root/etc/$place"
        done
    done
}
not() {
    if "$@"; then echo "it should fail: $*"; exit 1; fi
}
# A condition that comes to hold, however busy the machine.
soon() {
    for _ in $(seq 600); do
        if "$@"; then return; fi
        sleep 0.5
    done
    echo "it does not come to hold: $*; at last: ${answer:-}"
    exit 1
}
# What Prometheus answers, a line for each instance with its value.
ask() {
    promtool query instant http://127.0.0.1:9090 "$1" | sed -n 's/.*instance="\([^"]*\)".*=> \([^ ]*\) .*/\1 \2/p' | sort
}
asks_to() {
    answer=$(ask "$1" | tr '\n' ' ')
    [ "$answer" = "$2" ]
}
# The hosts that Alertmanager has an alert of.
alerted() {
    amtool --alertmanager.url=http://127.0.0.1:9093 alert query "alertname=$1" --output json |
        python3 -c 'import json, sys; print(*sorted({a["labels"]["instance"] for a in json.load(sys.stdin)}))'
}
alerts() {
    answer=$(alerted "$1")
    [ "$answer" = "$2" ]
}
# The doctor as its timer would start it.
doctor() {
    at "$1" "wirespeed doctor --prometheus /var/lib/prometheus/node-exporter/wirespeed.prom; test \$? -le 1"
}
