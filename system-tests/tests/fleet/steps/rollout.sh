# Canary, batch, rest. The controller is killed in the second batch, and a host cut off in the last.
at "$WITH_NGINX" "service nginx start"
begin rollout 2 'Copy the plan of its kind'
sleep 1
kill_controller
begin rollout 3 'Gathering Facts'
cut_off "$LAST"
not wait "$controller"
grep "^$LAST .*unreachable=1" said || { cat said; exit 1; }
not grep 'failed=[1-9]' said
boot "$LAST"
at "$LAST" "service nginx start"
# Once more, and it is as if nothing had happened: services are restarted, and there is nothing to do but at one host.
play rollout > said 2>&1 || { cat said; exit 1; }
[ "$(grep -c '^PLAY \[' said)" = 3 ]
grep -v "^$LAST " said | not grep ' changed=[1-9]'
at all '! wirespeed doctor | sed -n "/^processes/,/^containers/p" | grep nginx'
# Programs use it and count.
for host in $(echo "$HOSTS" | sed 's/ l.*//'); do
    curl --silent --insecure --output got "https://$(cat hosts/$host/address)/zeros"
    cmp got "hosts/$host/root/srv/zeros"
done
at all 'for cipher in aes-128-ctr camellia-128-ctr; do
    openssl enc -$cipher -K 00 -iv 00 -in /srv/zeros -out /dev/null 2>&1; done'
doctor all
soon asks_to 'wirespeed_module_loaded' "$(each 1)"
soon asks_to 'wirespeed_plan_fits' "$(each 1)"
soon asks_to 'sum by (instance) (wirespeed_processed_bytes_total{route!="libcrypto"}) > bool 999999' "$(each 1)"
for alert in PlanStale ModuleGone DoctorFault RouteQuarantined; do alerts Wirespeed$alert ""; done
