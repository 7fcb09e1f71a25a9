//! What a machine is worth for a use: VPN, disk or TLS, by one core.
//!
//! Where `wirespeed vpn` or `wirespeed disk` measured the work itself, that counts. Otherwise it is put together from
//! single algorithms as the comparison of 2015 did: a packet that is encrypted and then hashed takes the time of both.

use crate::computer::Computer;
use crate::schema::disk;

/// What a machine is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A gateway's packets.
    Vpn,
    /// An encrypted disk.
    Disk,
    /// Records of a server's.
    Tls,
}

/// How fast a machine does one piece of such work.
#[derive(Clone, Debug, PartialEq)]
pub struct Merit {
    /// Suites of a kind, of which one is as good as another.
    pub family: &'static str,
    /// What is done, with which only the same can be compared.
    pub work: String,
    /// How fast, by one core; disks by as many as worked.
    pub bytes_per_second: f64,
    /// The routes that serve.
    pub by: String,
    /// The command that measured it; "bench" is an estimate from single algorithms.
    pub from: &'static str,
    /// Of packets: the widest link that one core fills.
    pub fills: Option<String>,
}

/// The links that owners buy, and their bits in a second.
pub const LINKS: [(&str, f64); 6] = [
    ("100 Mbit/s", 1e8),
    ("1 Gbit/s", 1e9),
    ("2.5 Gbit/s", 2.5e9),
    ("10 Gbit/s", 1e10),
    ("25 Gbit/s", 2.5e10),
    ("100 Gbit/s", 1e11),
];

/// The widest link that so many bytes in a second fill.
pub(crate) fn widest_link(bytes_per_second: f64) -> Option<&'static str> {
    let fits = |(_, bits): &&(&str, f64)| bytes_per_second * 8.0 >= *bits;
    LINKS.iter().rev().find(fits).map(|(name, _)| *name)
}

const GCM: &str = "AES-GCM";
const CHACHA: &str = "ChaCha20-Poly1305";
const CBC: &str = "CBC and a hash";

/// Suites that do both at once.
const SEALING: [(&str, &str); 3] =
    [(GCM, "AES-128-GCM"), (GCM, "AES-256-GCM"), (CHACHA, "ChaCha20-Poly1305")];
/// Ciphers that take a hash, and the hashes, with MD5 left out: nobody should use it.
const CHAINED: [&str; 4] = ["AES-128-CBC", "AES-256-CBC", "CAMELLIA-128-CBC", "CAMELLIA-256-CBC"];
const HASHES: [&str; 3] = ["SHA1", "SHA2-256", "SHA2-512"];

impl Purpose {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Vpn, Self::Disk, Self::Tls];

    /// The word on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vpn => "vpn",
            Self::Disk => "disk",
            Self::Tls => "tls",
        }
    }

    /// The word in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Vpn => "VPN",
            Self::Disk => "Disk",
            Self::Tls => "TLS",
        }
    }
}

/// All that a machine's files say of it, what tells most first.
pub(crate) fn merits(computer: &Computer<'_>, purpose: Purpose) -> Vec<Merit> {
    match purpose {
        Purpose::Vpn => {
            let mut found = measured_packets(computer);
            for size in [1420, 1440, 1500, 1280, 1024] {
                found.extend(estimated(computer, size, "packets").into_iter().map(|merit| Merit {
                    fills: widest_link(merit.bytes_per_second).map(ToOwned::to_owned),
                    ..merit
                }));
            }
            found
        }
        Purpose::Tls => {
            let records = [16384, 8192].into_iter();
            records.flat_map(|size| estimated(computer, size, "records")).collect()
        }
        Purpose::Disk => {
            let mut found = measured_sectors(computer);
            for (name, size) in [("AES-256-XTS", 4096), ("AES-256-XTS", 512)] {
                let merit = rate(computer, name, size).map(|rate| Merit {
                    family: "sectors",
                    work: format!("{name}, sectors of {size} bytes, one core"),
                    bytes_per_second: rate.bytes_per_second,
                    by: rate.by,
                    from: "bench",
                    fills: None,
                });
                found.extend(merit);
            }
            found
        }
    }
}

/// What `wirespeed vpn` measured.
fn measured_packets(computer: &Computer<'_>) -> Vec<Merit> {
    let mut found = Vec::new();
    for packet in ["1420", "imix"] {
        for link in computer.links().iter().filter(|link| link.packet == packet) {
            let bits = link.bits_per_second_per_core;
            let Some(family) = family(&link.suite) else { continue };
            if link.in_flight > 1 || bits <= 0.0 {
                continue;
            }
            let size =
                if packet == "imix" { "the IMIX of packets" } else { "packets of 1420 bytes" };
            let merit = Merit {
                family,
                work: format!("{}, {size}", link.suite),
                bytes_per_second: bits / 8.0,
                by: link.route.clone(),
                from: "vpn",
                fills: link.fills.last().cloned(),
            };
            // Each route has a link of its own; the best of them counts.
            match found.iter_mut().find(|it: &&mut Merit| it.work == merit.work) {
                Some(other) if other.bytes_per_second < merit.bytes_per_second => *other = merit,
                Some(_) => {}
                None => found.push(merit),
            }
        }
    }
    found
}

/// The family of a suite that may be used; none for those that nobody should use.
fn family(suite: &str) -> Option<&'static str> {
    let has = |word: &str| suite.to_ascii_uppercase().contains(word);
    match () {
        () if has("MD5") || has("3DES") => None,
        () if has("GCM") => Some(GCM),
        () if has("CHACHA") || has("WIREGUARD") => Some(CHACHA),
        () if has("CBC") => Some(CBC),
        () => None,
    }
}

/// Put together from single algorithms.
fn estimated(computer: &Computer<'_>, size: usize, what: &str) -> Vec<Merit> {
    let work = |suite: String| format!("{suite}, {what} of {size} bytes");
    let mut found = Vec::new();
    for (family, name) in SEALING {
        found.extend(rate(computer, name, size).map(|Rate { bytes_per_second, by, usage }| {
            Merit {
                family,
                // A key for each message is far more work.
                work: match usage {
                    "rekey" => format!("{}, a key for each", work(name.to_owned())),
                    _ => work(name.to_owned()),
                },
                bytes_per_second,
                by,
                from: "bench",
                fills: None,
            }
        }));
    }
    for name in CHAINED {
        for hash in HASHES {
            let both = rate(computer, name, size).zip(rate(computer, hash, size));
            found.extend(both.map(|(cipher, hashed)| Merit {
                family: CBC,
                work: work(format!("{name} with {hash}")),
                bytes_per_second: 1.0
                    / (1.0 / cipher.bytes_per_second + 1.0 / hashed.bytes_per_second),
                by: match cipher.by == hashed.by {
                    true => cipher.by,
                    false => format!("{}, {}", cipher.by, hashed.by),
                },
                from: "bench",
                fills: None,
            }));
        }
    }
    found
}

/// How fast an algorithm is, by whom, and in which use.
struct Rate {
    bytes_per_second: f64,
    by: String,
    usage: &'static str,
}

/// The best route's rate on one core, in the slower direction of those that were measured.
fn rate(computer: &Computer<'_>, algorithm: &str, size: usize) -> Option<Rate> {
    // CBC takes whole blocks: 1420 becomes 1408.
    let sizes = [size, size - size % 16];
    let of = |usage: &str, direction: &str| {
        computer
            .rates()
            .filter(|row| row.algorithm == algorithm && sizes.contains(&row.size))
            .filter(|row| row.usage == usage && row.direction == direction)
            .filter(|row| row.threads == 1 && row.is_of_machine())
            .max_by(|a, b| a.bytes_per_second.total_cmp(&b.bytes_per_second))
            .map(|row| (row.bytes_per_second, row.route.clone()))
    };
    let slower = |usage: &'static str| {
        let both = ["enc", "dec", "hash"].into_iter().filter_map(|way| of(usage, way));
        let (bytes_per_second, by) = both.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Rate { bytes_per_second, by, usage })
    };
    // What openssl speed measures of AEADs since 2024 is the least that a machine can do.
    ["message", "stream", "rekey"].into_iter().find_map(slower)
}

/// What `wirespeed disk` measured: ciphers for disks where there are some, the slower of writing and reading.
fn measured_sectors(computer: &Computer<'_>) -> Vec<Merit> {
    let rows = computer.disk_rows();
    let is_usual =
        |row: &&disk::Row| ["xts", "adiantum"].iter().any(|word| row.cipher.contains(word));
    let any_is_usual = rows.iter().any(|row| is_usual(&row));
    let mut found: Vec<Merit> = Vec::new();
    for row in rows {
        let is_wanted = row.key_bits > 0
            && row.variant == "best"
            && row.bytes_per_second.is_some()
            && (is_usual(&row) || !any_is_usual);
        let work = sectors(row);
        if !is_wanted || found.iter().any(|merit| merit.work == work) {
            continue;
        }
        let speed = |tests: [&str; 2]| {
            let of_test = |test: &str| {
                let same =
                    |it: &&disk::Row| it.test.as_deref() == Some(test) && sectors(it) == work;
                let best = rows.iter().filter(same).filter(|it| it.variant == "best");
                // A pasted text may have it more than once.
                best.filter_map(|it| it.bytes_per_second).max_by(f64::total_cmp)
            };
            tests.into_iter().find_map(of_test)
        };
        let ways = [speed(["w2", "w"]), speed(["r2", "r"])];
        let slower = ways.into_iter().flatten().min_by(f64::total_cmp);
        found.extend(slower.map(|speed| Merit {
            family: "sectors",
            work: work.clone(),
            bytes_per_second: speed,
            by: row.driver.clone().or_else(|| row.route.clone()).unwrap_or_default(),
            from: "disk",
            fills: None,
        }));
    }
    found
}

fn sectors(row: &disk::Row) -> String {
    let place = match row.store.as_str() {
        "memory" => "in memory",
        "file" => "through a file",
        "dm-crypt" => "by dm-crypt",
        other => other,
    };
    let sector = row.sector_bytes.map(|it| format!(", sectors of {it} bytes")).unwrap_or_default();
    format!("{} {} {place}{sector}", row.cipher, row.key_bits)
}
