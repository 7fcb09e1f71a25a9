//! Dovecot, which serves mail over IMAP with TLS.

use crate::module::Provided;
use crate::running::Daemon;
use crate::servers::service::{Place, Service};

/// The program.
pub const PROGRAM: &str = "/usr/sbin/dovecot";

/// Starts one with a single message in its mailbox. One process takes TLS off, in a root of its own; one reads mail.
pub fn start(provided: Provided<'_>, suite: &str, message: &[u8]) -> Result<Service, String> {
    let place = Place::new()?;
    for folder in ["mail", "mail/new", "mail/tmp", "mail/cur"] {
        place.scratch.folder(folder)?;
    }
    place.scratch.write("mail/cur/1:2,S", message)?;
    let configuration = place.scratch.write("dovecot.conf", configuration(&place, suite))?;
    let daemon = Daemon::new(PROGRAM, provided, "").arguments(["-F", "-c"]);
    place.start(daemon.arguments([configuration]))
}

/// Where its message is.
pub fn address(service: &Service) -> String {
    format!("imaps://user:secret@localhost:{}/INBOX;MAILINDEX=1", service.port())
}

fn configuration(place: &Place, suite: &str) -> String {
    let [root, port] = [place.path(""), place.port.to_string()];
    // One client at a time: a process more would not be measured.
    let one = "service_count = 0\nprocess_min_avail = 1\nprocess_limit = 1\n";
    format!(
        "base_dir = {root}run\nstate_dir = {root}state\nlog_path = /dev/stderr\n\
         protocols = imap\nlisten = 127.0.0.1\nimport_environment = OPENSSL_CONF OPENSSL_ia32cap\n\
         ssl = required\nssl_cipher_suites = {suite}\nssl_cert = <{}\nssl_key = <{}\n\
         mail_location = maildir:{root}mail\nfirst_valid_uid = 1\n\
         passdb {{\ndriver = static\nargs = password=secret\n}}\n\
         userdb {{\ndriver = static\nargs = uid=www-data gid=www-data home={root}\n}}\n\
         service imap-login {{\ninet_listener imap {{\nport = 0\n}}\n\
         inet_listener imaps {{\nport = {port}\n}}\n{one}}}\nservice imap {{\n{one}}}\n",
        place.certificate.certificate.display(),
        place.certificate.key.display(),
    )
}
