//! What `cryptsetup benchmark` says of the same ciphers, and why it says something else.

use std::io;
use std::process::Command;

use wirespeed_disk::workload::Watch;
use wirespeed_results::schema::disk::{Compared, Disk, Row};

use super::figures::megabytes;
use super::listener::Listener;
use crate::fault::Fault;
use crate::output::table::{Side, Table, paragraph};

const DIFFERENCES: &str = "cryptsetup benchmark encrypts 64 KiB at a time in memory, each request sent by one \
    thread through a socket (AF_ALG) to the kernel and copied there and back; no sectors, no disk. Ours run in \
    this process, sector by sector with an IV for each, over all threads. Neither is what dm-crypt does: that is \
    wirespeed disk --dm-crypt. cryptsetup prints MiB/s; here both are MB/s (10^6 bytes).";

/// Runs it for every cipher that was measured in memory.
pub(super) fn compare(listener: &Listener<'_>, document: &mut Disk) -> Result<(), Fault> {
    let ours: Vec<&Row> = document.rows.iter().filter(|row| is_first(row)).collect();
    let mut found = Vec::new();
    let mut ended = Ok(());
    for row in ours {
        if listener.is_stopped() {
            ended = Err(Fault::usage("interrupted: cryptsetup's figures are not complete"));
            break;
        }
        let speed = |test: &str| {
            let same = document.rows.iter().find(|it| {
                let key = |row: &Row| (row.cipher.clone(), row.key_bits, row.store.clone());
                key(it) == key(row) && it.variant == row.variant && it.test.as_deref() == Some(test)
            });
            same.and_then(|it| it.bytes_per_second)
        };
        let said = benchmark(&row.cipher, row.key_bits);
        let stop = said.as_ref().is_err_and(|refusal| refusal.is_general);
        if stop && found.is_empty() {
            let why = said.map_or_else(|refusal| refusal.reason, |_| String::new());
            document.warnings.push(format!("cryptsetup benchmark: {why}."));
            return Ok(());
        }
        found.push(Compared {
            cipher: row.cipher.clone(),
            key_bits: row.key_bits,
            write_bytes_per_second: speed("w2"),
            read_bytes_per_second: speed("r2"),
            encryption_bytes_per_second: said.as_ref().ok().map(|it| it.0),
            decryption_bytes_per_second: said.as_ref().ok().map(|it| it.1),
            reason: said.err().map(|refusal| refusal.reason),
        });
    }
    if !found.is_empty() {
        listener.show(&text(&found));
    }
    document.cryptsetup = found;
    ended
}

/// One row for each cipher that ran in memory by its best implementation.
fn is_first(row: &Row) -> bool {
    row.store == "memory"
        && row.cipher != "none"
        && row.variant == "best"
        && row.test.as_deref() == Some("w")
}

/// Why cryptsetup gives no figures.
struct Refusal {
    reason: String,
    /// Whether it gives none at all.
    is_general: bool,
}

/// Where administrators' programs lie, which is not on everybody's path.
const PLACES: [&str; 3] = ["cryptsetup", "/usr/sbin/cryptsetup", "/sbin/cryptsetup"];

/// Bytes in a second, encrypted and decrypted.
fn benchmark(cipher: &str, key_bits: u32) -> Result<(f64, f64), Refusal> {
    let general = |reason: String| Refusal { reason, is_general: true };
    for program in PLACES {
        let mut command = Command::new(program);
        command.args(["benchmark", "--cipher", cipher, "--key-size", &key_bits.to_string()]);
        match command.env("LC_ALL", "C").output() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(general(format!("{program}: {error}"))),
            Ok(output) => {
                let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                return figures(&said(&output.stdout))
                    .ok_or_else(|| refusal(&said(&output.stderr)));
            }
        }
    }
    Err(general(
        "the program is not here; install the package cryptsetup (cryptsetup-bin on Debian)"
            .to_owned(),
    ))
}

/// The last line: `aes-xts        256b      2062.6 MiB/s      2116.5 MiB/s`.
fn figures(printed: &str) -> Option<(f64, f64)> {
    let line = printed.lines().rev().find(|line| line.contains("MiB/s"))?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let [.., encryption, "MiB/s", decryption, "MiB/s"] = words[..] else { return None };
    let bytes = |figure: &str| Some(figure.parse::<f64>().ok()? * (1 << 20) as f64);
    Some((bytes(encryption)?, bytes(decryption)?))
}

fn refusal(said: &str) -> Refusal {
    let first =
        said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it printed no figures");
    let first = first.trim().trim_end_matches('.');
    // The words of cryptsetup's src/cryptsetup.c.
    match said.contains("kernel crypto interface") {
        true => Refusal {
            reason: "this kernel gives programs no crypto (AF_ALG), which it needs".to_owned(),
            is_general: true,
        },
        false => Refusal { reason: first.to_owned(), is_general: false },
    }
}

fn text(found: &[Compared]) -> String {
    use Side::{Left, Right};
    let mut table = Table::new(&[Left, Right, Right, Right, Right, Right, Left]);
    let head = ["MB/s", "key", "our w2", "our r2", "encryption", "decryption", ""];
    table.row(head.map(str::to_owned).to_vec());
    for one in found {
        let figure = |it: Option<f64>| it.map_or("-".to_owned(), megabytes);
        table.row(vec![
            one.cipher.clone(),
            one.key_bits.to_string(),
            figure(one.write_bytes_per_second),
            figure(one.read_bytes_per_second),
            figure(one.encryption_bytes_per_second),
            figure(one.decryption_bytes_per_second),
            one.reason.clone().unwrap_or_default(),
        ]);
    }
    let differences = paragraph(DIFFERENCES, 0, 0);
    format!("\nBeside cryptsetup benchmark\n{}{differences}", table.render())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::WIDTH;

    #[test]
    fn cryptsetups_words() {
        let printed = "# Tests are approximate using memory only (no storage IO).\n\
                       # Algorithm |       Key |      Encryption |      Decryption\n        \
                       aes-xts        256b      2062.6 MiB/s      1024.0 MiB/s\n";
        let (encryption, decryption) = figures(printed).expect("figures");
        assert_eq!((encryption.round(), decryption), (2_162_792_858.0, 1024.0 * 1_048_576.0));
        assert!(figures("# Algorithm |  Key\n").is_none());
        let none = refusal(
            "Cipher aes-xts (with 256 bits key) is not available.\n\
             Required kernel crypto interface not available.\nEnsure you have …\n",
        );
        assert!(none.is_general && none.reason.contains("AF_ALG"));
        let one = refusal("Cipher aria-xts (with 512 bits key) is not available.\n");
        assert!(!one.is_general);
        assert_eq!(one.reason, "Cipher aria-xts (with 512 bits key) is not available");
    }

    #[test]
    fn both_side_by_side() {
        let one = Compared {
            cipher: "xchacha12,aes-adiantum-plain64".to_owned(),
            key_bits: 256,
            write_bytes_per_second: Some(23_456_789_000.0),
            read_bytes_per_second: Some(23_456_789_000.0),
            encryption_bytes_per_second: None,
            decryption_bytes_per_second: None,
            reason: Some("not available".to_owned()),
        };
        let text = text(&[one]);
        assert!(text.contains("23456.8"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
