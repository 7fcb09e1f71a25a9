//! Any counters are read without a panic: those of a foreign file, and those of one that is torn.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wirespeed_stats::{BYTES, MAGIC, Snapshot};

fn look(bytes: &[u8]) {
    if let Some(snapshot) = Snapshot::parse(bytes) {
        let calls = snapshot.rows().map(|row| row.calls).fold(0, u64::wrapping_add);
        let _ = (calls, snapshot.loads(), snapshot.quarantined());
    }
}

fuzz_target!(|data: &[u8]| {
    look(data);
    // A file of ours as far as its length and its first bytes go.
    let rest = data.iter().copied().chain(std::iter::repeat(0));
    let ours: Vec<u8> = MAGIC.iter().copied().chain(rest).take(BYTES).collect();
    look(&ours);
});
