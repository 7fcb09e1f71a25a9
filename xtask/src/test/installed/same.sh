# Every format installs the same files. In one form: the folder of libraries is lib, that of completions zsh.
folder=$1
plain() { sed -E 's#^lib(64|/[a-z0-9_]+-linux-gnu)/#lib/#; s#zsh/(vendor-completions|site-functions)/#zsh/#' | sort; }
work=$(mktemp -d)
for file in "$folder"/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar --list | sed -n 's#^\./usr/##p' | grep -Ev '(^|/)$'
done | grep -Ev '^share/doc/[^/]+/(copyright|changelog.gz)$' | plain > "$work/deb"
for file in "$folder"/*.rpm; do
    rpm --query --package --queryformat '[%{FILEMODES:perms} %{FILENAMES}\n]' "$file"
done | sed -n '/^d/!s#^[^ ]* /usr/##p' | grep -v '^share/licenses/' | plain > "$work/rpm"
tar --list --file "$folder"/*-gnu.tar.xz | sed 's#^[^/]*/##' | grep -Ev '(^|/)$|^LICENSE-' | plain > "$work/tar"
grep -qx lib/ossl-modules/libwirespeed.so "$work/deb"
diff "$work/deb" "$work/rpm"
diff "$work/deb" "$work/tar"
rm -r "$work"
