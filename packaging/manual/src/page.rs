//! One manual page. What stands behind a command's options, its examples above all, keeps its lines.

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;

/// A page's name: the words of the command.
pub(crate) fn name(command: &Command) -> String {
    command.get_bin_name().unwrap_or(command.get_name()).replace(' ', "-")
}

/// The page, in roff.
pub(crate) fn render(command: Command) -> Result<Vec<u8>> {
    let name = name(&command);
    let program = name.split('-').next().unwrap_or_default().to_owned();
    let behind = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let has_commands = command.get_subcommands().any(|inner| !inner.is_hide_set());
    let is_inner = command.get_bin_name().is_some_and(|words| words.contains(' '));
    let man = Man::new(command.display_name(&name).version(version))
        .title(name.to_uppercase())
        .section("1")
        .source(format!("Wirespeed {version}"))
        .manual("User Commands");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend(sections(&behind).into_bytes());
    if is_inner {
        page.extend(format!(".SH \"SEE ALSO\"\n.BR {program} (1)\n").into_bytes());
    }
    Ok(page)
}

/// Paragraphs that are a section of their own by how they begin.
const HEADINGS: [(&str, &str); 2] =
    [("Examples:", ".SH EXAMPLES\n"), ("Exit status:", ".SH \"EXIT STATUS\"\n")];

/// What stands behind the options, by paragraphs. Indented lines are commands, which are not filled.
fn sections(text: &str) -> String {
    let mut roff = String::new();
    for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
        let known = HEADINGS.iter().find(|(word, _)| paragraph.starts_with(word));
        let (heading, text) = match known {
            Some((word, heading)) => (*heading, paragraph[word.len()..].trim_start_matches('\n')),
            None => (".PP\n", paragraph),
        };
        roff.push_str(heading);
        let as_it_stands = text.lines().any(|line| line.starts_with("  "));
        let lines = text.lines().map(|line| escaped(line.trim()) + "\n").collect::<String>();
        match as_it_stands {
            true => roff.extend([".nf\n", &lines, ".fi\n"]),
            false => roff.push_str(&lines),
        }
    }
    roff
}

/// A line that roff prints as it is.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', r"\e").replace('-', r"\-");
    if line.starts_with(['.', '\'']) { format!(r"\&{line}") } else { line }
}
