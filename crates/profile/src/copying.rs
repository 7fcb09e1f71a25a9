//! The functions of the C library that copy. Debian's tells no names of them, and which of several they are is chosen for
//! the CPU when a program starts. This program has the same.

use std::collections::HashSet;
use std::process;

use crate::functions::Functions;
use crate::learned::identity;
use crate::spaces::{File, Spaces};

/// Where they are in the files of this program.
pub(crate) struct Copying {
    spaces: Spaces,
    addresses: [u64; 2],
}

impl Copying {
    /// As they were chosen for this program.
    pub(crate) fn here() -> Self {
        let mut spaces = Spaces::default();
        spaces.read(process::id());
        let addresses = [libc::memcpy as *const () as u64, libc::memmove as *const () as u64];
        Self { spaces, addresses }
    }

    /// Where they begin, if a file is this program's C library.
    pub(crate) fn begin_in(&self, file: &File, functions: &Functions) -> HashSet<u64> {
        let same = |own: usize| {
            let own = identity(&self.spaces.files()[own].path);
            own.is_some() && own == identity(file.readable())
        };
        let place = |address: &u64| self.spaces.find(process::id(), *address);
        let places = self.addresses.iter().filter_map(place).filter(|(own, _)| same(*own));
        places.filter_map(|(_, offset)| Some(functions.at(offset)?.begins)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_of_this_program_has_them_and_no_other_file() {
        let here = Copying::here();
        let has_them = |file: &File| {
            let functions = Functions::read(&file.path);
            functions.is_some_and(|functions| !here.begin_in(file, &functions).is_empty())
        };
        let files = here.spaces.files().iter().filter(|file| has_them(file));
        let names: Vec<_> = files.filter_map(|file| file.path.file_name()?.to_str()).collect();
        assert!(
            matches!(&names[..], [name] if name.starts_with("libc") || name.starts_with("ld-"))
        );
    }
}
