# Each program by itself, the other end without the module; by the counters it was our routes that served it.
# Without a plan, which might leave this cipher to OpenSSL on some machines.
cd /tmp
cp -a /etc/ssl/openssl.cnf installed.cnf
install -d -m 1777 /var/lib/wirespeed/stats
printf '\n\n[wirespeed_sect]\nstats = /var/lib/wirespeed/stats\nplan = /nowhere\n' >> /etc/ssl/openssl.cnf

stock='env OPENSSL_CONF=/dev/null'
counted() {
    wirespeed stats > counted
    grep "^AES-128-$2 " counted || { echo "$1 did nothing with AES-128-$2"; cat counted; exit 1; }
    rm -f /var/lib/wirespeed/stats/*
}

head -c 3000000 /usr/bin/wirespeed > message
openssl enc -aes-128-ctr -K 00 -iv 00 -in message -out sealed 2> /dev/null
counted openssl CTR
$stock openssl enc -d -aes-128-ctr -K 00 -iv 00 -in sealed 2> /dev/null | cmp - message

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout key.pem \
    -out certificate.pem 2> /dev/null
cat > nginx.conf <<'END'
pid /tmp/nginx.pid;
error_log /tmp/nginx.log;
user root;
events {}
http {
    access_log off;
    server {
        listen 127.0.0.1:8443 ssl;
        ssl_certificate /tmp/certificate.pem;
        ssl_certificate_key /tmp/key.pem;
        ssl_protocols TLSv1.2;
        ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;
        root /tmp;
    }
}
END
rm -f /var/lib/wirespeed/stats/*
nginx -c /tmp/nginx.conf
$stock curl --silent --insecure https://127.0.0.1:8443/message | cmp - message
nginx -c /tmp/nginx.conf -s stop
sleep 1
counted nginx GCM

$stock nginx -c /tmp/nginx.conf
curl --silent --insecure https://127.0.0.1:8443/message | cmp - message
counted curl GCM
python3 - <<'END'
import ssl, socket
context = ssl._create_unverified_context()
with context.wrap_socket(socket.create_connection(("127.0.0.1", 8443))) as it:
    it.sendall(b"GET /message HTTP/1.0\r\n\r\n")
    answer = b"".join(iter(lambda: it.recv(65536), b""))
assert answer.endswith(open("/tmp/message", "rb").read())
END
counted python3 GCM
$stock nginx -c /tmp/nginx.conf -s stop

mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f identity
rm -f /var/lib/wirespeed/stats/*
/usr/sbin/sshd -p 2222 -o PidFile=/tmp/sshd.pid -o AuthorizedKeysFile=/tmp/identity.pub -o StrictModes=no
# It listens a moment after it said that it runs.
for _ in $(seq 100); do ss -lnt | grep -q ':2222 ' || sleep 0.1; done
$stock ssh -p 2222 -i identity -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
    -c aes128-gcm@openssh.com 127.0.0.1 cat /tmp/message | cmp - message
kill "$(cat sshd.pid)"
sleep 1
counted sshd GCM

cp -a installed.cnf /etc/ssl/openssl.cnf
rm -r /var/lib/wirespeed
