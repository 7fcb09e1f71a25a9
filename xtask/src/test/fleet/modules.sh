# In the folder where lint.sh has installed the collection: the modules, with a program that writes down what it is asked.
export ANSIBLE_COLLECTIONS_PATH=$PWD/collections ANSIBLE_HOME=$PWD/ansible ANSIBLE_LOCAL_TEMP=$PWD/ansible/tmp \
    ANSIBLE_LOCALHOST_WARNING=False ANSIBLE_INVENTORY_UNPARSED_WARNING=False ANSIBLE_NOCOLOR=1 HOME=$PWD LC_ALL=C.UTF-8
cat > wirespeed <<END
#!/bin/sh
echo "\$*" >> $PWD/asked
case "\$*" in
    routes*) echo '{"schema": "wirespeed.routes/1", "plan": {"file": "$PWD/own.plan", "ignored": null}}';;
    tune*)
        echo 'measured by wirespeed' > $PWD/measured.plan
        echo '{"schema": "wirespeed.tune/1", "undecided": 0, "warnings": []}'
        exit 1;;
esac
END
chmod 755 wirespeed
# NAME-OF-MODULE WORDS...: what the program was asked last.
act() {
    module=$1
    shift
    : > asked
    ansible localhost --connection local --module-name "wirespeed.fleet.$module" \
        --args "executable=$PWD/wirespeed $*" > said 2>&1 || { cat said; return 1; }
    last=$(tail -n 1 asked)
}
is() {
    [ "$last" = "$1" ] || { echo "asked $last, not $1"; exit 1; }
}
not() {
    if "$@"; then echo "it should fail: $*"; exit 1; fi
}

# A route that gives wrong bytes is left out of a plan that is good.
act wirespeed_plan "path=$PWD/measured.plan"
is "tune --output $PWD/measured.plan --json - --constant-time=off --quick"
act wirespeed_plan "path=$PWD/new.plan constant_time=true"
is "tune --output $PWD/new.plan --json - --constant-time=on --quick"

# The plan of its kind, unless the host's own says the same, is kept, or is for constant time.
kind=$PWD/kind.plan
echo 'AES-128-CTR enc 16 vaes512' > kind.plan
echo 'AES-128-CTR enc 16 aesni' > own.plan
act wirespeed_install "plan=$kind"
is "install --plan $kind"
act wirespeed_install "plan=$kind keep=true stats=true"
is "install --stats --keep"
act wirespeed_install "plan=$kind constant_time=true"
is "install --constant-time=on --plan $kind"
{ echo 'wirespeed 0.0.9'; cat kind.plan; } > own.plan
act wirespeed_install "plan=$kind"
is "install"
echo 'constant-time' >> own.plan
act wirespeed_install "plan=$kind"
is "install"
act wirespeed_install "plan=$kind constant_time=true"
is "install --constant-time=on --plan $kind"
act wirespeed_install "plan=$kind constant_time=false keep=true"
is "install --keep --constant-time=off --plan $kind"

# What is gone is no installation that was taken back. The configuration is a copy, in a mount namespace.
mkdir etc
printf '[w]\nmodule = /usr/lib/ossl-modules/wirespeed.so # wirespeed install\n' > etc/openssl.cnf
absent() {
    mount --bind etc /etc/ssl
    rm -f wirespeed
    act wirespeed_install state=absent
}
not absent
grep 'openssl.cnf still loads Wirespeed, and its program is gone: install it, then take it back' said
echo '[w] # wirespeed install' > etc/openssl.cnf
act wirespeed_install state=absent
