//! A package's files as they will lie on the machine, below a folder that stands for its root.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::package::build::Built;
use crate::package::contents::{File, From, Package};
use crate::package::notices;
use crate::run::Run;
use crate::workspace::Workspace;

/// The files of a package, or of several, below a new folder.
pub(crate) struct Tree<'a> {
    workspace: &'a Workspace,
    built: &'a Built,
    root: PathBuf,
    layout: Layout,
}

/// Where a format has things.
#[derive(Clone)]
pub(crate) struct Layout {
    /// The folder below the root that all lies in, such as usr.
    pub(crate) prefix: String,
    /// The same for pkg-config.
    pub(crate) absolute: &'static str,
    /// The folder of the architecture's libraries.
    pub(crate) libraries: String,
    /// The folder of completions for zsh, in share/zsh.
    pub(crate) zsh: &'static str,
    pub(crate) version: String,
}

impl<'a> Tree<'a> {
    pub(crate) fn lay(
        workspace: &'a Workspace,
        built: &'a Built,
        packages: &[&Package],
        root: PathBuf,
        layout: Layout,
    ) -> Result<Self> {
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        let tree = Self { workspace, built, root, layout };
        tree.folder(&tree.root)?;
        for file in packages.iter().flat_map(|package| package.files) {
            tree.put(file).with_context(|| file.to.to_owned())?;
        }
        Ok(tree)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The text with the words in braces replaced.
    pub(crate) fn said(&self, text: &str) -> String {
        let Layout { libraries, zsh, version, .. } = &self.layout;
        let words = [("{libraries}", &**libraries), ("{zsh}", zsh), ("{version}", version)];
        words.iter().fold(text.to_owned(), |text, (word, value)| text.replace(word, value))
    }

    /// A file's place.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.root.join(&self.layout.prefix).join(self.said(name))
    }

    /// All files, below the root.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![self.root.clone()];
        while let Some(folder) = folders.pop() {
            for name in names(&folder)? {
                let path = folder.join(name);
                match fs::symlink_metadata(&path)?.is_dir() {
                    true => folders.push(path),
                    false => found.push(path.strip_prefix(&self.root)?.to_owned()),
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn put(&self, file: &File) -> Result<()> {
        let to = self.place(file.to);
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
                for page in names(&to)?.iter().filter(|page| page.ends_with(".1")) {
                    self.compress(&to.join(page))?;
                }
                Ok(())
            }
            From::Manual(name) => self.copy(&self.built.manual.join(name), &to),
            From::PkgConfig(name) => {
                let text = fs::read_to_string(repository.join(name))?;
                let moved = text.replace("/usr/local", self.layout.absolute);
                let folder = format!("libdir=${{prefix}}/{}", self.layout.libraries);
                self.write(&to, moved.replace("libdir=${prefix}/lib", &folder).as_bytes())
            }
            From::Notices(crates) => {
                let text = notices::write(self.workspace, self.built.target.rust, crates)?;
                self.write(&to, text.as_bytes())
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
        let strip = Run::new(self.built.target.strip, self.workspace.root());
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
pub(crate) fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut names: Vec<_> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}
