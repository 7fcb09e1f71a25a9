//! Any text is read without a panic, and what is found in it are speeds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wirespeed_results::{Content, Text};

fuzz_target!(|data: &[u8]| {
    let Ok(found) = Text::of(data).read("fuzz") else { return };
    // What this program writes is believed; what others print is not.
    let is_pasted = matches!(Text::of(data), Text::Printed(_));
    for results in found.iter().filter(|_| is_pasted) {
        let is_speed = |speed: f64| speed.is_finite() && speed > 0.0;
        let speeds: Vec<f64> = match &results.content {
            Content::Bench(bench) => bench.rows.iter().map(|row| row.bytes_per_second).collect(),
            Content::Disk(disk) => {
                disk.rows.iter().filter_map(|row| row.bytes_per_second).collect()
            }
            Content::Survey(_) | Content::Vpn(_) => panic!("nobody else prints these"),
        };
        assert!(!speeds.is_empty() && speeds.into_iter().all(is_speed));
    }
});
