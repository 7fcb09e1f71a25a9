//! Data from an sshd.

use wirespeed_system_tests::scratch::Scratch;
use wirespeed_system_tests::servers::sshd::Sshd;

use super::conversation::{Session, newcomers};
use super::{MIB, Meter, Provided, Ready, alone};

/// The sshd's process of the session is measured; an empty `mac` is the cipher's own.
pub(crate) fn sshd(
    provided: Provided<'_>,
    cipher: &'static str,
    mac: &'static str,
    mebibytes: usize,
) -> Ready {
    let sshd = Sshd::start(provided)?;
    let options = if mac.is_empty() { vec![] } else { vec!["-m", mac] };
    let master = sshd.running().processes();
    let bytes = mebibytes * MIB;
    // A session for each round, because one may be lucky with its caches for all its life. It says that
    // it is ready; on a line of input come the data; on the end of input it ends.
    Ok(Box::new(move |meter: &Meter| {
        let mut client = sshd.ssh(cipher, &options);
        Provided::Stock.to(&mut client);
        client.arg(format!("echo; read line; head -c {bytes} /dev/zero; read line"));
        let mut session = Session::start(&mut client)?;
        session.receive(1)?;
        let spent = meter.during(newcomers(sshd.running(), "sshd", &master), || {
            session.say("\n")?;
            session.receive(bytes)
        })?;
        session.end()?;
        Ok(spent)
    }))
}

/// A file from a stock sshd; the rsync that fetches it is measured, with its ssh.
pub(crate) fn rsync(provided: Provided<'_>, cipher: &'static str, mebibytes: usize) -> Ready {
    let sshd = Sshd::start(Provided::Stock)?;
    let file = sshd.home("file");
    std::fs::write(&file, vec![0x5a; mebibytes * MIB]).map_err(|error| error.to_string())?;
    let scratch = Scratch::new()?;
    let to = scratch.path("file").display().to_string();
    let mut client = sshd.rsync(cipher, &format!(":{}", file.display()), &to);
    provided.to(&mut client);
    alone(client, (sshd, scratch))
}
