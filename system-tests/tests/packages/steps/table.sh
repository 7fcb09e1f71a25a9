wirespeed --seconds 0.02 > /tmp/table
grep -q 'all proved on this machine' /tmp/table
grep -q '^AES-128-GCM enc .*GB/s' /tmp/table
grep -q 'sudo wirespeed install' /tmp/table
