//! What is only at /dev/crypto: its absences, its sessions, and a module that fails, lies or goes.
//!
//! The faults are those of our own module (`vm/devcrypto`); the rest runs with cryptodev-linux just as well.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use wirespeed_af_alg::devcrypto::{self, PATH};
use wirespeed_af_alg::{Cipher, Error, Interface, Permission, Transform, self_test};
use wirespeed_cipher::{Direction, InOut};

use crate::data::{bytes, cipher, same};
use crate::descriptors::{all, opened};
use crate::forks::{child, joined};
use crate::seccomp::confined;
use crate::{hashes, oracle};

const THROUGH: Interface = Interface::DevCrypto;
const PARAMETERS: &str = "/sys/module/wirespeed_devcrypto/parameters";
const IV: [u8; 16] = [9; 16];

fn named(name: &str) -> &'static Transform {
    Transform::named(name).expect("a name of the table")
}

/// Whether the module is ours, which can be told what to do.
pub(crate) fn is_ours() -> Result<(), String> {
    match Path::new(PARAMETERS).exists() {
        true => Ok(()),
        false => Err("/dev/crypto is not that of our module".to_owned()),
    }
}

fn parameter(name: &str) -> Result<u64, String> {
    let text = fs::read_to_string(format!("{PARAMETERS}/{name}"));
    let text = text.map_err(|error| format!("{name}: {error}"))?;
    text.trim().parse().map_err(|error| format!("{name}: {error}"))
}

/// What the module does as long as this lives.
struct Told(Vec<&'static str>);

impl Told {
    fn to(values: &[(&'static str, i32)]) -> Self {
        for (name, value) in values {
            fs::write(format!("{PARAMETERS}/{name}"), value.to_string()).expect("a parameter");
        }
        Self(values.iter().map(|(name, _)| *name).collect())
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        for name in &self.0 {
            // The next test would see it.
            let _ = fs::write(format!("{PARAMETERS}/{name}"), "0");
        }
    }
}

fn encrypt(cipher: &mut Cipher, data: &mut [u8]) -> Result<(), Error> {
    cipher.crypt(Direction::Encrypt, &mut IV.clone(), InOut::in_place(data))
}

fn works(cipher: &mut Cipher, key: &[u8]) -> Result<(), String> {
    let plain = bytes(4096, 5);
    let mut data = plain.clone();
    encrypt(cipher, &mut data).map_err(|error| error.to_string())?;
    let expected = oracle::crypt("AES-128-CBC", Direction::Encrypt, key, &IV, &plain);
    same("what it gives", &data, &expected)
}

/// A call fails as it should and changes neither data nor IV, in place and apart.
fn fails(cipher: &mut Cipher, is_right: impl Fn(&Error) -> bool) -> Result<(), String> {
    let (plain, mut moving, mut apart) =
        (bytes(70_000 / 16 * 16, 6), IV, vec![0; 70_000 / 16 * 16]);
    let mut data = plain.clone();
    for in_place in [true, false] {
        let call = match in_place {
            true => InOut::in_place(&mut data),
            false => InOut::between(&plain, &mut apart),
        };
        match cipher.crypt(Direction::Encrypt, &mut moving, call) {
            Err(error) if is_right(&error) => {}
            other => return Err(format!("in place {in_place}: {other:?}")),
        }
        same("the data", &data, &plain)?;
        same("the IV", &moving, &IV)?;
    }
    Ok(())
}

/// What forbids or lacks the device, each in its own words.
pub(crate) fn absence() -> Result<(), String> {
    let key = bytes(16, 1);
    let transform = named("AES-128-ECB");
    let open = || Cipher::through(THROUGH, transform, None, &key, Permission::Anywhere);
    for (call, number, words) in [
        (libc::SYS_openat, libc::EACCES, "may not be opened by this process"),
        (libc::SYS_openat, libc::ENXIO, "no module is behind"),
        (libc::SYS_statx, libc::ENOENT, "there is no /dev/crypto"),
        (libc::SYS_ioctl, libc::ENOTTY, "is another device"),
        (libc::SYS_madvise, libc::EINVAL, "older than Linux 4.14"),
    ] {
        match confined(&[(call, number)], || (), |()| open()) {
            Err(Error::Absent(absent)) if absent.0.contains(words) => {}
            other => return Err(format!("call {call} fails with {number}: {other:?}")),
        }
    }
    for (call, number) in [(libc::SYS_openat, libc::ENFILE), (libc::SYS_mmap, libc::ENOMEM)] {
        match confined(&[(call, number)], || (), |()| open()) {
            Err(Error::Busy(error)) if error.raw_os_error() == Some(number) => {}
            other => return Err(format!("call {call} fails with {number}: {other:?}")),
        }
    }
    // A file in its place, which is neither taken for it nor written to.
    let aside = Path::new("/dev/crypto-aside");
    fs::rename(PATH, aside).map_err(|error| error.to_string())?;
    let tried = [Some("some text"), None].map(|text| {
        match text {
            Some(text) => fs::write(PATH, text).expect("a file"),
            None => symlink("/dev/null", PATH).expect("a link"),
        }
        let tried = (open().map(drop), THROUGH.presence(Permission::Unconfined));
        let left = fs::read_to_string(PATH);
        fs::remove_file(PATH).expect("it was made here");
        (tried, left.unwrap_or_default(), text.unwrap_or_default())
    });
    fs::rename(aside, PATH).map_err(|error| error.to_string())?;
    for ((tried, left, text), words) in tried.into_iter().zip(["a plain file", "another device"]) {
        match tried {
            (Err(Error::Absent(one)), Err(other))
                if one.0.contains(words) && other.0.contains(words) => {}
            other => return Err(format!("{words}: {other:?}")),
        }
        same(words, left.as_bytes(), text.as_bytes())?;
    }
    // What it has no number for.
    match Cipher::through(THROUGH, named("CAMELLIA-128-CTR"), None, &key, Permission::Anywhere) {
        Err(Error::Absent(absent)) if absent.0.contains("no number for ctr(camellia)") => Ok(()),
        other => Err(format!("an algorithm without number: {other:?}")),
    }
}

/// The driver is told, can be insisted on, and is that of /proc/crypto.
pub(crate) fn drivers() -> Result<(), String> {
    let key = bytes(16, 1);
    for (name, bytes) in [("AES-128-CBC", 16), ("AES-128-ECB", 16)] {
        let transform = named(name);
        let driver = devcrypto::driver(transform).map_err(|absent| absent.0)?;
        let listed = fs::read_to_string("/proc/crypto").map_err(|error| error.to_string())?;
        if !listed.lines().any(|line| line.ends_with(&format!(": {}", driver.name))) {
            return Err(format!("{driver:?} is not in /proc/crypto"));
        }
        let open = |driver: &str| {
            let key = &key[..bytes];
            Cipher::through(THROUGH, transform, Some(driver), key, Permission::Unconfined)
        };
        open(&driver.name).map_err(|error| error.to_string())?;
        match open("cbc-aes-nobody") {
            Err(Error::Absent(absent)) if absent.0.contains("not by cbc-aes-nobody") => {}
            other => return Err(format!("another driver: {other:?}")),
        }
    }
    let hash = devcrypto::driver(named("SHA2-256")).map_err(|absent| absent.0)?;
    if hash.name.contains("sha256") { Ok(()) } else { Err(format!("SHA-256 by {hash:?}")) }
}

/// How many sessions are open, where the module tells.
fn open_sessions() -> Result<u64, String> {
    is_ours().map_or(Ok(0), |()| parameter("sessions"))
}

/// One for each context, ended with it; a child neither ends nor uses its parent's.
pub(crate) fn sessions() -> Result<(), String> {
    let (before, descriptors) = (open_sessions()?, all());
    let more = is_ours().map_or(0, |()| 3);
    let ((cipher, key), descriptor) = opened(|| cipher(THROUGH, "AES-128-CBC"));
    let kind = fs::metadata(format!("/proc/self/fd/{descriptor}")).map(|found| found.file_type());
    if !kind.is_ok_and(|kind| kind.is_char_device()) {
        return Err("the descriptor is no device's".to_owned());
    }
    let mut hash = hashes::open(THROUGH, named("SHA1"), &[])?;
    hashes::update(&mut hash, b"a")?;
    let copy = hash.try_clone().map_err(|error| error.to_string())?;
    // Each is dropped by the child, and then by the parent.
    let (mut cipher, mut hash, mut copy) = (Some(cipher), Some(hash), Some(copy));
    let child = child(|| {
        let inherited = open_sessions()?;
        if let Some(mut hash) = hash.take() {
            let refused = hash.update(b"x");
            if !matches!(refused, Err(Error::Busy(_))) {
                return Err(format!("the parent's message: {refused:?}"));
            }
        }
        drop((cipher.take(), copy.take()));
        match open_sessions()? {
            left if left == inherited => Ok(()),
            left => Err(format!("{left} sessions of {inherited}")),
        }
    });
    joined(child)?;
    if open_sessions()? != before + more {
        return Err(format!("{} sessions after {before}", open_sessions()?));
    }
    works(cipher.as_mut().ok_or("it is the parent's")?, &key)?;
    for message in [&mut hash, &mut copy] {
        let message = message.as_mut().ok_or("it is the parent's")?;
        hashes::update(message, b"bc")?;
        same("a digest", &hashes::finish(message)?, &oracle::hash("SHA1", None, b"abc"))?;
    }
    drop((cipher, hash, copy));
    let after = (open_sessions()?, all());
    if after == (before, descriptors) { Ok(()) } else { Err(format!("left over: {after:?}")) }
}

/// A call that fails has spoilt its output, and nothing else. EBUSY and ENOMEM pass, the rest is for good.
pub(crate) fn failing() -> Result<(), String> {
    for (number, passes) in
        [(libc::EIO, false), (libc::ENODEV, false), (libc::EBUSY, true), (libc::ENOMEM, true)]
    {
        let (mut cipher, key) = cipher(THROUGH, "AES-128-CBC");
        works(&mut cipher, &key)?;
        let struck = parameter("struck")?;
        // The second request of a long call as well as the first.
        for every in [1, 2] {
            let told = Told::to(&[("error", number), ("failing", every)]);
            fails(&mut cipher, |error| match error {
                Error::Busy(error) => passes && error.raw_os_error() == Some(number),
                Error::Broken(error) => !passes && error.raw_os_error() == Some(number),
                Error::Absent(_) | Error::TooLong(_) => false,
            })
            .map_err(|why| format!("error {number}, every {every}: {why}"))?;
            drop(told);
            works(&mut cipher, &key)?;
        }
        if parameter("struck")? < struck + 4 {
            return Err("nothing was struck".to_owned());
        }
    }
    Ok(())
}

/// A call that says it took half of its bytes is named, and believed in nothing.
pub(crate) fn lying() -> Result<(), String> {
    let (mut cipher, key) = cipher(THROUGH, "AES-128-CBC");
    let told = Told::to(&[("lying", 1)]);
    let says = |error: &Error| error.to_string().contains("took or gave 32768 bytes of 65536");
    fails(&mut cipher, |error| matches!(error, Error::Broken(_)) && says(error))?;
    let mut hash = hashes::open(THROUGH, named("SHA1"), &[])?;
    let refused = hash.update(b"abcd");
    drop(told);
    if !matches!(refused, Err(Error::Broken(_))) {
        return Err(format!("a lie about a hash: {refused:?}"));
    }
    works(&mut cipher, &key)
}

/// A wrong bit does not pass the self-test.
pub(crate) fn wrong() -> Result<(), String> {
    let _told = Told::to(&[("wrong", 1)]);
    for name in ["AES-128-CBC", "SHA2-256"] {
        match self_test(THROUGH, named(name), None, Permission::Unconfined) {
            Err(Error::Broken(error)) if error.to_string().contains("wrong result") => {}
            other => return Err(format!("{name}: {other:?}")),
        }
    }
    Ok(())
}

/// What a session that is refused means.
pub(crate) fn refusing() -> Result<(), String> {
    let key = bytes(16, 1);
    let open =
        || Cipher::through(THROUGH, named("AES-128-CBC"), None, &key, Permission::Unconfined);
    for number in [libc::EBUSY, libc::ENOMEM] {
        let _told = Told::to(&[("refusing", number)]);
        match open() {
            Err(Error::Busy(error)) if error.raw_os_error() == Some(number) => {}
            other => return Err(format!("{number}: {other:?}")),
        }
    }
    for number in [libc::EINVAL, libc::ENOENT] {
        let _told = Told::to(&[("refusing", number)]);
        match open() {
            Err(Error::Absent(absent)) if absent.0.contains("gives no cbc(aes)") => {}
            other => return Err(format!("{number}: {other:?}")),
        }
    }
    open().map(drop).map_err(|error| error.to_string())
}

/// A session that is not found is another file's: its descriptor is not touched any more.
pub(crate) fn forgetting() -> Result<(), String> {
    let ((mut cipher, key), descriptor) = opened(|| cipher(THROUGH, "AES-128-CBC"));
    let told = Told::to(&[("forgetting", 1)]);
    let plain = bytes(16, 1);
    let mut data = plain.clone();
    let refused = encrypt(&mut cipher, &mut data);
    drop(told);
    if !matches!(refused, Err(Error::Busy(_))) || data != plain {
        return Err(format!("a session that is not there: {refused:?}"));
    }
    let is_open = all().iter().any(|(number, _)| *number == descriptor);
    works(&mut cipher, &key)?;
    // SAFETY: nobody owns it any more.
    let closed = is_open && unsafe { libc::close(descriptor) } == 0;
    if closed { Ok(()) } else { Err("a descriptor that may be another's was closed".to_owned()) }
}

/// Names as long as their field.
pub(crate) fn endless() -> Result<(), String> {
    let _told = Told::to(&[("endless", 1)]);
    let driver = devcrypto::driver(named("AES-128-CBC")).map_err(|absent| absent.0)?;
    if driver.name == "x".repeat(64) { Ok(()) } else { Err(format!("{driver:?}")) }
}

/// A module that goes while there are keyed contexts, and comes back.
pub(crate) fn unloaded() -> Result<(), String> {
    let module = module()?;
    let run = |command: &str, of: &Path| {
        let status = Command::new("/sbin/".to_owned() + command).arg(of).output();
        status.is_ok_and(|it| it.status.success())
    };
    let name = Path::new("wirespeed_devcrypto");
    let (mut cipher, key) = cipher(THROUGH, "AES-128-CBC");
    works(&mut cipher, &key)?;
    if run("rmmod", name) {
        return Err("a module in use was unloaded".to_owned());
    }
    // The program closes what it does not know.
    for (descriptor, _) in all().into_iter().filter(|(_, what)| what == PATH) {
        // SAFETY: it is open; that somebody else owns it is what is tested.
        assert_eq!(unsafe { libc::close(descriptor) }, 0);
    }
    if !run("rmmod", name) {
        return Err("the module stays".to_owned());
    }
    let found = fails(&mut cipher, |error| match error {
        Error::Busy(_) => true,
        Error::Absent(absent) => absent.0.contains("is not loaded"),
        Error::Broken(_) | Error::TooLong(_) => false,
    });
    if !run("insmod", &module) {
        return Err(format!("{} cannot be loaded", module.display()));
    }
    found?;
    works(&mut cipher, &key)
}

/// Where our module's file is: beside the kernel that was booted (vm/src/headers.rs).
fn module() -> Result<PathBuf, String> {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").map_err(|it| it.to_string())?;
    let modules = Path::new("/lib/modules").join(release.trim());
    let modules = modules.canonicalize().map_err(|error| error.to_string())?;
    let root = modules.ancestors().nth(3).ok_or("no root")?;
    Ok(root.join("modules/devcrypto/wirespeed_devcrypto.ko"))
}
