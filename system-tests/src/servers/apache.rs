//! Apache httpd, which serves files over TLS.

use crate::module::Provided;
use crate::running::Daemon;
use crate::servers::service::{Place, Service};

/// The program.
pub const PROGRAM: &str = "/usr/sbin/apache2";

/// Starts one with a single process of workers, which offers a file by the name `file`.
pub fn start(provided: Provided<'_>, suite: &str, file: &[u8]) -> Result<Service, String> {
    let place = Place::new()?;
    place.scratch.folder("www")?;
    place.scratch.write("www/file", file)?;
    let configuration = place.scratch.write("apache.conf", configuration(&place, suite))?;
    let daemon = Daemon::new(PROGRAM, provided, "")
        .arguments(["-D", "FOREGROUND", "-f"])
        .arguments([configuration]);
    place.start(daemon)
}

fn configuration(place: &Place, suite: &str) -> String {
    let modules: String = ["mpm_event", "authz_core", "ssl"]
        .map(|name| format!("LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so\n"))
        .concat();
    let [root, port] = [place.path(""), place.port.to_string()];
    format!(
        "{modules}ServerRoot {root}\nServerName localhost\nDefaultRuntimeDir {root}\n\
         PidFile {root}/pid\nMutex file:{root}\nErrorLog /dev/stderr\nUser www-data\nGroup www-data\n\
         ServerLimit 1\nStartServers 1\nThreadLimit 4\nThreadsPerChild 4\nMinSpareThreads 1\n\
         MaxSpareThreads 4\nMaxRequestWorkers 4\nListen 127.0.0.1:{port}\nDocumentRoot {root}/www\n\
         SSLEngine on\nSSLProtocol TLSv1.3\nSSLCipherSuite TLSv1.3 {suite}\n\
         SSLCertificateFile {}\nSSLCertificateKeyFile {}\n",
        place.certificate.certificate.display(),
        place.certificate.key.display(),
    )
}
