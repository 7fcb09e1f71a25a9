//! What comes out of a guest: each of its consoles is a socket that QEMU connects to.

use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Where one console of the guest ends.
pub(crate) struct Console {
    path: PathBuf,
    listener: UnixListener,
}

impl Console {
    pub(crate) fn new(path: PathBuf) -> Result<Self, String> {
        let listener =
            UnixListener::bind(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self { path, listener })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Passes on what comes, as it comes, until the guest is gone.
    pub(crate) fn pass_on(&self, to: &mut (dyn Write + Send)) -> io::Result<()> {
        let (mut stream, _) = self.listener.accept()?;
        let mut buffer = [0; 1 << 16];
        loop {
            match stream.read(&mut buffer)? {
                0 => return Ok(()),
                // A reader who has gone must not stop the guest.
                count => drop(to.write_all(&buffer[..count]).and_then(|()| to.flush())),
            }
        }
    }

    /// Ends [`Self::pass_on`] where QEMU has gone without ever connecting.
    pub(crate) fn finish(&self) {
        // Nobody may be waiting.
        let _ = UnixStream::connect(&self.path);
    }
}
