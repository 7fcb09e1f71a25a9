# A plan of another version stays, and the package says that it fits no more.
cp -a /etc/wirespeed/plan /tmp/plan
sed -i 's/^wirespeed  .*/wirespeed  0.0.1/' /etc/wirespeed/plan
not cmp -s /etc/wirespeed/plan /tmp/plan
dpkg -i /later/wirespeed_*.deb > /tmp/said 2>&1
grep 'is ignored: made for' /tmp/said
grep 'sudo wirespeed install' /tmp/said
cp -a /tmp/plan /etc/wirespeed/plan
