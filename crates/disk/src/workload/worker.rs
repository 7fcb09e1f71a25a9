//! A worker: sectors of plain text in, sectors of the store out, and back.

use std::ops::Range;

use wirespeed_measure::{Clock, ThreadTime};

use super::{Failure, Layout, Test, Watch};
use crate::UNIT;
use crate::noise;
use crate::sectors::SectorCipher;
use crate::store::{Lane, Pages, Stripe};

/// One thread's work.
pub(super) struct Worker<'a> {
    lane: Box<dyn Lane>,
    stripe: Stripe,
    chunk: usize,
    cipher: Option<&'a dyn SectorCipher>,
    layout: Layout,
    /// A chunk of plain text; the last bytes of each sector say which one it is.
    plain: Pages,
    /// What is kept beside the sectors of the whole stripe: a device would keep it among them.
    tags: Vec<u8>,
}

/// Bytes after which the watcher hears of it: often enough for a bar, too seldom to be felt.
const REPORT: u64 = 8 << 20;

impl<'a> Worker<'a> {
    pub(super) fn new(
        lane: Box<dyn Lane>,
        stripe: Stripe,
        chunk: usize,
        cipher: Option<&'a dyn SectorCipher>,
        layout: Layout,
    ) -> Self {
        let mut plain = Pages::new(chunk);
        plain.first(chunk).copy_from_slice(&noise::bytes(stripe.first, chunk));
        let tags = vec![0; layout.tags_of(stripe.bytes) as usize];
        Self { lane, stripe, chunk, cipher, layout, plain, tags }
    }

    /// Bytes of the stripe.
    pub(super) const fn stored_bytes(&self) -> u64 {
        self.stripe.bytes
    }

    /// One test; gives the nanoseconds of CPU time.
    pub(super) fn run(&mut self, test: Test, watch: &dyn Watch) -> Result<u64, Failure> {
        let began = ThreadTime.now();
        let (mut done, mut reported, mut offset) = (0, 0, 0);
        while done < self.stripe.share {
            if watch.is_stopped() {
                return Err(Failure::Stopped);
            }
            let length = self.length(self.stripe.share - done, offset);
            match test {
                Test::Write | Test::WriteAgain => self.write(offset, length, test.seed())?,
                Test::Read | Test::ReadAgain => self.read(offset, length)?,
            }
            done += length as u64;
            offset += length as u64;
            if offset == self.stripe.bytes {
                offset = 0;
            }
            if done - reported >= REPORT || done == self.stripe.share {
                watch.advance(done - reported);
                reported = done;
            }
        }
        self.lane.finish()?;
        Ok(ThreadTime.now() - began)
    }

    /// Reads what a test has left, and compares; gives the bytes.
    pub(super) fn check(&mut self, last: Test, watch: &dyn Watch) -> Result<u64, Failure> {
        let mut offset = 0;
        let mut expected = self.plain.first(self.chunk).to_vec();
        while offset < self.stripe.bytes {
            if watch.is_stopped() {
                return Err(Failure::Stopped);
            }
            let length = self.length(self.stripe.bytes - offset, offset);
            let number = self.number(offset);
            stamp(&mut expected[..length], self.layout.sector_bytes, number, last.seed());
            self.read(offset, length)?;
            let differs = self
                .plain
                .first(length)
                .chunks(self.layout.sector_bytes)
                .zip(expected.chunks(self.layout.sector_bytes))
                .position(|(read, written)| read != written);
            if let Some(sector) = differs {
                let units = self.layout.sector_bytes as u64 / UNIT;
                return Err(Failure::Different(number + sector as u64 * units));
            }
            watch.advance(length as u64);
            offset += length as u64;
        }
        Ok(self.stripe.bytes)
    }

    /// The number of the sector at an offset of the lane.
    const fn number(&self, offset: u64) -> u64 {
        (self.stripe.first + offset) / UNIT
    }

    /// A chunk, or what is left before the end.
    fn length(&self, left: u64, offset: u64) -> usize {
        left.min(self.stripe.bytes - offset).min(self.chunk as u64) as usize
    }

    fn write(&mut self, offset: u64, length: usize, seed: u64) -> Result<(), Failure> {
        let number = self.number(offset);
        let plain = self.plain.first(length);
        stamp(plain, self.layout.sector_bytes, number, seed);
        let tags = &mut self.tags[self.layout.beside(offset, length)];
        self.lane.write(offset, length, &mut |sectors| match self.cipher {
            Some(cipher) => cipher.encrypt(number, plain, sectors, tags),
            None => sectors.copy_from_slice(plain),
        })?;
        Ok(())
    }

    fn read(&mut self, offset: u64, length: usize) -> Result<(), Failure> {
        let number = self.number(offset);
        let plain = self.plain.first(length);
        let tags = &self.tags[self.layout.beside(offset, length)];
        let mut outcome = Ok(());
        self.lane.read(offset, length, &mut |sectors| match self.cipher {
            Some(cipher) => outcome = cipher.decrypt(number, sectors, plain, tags),
            None => plain.copy_from_slice(sectors),
        })?;
        outcome.map_err(|_| Failure::Different(number))
    }
}

impl Layout {
    /// Bytes beside all sectors of a stripe, which may be longer than memory of 32 bits.
    pub(crate) const fn tags_of(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.sector_bytes as u64) * self.tag_bytes as u64
    }

    /// Where the tags of some sectors lie among all.
    fn beside(self, offset: u64, length: usize) -> Range<usize> {
        if self.tag_bytes == 0 {
            // Divisions would show beside a fast cipher's request.
            return 0..0;
        }
        let first = (offset / self.sector_bytes as u64) as usize * self.tag_bytes;
        first..first + length / self.sector_bytes * self.tag_bytes
    }
}

/// Makes every sector another one: its number, and which write it was. They stand at its end, because a cipher
/// reads its beginning at once, and would wait for a store of eight bytes to leave the CPU.
fn stamp(mut plain: &mut [u8], sector_bytes: usize, mut number: u64, seed: u64) {
    while let Some((sector, rest)) = plain.split_at_mut_checked(sector_bytes) {
        if let Some(end) = sector.last_chunk_mut() {
            *end = (number ^ seed).to_le_bytes();
        }
        number += sector_bytes as u64 / UNIT;
        plain = rest;
    }
}
