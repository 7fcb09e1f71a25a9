# In the folder where lint.sh has installed the collection.
export HOME=$PWD/home ANSIBLE_COLLECTIONS_PATH=$PWD/collections PATH=/usr/sbin:/usr/bin:/sbin:/bin
mkdir -p home/.ansible/test/cache
# It would fetch pip from a place of its own; Python has one.
cat > home/.ansible/test/cache/get_pip_21_3_1.py <<'END'
import ensurepip, subprocess, sys
ensurepip.bootstrap()
sys.exit(subprocess.call([sys.executable, '-m', 'pip', 'install'] + sys.argv[1:]))
END
cd collections/ansible_collections/wirespeed/fleet
python=$(/usr/bin/python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
ansible-test sanity --python "$python" --color no
