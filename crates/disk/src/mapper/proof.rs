//! Proof that the kernel and this process encrypt alike: what dm-crypt writes is decrypted here, and what was encrypted
//! here is read through dm-crypt, at the beginning, in the middle and at the end.

use std::io;
use std::path::Path;

use rustix::io::Errno;

use super::integrity::{self, SUPERBLOCK};
use super::{Mapping, Setup, Trouble, Unproved};
use crate::sectors::{self, SectorCipher};
use crate::store::{Direct, Lane, Store};
use crate::{Candidate, Cipher, Specification, noise};

/// Bytes at each of the three places.
const SPOT: usize = 64 << 10;

/// The border that offsets of direct input and output keep.
const BORDER: u64 = 4096;

/// Where tags lie.
#[derive(Clone, Copy, Debug)]
struct Tags {
    /// Of the first sector's, on the device below.
    first: u64,
    /// Bytes of each.
    bytes: usize,
}

/// Both directions at every place; the bytes compared.
pub(super) fn prove(
    setup: &mut Setup,
    mapping: &Mapping,
    candidate: Candidate,
    key: &[u8],
) -> Result<u64, Unproved> {
    let sector_bytes = mapping.sector_bytes;
    let built = sectors::build(candidate, key, sector_bytes).map_err(|why| {
        Unproved::Wrong(format!("{candidate}: nothing to compare dm-crypt with: {why}"))
    })?;
    let cipher = built.cipher.as_deref();
    let spots = spots(mapping.bytes);
    let place = setup.place().to_owned();
    let failed = |error: io::Error| Trouble(format!("{place}: the storage failed: {error}"));
    let differs = |offset: u64, way: &str| {
        let hint = match candidate.specification {
            Specification::Encrypted(Cipher::Arc4, ..) => HINT_ARC4,
            _ => "",
        };
        Unproved::Wrong(format!("{candidate}: {way}, in the 64 KiB from byte {offset} on{hint}"))
    };

    let theirs: Vec<Vec<u8>> =
        (0..).zip(&spots).map(|(place, _)| noise::bytes(place, SPOT)).collect();
    let mut above = open(&mapping.path, mapping.bytes).map_err(failed)?;
    for (offset, plain) in spots.iter().zip(&theirs) {
        write(&mut *above, *offset, plain).map_err(failed)?;
    }
    above.finish().map_err(failed)?;
    drop(above);
    setup.lift(mapping)?;
    let tags = tags(setup, mapping).map_err(failed)?;
    let mut below = open(setup.raw(), setup.room()).map_err(failed)?;
    for (offset, plain) in spots.iter().zip(&theirs) {
        let stored = read(&mut *below, *offset, SPOT).map_err(failed)?;
        let own = tags.map(|tags| tags.read(&mut *below, *offset, sector_bytes)).transpose();
        let found = decrypted(cipher, *offset, &stored, &own.map_err(failed)?.unwrap_or_default());
        if found.as_deref() != Some(plain) {
            return Err(differs(*offset, "what dm-crypt wrote is not what its cipher makes of it"));
        }
    }

    let ours: Vec<Vec<u8>> =
        (16..).zip(&spots).map(|(place, _)| noise::bytes(place, SPOT)).collect();
    for (offset, plain) in spots.iter().zip(&ours) {
        let mut stored = plain.clone();
        let bytes = tags.map_or(0, |tags| tags.bytes);
        let mut made = vec![0; SPOT / sector_bytes * bytes];
        if let Some(cipher) = cipher {
            cipher.encrypt(offset / 512, plain, &mut stored, &mut made);
        }
        write(&mut *below, *offset, &stored).map_err(failed)?;
        if let Some(tags) = tags {
            tags.write(&mut *below, *offset, sector_bytes, &made).map_err(failed)?;
        }
    }
    below.finish().map_err(failed)?;
    drop(below);
    setup.lower(mapping)?;
    let mut above = open(&mapping.path, mapping.bytes).map_err(failed)?;
    for (offset, plain) in spots.iter().zip(&ours) {
        let found = match read(&mut *above, *offset, SPOT) {
            // A tag that does not fit is an error of the device's.
            Err(error) if error.raw_os_error() == Some(Errno::ILSEQ.raw_os_error()) => None,
            other => Some(other.map_err(failed)?),
        };
        if found.as_ref() != Some(plain) {
            return Err(differs(*offset, "dm-crypt does not read what its cipher made"));
        }
    }
    Ok(2 * (spots.len() * SPOT) as u64)
}

/// crypto/arc4.c of Linux 6.1 keeps the state of the key stream with the key; that of 6.12 with each request.
const HINT_ARC4: &str = ": older kernels' ARC4 goes on in its key stream from sector to sector, so that nothing can \
                         be read again";

fn open(path: &Path, bytes: u64) -> io::Result<Box<dyn Lane>> {
    Direct::device(path, bytes)?.lane(0, bytes)
}

fn write(lane: &mut dyn Lane, offset: u64, bytes: &[u8]) -> io::Result<()> {
    lane.write(offset, bytes.len(), &mut |buffer| buffer.copy_from_slice(bytes))
}

fn read(lane: &mut dyn Lane, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    lane.read(offset, length, &mut |buffer| bytes = buffer.to_vec())?;
    Ok(bytes)
}

fn decrypted(
    cipher: Option<&dyn SectorCipher>,
    offset: u64,
    stored: &[u8],
    tags: &[u8],
) -> Option<Vec<u8>> {
    let Some(cipher) = cipher else { return Some(stored.to_vec()) };
    let mut plain = vec![0; stored.len()];
    cipher.decrypt(offset / 512, stored, &mut plain, tags).ok()?;
    Some(plain)
}

/// The beginning, the middle and the end.
fn spots(bytes: u64) -> [u64; 3] {
    let last = (bytes - SPOT as u64) / BORDER * BORDER;
    [0, last / 2 / BORDER * BORDER, last]
}

/// Where dm-integrity put the tags, if the candidate has any.
fn tags(setup: &Setup, mapping: &Mapping) -> io::Result<Option<Tags>> {
    let Some((cut, bytes)) = mapping.tags else { return Ok(None) };
    let mut below = open(setup.raw(), setup.room())?;
    let superblock = read(&mut *below, cut.data, SUPERBLOCK)?;
    let first = integrity::first_tag(&superblock, bytes, mapping.sector_bytes);
    let first = first.ok_or_else(|| io::Error::other("dm-integrity has left no superblock"))?;
    Ok(Some(Tags { first: cut.data + first, bytes }))
}

impl Tags {
    /// The stretch of whole blocks that holds the tags of a place, and where in it they begin.
    fn stretch(self, offset: u64, sector_bytes: usize) -> (u64, usize, usize, usize) {
        let start = self.first + offset / sector_bytes as u64 * self.bytes as u64;
        let length = SPOT / sector_bytes * self.bytes;
        let whole = start / BORDER * BORDER;
        let skip = (start - whole) as usize;
        (whole, (skip + length).next_multiple_of(BORDER as usize), skip, length)
    }

    fn read(self, lane: &mut dyn Lane, offset: u64, sector_bytes: usize) -> io::Result<Vec<u8>> {
        let (whole, all, skip, length) = self.stretch(offset, sector_bytes);
        Ok(read(lane, whole, all)?[skip..skip + length].to_vec())
    }

    fn write(
        self,
        lane: &mut dyn Lane,
        offset: u64,
        sector_bytes: usize,
        tags: &[u8],
    ) -> io::Result<()> {
        let (whole, all, skip, length) = self.stretch(offset, sector_bytes);
        let mut bytes = read(lane, whole, all)?;
        bytes[skip..skip + length].copy_from_slice(tags);
        write(lane, whole, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_places() {
        assert_eq!(spots(1 << 20), [0, 120 * 4096, 240 * 4096]);
        assert_eq!(spots((1 << 20) + 512), [0, 120 * 4096, 240 * 4096]);
        assert_eq!(spots(SPOT as u64), [0, 0, 0]);
    }

    #[test]
    fn tags_lie_anywhere_in_whole_blocks() {
        let tags = Tags { first: 139_264, bytes: 28 };
        let (whole, all, skip, length) = tags.stretch(1000 * 4096, 4096);
        assert_eq!(whole % BORDER, 0);
        assert_eq!(whole + skip as u64, 139_264 + 28_000);
        assert!(length == 16 * 28 && skip + length <= all && all % 4096 == 0);
    }
}
