//! How much memory may become a disk.

use crate::mapper::Trouble;

/// Less is not worth a test.
const LEAST: u64 = 16 << 20;

/// Bytes that programs can still have, as /proc/meminfo tells it.
pub(crate) fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// Bytes of memory to take where so many are wanted; fewer if the machine would miss them.
pub(crate) fn share(wanted: u64, meminfo: &str) -> Result<u64, Trouble> {
    let available = available(meminfo).ok_or_else(|| {
        Trouble("/proc/meminfo does not tell how much memory is available".to_owned())
    })?;
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

/// Why so many bytes cannot be kept in memory; nothing where they can, or where nobody tells.
pub(crate) fn lacking(wanted: u64, meminfo: &str) -> Option<String> {
    let available = available(meminfo)?;
    (wanted > available / 2).then(|| {
        format!(
            "the tags of so many sectors take {} MiB of memory, and {} MiB are available: take a smaller --size",
            wanted >> 20,
            available >> 20
        )
    })
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

    #[test]
    fn tags_may_take_half_of_it() {
        assert_eq!(lacking(512 << 20, GIBIBYTE), None);
        let why = lacking(513 << 20, GIBIBYTE).expect("too many");
        assert!(why.contains("513 MiB") && why.contains("1024 MiB are available"), "{why}");
        assert_eq!(lacking(u64::MAX, ""), None);
    }
}
