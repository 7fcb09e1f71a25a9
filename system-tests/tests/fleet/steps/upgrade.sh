# OpenSSL is upgraded on half of them: their plans go stale, and the alert fires; measured again, it ends.
at a1,a2,a3 "dpkg --install --force-confold /srv/newer/*.deb"
# An administrator restarts sshd then.
at a1,a2,a3 'nohup sh -c "sleep 1; for process in /proc/[0-9]*; do
    case \$(cat \$process/comm) in sshd*) kill \${process#/proc/};; esac; done" > /dev/null 2>&1 &'
sleep 2
doctor all
soon asks_to 'wirespeed_plan_fits' "a1 0 a2 0 a3 0 b1 1 c1 1 c2 1 "
soon alerts WirespeedPlanStale "a1 a2 a3"
play survey > said 2>&1 || { cat said; exit 1; }
[ "$(ls plans | wc -l)" = 4 ]
not grep 3.0.20 results/a*.json
hosts/a1/root/usr/bin/wirespeed report --fleet results --output page.html
grep '^<p>6 hosts of 3 kinds\. ' page.html
grep 's of CPU time are saved a day' page.html
play rollout > said 2>&1 || { cat said; exit 1; }
doctor all
soon alerts WirespeedPlanStale ""
