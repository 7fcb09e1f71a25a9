# The controller is killed while packages are installed, and a host cut off. It goes on from there.
begin survey 1 'Install them'
sleep 1
kill_controller
cut_off "$LESSER"
boot "$LESSER"
# A plan for each kind is measured, once.
play survey > said 2>&1 || { cat said; exit 1; }
[ "$(ls plans | wc -l)" = "$(kinds)" ] || { cat said; ls plans; exit 1; }
[ "$(ls results | wc -l)" = "$(echo $HOSTS | wc -w)" ]
at "$LESSER" 'wirespeed routes --json'
kind=$(sed -n 's/^ *"kind": "\(.*\)",$/\1/p' told)
[ -s "plans/$kind"-*.plan ]
# The CPU's own features are in it all the same.
grep -v '^features ' "plans/$kind"-*.plan > chosen
not grep ' vaes\| gfni\| avx2' chosen
# Packages change nothing by themselves.
as_before
play survey > said 2>&1
not grep 'changed=[1-9]' said
