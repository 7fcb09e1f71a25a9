//! Descriptors that the program closes, and what it puts in their place: nothing of ours may go there.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use wirespeed_af_alg::{Cipher, Error, Interface, Permission, Transform};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, cipher, same};
use crate::hashes;
use crate::oracle;

/// The descriptors of this process, with what they are.
pub(crate) fn all() -> Vec<(RawFd, String)> {
    let list = fs::read_dir("/proc/self/fd").expect("our own descriptors");
    let entry = |entry: io::Result<fs::DirEntry>| {
        let path = entry.ok()?.path();
        let number = path.file_name()?.to_str()?.parse().ok()?;
        // The directory itself is gone by now.
        Some((number, fs::read_link(&path).ok()?.display().to_string()))
    };
    let mut all: Vec<_> = list.filter_map(entry).collect();
    all.retain(|(number, _)| {
        // SAFETY: asking takes no pointer.
        unsafe { libc::fcntl(*number, libc::F_GETFD) != -1 }
    });
    all.sort_unstable();
    all
}

/// The one descriptor that `open` leaves behind.
pub(crate) fn opened<T>(open: impl FnOnce() -> T) -> (T, RawFd) {
    let before = all();
    let value = open();
    let new: Vec<_> = all().into_iter().filter(|found| !before.contains(found)).collect();
    let [(number, what)] = &new[..] else { panic!("one descriptor, not {new:?}") };
    assert!(what.starts_with("socket:") || what == "/dev/crypto", "{what}");
    (value, *number)
}

/// A cipher that has worked, and the number of its descriptor.
struct Victim {
    cipher: Cipher,
    key: Vec<u8>,
    descriptor: RawFd,
}

const IV: [u8; 16] = [8; 16];

impl Victim {
    fn new(interface: Interface) -> Result<Self, String> {
        let ((cipher, key), descriptor) = opened(|| cipher(interface, "AES-128-CBC"));
        let mut victim = Self { cipher, key, descriptor };
        victim.works()?;
        Ok(victim)
    }

    /// It gives the right bytes.
    fn works(&mut self) -> Result<(), String> {
        let plain = bytes(1024, 1);
        let (mut data, mut iv) = (plain.clone(), IV);
        let crypted = self.cipher.crypt(Direction::Encrypt, &mut iv, InOut::in_place(&mut data));
        crypted.map_err(|error| error.to_string())?;
        let expected = oracle::crypt("AES-128-CBC", Direction::Encrypt, &self.key, &IV, &plain);
        same("what it gives", &data, &expected)
    }

    /// One call is refused and changes nothing, the next is served.
    fn is_refused_once(&mut self) -> Result<(), String> {
        let plain = bytes(1024, 2);
        let (mut data, mut iv) = (plain.clone(), IV);
        match self.cipher.crypt(Direction::Encrypt, &mut iv, InOut::in_place(&mut data)) {
            Err(Error::Busy(_)) => {}
            other => return Err(format!("{other:?} on a descriptor that is not ours")),
        }
        same("the data", &data, &plain)?;
        same("the IV", &iv, &IV)?;
        self.works()
    }
}

/// Puts `stranger` where the victim's descriptor was, uses the victim and drops it: the stranger must
/// still be open.
fn replace(mut victim: Victim, stranger: &impl AsRawFd) -> Result<(), String> {
    let number = victim.descriptor;
    // SAFETY: both are open; the victim's is closed by that, which is what is tested.
    assert_eq!(unsafe { libc::dup2(stranger.as_raw_fd(), number) }, number);
    // SAFETY: `dup2` has just made it, and nothing else here owns it.
    let stranger = unsafe { OwnedFd::from_raw_fd(number) };
    let stays = all().into_iter().find(|(found, _)| *found == number);
    victim.is_refused_once()?;
    drop(victim);
    let found = all().into_iter().find(|(found, _)| *found == number);
    drop(stranger);
    if found == stays { Ok(()) } else { Err(format!("{stays:?} has become {found:?}")) }
}

pub(crate) fn closed(interface: Interface) -> Result<(), String> {
    let before = all();
    let mut victim = Victim::new(interface)?;
    // SAFETY: it is open; that somebody else owns it is what is tested.
    assert_eq!(unsafe { libc::close(victim.descriptor) }, 0);
    victim.is_refused_once()?;
    drop(victim);
    let after = all();
    if after == before { Ok(()) } else { Err(format!("{before:?} has become {after:?}")) }
}

pub(crate) fn pipe(interface: Interface) -> Result<(), String> {
    let (mut reader, writer) = io::pipe().map_err(|error| error.to_string())?;
    replace(Victim::new(interface)?, &writer)?;
    drop(writer);
    let mut written = Vec::new();
    reader.read_to_end(&mut written).map_err(|error| error.to_string())?;
    same("what the pipe got", &written, &[])
}

pub(crate) fn file(interface: Interface) -> Result<(), String> {
    let path = std::env::temp_dir().join(format!("wirespeed-af-alg-{}", std::process::id()));
    let open = File::options().read(true).write(true).create_new(true).open(&path);
    let mut file = open.map_err(|error| error.to_string())?;
    let replaced = replace(Victim::new(interface)?, &file);
    let (mut written, place) = (Vec::new(), file.stream_position());
    let read = file.rewind().and_then(|()| file.read_to_end(&mut written));
    fs::remove_file(&path).map_err(|error| error.to_string())?;
    replaced?;
    read.map_err(|error| error.to_string())?;
    same("what the file got", &written, &[])?;
    if place.is_ok_and(|place| place == 0) { Ok(()) } else { Err("the file was read".to_owned()) }
}

pub(crate) fn tcp(interface: Interface) -> Result<(), String> {
    let connect = || {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let ours = TcpStream::connect(listener.local_addr()?)?;
        let (theirs, _) = listener.accept()?;
        Ok::<_, io::Error>((ours, theirs))
    };
    let (ours, mut theirs) = connect().map_err(|error| format!("no loopback: {error}"))?;
    replace(Victim::new(interface)?, &ours)?;
    drop(ours);
    let mut written = Vec::new();
    theirs.read_to_end(&mut written).map_err(|error| error.to_string())?;
    same("what the peer got", &written, &[])
}

/// The same kind of socket with another key: only its number could be mistaken for ours.
pub(crate) fn another(interface: Interface) -> Result<(), String> {
    let other = bytes(16, 99);
    let transform = Transform::named("AES-128-CBC").expect("a name of the table");
    let open = || {
        Cipher::through(interface, transform, None, &other, Permission::Unconfined)
            .expect("a second cipher")
    };
    let (other, descriptor) = opened(open);
    // SAFETY: it is open, and only duplicated.
    let stranger = unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) };
    replace(Victim::new(interface)?, &stranger)?;
    drop(other);
    Ok(())
}

/// A message whose socket is gone is lost, and that is said until it is begun again.
pub(crate) fn hash(interface: Interface) -> Result<(), String> {
    let transform = Transform::named("SHA2-256").expect("a name of the table");
    let (mut hash, descriptor) =
        opened(|| hashes::open(interface, transform, &[]).expect("a hash function"));
    hashes::update(&mut hash, b"a")?;
    // SAFETY: it is open; that somebody else owns it is what is tested.
    assert_eq!(unsafe { libc::close(descriptor) }, 0);
    for _ in 0..2 {
        let mut digest = [7; 32];
        let refused = [hash.update(b"bc"), hash.finish(&mut digest), hash.try_clone().map(drop)];
        if !refused.iter().all(|result| matches!(result, Err(Error::Busy(_)))) || digest != [7; 32]
        {
            return Err(format!("a message that is lost goes on: {refused:?}"));
        }
    }
    hash.reset();
    hashes::update(&mut hash, b"abc")?;
    same("the next message", &hashes::finish(&mut hash)?, &oracle::hash("SHA2-256", None, b"abc"))
}

/// In a process without standard streams no socket of ours becomes one of them.
pub(crate) fn standard(interface: Interface) -> Result<(), String> {
    let keep: Vec<RawFd> = (0..3)
        .map(|number| {
            // SAFETY: duplicating and closing take no pointers; they are put back below.
            unsafe {
                let kept = libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 10);
                libc::close(number);
                kept
            }
        })
        .collect();
    let victim = Victim::new(interface);
    let taken = (0..3).any(|number| {
        // SAFETY: asking takes no pointer.
        unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
    });
    for (number, kept) in keep.into_iter().enumerate() {
        // SAFETY: these are ours, made above.
        unsafe {
            libc::dup2(kept, number as RawFd);
            libc::close(kept);
        }
    }
    let mut victim = victim?;
    if taken {
        return Err("a socket is a standard stream".to_owned());
    }
    victim.works()
}
