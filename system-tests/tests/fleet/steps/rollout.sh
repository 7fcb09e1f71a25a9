# Canary, batch, rest; then programs use it and count; and a second run changes nothing.
at all "service nginx start"
play rollout > said 2>&1 || { cat said; exit 1; }
[ "$(grep -c '^PLAY \[' said)" = 3 ]
for number in 1 2 3 4 5 6; do
    curl --silent --insecure --output got https://127.0.1.$number/zeros
    cmp got hosts/a1/root/srv/zeros
done
play rollout > said 2>&1 || { cat said; exit 1; }
not grep "changed=[1-9]" said
doctor all
soon asks_to 'wirespeed_module_loaded' "a1 1 a2 1 a3 1 b1 1 c1 1 c2 1 "
soon asks_to 'wirespeed_plan_fits' "a1 1 a2 1 a3 1 b1 1 c1 1 c2 1 "
soon asks_to 'sum by (instance) (wirespeed_processed_bytes_total{route!="libcrypto"}) > bool 999999' \
    "a1 1 a2 1 a3 1 b1 1 c1 1 c2 1 "
for alert in PlanStale ModuleGone DoctorFault RouteQuarantined; do alerts Wirespeed$alert ""; done
