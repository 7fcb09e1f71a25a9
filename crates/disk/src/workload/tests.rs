//! The workload with ciphers that are easy to see through.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::sectors::Forged;
use crate::store::{Memory, Temporary};

/// Adds the number of the sector to every byte; keeps it beside the sector.
struct Shift;

impl SectorCipher for Shift {
    fn encrypt(&self, number: u64, plain: &[u8], sectors: &mut [u8], tags: &mut [u8]) {
        for (place, (from, to)) in plain.chunks(512).zip(sectors.chunks_mut(512)).enumerate() {
            let shift = (number as u8).wrapping_add(place as u8);
            from.iter().zip(to).for_each(|(from, to)| *to = from.wrapping_add(shift));
            tags[place] = shift;
        }
    }

    fn decrypt(
        &self,
        number: u64,
        sectors: &[u8],
        plain: &mut [u8],
        tags: &[u8],
    ) -> Result<(), Forged> {
        for (place, (from, to)) in sectors.chunks(512).zip(plain.chunks_mut(512)).enumerate() {
            let shift = (number as u8).wrapping_add(place as u8);
            from.iter().zip(to).for_each(|(from, to)| *to = from.wrapping_sub(shift));
            if tags[place] != shift {
                return Err(Forged);
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Counter(AtomicUsize);

impl Watch for Counter {
    fn advance(&self, bytes: u64) {
        self.0.fetch_add(bytes as usize, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        false
    }
}

const LAYOUT: Layout = Layout { sector_bytes: 512, tag_bytes: 1 };

fn article(
    store: &dyn Store,
    cipher: Option<&dyn SectorCipher>,
    bytes: u64,
) -> Result<u64, Failure> {
    let mut workload = Workload::new(store, cipher, LAYOUT, bytes, 3)?;
    let counter = Counter::default();
    for test in Test::ALL {
        let passed = workload.run(test, &counter)?;
        assert_eq!(passed.bytes, bytes);
        assert!(passed.elapsed_ns > 0);
    }
    assert_eq!(counter.0.load(Ordering::Relaxed) as u64, 4 * bytes);
    workload.check(Test::ReadAgain, &counter)
}

#[test]
fn memory_is_written_over_and_over() {
    let bytes = (5 << 20) + 4096;
    let compared = article(&Memory, Some(&Shift), bytes).expect("all there");
    assert_eq!(compared, Memory.bytes(3));
    article(&Memory, None, bytes).expect("all there");
}

#[test]
fn a_file_holds_every_byte() {
    let bytes = (7 << 20) + 4096;
    let file = Temporary::create(&std::env::temp_dir(), bytes).expect("a file");
    assert_eq!(article(&file.store, Some(&Shift), bytes).expect("all there"), bytes);
}

/// Loses the second write.
struct Forgetful(std::sync::Mutex<bool>);

impl SectorCipher for Forgetful {
    fn encrypt(&self, _: u64, plain: &[u8], sectors: &mut [u8], _: &mut [u8]) {
        if !*self.0.lock().expect("not poisoned") {
            sectors.copy_from_slice(plain);
        }
    }

    fn decrypt(&self, _: u64, sectors: &[u8], plain: &mut [u8], _: &[u8]) -> Result<(), Forged> {
        *self.0.lock().expect("not poisoned") = true;
        plain.copy_from_slice(sectors);
        Ok(())
    }
}

#[test]
fn an_old_sector_does_not_pass_for_a_new_one() {
    let cipher = Forgetful(std::sync::Mutex::new(false));
    let failure = article(&Memory, Some(&cipher), 1 << 20).expect_err("the second write was lost");
    assert!(matches!(failure, Failure::Different(0)), "{failure}");
}

#[test]
fn a_forged_tag_is_seen() {
    struct Liar;
    impl SectorCipher for Liar {
        fn encrypt(&self, number: u64, plain: &[u8], sectors: &mut [u8], tags: &mut [u8]) {
            Shift.encrypt(number, plain, sectors, tags);
            tags[0] ^= 1;
        }
        fn decrypt(
            &self,
            number: u64,
            sectors: &[u8],
            plain: &mut [u8],
            tags: &[u8],
        ) -> Result<(), Forged> {
            Shift.decrypt(number, sectors, plain, tags)
        }
    }
    assert!(matches!(article(&Memory, Some(&Liar), 1 << 20), Err(Failure::Different(_))));
}

#[test]
fn whoever_wants_to_stop_is_heard() {
    struct Impatient;
    impl Watch for Impatient {
        fn advance(&self, _: u64) {}
        fn is_stopped(&self) -> bool {
            true
        }
    }
    let mut workload = Workload::new(&Memory, Some(&Shift), LAYOUT, 1 << 20, 2).expect("memory");
    assert!(matches!(workload.run(Test::Write, &Impatient), Err(Failure::Stopped)));
}
