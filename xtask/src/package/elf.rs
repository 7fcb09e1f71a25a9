//! What a program or library asks of the system: which libraries, and which versions of their functions.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail};

use crate::run::Run;

/// What one file needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// `NEEDED`: the names of libraries.
    libraries: BTreeSet<String>,
    /// Names of versions, such as `GLIBC_2.34`.
    versions: BTreeSet<String>,
}

impl Needs {
    /// Asks readelf, which knows files of every machine.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        let run = Run::new("readelf", Path::new("/"));
        let run =
            run.environment("LC_ALL", "C").arguments(["--wide", "--dynamic", "--version-info"]);
        Ok(Self::parse(&run.arguments([file]).output()?))
    }

    fn parse(text: &str) -> Self {
        let mut needs = Self::default();
        for line in text.lines() {
            if let Some((_, library)) = line.split_once("Shared library: [") {
                needs.libraries.insert(library.trim_end_matches(']').to_owned());
            } else if let Some((_, version)) = line.split_once("  Name: ")
                && line.contains("Flags:")
                && let Some(version) = version.split_whitespace().next()
            {
                needs.versions.insert(version.to_owned());
            }
        }
        needs
    }

    /// The newest version of a series, such as `GLIBC_`.
    pub(crate) fn newest(&self, series: &str) -> Option<(u32, u32)> {
        let numbers = self.versions.iter().filter_map(|version| {
            let mut numbers = version.strip_prefix(series)?.split('.').map(str::parse);
            Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
        });
        numbers.max()
    }

    /// The packages of Debian's that hold what is needed, each in the oldest version that does.
    pub(crate) fn debian(&self) -> Result<Vec<String>> {
        let mut packages = Vec::new();
        for library in &self.libraries {
            let name = library.split(".so").next().unwrap_or_default();
            let (package, series) = match name {
                "libc" | "libm" | "libdl" | "libpthread" => ("libc6", "GLIBC_"),
                // Its name has the architecture's in it.
                loader if loader.starts_with("ld-linux") => ("libc6", "GLIBC_"),
                "libgcc_s" => ("libgcc-s1", "GCC_"),
                _ => bail!("{library}: in which package of Debian's is it?"),
            };
            packages.push(match self.newest(series) {
                Some((major, minor)) => format!("{package} (>= {major}.{minor})"),
                None => package.to_owned(),
            });
        }
        packages.sort();
        packages.dedup();
        Ok(packages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readelf_says() {
        let needs = Needs::parse(
            " 0x0000000000000001 (NEEDED)             Shared library: [libgcc_s.so.1]\n \
             0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]\n\
             Version needs section '.gnu.version_r' contains 2 entries:\n \
             Addr: 0x0000000000001000  Offset: 0x00001000  Link: 5 (.dynstr)\n  \
             000000: Version: 1  File: libgcc_s.so.1  Cnt: 1\n  \
             0x0010:   Name: GCC_4.2.0  Flags: none  Version: 12\n  \
             0x0020: Version: 1  File: libc.so.6  Cnt: 2\n  \
             0x0030:   Name: GLIBC_2.9  Flags: none  Version: 13\n  \
             0x0040:   Name: GLIBC_2.34  Flags: none  Version: 8\n",
        );
        assert_eq!(needs.newest("GLIBC_"), Some((2, 34)));
        assert_eq!(needs.debian().expect("known"), ["libc6 (>= 2.34)", "libgcc-s1 (>= 4.2)"]);
    }
}
