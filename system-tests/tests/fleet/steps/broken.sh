# On one host a route has given wrong bytes: its doctor says so, its batch is the last, and the alert fires.
# The counters' sixth word holds the routes that were quarantined.
at a2 'printf "\002" | dd of=/var/lib/wirespeed/stats/stats-0 bs=1 seek=40 conv=notrunc'
not play rollout > said 2>&1
grep 'a2 .*failed=1' said || { cat said; exit 1; }
# The canary was before it, the rest was never begun.
grep '^a1 .*failed=0' said
not grep '^[b-z][0-9] ' said
soon alerts WirespeedRouteQuarantined "a2"
