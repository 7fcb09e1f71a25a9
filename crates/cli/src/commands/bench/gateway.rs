//! `--set gateway`: the algorithms by which the comparison of 2015 measured VPN gateways, and the host's OpenSSL with
//! instructions taken away.
//!
//! OpenSSL reads `OPENSSL_ia32cap` once in a process, when it looks at the CPU. So this program runs itself again with it,
//! and takes the rows over. They were not measured in turns with the others: small differences between them mean little.

use std::env::consts::ARCH;
use std::process::{Command, Stdio};

use wirespeed_cipher::{Subject, Use};
use wirespeed_results::schema::bench::{Bench, Row, Skipped};

use crate::arguments::{BenchRequest, Unit};
use crate::fault::Fault;
use crate::output::table::{Side, Table};

/// OpenSSL's names, in the article's order; two of them OpenSSL has never had.
const NAMES: [&str; 12] = [
    "CAMELLIA-256-CBC",
    "CAMELLIA-256-GCM",
    "CAMELLIA-128-CBC",
    "CAMELLIA-128-GCM",
    "AES-256-CBC",
    "AES-256-GCM",
    "AES-128-CBC",
    "AES-128-GCM",
    "MD5",
    "SHA1",
    "SHA2-256",
    "SHA2-512",
];

/// The article's size.
pub(crate) const SIZE: usize = 1024;
/// Packets, and what `openssl speed` measures of CBC and hash functions.
pub(crate) const USES: [Use; 2] = [Use::Message, Use::Stream];

/// Those that there are.
pub(crate) fn algorithms() -> Vec<Subject> {
    NAMES.iter().filter_map(|name| name.parse().ok()).collect()
}

/// Those that there are not, and why.
pub(super) fn skipped() -> Vec<Skipped> {
    let unknown = NAMES.iter().filter(|name| name.parse::<Subject>().is_err());
    let entry = |name: &&'static str| Skipped {
        algorithm: (*name).to_owned(),
        usage: None,
        route: None,
        reason: "OpenSSL has no Camellia in GCM mode".to_owned(),
    };
    unknown.map(entry).collect()
}

/// What is taken away of the CPU's features: the words in `without`, above the column, and OpenSSL's mask of them.
const MASKS: [(&str, &str, &str); 2] = [
    // AES-NI and PCLMULQDQ; VAES and VPCLMULQDQ. SSSE3 permutes vectors instead.
    ("aesni", "no aesni", "~0x0200000200000000:~0x0000060000000000"),
    // AVX, XOP and SSSE3 as well; whatever leaf 7 tells: AVX2, BMI, SHA, AVX-512.
    ("aesni, ssse3, avx, sha-ni", "plain code", "~0x12000a0200000000:0"),
];

/// The host's OpenSSL once more for each mask, which `at` is told; nothing where it did not run, or off x86.
pub(super) fn without_instructions(
    request: &BenchRequest,
    rows: &[Row],
    at: &dyn Fn(String),
) -> Result<Vec<Row>, Fault> {
    let host: Vec<&Row> = rows.iter().filter(|row| row.route == "libcrypto").collect();
    if host.is_empty() || ARCH != "x86_64" {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for (without, title, mask) in MASKS {
        at(format!("this OpenSSL, {title}"));
        let document = again(request, mask)?;
        for row in document.rows {
            if host.iter().any(|whole| whole.work() == row.work()) {
                found.push(Row { limit_share: None, without: Some(without.to_owned()), ..row });
            }
        }
    }
    Ok(found)
}

/// This program again, with the mask.
fn again(request: &BenchRequest, mask: &str) -> Result<Bench, Fault> {
    let failed = |why: String| Fault::usage(format!("OpenSSL with OPENSSL_ia32cap={mask}: {why}"));
    let list = |words: Vec<String>| words.join(",");
    let program = std::env::current_exe().map_err(|why| failed(why.to_string()))?;
    let output = Command::new(program)
        .arg("bench")
        .args(algorithms().iter().map(|it| it.name()))
        .args(["--routes", "libcrypto", "--json", "-"])
        .args(["--sizes", &list(request.sizes.iter().map(ToString::to_string).collect())])
        .args(["--use", &list(request.uses.iter().map(|it| it.name().to_owned()).collect())])
        .args(["--seconds", &request.seconds.to_string()])
        .args(["--threads", &request.threads.to_string()])
        .args(request.direction_flag())
        .env("OPENSSL_ia32cap", mask)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|why| failed(why.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(said.lines().next().unwrap_or("it failed").to_owned()));
    }
    serde_json::from_slice(&output.stdout).map_err(|why| failed(why.to_string()))
}

/// OpenSSL's implementations side by side, and which of them is slower than plain code.
pub(super) fn table(rows: &[Row], unit: Unit) -> String {
    let of = |whole: &Row, without: &str| {
        rows.iter()
            .filter(|row| row.work() == whole.work())
            .find(|row| row.without.as_deref() == Some(without))
            .map(|it| it.bytes_per_second)
    };
    let mut table = Table::new(&[Side::Left, Side::Right, Side::Right, Side::Right, Side::Left]);
    let [(_, some, _), (_, plain, _)] = MASKS;
    table.row([unit.name(), "whole", some, plain, ""].map(ToOwned::to_owned).to_vec());
    let mut any = false;
    for whole in rows.iter().filter(|row| row.route == "libcrypto" && row.without.is_none()) {
        let [vectors, plain] = MASKS.map(|(without, ..)| of(whole, without));
        let (Some(vectors), Some(plain)) = (vectors, plain) else { continue };
        any = true;
        let slower = match () {
            () if whole.bytes_per_second < CLEAR * plain => "slower than plain code",
            () if vectors < CLEAR * plain => "slower than plain code without aesni",
            () => "",
        };
        let name = format!("{} {}, {}", whole.algorithm, whole.direction, whole.usage);
        let mut cells = vec![name];
        cells.extend([whole.bytes_per_second, vectors, plain].map(|it| unit.figure(it)));
        cells.push(slower.to_owned());
        table.row(cells);
    }
    match any {
        true => format!(
            "\nThis OpenSSL with instructions taken away (OPENSSL_ia32cap), run after the others\n{}",
            table.render()
        ),
        false => String::new(),
    }
}

/// Runs after one another differ: less than this is slower for sure.
const CLEAR: f64 = 0.9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_articles_list_is_whole() {
        assert_eq!(algorithms().len() + skipped().len(), NAMES.len());
        let skipped: Vec<String> = skipped().into_iter().map(|it| it.algorithm).collect();
        assert_eq!(skipped, ["CAMELLIA-256-GCM", "CAMELLIA-128-GCM"]);
    }

    #[test]
    fn an_instruction_set_that_is_slower_than_plain_code_shows_up() {
        let row = |without: Option<&str>, speed| Row {
            algorithm: "AES-128-CBC".to_owned(),
            size: SIZE,
            route: "libcrypto".to_owned(),
            bytes_per_second: speed,
            without: without.map(str::to_owned),
            ..Row::default()
        };
        let [(some, ..), (plain, ..)] = MASKS;
        let shown = |vectors: f64| {
            let rows = [row(None, 900e6), row(Some(some), vectors), row(Some(plain), 43e6)];
            table(&rows, Unit::Megabytes)
        };
        assert!(shown(30e6).contains("slower than plain code without aesni"), "{}", shown(30e6));
        assert!(!shown(60e6).contains("slower"), "{}", shown(60e6));
    }
}
