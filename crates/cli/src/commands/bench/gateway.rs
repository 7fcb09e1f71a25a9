//! `--set gateway`: the algorithms by which the comparison of 2015 measured VPN gateways, and the host's OpenSSL with
//! instructions taken away.
//!
//! OpenSSL reads [`MASK`] once in a process, when it looks at the CPU. So this program runs itself again with it,
//! and takes the rows over. They were not measured in turns with the others: small differences between them mean little.

mod arch;

use std::process::Command;

use wirespeed_cipher::{Subject, Use};
use wirespeed_cpu::MASK;
use wirespeed_results::schema::HOST;
use wirespeed_results::schema::bench::{Bench, Row, Skipped};

use super::request::{Request, Unit};
use crate::fault::Fault;
use crate::output::table::{Side, Table};

use super::releases::{Work, results};
use arch::DENIALS;

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
pub(super) const SIZE: usize = 1024;
/// Packets, and what `openssl speed` measures of CBC and hash functions.
pub(super) const USES: [Use; 2] = [Use::Message, Use::Stream];

/// Those that there are.
pub(super) fn algorithms() -> Vec<Subject> {
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

/// What is taken away of the CPU's features.
struct Denial {
    /// The words in `without`.
    without: &'static str,
    /// What is above the column.
    title: &'static str,
    /// OpenSSL's mask.
    mask: &'static str,
}

/// The host's OpenSSL once more for each mask, which `at` is told; nothing where it did not run, or there is no mask.
pub(super) fn without_instructions(
    request: &Request,
    rows: &[Row],
    at: &dyn Fn(String),
) -> Result<Vec<Row>, Fault> {
    let host: Vec<&Row> = rows.iter().filter(|row| row.is_host()).collect();
    if host.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for Denial { without, title, mask } in DENIALS {
        at(format!("this OpenSSL, {title}"));
        let document = again(request, mask)?;
        for row in document.rows {
            if host.iter().any(|whole| whole.work() == row.work()) {
                found.push(Row { limit_share: None, without: Some((*without).to_owned()), ..row });
            }
        }
    }
    Ok(found)
}

/// This program again, with the mask.
fn again(request: &Request, mask: &str) -> Result<Bench, Fault> {
    let failed = |why: String| Fault::usage(format!("OpenSSL with {MASK}={mask}: {why}"));
    let program = std::env::current_exe().map_err(|why| failed(why.to_string()))?;
    let work = Work {
        subjects: &algorithms(),
        uses: &request.uses,
        directions: &request.directions,
        sizes: &request.sizes,
        seconds: request.seconds,
        threads: request.threads,
    };
    results(work.ask(Command::new(program).env(MASK, mask), HOST)).map_err(failed)
}

/// OpenSSL's implementations side by side, and which of them is slower than plain code.
pub(super) fn table(rows: &[Row], unit: Unit) -> String {
    let [some, plain] = DENIALS else { return String::new() };
    let of = |whole: &Row, denial: &Denial| {
        rows.iter()
            .filter(|row| row.work() == whole.work())
            .find(|row| row.without.as_deref() == Some(denial.without))
            .map(|it| it.bytes_per_second)
    };
    let mut table = Table::new(&[Side::Left, Side::Right, Side::Right, Side::Right, Side::Left]);
    table.row([unit.name(), "whole", some.title, plain.title, ""].map(ToOwned::to_owned).to_vec());
    let mut any = false;
    for whole in rows.iter().filter(|row| row.is_host() && row.without.is_none()) {
        let (Some(vectors), Some(plain)) = (of(whole, some), of(whole, plain)) else { continue };
        any = true;
        let slower = match () {
            () if whole.bytes_per_second < CLEAR * plain => "slower than plain code".to_owned(),
            () if vectors < CLEAR * plain => format!("{}: slower than plain code", some.title),
            () => String::new(),
        };
        let name = format!("{} {}, {}", whole.algorithm, whole.direction, whole.usage);
        let mut cells = vec![name];
        cells.extend([whole.bytes_per_second, vectors, plain].map(|it| unit.figure(it)));
        cells.push(slower);
        table.row(cells);
    }
    match any {
        true => format!(
            "\nThis OpenSSL with instructions taken away ({MASK}), run after the others\n{}",
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
            route: HOST.to_owned(),
            bytes_per_second: speed,
            without: without.map(str::to_owned),
            ..Row::default()
        };
        let [some, plain] = DENIALS else { return };
        let shown = |vectors: f64| {
            let rows = [
                row(None, 900e6),
                row(Some(some.without), vectors),
                row(Some(plain.without), 43e6),
            ];
            table(&rows, Unit::Megabytes)
        };
        let slower = format!("{}: slower than plain code", some.title);
        assert!(shown(30e6).contains(&slower), "{}", shown(30e6));
        assert!(!shown(60e6).contains("slower"), "{}", shown(60e6));
    }
}
