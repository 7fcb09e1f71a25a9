//! A package's files as they will lie on the machine, below a folder that stands for its root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::package::build::Built;
use crate::package::contents::{File, From, Package};
use crate::run::Run;
use crate::workspace::Workspace;

/// Lays a package's files out below a new folder.
pub(crate) struct Tree<'a> {
    workspace: &'a Workspace,
    built: &'a Built,
    root: PathBuf,
    /// Names in braces, and what they stand for.
    words: &'a [(&'a str, &'a str)],
}

impl<'a> Tree<'a> {
    pub(crate) fn lay(
        workspace: &'a Workspace,
        built: &'a Built,
        package: &Package,
        root: PathBuf,
        words: &'a [(&'a str, &'a str)],
    ) -> Result<Self> {
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        let tree = Self { workspace, built, root, words };
        tree.folder(&tree.root)?;
        for file in package.files {
            tree.put(file).with_context(|| file.to.to_owned())?;
        }
        Ok(tree)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The text with the words in braces replaced.
    pub(crate) fn said(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    fn put(&self, file: &File) -> Result<()> {
        let to = self.root.join(self.said(file.to));
        let repository = self.workspace.root();
        match file.from {
            From::Program(name) => self.built(name, &to, 0o755, &["--strip-all"]),
            From::Library(name) => self.built(name, &to, 0o644, &["--strip-unneeded"]),
            From::Archive(name) => {
                self.built(name, &to, 0o644, &["--strip-debug", "--enable-deterministic-archives"])
            }
            From::Repository(name) => self.copy(&repository.join(name), &to),
            From::Folder(name, ending) => self.each(&repository.join(name), &to, |name| {
                Path::new(name).extension().is_some_and(|it| it == ending)
            }),
            From::Pages(program) => {
                let inner = format!("{program}-");
                self.each(&self.built.manual, &to, |name| {
                    let of = name.strip_suffix(".1");
                    of.is_some_and(|name| name == program || name.starts_with(&inner))
                })?;
                for page in names(&to)? {
                    self.compress(&to.join(page))?;
                }
                Ok(())
            }
            From::Manual(name) => self.copy(&self.built.manual.join(name), &to),
            From::PkgConfig(name) => {
                let text = fs::read_to_string(repository.join(name))?;
                let folder = self.said("/{libraries}");
                let moved = text.replace("prefix=/usr/local\n", "prefix=/usr\n");
                self.write(&to, moved.replace("${prefix}/lib\n", &(folder + "\n")).as_bytes())
            }
            From::Link(target) => {
                self.folder(parent(&to))?;
                Ok(symlink(self.said(target), &to)?)
            }
        }
    }

    /// A file that cargo built, without what nobody needs to run it.
    fn built(&self, name: &str, to: &Path, mode: u32, stripped: &[&str]) -> Result<()> {
        self.copy(&self.built.file(name)?, to)?;
        let strip = Run::new(format!("{}-strip", self.built.target.gnu), self.workspace.root());
        let sections = ["--remove-section=.comment", "--remove-section=.note"];
        if !strip.arguments(stripped).arguments(sections).arguments([to]).passes()? {
            bail!("strip failed");
        }
        Ok(fs::set_permissions(to, Permissions::from_mode(mode))?)
    }

    /// The files of a folder whose names are wanted.
    fn each(&self, from: &Path, to: &Path, wanted: impl Fn(&str) -> bool) -> Result<()> {
        for name in names(from)?.iter().filter(|name| wanted(name)) {
            self.copy(&from.join(name), &to.join(name))?;
        }
        Ok(())
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        let bytes = fs::read(from).with_context(|| from.display().to_string())?;
        self.write(to, &bytes)
    }

    /// A file that all may read.
    pub(crate) fn write(&self, to: &Path, bytes: &[u8]) -> Result<()> {
        self.folder(parent(to))?;
        fs::write(to, bytes)?;
        Ok(fs::set_permissions(to, Permissions::from_mode(0o644))?)
    }

    /// Packs a file, without its name and time.
    pub(crate) fn compress(&self, file: &Path) -> Result<()> {
        match Run::new("gzip", &self.root).arguments(["-9n"]).arguments([file]).passes()? {
            true => Ok(()),
            false => bail!("gzip failed"),
        }
    }

    /// A folder and those that it lies in, whatever the umask.
    fn folder(&self, path: &Path) -> Result<()> {
        fs::create_dir_all(path)?;
        for folder in path.ancestors().take_while(|folder| folder.starts_with(&self.root)) {
            fs::set_permissions(folder, Permissions::from_mode(0o755))?;
        }
        Ok(())
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut names: Vec<_> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}
