# Every file but those of apt, dpkg, ldconfig and nginx about what they did.
cat > /tmp/list <<'END'
find / -xdev \( -path /proc -o -path /dev -o -path /run -o -path /tmp -o -path /packages -o -path /later \
    -o -path /before -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/cache \
    -o -path /var/lib/nginx \) \
    -prune -o -print | sort
END
cp -a /etc /before
sh /tmp/list > /tmp/files
