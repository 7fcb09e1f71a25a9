# One variable takes everything back, byte for byte; a second time there is nothing to do.
at a1 "service nginx stop"
play rollout $AT_ONCE --extra-vars wirespeed_state=absent > said 2>&1 || { cat said; exit 1; }
as_before
# What an administrator stopped stays so.
at a1 '! service nginx status'
for place in usr/bin/wirespeed opt/wirespeed-* etc/wirespeed var/lib/wirespeed var/cache/wirespeed \
    etc/cron.d/wirespeed-doctor etc/periodic/15min/wirespeed-doctor; do
    not ls -d hosts/*/root/$place 2> said
done
soon asks_to 'wirespeed_module_loaded' ""
play rollback > said 2>&1 || { cat said; exit 1; }
not grep 'changed=[1-9]' said
