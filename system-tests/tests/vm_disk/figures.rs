//! Load, time and CPU: the columns agree with each other, and no part is more than the whole.
//!
//! Ticks are charged to whoever runs when they come, so nothing here compares one clock with another.

use std::fs;
use std::time::Instant;

use wirespeed_disk::load::busy_nanos;

use crate::fixtures::DISK;
use crate::program::found;

const SIZE: &str = "16MiB";
const BYTES: u64 = 16 << 20;

pub(crate) fn plausible() -> Result<(), String> {
    let busy = || busy_nanos().ok_or("/proc/stat says nothing");
    let begun = Instant::now();
    let before = busy()?;
    let names = "aes-cbc-plain64,serpent-xts-plain64";
    let document =
        found(&["--size", SIZE, "--cipher", names, "--device", DISK, "--yes-destroy", DISK])?;
    let machine = busy()? - before;
    let wall = begun.elapsed().as_nanos() as u64;
    let (mut elapsed, mut cpu) = (0, 0);
    for row in &document.rows {
        let told = || format!("{row:?}");
        let own_elapsed = row.elapsed_ns.ok_or_else(told)?;
        let own_cpu = row.cpu_ns.ok_or_else(told)?;
        elapsed += own_elapsed;
        cpu += own_cpu;
        let rate = BYTES as f64 / own_elapsed as f64 * 1e9;
        let percent = own_cpu as f64 / own_elapsed as f64 * 100.0;
        let per_gibibyte = own_cpu as f64 / 1e9 / BYTES as f64 * f64::from(1 << 30);
        let agrees = |own: Option<f64>, right: f64| {
            own.is_some_and(|own| (own - right).abs() <= right.abs() * 1e-6)
        };
        let fits = row.bytes == Some(BYTES)
            && agrees(row.bytes_per_second, rate)
            && agrees(row.cpu_percent, percent)
            && agrees(row.cpu_s_per_gib, per_gibibyte)
            && row.load.is_some_and(|load| (0.0..64.0).contains(&load));
        if !fits {
            return Err(told());
        }
    }
    // Mappings, proofs and checks are not a part of the tests.
    match document.rows.len() == 12 && elapsed < wall && cpu <= machine {
        true => Ok(()),
        false => Err(format!(
            "{} rows: {elapsed} of {wall} ns, CPU {cpu} of {machine} ns; {}",
            document.rows.len(),
            fs::read_to_string("/proc/loadavg").unwrap_or_default()
        )),
    }
}
