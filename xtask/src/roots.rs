//! Systems of Debian's, unpacked by mmdebstrap and kept.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::run::Run;
use crate::workspace::Workspace;

/// How far mmdebstrap goes.
#[derive(Clone, Copy)]
pub(crate) enum Variant {
    /// Packages are unpacked and never configured: of any architecture.
    Extract,
    /// A system that runs, with APT.
    Apt,
}

/// A folder's name, and what is in it.
pub(crate) struct Root<'n> {
    pub(crate) name: &'n str,
    /// Debian's release.
    pub(crate) suite: &'n str,
    /// Names with commas between them.
    pub(crate) packages: &'n str,
}

/// Where they are.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target().join("roots")
}

impl Root<'_> {
    /// The folder, made unless it is there.
    pub(crate) fn unpacked(
        &self,
        workspace: &Workspace,
        variant: Variant,
        options: &[String],
    ) -> Result<PathBuf> {
        let Self { name, suite, packages } = self;
        let roots = folder(workspace);
        let (root, list) = (roots.join(name), roots.join(format!("{name}.programs")));
        let made = format!("{packages}{}", options.concat());
        fs::create_dir_all(&roots)?;
        // Two stages may want it at the same time.
        let lock = fs::File::create(roots.join(format!("{name}.lock")))?;
        lock.lock()?;
        if root.exists() && fs::read_to_string(&list).is_ok_and(|it| it == made) {
            return Ok(root);
        }
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        let unfinished = roots.join(format!("{name}.unfinished"));
        let variant = match variant {
            Variant::Extract => "--variant=extract",
            Variant::Apt => "--variant=apt",
        };
        // A mirror that keeps an old day of testing keeps its date of expiry, too.
        let old = "--aptopt=Acquire::Check-Valid-Until \"false\"";
        // From this archive, or from all that the suite has.
        let unpack = |archive: Option<&str>| -> Result<()> {
            if unfinished.exists() {
                fs::remove_dir_all(&unfinished)?;
            }
            Run::new("mmdebstrap", workspace.root())
                .arguments([variant, "--include", packages])
                .arguments(options)
                .arguments((*suite == "testing").then_some(old))
                .arguments([*suite])
                .arguments([&unfinished])
                .arguments(archive)
                .succeeds_quietly(&unfinished.with_extension("log"))
        };
        let release = format!("deb http://deb.debian.org/debian {suite} main");
        // The archive of what came since the release is behind its own index at times.
        let done = unpack(None).or_else(|error| {
            println!("{error:#}; without updates:");
            unpack(Some(&release))
        });
        done.and_then(|()| Ok(fs::rename(&unfinished, &root)?))?;
        fs::write(list, made)?;
        Ok(root)
    }
}
