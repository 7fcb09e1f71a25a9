# OpenSSL is upgraded on half of them: their plans go stale, and the alert fires; measured again, it ends.
upgraded=$(named a)
pattern=$(echo "$upgraded" | tr ' ' ,)
at "$pattern" "dpkg --install --force-confold /srv/newer/*.deb"
restart_sshd "$pattern"
doctor all
soon asks_to 'wirespeed_plan_fits == 0' "$(for host in $upgraded; do echo "$host 0"; done | tr '\n' ' ')"
soon alerts WirespeedPlanStale "$upgraded"
# Prometheus is killed, too: it knows what it knew.
kill -KILL "$(cat prometheus.process)"
# The more it knows, the longer it takes to be gone.
is_gone() { ! promtool query instant http://127.0.0.1:9090 1 > /dev/null 2>&1; }
soon is_gone
watch
soon asks_to 'count_over_time(wirespeed_plan_fits{instance="a1"}[30m]) > bool 30' "a1 1 "
soon alerts WirespeedPlanStale "$upgraded"
play survey > said 2>&1 || { cat said; exit 1; }
# Where it is at work, the survey upgrades nothing.
not grep 'install : Install them' said
[ "$(ls plans | wc -l)" = $(($(kinds) + 1)) ]
for host in $upgraded; do
    grep --fixed-strings "$(chroot "hosts/$host/root" openssl version | cut -d ' ' -f 1-2)" "results/$host.json"
done
hosts/a1/root/usr/bin/wirespeed report --fleet results --output page.html
grep "^<p>$(echo $HOSTS | wc -w) hosts of $(kinds) kinds\\. " page.html
grep 's of CPU time are saved a day' page.html
play rollout $AT_ONCE > said 2>&1 || { cat said; exit 1; }
not grep '^[b-z].* changed=[1-9]' said
doctor all
soon alerts WirespeedPlanStale ""
