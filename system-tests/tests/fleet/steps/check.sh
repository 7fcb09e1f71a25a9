# What would be done is shown, and nothing is.
play rollout --check --diff --limit "a1,$LAST" > said 2>&1 || { cat said; exit 1; }
grep '^+module = /usr/lib/.*/ossl-modules/libwirespeed.so # wirespeed install' said
as_before
