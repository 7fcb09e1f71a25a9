//! What the page is about: the machines.

use std::fmt::Write;

use wirespeed_results::{Computer, Content, letter};

use crate::chart::COLOURS;
use crate::disk::settings;
use crate::text::Text;

/// The machines, each with its letter and colour.
pub(crate) fn intro(machines: &[Computer<'_>]) -> String {
    let mut text = String::from("<ul class=\"results\">\n");
    for (place, machine) in machines.iter().enumerate() {
        let key = match machines.len() {
            1 => String::new(),
            _ => {
                let colour = place % COLOURS;
                format!("<span class=\"key s{colour}\"></span>{} ", letter(place))
            }
        };
        let lines = [
            machine.description(),
            machine.disk().and_then(settings),
            machine.source().map(ToOwned::to_owned),
        ];
        let lines = lines.into_iter().flatten().map(|it| format!("<br>{}", Text(&it)));
        let is_broken_off = machine.files.iter().any(|file| file.interrupted);
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "<li>{key}<strong>{}</strong>{}{}</li>",
            Text(&machine.label),
            if is_broken_off { " (broken off)" } else { "" },
            lines.collect::<String>()
        );
    }
    text.push_str("</ul>\n");
    if let [machine] = machines {
        text.push_str(&disturbances(machine));
    }
    text
}

/// What disturbed the measurements of the only machine, those of disks left to their own part. Of several the comparison
/// tells.
fn disturbances(machine: &Computer<'_>) -> String {
    let mut said: Vec<&String> = Vec::new();
    for file in machine.files.iter().filter(|it| !matches!(it.content, Content::Disk(_))) {
        said.extend(file.warnings.iter().filter(|it| !said.contains(it)).collect::<Vec<_>>());
    }
    let items: String = said.into_iter().map(|it| format!("<li>{}</li>\n", Text(it))).collect();
    match items.as_str() {
        "" => items,
        _ => format!("<h3>What disturbed the measurement</h3>\n<ul>\n{items}</ul>\n"),
    }
}
