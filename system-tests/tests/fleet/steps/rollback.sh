# One variable takes everything back, byte for byte; a second time there is nothing to do.
play rollout $AT_ONCE --extra-vars wirespeed_state=absent > said 2>&1 || { cat said; exit 1; }
for host in hosts/*; do
    diff -r "$host/before/ssl" "$host/root/etc/ssl"
    not ls "$host/root/usr/bin/wirespeed" "$host/root/etc/wirespeed" "$host/root/var/lib/wirespeed" \
        "$host/root/etc/cron.d/wirespeed-doctor" 2> said
done
soon asks_to 'wirespeed_module_loaded' ""
play rollback > said 2>&1 || { cat said; exit 1; }
not grep 'changed=[1-9]' said
