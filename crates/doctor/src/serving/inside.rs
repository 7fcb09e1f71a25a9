//! What encrypts inside an executable that loads no library for it: told by what its makers left in it.
//!
//! Programs may have hundreds of megabytes, so they are read in pieces.

use std::io::{self, ErrorKind, Read};

use memchr::memmem;
use wirespeed_installation::{openssl_folder, openssl_inside};

/// Bytes read at once.
const PIECE: usize = 1 << 20;
/// What the next piece begins with: no text that is looked for is longer.
const OVERLAP: usize = 256;

/// The beginning of what Go writes about a build (debug/buildinfo).
const GO: &[u8] = b"\xff Go buildinf:";
/// Where the version stands behind it since Go 1.18: its length, then its text.
const GO_VERSION: usize = 32;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    /// The version of an OpenSSL.
    pub(crate) openssl: Option<String>,
    /// Where that looks for its configuration.
    folder: Option<String>,
    /// Go's version, if it was made with Go.
    go: Option<String>,
    /// Which of the marks it has.
    marks: [bool; MARKS.len()],
}

/// What only stands in a program that has something inside.
struct Mark {
    text: &'static [u8],
    name: &'static str,
}

/// Names of functions and of source files stay in stripped programs: for Go's tables and for Rust's panics.
const MARKS: &[Mark] = &[
    Mark { text: b"crypto/tls.(*Conn).", name: "Go" },
    Mark { text: b"\0AWS-LC ", name: "AWS-LC" },
    Mark { text: b"/aws-lc-sys-", name: "AWS-LC" },
    Mark { text: b"\0BoringSSL\0", name: "BoringSSL" },
    Mark { text: b"/rustls-0.", name: "rustls" },
    Mark { text: b"/ring-0.", name: "ring" },
];

impl Inside {
    /// Reads a program.
    pub(crate) fn read(mut program: impl Read) -> io::Result<Self> {
        let finders = MARKS.iter().map(|mark| memmem::Finder::new(mark.text)).collect::<Vec<_>>();
        let go = memmem::Finder::new(GO);
        let mut found = Self::default();
        let mut buffer = vec![0; OVERLAP + PIECE];
        let mut kept = 0;
        loop {
            let read = fill(&mut program, &mut buffer[kept..])?;
            if read == 0 {
                return Ok(found);
            }
            let piece = &buffer[..kept + read];
            for (mark, finder) in found.marks.iter_mut().zip(&finders) {
                *mark = *mark || finder.find(piece).is_some();
            }
            if let Some(version) = go.find(piece).and_then(|at| go_version(&piece[at..])) {
                found.go = Some(version);
            }
            if found.openssl.is_none() {
                found.openssl = openssl_inside(piece);
            }
            if found.folder.is_none() {
                found.folder = openssl_folder(piece);
            }
            let end = piece.len();
            kept = end.min(OVERLAP);
            buffer.copy_within(end - kept..end, 0);
        }
    }

    /// How the program of this name has the OpenSSL inside it load a module; nothing where no provider reaches it.
    pub(crate) fn way(&self, program: &str, is_installed: bool) -> Option<String> {
        self.openssl.as_ref().filter(|version| !version.starts_with('1'))?;
        let folder = self.folder.as_deref().unwrap_or("/usr/local/ssl");
        let reads = format!("{folder}/openssl.cnf");
        let way = match program {
            // Else it looks for nodejs_conf instead of openssl_conf (node(1)).
            "node" | "nodejs" => format!(
                "NODE_OPTIONS=--openssl-shared-config in its environment: it reads {reads} then"
            ),
            _ => format!(
                "wirespeed doctor -- CMD shows whether it was built to load modules: it reads {reads} then; if \
                 not, a build that is linked with the system's libcrypto"
            ),
        };
        let before = if is_installed { "" } else { "sudo wirespeed install, then " };
        Some(format!("{before}{way}"))
    }

    /// What encrypts, and its version.
    pub(super) fn crypto(&self) -> Option<(&'static str, Option<String>)> {
        if let Some(version) = &self.openssl {
            return Some(("OpenSSL", Some(version.clone())));
        }
        let marked = MARKS.iter().zip(self.marks).find(|(_, is_there)| *is_there);
        // Go's standard library: a program of another language may name its functions.
        match marked.map(|(mark, _)| mark.name) {
            Some("Go") => self.go.clone().map(|version| ("Go", Some(version))),
            name => name.map(|name| (name, None)),
        }
    }
}

/// Reads until the buffer is full or there is no more.
fn fill(program: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    loop {
        match program.read(&mut buffer[read..]) {
            Ok(0) => return Ok(read),
            Ok(more) => read += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// "1.24.3".
fn go_version(information: &[u8]) -> Option<String> {
    let length = usize::from(*information.get(GO_VERSION)?);
    let text = information.get(GO_VERSION + 1..)?.get(..length)?;
    std::str::from_utf8(text).ok()?.strip_prefix("go").map(str::to_owned)
}

/// What there is to do where no provider reaches what is inside.
pub(super) fn lever(name: &str) -> &'static str {
    match name {
        "OpenSSL" => {
            "OpenSSL 1 knows no providers: a build that is linked with the system's libcrypto"
        }
        "Go" => {
            "Go has code of its own for AES-GCM on CPUs with AES; or TLS by nginx, haproxy or stunnel in front"
        }
        _ => "it takes no providers; or TLS by nginx, haproxy or stunnel in front",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crypto(program: &[u8]) -> Option<(&'static str, Option<String>)> {
        Inside::read(program).expect("readable").crypto()
    }

    /// As Go 1.18 and later write it.
    fn go(version: &str) -> Vec<u8> {
        let mut program = b"\x7fELF".to_vec();
        program.extend_from_slice(GO);
        program.resize(4 + GO_VERSION, 0);
        program.push(u8::try_from(version.len()).expect("short"));
        program.extend_from_slice(version.as_bytes());
        program
    }

    #[test]
    fn go_is_told_with_its_version_and_only_where_it_encrypts() {
        let mut program = go("go1.24.3");
        assert_eq!(crypto(&program), None, "no TLS in it");
        program.extend_from_slice(b"\0crypto/tls.(*Conn).Handshake\0");
        assert_eq!(crypto(&program), Some(("Go", Some("1.24.3".to_owned()))));
        assert_eq!(crypto(b"crypto/tls.(*Conn).Handshake in a text about Go"), None);
    }

    #[test]
    fn others_are_told_by_what_they_leave() {
        for (text, name) in [
            ("x\0BoringSSL\0", "BoringSSL"),
            ("x\0AWS-LC 1.48.0", "AWS-LC"),
            ("/root/.cargo/registry/src/i/ring-0.17.8/src/aead.rs", "ring"),
        ] {
            assert_eq!(crypto(text.as_bytes()), Some((name, None)));
        }
        assert_eq!(crypto(b"nothing of the kind"), None);
        assert_eq!(crypto(b"OpenSSL 1.1.1 (compatible; BoringSSL)\0"), None);
    }

    #[test]
    fn an_openssl_inside_may_be_reached() {
        let way = |program, text: &[u8]| Inside::read(text).expect("readable").way(program, true);
        let own = b"OpenSSL 3.0.19 27 Jan 2026\0OPENSSLDIR: \"/etc/ssl\"\0";
        let node = way("node", own).expect("a way");
        assert!(
            node.starts_with("NODE_OPTIONS=--openssl-shared-config")
                && node.contains("/etc/ssl/openssl.cnf")
        );
        assert!(way("mysqld", own).expect("a way").contains("wirespeed doctor -- CMD"));
        assert_eq!(way("node", b"OpenSSL 1.1.1w  11 Sep 2023\0"), None);
    }

    #[test]
    fn what_lies_across_two_pieces_is_found() {
        let text = b"OpenSSL 3.5.6 7 Apr 2026\0";
        for before in [0, 1, 10, text.len(), PIECE] {
            let mut program = vec![b' '; PIECE - before];
            program.extend_from_slice(text);
            program.extend_from_slice(&[0; 300]);
            let found = crypto(&program);
            assert_eq!(found, Some(("OpenSSL", Some("3.5.6".to_owned()))), "{before}");
        }
    }
}
