//! The table as Markdown, for `docs/security.md`.

use crate::{FAULTS, Fault, Fix, OTHERS};

/// The table, the command of each row, and the list of what does not concern us.
pub fn document() -> String {
    let mut text = "| Fault | What goes wrong | In | Fixed in | An unfixed host | Ours, on every host | Shown by |\n\
                    |---|---|---|---|---|---|---|\n"
        .to_owned();
    for fault in FAULTS {
        let tests: Vec<_> = fault.tests.iter().map(|test| format!("`{}`", test.name)).collect();
        let cells = [
            ids(fault),
            fault.title.to_owned(),
            fault.touches.to_owned(),
            fixes(fault),
            fault.unfixed.to_owned(),
            fault.ours.to_owned(),
            tests.join(", "),
        ];
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text.push_str("\n## A command for each row\n\n```sh\n");
    for fault in FAULTS {
        text.push_str(&format!("# {}: {}\n", fault.id, fault.title.replace('`', "")));
        for test in fault.tests {
            text.push_str(&format!("{}\n", test.command()));
        }
    }
    text.push_str("```\n\n## Looked at, not ours\n\n| Fault | Why not |\n|---|---|\n");
    for (id, reason) in OTHERS {
        text.push_str(&format!("| {id} | {reason} |\n"));
    }
    text
}

fn ids(fault: &Fault) -> String {
    [&[fault.id], fault.issues].concat().join(", ")
}

/// For example "3.0.21, 3.5.7; not in 3.4.6; not seen in 3.1".
fn fixes(fault: &Fault) -> String {
    let of = |wanted: fn(Fix) -> Option<String>, words: &str| {
        let named = fault.lines.iter().filter_map(|line| {
            let (major, minor) = line.name;
            Some(format!("{major}.{minor}{}", wanted(line.fix)?))
        });
        let named: Vec<_> = named.collect();
        (!named.is_empty()).then(|| format!("{words}{}", named.join(", ")))
    };
    let parts = [
        of(|fix| if let Fix::In(patch) = fix { Some(format!(".{patch}")) } else { None }, ""),
        of(
            |fix| if let Fix::NotBy(patch) = fix { Some(format!(".{patch}")) } else { None },
            "not in ",
        ),
        of(|fix| (fix == Fix::Unseen).then(String::new), "not seen in "),
    ];
    let mut text = parts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    let (major, minor, patch) = fault.since;
    if fault.since != (3, 0, 0) {
        text.push_str(&format!("; new in {major}.{minor}.{patch}"));
    }
    text
}
