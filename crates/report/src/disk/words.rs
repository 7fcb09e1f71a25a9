//! What the results are about, in words.

use wirespeed_results::schema::disk::Disk;

/// A place where sectors lay, as a title.
pub(super) fn place(store: &str) -> String {
    match store {
        "memory" => "In memory".to_owned(),
        "file" => "Through a file".to_owned(),
        "dm-crypt" => "By the kernel's dm-crypt".to_owned(),
        other => other.to_owned(),
    }
}

/// What the tests are.
pub(super) const fn tests() -> &'static str {
    "w and r are the first write and read, w2 and r2 the second; MB are 10<sup>6</sup> bytes. CPU time is that of the \
     program's workers, by dm-crypt that of the whole machine."
}

/// What was asked for, in a line.
pub(crate) fn settings(disk: &Disk) -> Option<String> {
    let settings = disk.settings.as_ref()?;
    let mebibytes = |bytes: u64| format!("{} MiB a test", bytes >> 20);
    let mut parts = Vec::new();
    parts.extend(settings.bytes.map(mebibytes));
    parts.extend(settings.threads.map(|threads| match threads {
        1 => "1 thread".to_owned(),
        threads => format!("{threads} threads"),
    }));
    parts.extend(settings.sector_bytes.map(|bytes| format!("sectors of {bytes} bytes")));
    parts.extend(settings.directory.as_ref().map(|place| format!("file in {place}")));
    parts.extend(settings.device.as_ref().map(|device| format!("dm-crypt on {device}")));
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// "01:44.14".
pub(super) fn clock(nanos: u64) -> String {
    let hundredths = nanos / 10_000_000;
    let (minutes, rest) = (hundredths / 6000, hundredths % 6000);
    format!("{minutes:02}:{:02}.{:02}", rest / 100, rest % 100)
}
