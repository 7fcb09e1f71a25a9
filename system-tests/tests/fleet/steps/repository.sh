# Hosts install from a repository as docs/packages.md makes it, and refuse one that was changed after it was signed.
document=$REPOSITORY/docs/packages.md
hosts=$(named '[af]1' | tr ' ' ,)
export GNUPGHOME=$WORK/gnupg key=fleet@localhost
mkdir -m 700 gnupg
gpg --batch --quiet --passphrase '' --quick-generate-key "$key" ed25519 sign never
mkdir repository
cp $(find "$WIRESPEED_PACKAGES" -name '*.deb' -o -name '*.rpm') repository
# HEAD: the block of the document that begins so.
block() {
    sed -n "/^$1\$/,/^\`\`\`/p" "$document" | sed '$d; s#https://example.org/wirespeed#file:///srv/repository#'
}
block '# Debian, Ubuntu.*' > sign.sh
(cd repository && sh -eu ../sign.sh)
block 'Types: deb' > wirespeed.sources
block '\[wirespeed\]' > wirespeed.repo
for host in $(named '[af]1'); do
    root=hosts/$host/root
    cp -r repository "$root/srv"
    mkdir -p "$root/etc/apt/keyrings" "$root/etc/yum.repos.d"
    cp repository/wirespeed.asc "$root/etc/apt/keyrings"
    cp wirespeed.sources "$root/etc/apt/sources.list.d"
    cp wirespeed.repo "$root/etc/yum.repos.d"
    # Debian's own archive is out of reach.
    rm -f "$root/etc/apt/sources.list"
    sed -i '/^Architectures:/d; /^Date:/d' "$root/srv/repository/InRelease"
    echo '<!-- changed -->' >> "$root/srv/repository/repodata/repomd.xml"
done
restart_sshd "$hosts"
from_there() {
    play rollout $AT_ONCE --limit "$hosts" --extra-vars wirespeed_packages= "$@" > said 2>&1
}
not from_there
[ "$(grep -c 'failed=1' said)" = "$(named '[af]1' | wc -w)" ] || { cat said; exit 1; }
not ls hosts/*/root/usr/bin/wirespeed 2> said
for host in $(named '[af]1'); do
    cp -r repository "hosts/$host/root/srv"
done
from_there || { cat said; exit 1; }
at "$hosts" 'wirespeed doctor'
from_there --extra-vars wirespeed_state=absent || { cat said; exit 1; }
as_before
