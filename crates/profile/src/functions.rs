//! Where the functions of a file begin, and their names where it tells them.
//!
//! A stripped library tells few names. But the table that unwinds its stack knows where each function begins, those in
//! assembly too (.eh_frame_hdr: Linux Standard Base, Core, §10.6).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gimli::{BaseAddresses, EhFrameHdr, NativeEndian, Pointer};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};

/// Bigger files are not read.
const LARGEST: u64 = 1 << 30;

/// A place in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Function<'f> {
    /// Where the function begins.
    pub(crate) begins: u64,
    /// The place.
    pub(crate) address: u64,
    /// The function's name, where the file tells it.
    pub(crate) name: Option<&'f str>,
}

/// The functions of one file.
pub(crate) struct Functions {
    /// By the address where each begins.
    starts: BTreeMap<u64, Option<String>>,
    /// What of the file is loaded where: place in the file, bytes, address.
    segments: Vec<(u64, u64, u64)>,
}

impl Functions {
    /// Reads an executable or a library; none if it is neither.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        if fs::metadata(path).ok()?.len() > LARGEST {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        let file = object::File::parse(bytes.as_slice()).ok()?;
        let place = |segment: object::Segment<'_, '_>| {
            let (offset, bytes) = segment.file_range();
            (offset, bytes, segment.address())
        };
        let segments = file.segments().map(place).collect();
        let mut starts = unwound(&file).unwrap_or_default();
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() {
                starts.insert(symbol.address(), symbol.name().ok().map(str::to_owned));
            }
        }
        Some(Self { starts, segments })
    }

    /// The function at a place in the file.
    pub(crate) fn at(&self, offset: u64) -> Option<Function<'_>> {
        self.around(self.address(offset)?)
    }

    /// The address of a place in the file.
    pub(crate) fn address(&self, offset: u64) -> Option<u64> {
        let inside =
            |(start, bytes, _): &&(u64, u64, u64)| (*start..start + bytes).contains(&offset);
        let (start, _, address) = self.segments.iter().find(inside)?;
        Some(address + (offset - start))
    }

    /// The function around an address.
    pub(crate) fn around(&self, address: u64) -> Option<Function<'_>> {
        let (begins, name) = self.starts.range(..=address).next_back()?;
        Some(Function { begins: *begins, address, name: name.as_deref() })
    }
}

/// Where functions begin, by the table that unwinds the stack.
fn unwound(file: &object::File<'_>) -> Option<BTreeMap<u64, Option<String>>> {
    let section = file.section_by_name(".eh_frame_hdr")?;
    let data = section.data().ok()?;
    let bases = BaseAddresses::default().set_eh_frame_hdr(section.address());
    let pointer_bytes = if file.is_64() { 8 } else { 4 };
    let header = EhFrameHdr::new(data, NativeEndian).parse(&bases, pointer_bytes).ok()?;
    let table = header.table()?;
    let mut entries = table.iter(&bases);
    let mut starts = BTreeMap::new();
    while let Ok(Some((start, _))) = entries.next() {
        if let Pointer::Direct(address) = start {
            starts.insert(address, None);
        }
    }
    Some(starts)
}

#[cfg(test)]
mod tests {
    use std::env;

    use super::*;

    #[test]
    fn this_program_has_functions() {
        let functions = Functions::read(&env::current_exe().expect("a path")).expect("an ELF file");
        let main = functions.starts.iter().find(|(_, name)| name.as_deref() == Some("main"));
        let address = *main.expect("main has a name").0;
        let of = |(offset, bytes, base): &(u64, u64, u64)| {
            (*base..base + bytes).contains(&address).then(|| offset + (address - base))
        };
        let offset = functions.segments.iter().find_map(of).expect("it is loaded");
        let expected = Function { begins: address, address: address + 1, name: Some("main") };
        assert_eq!(functions.at(offset + 1), Some(expected));
        assert!(
            functions.starts.values().filter(|name| name.is_none()).count()
                < functions.starts.len()
        );
    }

    #[test]
    fn what_is_no_program_has_none() {
        assert!(Functions::read(Path::new("/proc/self/maps")).is_none());
        assert!(Functions::read(Path::new("/nowhere")).is_none());
    }
}
