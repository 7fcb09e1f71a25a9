//! The page of all algorithms, from the catalogue.

use std::fmt::Write;

use wirespeed_cipher::{Algorithm, Delegated, Digest, Shape, Subject};

const HEAD: &str = "\
# Every algorithm and its names

`cargo xtask documents` writes this page from the catalogue ([catalogue.rs](../crates/cipher/src/catalogue.rs)). `routes`, \
`bench` and `kernel` take every name here but object identifiers, in capitals or not. `disk`, `vpn` and `sum` take those of \
what they can do. [Algorithms](algorithms.md) says which routes serve them.

";

/// The text of the page.
pub(super) fn page() -> String {
    let mut page = HEAD.to_owned();
    page += "## Ciphers\n\n| OpenSSL | other names | since | Linux | key | IV |\n|---|---|---|---|---|---|\n";
    for it in Algorithm::ALL {
        let (names, (major, minor)) = (others(it.names().to_bytes()), it.since());
        let (key, iv) = (it.key_bytes(), it.iv_bytes());
        let linux = code(it.linux_name());
        line(
            &mut page,
            format_args!("`{it}` | {names} | {major}.{minor} | {linux} | {key} | {iv}"),
        );
    }
    page += "\nSizes are in bytes. An IV of 12 bytes is that of a mode with a tag, which takes others, too.\n";
    page += "\n## Hash functions\n\n| OpenSSL | other names | Linux | bytes | block |\n|---|---|---|---|---|\n";
    for it in Digest::ALL {
        let (names, linux) = (others(it.names().to_bytes()), code(it.linux_name()));
        let (bytes, block) = (it.bytes(), it.block_bytes());
        line(&mut page, format_args!("`{it}` | {names} | {linux} | {bytes} | {block}"));
    }
    page += "\n## Others'\n\nWirespeed has no code of its own for these. It measures the host OpenSSL and Linux.\n";
    page += "\n| OpenSSL | Linux | what | provider |\n|---|---|---|---|\n";
    for it in Delegated::all() {
        let what = match it.shape() {
            Shape::Cipher { .. } => "cipher",
            Shape::Aead { .. } => "AEAD",
            Shape::Hash { .. } => "hash function",
            Shape::Mac { .. } => "MAC",
        };
        let provider = if it.is_legacy() { "legacy" } else { "default" };
        let linux = code(Some(it.linux_name()));
        line(&mut page, format_args!("`{it}` | {linux} | {what} | {provider}"));
    }
    let count = Subject::COUNT;
    line_of(&mut page, format_args!("\n{count} algorithms in all."));
    page
}

fn line(page: &mut String, cells: std::fmt::Arguments<'_>) {
    line_of(page, format_args!("| {cells} |"));
}

fn line_of(page: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(page, "{text}");
}

/// The names behind the first, object identifiers among them.
fn others(names: &[u8]) -> String {
    let names = String::from_utf8_lossy(names);
    names.split(':').skip(1).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" ")
}

fn code(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("`{name}`"))
}
