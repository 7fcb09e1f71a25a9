//! Postfix, which takes mail over SMTP with TLS, and throws it away.

use crate::module::Provided;
use crate::running::Daemon;
use crate::servers::service::{Place, Service};

/// The program that starts all others, where Debian has them.
pub const PROGRAM: &str = "/usr/lib/postfix/sbin/master";

/// Its programs: name, kind, processes at most, and what is run.
const PROGRAMS: &str = "\
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - 1 trivial-rewrite
tlsmgr unix - - n 1000? 1 tlsmgr
discard unix - - n - 1 discard
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
";

/// Starts one with one process for clients.
pub fn start(provided: Provided<'_>) -> Result<Service, String> {
    let place = Place::new()?;
    let root = place.path("");
    for folder in ["queue", "data"] {
        place.scratch.folder(folder)?;
    }
    place.prepare(&["chmod", "755", "queue", "data"])?;
    place.prepare(&["chown", "postfix", "data"])?;
    place.scratch.write("main.cf", configuration(&place))?;
    let smtpd = format!("127.0.0.1:{} inet n - n - 1 smtpd\n", place.port);
    place.scratch.write("master.cf", format!("{smtpd}{PROGRAMS}"))?;
    place.prepare(&["/usr/sbin/postfix", "-c", &root, "check"])?;
    let daemon = Daemon::new(PROGRAM, provided, "").arguments(["-s", "-c", &root]);
    place.start(daemon)
}

/// Where it takes mail.
pub fn address(service: &Service) -> String {
    format!("smtps://localhost:{}", service.port())
}

fn configuration(place: &Place) -> String {
    let root = place.path("");
    format!(
        "compatibility_level = 3.6\nqueue_directory = {root}queue\ndata_directory = {root}data\n\
         command_directory = /usr/sbin\ndaemon_directory = /usr/lib/postfix/sbin\n\
         mail_owner = postfix\nsetgid_group = postdrop\nmyhostname = localhost\n\
         inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmydestination = localhost\n\
         local_recipient_maps =\nlocal_transport = discard\nalias_maps =\n\
         message_size_limit = 0\nmailbox_size_limit = 0\nmax_idle = 1h\nmax_use = 1000\n\
         import_environment = OPENSSL_CONF OPENSSL_ia32cap MAIL_CONFIG MAIL_LOGTAG\nmaillog_file = /dev/stdout\n\
         smtpd_peername_lookup = no\nsmtpd_tls_wrappermode = yes\n\
         smtpd_tls_security_level = encrypt\nsmtpd_tls_cert_file = {}\nsmtpd_tls_key_file = {}\n",
        place.certificate.certificate.display(),
        place.certificate.key.display(),
    )
}
