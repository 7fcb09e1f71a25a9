# In an empty folder; $1: the repository. Builds the collection as people do and has it judged where it is installed.
ansible-galaxy collection build "$1/fleet" --output-path .
ansible-galaxy collection install --offline wirespeed-fleet-*.tar.gz -p collections
export ANSIBLE_COLLECTIONS_PATH=$PWD/collections
cd collections/ansible_collections/wirespeed/fleet
# A built collection lacks these.
cp "$1/fleet/galaxy.yml" "$1/fleet/.ansible-lint" .
# It lints what git knows, and here all is ignored by the repository around: without git it lints what is there.
GIT_CEILING_DIRECTORIES=${PWD%/*} ansible-lint --offline --nocolor > ../said 2>&1 || { cat ../said; exit 1; }
if grep "on 0 files" ../said; then exit 1; fi
