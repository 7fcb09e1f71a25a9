//! Where dm-integrity keeps the tags of sectors, so that they can be read without it.
//!
//! With a device of their own for tags, that begins with a superblock, then has a journal, then the tags of all
//! sectors one after the other (drivers/md/dm-integrity.c: `struct superblock`, `calculate_journal_section_size`,
//! `calculate_device_limits`, `get_metadata_sector_and_offset`).

use crate::UNIT;

/// Bytes of the superblock; all zero, it is made when the target is loaded.
pub(super) const SUPERBLOCK: usize = 8 * UNIT as usize;

/// Tags are written in pieces of this size, and the last one has to be whole.
const BUFFER: u64 = 128 * UNIT;

/// dm-integrity wants that much more than it uses.
const SLACK: u64 = 16 * UNIT;

/// What goes before everything else is cut at a MiB, so that no device's blocks are split.
const BORDER: u64 = 1 << 20;

/// A device cut in two: sectors in front, their tags behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// Bytes of the sectors, and where the device for tags begins.
    pub(super) data: u64,
    /// Bytes of the device for tags.
    pub(super) tags: u64,
}

/// Bytes that have room for `data` and its tags, whatever the candidate.
pub(super) fn with_tags(data: u64) -> u64 {
    let most = [(28, 512), (32, 512)].map(|(tag, sector)| tags(data, tag, sector));
    data.next_multiple_of(BORDER) + most.into_iter().max().unwrap_or(0)
}

/// Bytes of the device for the tags of so much data.
fn tags(data: u64, tag_bytes: usize, sector_bytes: usize) -> u64 {
    let tags = (data / sector_bytes as u64 * tag_bytes as u64).next_multiple_of(BUFFER);
    let journal = section(tag_bytes, sector_bytes);
    (SUPERBLOCK as u64 + journal + tags + SLACK).next_multiple_of(BORDER)
}

/// Cuts `bytes`, with `wanted` of data if there is room for so many; nothing if there is no room.
pub(super) fn cut(bytes: u64, wanted: u64, tag_bytes: usize, sector_bytes: usize) -> Option<Cut> {
    let wanted = wanted / BORDER * BORDER;
    let whole = Cut { data: wanted, tags: tags(wanted, tag_bytes, sector_bytes) };
    if wanted > 0 && whole.data + whole.tags <= bytes {
        return Some(whole);
    }
    // As if all of it were data: a little too much room for tags.
    let tags = tags(bytes, tag_bytes, sector_bytes);
    let data = bytes.checked_sub(tags)? / BORDER * BORDER;
    (data > 0).then_some(Cut { data, tags })
}

/// Where the first tag lies on the device for tags, by what its superblock says.
pub(super) fn first_tag(superblock: &[u8], tag_bytes: usize, sector_bytes: usize) -> Option<u64> {
    let sections = superblock.strip_prefix(b"integrt\0")?.get(4..8)?;
    let sections = u64::from(u32::from_le_bytes(sections.try_into().ok()?));
    Some(SUPERBLOCK as u64 + sections * section(tag_bytes, sector_bytes))
}

/// Bytes of a section of the journal: 8 units of entries, each with the last 8 bytes of every unit of a sector and
/// its tag, and the sectors themselves.
fn section(tag_bytes: usize, sector_bytes: usize) -> u64 {
    let units = sector_bytes as u64 / UNIT;
    let entry = (8 + 8 * units + tag_bytes as u64).next_multiple_of(8);
    let entries = (UNIT - 8) / entry * 8;
    (entries * units + 8) * UNIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_as_the_kernel_counts_them() {
        // By hand: entries of 104 bytes, 4 in a unit, 32 in a section of 32 sectors and 8 units.
        assert_eq!(section(28, 4096), (32 * 8 + 8) * 512);
        // Entries of 48 bytes, 10 in a unit, 80 in a section.
        assert_eq!(section(32, 512), (80 + 8) * 512);
    }

    #[test]
    fn a_cut_has_room_for_every_tag() {
        for bytes in [4 << 20, 64 << 20, (5 << 30) + 512] {
            for (tag_bytes, sector_bytes) in [(28, 4096), (32, 512)] {
                for room in [bytes, with_tags(bytes)] {
                    let Cut { data, tags } =
                        cut(room, bytes, tag_bytes, sector_bytes).expect("enough");
                    assert!(data + tags <= room && data % sector_bytes as u64 == 0);
                    let needed = data / sector_bytes as u64 * tag_bytes as u64;
                    assert!(needed + section(tag_bytes, sector_bytes) + 4096 <= tags);
                    assert!(room == bytes || data == bytes / BORDER * BORDER);
                }
            }
        }
        assert_eq!(cut(1 << 20, 1 << 20, 28, 4096), None);
    }

    #[test]
    fn the_superblock_tells_where_tags_begin() {
        let mut superblock = vec![0; SUPERBLOCK];
        assert_eq!(first_tag(&superblock, 28, 4096), None);
        superblock[..8].copy_from_slice(b"integrt\0");
        superblock[12] = 3;
        assert_eq!(first_tag(&superblock, 28, 4096), Some(4096 + 3 * 264 * 512));
    }
}
