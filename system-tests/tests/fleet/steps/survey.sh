# A plan for each kind is measured, once.
play survey > said 2>&1 || { cat said; exit 1; }
[ "$(ls plans | wc -l)" = 3 ] || { cat said; ls plans; exit 1; }
[ "$(ls results | wc -l)" = 6 ]
at b1 'wirespeed routes --json'
kind=$(sed -n 's/^ *"kind": "\(.*\)",$/\1/p' told)
[ -s "plans/$kind.plan" ]
not grep -l ' vaes\| gfni\| avx2' "plans/$kind.plan"
# Packages change nothing by themselves.
for host in hosts/*; do diff -r "$host/before/ssl" "$host/root/etc/ssl"; done
play survey > said 2>&1
not grep 'changed=[1-9]' said
