# The emulator finds its library, and programs the other one.
padlock-run --cpu nano --stats true
padlock-run --cpu nano --ptrace true
ldconfig -p | grep -q libwirespeed_batch.so.1
test "$(readlink /usr/lib/*/libwirespeed_batch.so)" = libwirespeed_batch.so.1
test -e /usr/share/man/man1/wirespeed-install.1.gz
bash -n /usr/share/bash-completion/completions/wirespeed
