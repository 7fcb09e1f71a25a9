//! Where the plan lies, and how it gets there: all at once, or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};
use wirespeed_installation::{Staged, advice, make_folders, shell};
use wirespeed_plan::default_file;

use crate::fault::Fault;

/// What names of plans end in that are not in their place yet.
const END: &str = ".new";

/// As much as a plan may take: a disk without the room is told of before anything is measured.
const ROOM: usize = 64 << 10;

/// A place that a plan can be written to: tried before anything is measured.
#[derive(Debug)]
pub(crate) struct Destination {
    file: PathBuf,
}

impl Destination {
    /// The default place, whose folder is made, or another, whose folder must be there.
    pub(crate) fn new(asked: Option<PathBuf>) -> Result<Self, Fault> {
        let is_default = asked.is_none();
        let file = match asked {
            Some(file) => file,
            None => {
                let none = || Fault::usage("this user has no home: name a file with --output");
                let file = default_file().ok_or_else(none)?;
                make_folders(file.parent().unwrap_or(Path::new("/")))
                    .map_err(|error| cannot_write(&file, &error))?;
                file
            }
        };
        let named = shell::path(&file);
        // A link stays one: what it leads to is replaced. The path is absolute, as openssl.cnf wants it.
        let file = fs::canonicalize(&file).or_else(|_| std::path::absolute(&file)).unwrap_or(file);
        if fs::metadata(&file).is_ok_and(|there| !there.is_file()) {
            let mend = if is_default { format!(": rm {named}") } else { String::new() };
            return Err(Fault::usage(format!("{} is no regular file{mend}", file.display())));
        }
        let destination = Self { file };
        destination.sweep();
        let tried = destination.temporary().and_then(|mut file| file.write_all(&[0; ROOM]));
        tried.map_err(|error| cannot_write(&destination.file, &error))?;
        Ok(destination)
    }

    /// The file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Puts `text` there, for everybody to read: whoever looks sees the old plan or the new one, and
    /// after a loss of power there is one of them too.
    pub(crate) fn write(&self, text: &str) -> Result<(), Fault> {
        self.place(self.stage(text)?)
    }

    /// Writes it beside its place.
    pub(crate) fn stage(&self, text: &str) -> Result<Staged, Fault> {
        let staged = self.temporary().and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            Staged::new(file, &self.file)
        });
        staged.map_err(|error| cannot_write(&self.file, &error))
    }

    /// Puts it in its place.
    pub(crate) fn place(&self, staged: Staged) -> Result<(), Fault> {
        staged.place().map_err(|error| cannot_write(&self.file, &error))
    }

    /// A new file beside the plan.
    fn temporary(&self) -> io::Result<NamedTempFile> {
        self.file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let name = format!("{}{}{END}", self.beginning(), std::process::id());
        let open = |path: &Path| File::create_new(path);
        let file = Builder::new().prefix(&name).rand_bytes(0).make_in(self.folder(), open)?;
        // Whatever the umask says: daemons of all users read it.
        file.as_file().set_permissions(Permissions::from_mode(0o644))?;
        Ok(file)
    }

    /// Removes what programs left that were killed, in a container perhaps one of this number. Who cannot remove it cannot
    /// write there either, and is told so.
    fn sweep(&self) {
        for entry in fs::read_dir(self.folder()).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let process = name.strip_prefix(&self.beginning()).and_then(|it| it.strip_suffix(END));
            let process = process.and_then(|it| it.parse::<u32>().ok());
            let runs = |it: u32| {
                it != std::process::id() && Path::new("/proc").join(it.to_string()).exists()
            };
            if process.is_some_and(|it| !runs(it)) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// What those names begin with; the number of a process follows.
    fn beginning(&self) -> String {
        format!(".{}.", self.file.file_name().unwrap_or_default().to_string_lossy())
    }

    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }
}

fn cannot_write(file: &Path, error: &io::Error) -> Fault {
    Fault::usage(match error.kind() {
        io::ErrorKind::PermissionDenied => format!(
            "cannot write {}: {error}: name another file with --output, or run as root",
            file.display()
        ),
        _ => format!("cannot write {}", advice(file, error)),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("wirespeed-{name}-{}", std::process::id()));
            fs::create_dir(&path).expect("a new folder");
            Self(path)
        }

        fn files(&self) -> Vec<String> {
            let names = fs::read_dir(&self.0).expect("a folder").map(|entry| {
                entry.expect("an entry").file_name().into_string().expect("a name of ours")
            });
            let mut names: Vec<_> = names.collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_plan_is_replaced_whole_and_everybody_may_read_it() {
        let folder = Folder::new("replace");
        let file = folder.0.join("plan");
        for text in ["old", "new"] {
            let destination = Destination::new(Some(file.clone())).expect("a place");
            destination.write(text).expect("written");
            assert_eq!(fs::read_to_string(&file).expect("a file"), text);
        }
        assert_eq!(fs::metadata(&file).expect("a file").mode() & 0o777, 0o644);
        assert_eq!(folder.files(), ["plan"]);
    }

    #[test]
    fn what_a_killed_program_left_goes() {
        let folder = Folder::new("killed");
        // No process has this number: the largest is 2^22, proc_sys_kernel(5).
        let mine = format!(".plan.{}.new", std::process::id());
        let another = ".plan.1.new";
        for name in [".plan.4194305.new", ".plan.x.new", "plan.4194305.new", &mine, another] {
            fs::write(folder.0.join(name), "half").expect("written");
        }
        let destination = Destination { file: folder.0.join("plan") };
        destination.sweep();
        assert_eq!(folder.files(), [another, ".plan.x.new", "plan.4194305.new"]);
    }

    #[test]
    fn a_link_stays_a_link() {
        let folder = Folder::new("link");
        let (file, link) = (folder.0.join("real"), folder.0.join("plan"));
        fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        Destination::new(Some(link.clone())).expect("a place").write("new").expect("written");
        assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
        assert_eq!(fs::read_to_string(&file).expect("a file"), "new");
    }

    #[test]
    fn a_relative_path_becomes_an_absolute_one() {
        let destination = Destination::new(Some(PathBuf::from("no-such-plan"))).expect("a place");
        assert!(destination.file().is_absolute() && destination.file().ends_with("no-such-plan"));
    }

    #[test]
    fn a_place_that_cannot_be_is_refused_before_anything_is_measured() {
        let told = |path: &str| {
            let fault = Destination::new(Some(PathBuf::from(path))).expect_err("no place");
            let Fault::Usage(message) = fault else { panic!("{fault:?}") };
            message
        };
        assert!(told("/nowhere/at/all/plan").starts_with("cannot write /nowhere/at/all/plan: "));
        assert_eq!(told("/dev/null"), "/dev/null is no regular file");
        assert_eq!(told("/tmp"), "/tmp is no regular file");
    }
}
