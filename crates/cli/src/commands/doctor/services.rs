//! `wirespeed doctor --services`: the table of who encrypts for whom.

use wirespeed_results::schema::services::{Crypto, InLinux, Service, Services};

use crate::output::table::{self, Side, Table};

/// What stands below a line of the table.
const INDENT: usize = 4;

/// Programs, then Linux, then what could not be seen.
pub(super) fn text(found: &Services) -> String {
    let mut text = String::new();
    if found.services.is_empty() {
        text.push_str("No program that listens could be looked into.\n");
    } else {
        let heads = ["program", "Wirespeed", "encrypts with"];
        let rows = found.services.iter().map(|it| (row(it), below(it)));
        text.push_str(&with_levers(&heads, rows));
    }
    text.push('\n');
    text.push_str(&with_levers(&["in Linux", ""], found.linux.iter().map(in_linux)));
    if !found.unseen.is_empty() {
        let whose = match found.only_own {
            true => "of other users' programs; to see them: sudo wirespeed doctor --services",
            false => {
                "of no program that root may look into, or Linux itself listens, as WireGuard and NFS do"
            }
        };
        text.push_str(&format!("\nNot seen:\n{}", paragraph(&found.unseen.join(", "))));
        text.push_str(&paragraph(whose));
    }
    text
}

fn row(service: &Service) -> Vec<String> {
    let first = service.processes.first().map(u32::to_string).unwrap_or_default();
    let number = match service.processes.len() {
        0 | 1 => first,
        several => format!("{first} +{}", several - 1),
    };
    let place = if service.in_container { ", container" } else { "" };
    vec![
        format!("{} ({number}{place})", service.name),
        service.wirespeed.word().to_owned(),
        cut(&service.crypto.iter().map(named).collect::<Vec<_>>(), 2),
    ]
}

/// Where it listens, and what to do.
fn below(service: &Service) -> Vec<String> {
    let listens = (!service.listens.is_empty()).then(|| cut(&service.listens, 8));
    let levers = service.levers.iter().map(|lever| format!("-> {lever}"));
    listens.into_iter().chain(levers).collect()
}

/// "OpenSSL 3.0.19", and whether it is another than the machine's.
fn named(crypto: &Crypto) -> String {
    let version = crypto.version.iter().map(|it| format!(" {it}")).collect::<String>();
    let other = if crypto.name == "OpenSSL" && !crypto.is_hosts { " of its own" } else { "" };
    format!("{}{version}{other}", crypto.name)
}

/// The first few.
fn cut(names: &[String], most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let rest = if more == 0 { String::new() } else { format!(" +{more}") };
    match names {
        [] => "-".to_owned(),
        some => some[..some.len().min(most)].join(", ") + &rest,
    }
}

fn in_linux(found: &InLinux) -> (Vec<String>, Vec<String>) {
    let mut below = vec![found.text.clone()];
    below.extend(found.lever.iter().map(|lever| format!("-> {lever}")));
    (vec![found.name.clone(), found.state.word().to_owned()], below)
}

/// A table with paragraphs below its lines.
fn with_levers(heads: &[&str], rows: impl Iterator<Item = (Vec<String>, Vec<String>)>) -> String {
    let mut table = Table::new(&vec![Side::Left; heads.len()]);
    table.row(heads.iter().map(|head| (*head).to_owned()).collect());
    let mut below = vec![Vec::new()];
    for (cells, paragraphs) in rows {
        table.row(cells);
        below.push(paragraphs);
    }
    let lines = table.render();
    let lines = lines.lines().zip(below).map(|(line, below)| {
        let below: String = below.iter().map(|it| paragraph(it)).collect();
        format!("{line}\n{below}")
    });
    lines.collect()
}

fn paragraph(text: &str) -> String {
    format!("{:INDENT$}{}", "", table::paragraph(text, INDENT, INDENT))
}

#[cfg(test)]
mod tests {
    use wirespeed_results::schema::services::{Reach, Standing};

    use super::*;
    use crate::output::WIDTH;

    fn crypto(file: &str, is_hosts: bool) -> Crypto {
        Crypto {
            name: "OpenSSL".to_owned(),
            version: Some("3.0.19".to_owned()),
            file: Some(file.to_owned()),
            is_hosts,
        }
    }

    #[test]
    fn a_line_for_each_program_and_its_levers_below() {
        let service = |name: &str, is_hosts: bool| Service {
            name: name.to_owned(),
            processes: vec![812, 813],
            listens: ["tcp 80", "tcp 443", "udp 443"].map(str::to_owned).to_vec(),
            in_container: !is_hosts,
            crypto: vec![crypto("/x/libcrypto.so.3", is_hosts)],
            wirespeed: Reach::Possible,
            levers: vec!["word ".repeat(40).trim().to_owned()],
        };
        let linux = InLinux {
            name: "kTLS".to_owned(),
            state: Standing::Absent,
            text: "none".to_owned(),
            lever: Some("do".to_owned()),
        };
        let found = Services {
            schema: String::new(),
            version: String::new(),
            services: vec![service("nginx", true), service("caddy", false)],
            linux: vec![linux],
            unseen: vec!["tcp 22".to_owned()],
            only_own: true,
        };
        let text = text(&found);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("program "), "{text}");
        assert!(
            lines[1].starts_with("nginx (812 +1)  ") && lines[1].ends_with("OpenSSL 3.0.19"),
            "{text}"
        );
        assert!(lines[1].contains("  possible   "), "{text}");
        assert_eq!(lines[2], "    tcp 80, tcp 443, udp 443");
        assert!(lines[3].starts_with("    -> word word"), "{text}");
        assert!(text.contains("\ncaddy (812 +1, container)") && text.contains("3.0.19 of its own"));
        assert!(text.contains("\nkTLS      absent\n    none\n    -> do\n"), "{text}");
        assert!(
            text.contains(
                "\n    tcp 22\n    of other users' programs; to see them: sudo wirespeed"
            )
        );
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}
