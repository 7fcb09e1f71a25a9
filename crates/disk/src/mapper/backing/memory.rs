//! How much memory may become a disk.

use super::super::Trouble;

/// Less is not worth a test.
const LEAST: u64 = 16 << 20;

/// Bytes of memory to take where so many are wanted; fewer if the machine would miss them.
pub(in super::super) fn share(wanted: u64, meminfo: &str) -> Result<u64, Trouble> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let available: Option<u64> =
        line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    let available = available.ok_or_else(|| {
        Trouble("/proc/meminfo does not tell how much memory is available".to_owned())
    })? << 10;
    let half = available / 2 / LEAST * LEAST;
    if wanted <= half {
        return Ok(wanted);
    }
    if half == 0 {
        let mebibytes = available >> 20;
        return Err(Trouble(format!(
            "only {mebibytes} MiB of memory are available, too few for a disk: use --loop or --device"
        )));
    }
    Ok(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIBIBYTE: &str = "MemTotal:  2097152 kB\nMemFree:  5 kB\nMemAvailable:    1048576 kB\n";

    #[test]
    fn half_of_what_is_available() {
        assert_eq!(share(64 << 20, GIBIBYTE), Ok(64 << 20));
        assert_eq!(share(512 << 20, GIBIBYTE), Ok(512 << 20));
        assert_eq!(share(2 << 30, GIBIBYTE), Ok(512 << 20));
    }

    #[test]
    fn too_little_is_said() {
        let error = share(64 << 20, "MemAvailable:  20000 kB\n").expect_err("10 MB");
        assert!(error.0.contains("only 19 MiB"), "{error}");
        assert!(share(1, "MemTotal: 5 kB\n").is_err());
    }
}
