//! Files that change all at once or not at all, and go back to what they were.

use std::ffi::OsStr;
use std::fs::{self, DirEntry, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, XattrFlags, fgetxattr, fsetxattr, getxattr, listxattr};
use rustix::io::Errno;
use rustix::process::geteuid;
use tempfile::{NamedTempFile, TempPath};

/// What names of files and folders begin with that are not in their place yet.
pub(crate) const BEGINNING: &str = ".wirespeed-";

/// A file and what it held when this was made.
#[derive(Clone, Debug)]
pub struct Original {
    path: PathBuf,
    bytes: Option<Vec<u8>>,
}

impl Original {
    /// Reads a file, or finds that there is none. A link is followed: what it leads to is replaced.
    pub fn read(path: &Path) -> io::Result<Self> {
        let path = followed(path)?;
        match fs::read(&path) {
            Ok(bytes) => Ok(Self { path, bytes: Some(bytes) }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self { path, bytes: None }),
            Err(error) => Err(error),
        }
    }

    /// Reads a file that is to be replaced itself, where it is a link too.
    pub(crate) fn read_itself(path: &Path) -> io::Result<Self> {
        let is_file = fs::symlink_metadata(path).is_ok_and(|it| it.is_file());
        let bytes = is_file.then(|| fs::read(path)).transpose()?;
        Ok(Self { path: path.to_owned(), bytes })
    }

    /// The file itself, behind all links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it held; nothing where there was none.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }

    /// Whether it can be replaced; nothing is changed to find out.
    pub fn is_replaceable(&self) -> io::Result<()> {
        // A file that is immutable refuses this, whoever asks.
        if self.bytes.is_some() {
            if !fs::metadata(&self.path)?.is_file() {
                return Err(io::Error::other("it is no regular file"));
            }
            OpenOptions::new().append(true).open(&self.path)?;
        }
        tempfile::Builder::new().prefix(BEGINNING).tempfile_in(folder(&self.path)).map(drop)
    }

    /// Writes what the file is to hold beside it, with its mode, owner and labels.
    pub fn stage(&self, bytes: &[u8]) -> io::Result<Staged> {
        stage(bytes, &self.path, &self.path)
    }

    /// Gives the file back what it held.
    pub fn restore(&self) -> io::Result<()> {
        match &self.bytes {
            Some(bytes) => self.stage(bytes)?.place(),
            None => remove(&self.path),
        }
    }
}

/// A file that is complete but not yet in its place; dropped, it is gone.
#[derive(Debug)]
pub struct Staged {
    temporary: TempPath,
    place: PathBuf,
}

impl Staged {
    /// Takes a file that holds all it is to hold, and lies in the folder of its place.
    pub fn new(file: NamedTempFile, place: &Path) -> io::Result<Self> {
        file.as_file().sync_all()?;
        Ok(Self { temporary: file.into_temp_path(), place: place.to_owned() })
    }

    /// Where it lies until then.
    pub fn file(&self) -> &Path {
        &self.temporary
    }

    /// Lets all run it.
    pub(crate) fn runnable(self) -> io::Result<Self> {
        permit(&self.temporary, 0o755)?;
        Ok(self)
    }

    /// Puts it in its place, in one step.
    pub fn place(self) -> io::Result<()> {
        self.temporary.persist(&self.place)?;
        settle(folder(&self.place))
    }
}

/// Writes a file that is to be at `place`; whom it belongs to and who may read it is as with `like`.
pub(crate) fn stage(bytes: &[u8], place: &Path, like: &Path) -> io::Result<Staged> {
    let mut file = tempfile::Builder::new().prefix(BEGINNING).tempfile_in(folder(place))?;
    file.write_all(bytes)?;
    let open = file.as_file();
    match fs::metadata(like) {
        Ok(_) => make_like(open, like)?,
        Err(_) => open.set_permissions(Permissions::from_mode(0o644))?,
    }
    Staged::new(file, place)
}

/// Gives an open file the owner, mode and labels of another. Its name is not asked: whoever may write into the folder may
/// have put a link there.
fn make_like(file: &File, like: &Path) -> io::Result<()> {
    let (made, wanted) = (file.metadata()?, fs::metadata(like)?);
    if (made.uid(), made.gid()) != (wanted.uid(), wanted.gid()) {
        fchown(file, Some(wanted.uid()), Some(wanted.gid()))?;
    }
    // After the owner, whose change takes bits away.
    file.set_permissions(wanted.permissions())?;
    copy_labels(like, file)
}

/// Sets the mode of a file or a folder of ours, and not of what a link in its place leads to.
pub(crate) fn permit(path: &Path, mode: u32) -> io::Result<()> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits() as i32).open(path)?;
    file.set_permissions(Permissions::from_mode(mode))
}

/// Makes a link that is to be at `place`.
pub(crate) fn stage_link(target: &Path, place: &Path) -> io::Result<Staged> {
    let make = |path: &Path| symlink(target, path);
    let link = tempfile::Builder::new().prefix(BEGINNING).make_in(folder(place), make)?;
    Ok(Staged { temporary: link.into_temp_path(), place: place.to_owned() })
}

/// Removes from a folder what a program that was killed had not put in its place. Its lock is held: another program may be
/// about to.
pub(crate) fn sweep(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let Ok(about) = fs::symlink_metadata(&path) else { continue };
        if !is_temporary(&entry.file_name()) || about.uid() != geteuid().as_raw() {
            continue;
        }
        // What cannot be removed is passed over: it is in nobody's way.
        let _ = match about.is_dir() {
            true if !holds_a_module(&path) => continue,
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
    }
    Ok(())
}

/// Whether a name is one that `tempfile` made with our beginning: six letters or digits follow.
fn is_temporary(name: &OsStr) -> bool {
    let rest = name.as_encoded_bytes().strip_prefix(BEGINNING.as_bytes());
    rest.is_some_and(|it| it.len() == 6 && it.iter().all(u8::is_ascii_alphanumeric))
}

/// Whether a folder has no more in it than the module that is tried there.
fn holds_a_module(folder: &Path) -> bool {
    let is_ours = |entry: io::Result<DirEntry>| {
        let entry = entry.ok()?;
        let (name, is_file) = (entry.file_name(), entry.file_type().ok()?.is_file());
        let is_module = Path::new(&name).extension().is_some_and(|it| it == "so");
        Some(is_file && (is_module || is_temporary(&name)))
    };
    fs::read_dir(folder).is_ok_and(|mut it| it.all(|entry| is_ours(entry) == Some(true)))
}

/// Removes a file, if it is there.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => settle(folder(path)),
    }
}

/// Access lists and security labels. A file system that has none has none to copy.
fn copy_labels(from: &Path, to: &File) -> io::Result<()> {
    let mut names = [0_u8; 4096];
    let Ok(length) = listxattr(from, &mut names[..]) else { return Ok(()) };
    for name in names[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let value_by = |read: &dyn Fn(&mut [u8]) -> Result<usize, Errno>| {
            let mut value = vec![0_u8; 4096];
            let length = read(&mut value)?;
            value.truncate(length);
            Ok(value)
        };
        let wanted = value_by(&|value| getxattr(from, name, value));
        let there = value_by(&|value| fgetxattr(to, name, value));
        copy_label(wanted, there, |value| fsetxattr(to, name, value, XattrFlags::empty()))?;
    }
    Ok(())
}

/// Where a mount says the label of all its files, none can be set: podman builds so under SELinux (mount(8), `context=`).
fn copy_label(
    wanted: Result<Vec<u8>, Errno>,
    there: Result<Vec<u8>, Errno>,
    set: impl Fn(&[u8]) -> Result<(), Errno>,
) -> io::Result<()> {
    let wanted = wanted?;
    if there.as_ref() == Ok(&wanted) {
        return Ok(());
    }
    match set(&wanted) {
        Err(Errno::NOTSUP) => Ok(()),
        other => Ok(other?),
    }
}

/// Makes a folder and those above it that are missing. Whatever the umask says, services may enter them.
pub fn make_folders(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    folder.parent().map_or(Ok(()), make_folders)?;
    match fs::create_dir(folder) {
        Ok(()) => permit(folder, 0o755),
        // Somebody else was faster.
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Lets a change of names survive a loss of power, if the folder can be read and its file system knows how.
pub(crate) fn settle(folder: &Path) -> io::Result<()> {
    use ErrorKind::{InvalidInput, PermissionDenied};
    match File::open(folder).and_then(|it| it.sync_all()) {
        Err(error) if matches!(error.kind(), InvalidInput | PermissionDenied) => Ok(()),
        settled => settled,
    }
}

pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

fn followed(path: &Path) -> io::Result<PathBuf> {
    match real(path) {
        Ok(path) => Ok(path),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let target = fs::read_link(path).map(|target| folder(path).join(target));
            let path = target.as_deref().unwrap_or(path);
            let Some(name) = path.file_name() else { return Err(error) };
            Ok(real(folder(path))?.join(name))
        }
        Err(error) => Err(error),
    }
}

/// A path without links, but for those that lead elsewhere than they say: `/proc/812/root` reads `/`, and is the root of
/// that process.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    let there = fs::metadata(path)?;
    let is_there = |named: &PathBuf| {
        fs::metadata(named).is_ok_and(|it| (it.dev(), it.ino()) == (there.dev(), there.ino()))
    };
    match fs::canonicalize(path).ok().filter(is_there) {
        Some(named) => Ok(named),
        None => std::path::absolute(path),
    }
}

/// What an error in writing means, and what to do.
pub fn advice(path: &Path, error: &io::Error) -> String {
    let path = path.display();
    let mend = match error.kind() {
        ErrorKind::ReadOnlyFilesystem => "remount it for writing, or name other places",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "make room first",
        ErrorKind::PermissionDenied => {
            "protected even from root: see lsattr for an immutable file, ausearch -m avc for SELinux"
        }
        ErrorKind::NotFound => "its folder is not there",
        _ => return format!("{path}: {error}"),
    };
    format!("{path}: {error}: {mend}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_followed_and_mode_and_bytes_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        let original = Original::read(&link).unwrap();
        original.is_replaceable().unwrap();
        original.stage(b"new").unwrap().place().unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        original.restore().unwrap();
        assert_eq!(fs::read(&link).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left over");
    }

    #[test]
    fn what_was_not_there_goes_again() {
        let folder = tempfile::tempdir().unwrap();
        let original = Original::read(&folder.path().join("file")).unwrap();
        assert_eq!(original.bytes(), None);
        drop(original.stage(b"never placed").unwrap());
        original.stage(b"new").unwrap().place().unwrap();
        original.restore().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// Somebody who may write into the folder puts a link in the place of the new file.
    #[test]
    fn owner_and_mode_are_set_on_the_file_and_not_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let [like, secret, link] = ["like", "secret", "link"].map(|it| folder.path().join(it));
        for (file, mode) in [(&like, 0o644), (&secret, 0o600)] {
            fs::write(file, "").unwrap();
            fs::set_permissions(file, Permissions::from_mode(mode)).unwrap();
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let open = File::create(&link).unwrap();
        open.set_permissions(Permissions::from_mode(0o600)).unwrap();
        fs::remove_file(&link).unwrap();
        symlink(&secret, &link).unwrap();
        make_like(&open, &like).unwrap();
        assert_eq!(open.metadata().unwrap().permissions().mode() & 0o777, 0o644);
        assert!(permit(&link, 0o755).is_err());
        assert_eq!(mode(&secret), 0o600);
    }

    #[test]
    fn only_what_we_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        let others = [".wirespeed-", ".wirespeed-notes", ".wirespeed-a.conf", "wirespeed-aB3dE6"];
        let ours = [".wirespeed-aB3dE6", ".wirespeed-000000/wirespeed.so"];
        fs::create_dir(place(".wirespeed-000000")).unwrap();
        fs::create_dir_all(place(".wirespeed-backup/all")).unwrap();
        for name in others.iter().chain(&ours) {
            fs::write(place(name), "").unwrap();
        }
        sweep(folder.path()).unwrap();
        assert!(others.iter().all(|name| place(name).exists()));
        assert!(place(".wirespeed-backup/all").exists(), "somebody's own");
        assert!(!ours.iter().any(|name| place(name).exists()));
        assert!(!place(".wirespeed-000000").exists());
    }

    #[test]
    fn a_label_that_cannot_be_set_is_no_obstacle_where_it_is_there_or_the_mount_says_it() {
        let label = |text: &str| Ok(text.as_bytes().to_vec());
        let copied = |there, answer| copy_label(label("a"), there, |_| answer);
        assert!(copied(label("a"), Err(Errno::PERM)).is_ok(), "it is there");
        assert!(copied(label("b"), Err(Errno::NOTSUP)).is_ok(), "the mount says it");
        assert!(copied(label("b"), Err(Errno::PERM)).is_err());
        assert!(copied(Err(Errno::NODATA), Ok(())).is_ok());
    }

    #[test]
    fn folders_are_open_whatever_the_umask_says() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("a/b");
        let umask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
        make_folders(&made).unwrap();
        rustix::process::umask(umask);
        for path in [&made, &folder.path().join("a")] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o755);
        }
    }
}
