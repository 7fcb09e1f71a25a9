//! Runs without a cipher, and with one that is not there.

use std::sync::Mutex;

use super::*;
use crate::store::Memory;
use crate::{Cipher, Iv, Mode};

#[derive(Default)]
struct Listener {
    steps: Mutex<Vec<(Step, u64)>>,
    rows: Mutex<Vec<Row>>,
    stop_at: Option<Step>,
}

impl Watch for Listener {
    fn advance(&self, _: u64) {}

    fn is_stopped(&self) -> bool {
        let steps = self.steps.lock().expect("whole");
        steps.last().map(|it| it.0) == self.stop_at && self.stop_at.is_some()
    }
}

impl Audience for Listener {
    fn begins(&self, _: &str, _: Candidate, step: Step, bytes: u64) {
        self.steps.lock().expect("whole").push((step, bytes));
    }

    fn row(&self, row: &Row) {
        self.rows.lock().expect("whole").push(row.clone());
    }
}

fn settings(candidates: Vec<Candidate>) -> Settings {
    Settings { candidates, bytes: 3 << 20, threads: 2, sector_bytes: 512 }
}

#[test]
fn everything_is_compared_with_none() {
    let listener = Listener::default();
    let aes = Specification::Encrypted(Cipher::Aes, Mode::Xts, Iv::Plain64);
    let rows =
        in_process(&Memory, &settings(vec![Candidate::of(aes, 256)]), &listener).expect("both run");
    let tests: Vec<_> = rows.iter().map(|it| (it.cipher.as_str(), it.test.as_deref())).collect();
    let [w, r, w2, r2] = [Some("w"), Some("r"), Some("w2"), Some("r2")];
    let of = |cipher| [(cipher, w), (cipher, r), (cipher, w2), (cipher, r2)];
    assert_eq!(tests, [of("none"), of("aes-xts-plain64")].concat());
    assert_eq!(*listener.rows.lock().expect("whole"), rows);
    for row in &rows[..4] {
        assert_eq!((row.factor, row.route.as_deref()), (Some(1.0), None));
    }
    for (row, none) in rows[4..].iter().zip(&rows) {
        assert_eq!(row.bytes, Some(3 << 20));
        let factor =
            row.bytes_per_second.expect("measured") / none.bytes_per_second.expect("measured");
        assert_eq!(row.factor, Some(factor));
        assert!(row.route.is_some() && row.cpu_ns > Some(0));
    }
    assert_eq!(rows[7].compared_bytes, Some(Memory.bytes(2)));
    let steps = listener.steps.lock().expect("whole");
    assert_eq!(steps.len(), 11);
    // Nobody's speed, and that of none.
    assert_eq!(steps[..2], [(Step::Test(Test::Write), 3 << 20); 2]);
    assert_eq!(steps[5], (Step::Check, Memory.bytes(2)));
}

#[test]
fn what_was_measured_before_the_end_is_told() {
    let stop_at = Some(Step::Test(Test::WriteAgain));
    let listener = Listener { stop_at, ..Listener::default() };
    let failure = in_process(&Memory, &settings(vec![]), &listener).expect_err("broken off");
    assert!(matches!(failure, Failure::Test(_, workload::Failure::Stopped)), "{failure}");
    let rows = listener.rows.lock().expect("whole");
    assert_eq!(
        rows.iter().map(|it| it.test.as_deref()).collect::<Vec<_>>(),
        [Some("w"), Some("r")]
    );
}

/// Encrypts, and never decrypts.
struct Loser;

impl sectors::SectorCipher for Loser {
    fn encrypt(&self, _: u64, plain: &[u8], sectors: &mut [u8], _: &mut [u8]) {
        sectors.iter_mut().zip(plain).for_each(|(to, from)| *to = !from);
    }

    fn decrypt(
        &self,
        _: u64,
        sectors: &[u8],
        plain: &mut [u8],
        _: &[u8],
    ) -> Result<(), sectors::Forged> {
        plain.copy_from_slice(sectors);
        Ok(())
    }
}

#[test]
fn what_reads_wrong_bytes_is_in_quarantine_and_the_others_go_on() {
    let listener = Listener::default();
    let mut table = Table::new(&listener);
    let layout = Layout { sector_bytes: 512, tag_bytes: 0 };
    let mut workload = Workload::new(&Memory, Some(&Loser), layout, 1 << 20, 1).expect("memory");
    let candidate = Candidate::of(Specification::Plain, 0);
    let blank = blank("memory", candidate);
    let measured = table.measure(candidate, &mut workload, &Test::ALL, &blank, 0);
    assert!(matches!(measured, Err(workload::Failure::Different(0))));
    assert_eq!(table.rows.len(), 3);
    table.quarantine(measured, 0, blank).expect("it goes on");
    let [last] = &table.rows[..] else { panic!("its speeds stay") };
    assert_eq!((last.test.as_deref(), last.factor), (None, None));
    let wrong = last.wrong.as_deref().expect("what is wrong");
    assert!(wrong.contains("is not what was written"), "{wrong}");
}
