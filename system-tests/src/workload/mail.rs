//! Mail over TLS, fetched and sent by curl.

use wirespeed_system_tests::client::curl;
use wirespeed_system_tests::process::output;
use wirespeed_system_tests::servers::{dovecot, postfix};

use super::{MIB, Meter, Provided, Ready};

/// A large one. Its lines end as in SMTP and IMAP: nothing is converted.
fn message(mebibytes: usize) -> Vec<u8> {
    let line = [&[0x5a; 62][..], b"\r\n"].concat();
    [&b"Subject: a large one\r\n\r\n"[..], &line.repeat(mebibytes * MIB / line.len())].concat()
}

/// A message to a client; all of Dovecot is measured.
pub(crate) fn dovecot(provided: Provided<'_>, suite: &'static str, mebibytes: usize) -> Ready {
    let server = dovecot::start(provided, suite, &message(mebibytes))?;
    let mut client = curl(Provided::Stock, server.certificate(), &dovecot::address(&server));
    client.args(["--output", "/dev/null"]);
    Ok(Box::new(move |meter: &Meter| {
        meter.during(server.running().processes(), || output(&mut client).map(drop))
    }))
}

/// A message from a client; all of Postfix is measured.
pub(crate) fn postfix(provided: Provided<'_>, mebibytes: usize) -> Ready {
    let server = postfix::start(provided)?;
    std::fs::write(server.path("message"), message(mebibytes)).map_err(|it| it.to_string())?;
    let mut client = curl(Provided::Stock, server.certificate(), &postfix::address(&server));
    client.args(["--mail-from", "one@localhost", "--mail-rcpt", "other@localhost"]);
    client.arg("--upload-file").arg(server.path("message"));
    // The first brings up its processes.
    output(&mut client)?;
    Ok(Box::new(move |meter: &Meter| {
        meter.during(server.running().processes(), || output(&mut client).map(drop))
    }))
}
