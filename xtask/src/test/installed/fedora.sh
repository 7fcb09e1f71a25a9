# Lays the system in this folder, which is Debian's, out as Fedora's: its libcrypto looks into Fedora's folders.
library=$(echo usr/lib/*-linux-gnu/libcrypto.so.3)
modules=/$(dirname "$library")/ossl-modules
# Each path by one of the same length.
same=/usr/lib64$(printf "%$((${#modules} - 22))s" '' | tr ' ' /)ossl-modules
LC_ALL=C sed -i "s#$modules#$same#g; s#/usr/lib/ssl#/etc/pki/tls#g" "$library"
mkdir -p etc/pki/tls/openssl.d usr/lib64/ossl-modules
cat > etc/pki/tls/openssl.cnf <<'END'
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
alg_section = evp_properties
[evp_properties]
[provider_sect]
default = default_sect
[default_sect]
activate = 1
[req]
default_bits = 2048
.include = /etc/pki/tls/openssl.d
END
