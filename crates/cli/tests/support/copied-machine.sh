# In a mount namespace: /etc and the folders that `openssl version` names, copied into $folder and mounted over
# themselves; and openssl.cnf as it was before.
cp -a /etc "$folder/etc"
mount --bind "$folder/etc" /etc
modules=$(openssl version -m | cut -d'"' -f2)
settings=$(openssl version -d | cut -d'"' -f2)
cp -a "$modules" "$folder/copied"
mount --bind "$folder/copied" "$modules"
case $(realpath "$settings/openssl.cnf") in
    /etc/*) ;;
    *) cp -a "$settings" "$folder/settings"; mount --bind "$folder/settings" "$settings" ;;
esac
cp "$settings/openssl.cnf" "$folder/before"
