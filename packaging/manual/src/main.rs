//! Writes the manual pages and the completions of all programs into a folder, as packages have them.
#![forbid(unsafe_code)]

#[path = "../../../emulator/runner/src/arch/x86_64/command_line.rs"]
mod command_line;
mod names;
mod page;

use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::{Shell, generate_to};

use command_line::CommandLine;

fn main() -> Result<()> {
    let folder = env::args_os().nth(1).context("usage: wirespeed-manual DIR")?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    for program in [wirespeed_cli::command(), CommandLine::command()] {
        let mut completed = names::told(program.clone());
        let name = program.get_name().to_owned();
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            generate_to(shell, &mut completed, &name, folder)?;
        }
        pages(built(program), folder)?;
    }
    Ok(())
}

/// With what the parser adds itself, such as --help; but `help` is no command worth a page.
fn built(program: Command) -> Command {
    let mut program = program.disable_help_subcommand(true);
    program.build();
    program
}

/// The page of a command, and those of its commands.
fn pages(command: Command, folder: &Path) -> Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        pages(inner.clone(), folder)?;
    }
    let name = page::name(&command);
    fs::write(folder.join(format!("{name}.1")), page::render(command)?).context(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> (Vec<(String, String)>, String) {
        let folder = env::temp_dir().join(format!("wirespeed-manual-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        pages(built(wirespeed_cli::command()), &folder).expect("pages");
        let mut completed = names::told(wirespeed_cli::command());
        let script =
            generate_to(Shell::Bash, &mut completed, "wirespeed", &folder).expect("written");
        let script = fs::read_to_string(script).expect("a script");
        let files = fs::read_dir(&folder).expect("a folder").flatten().filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            Some((name, fs::read_to_string(file.path()).ok()?))
        });
        let pages = files.filter(|(name, _)| name.ends_with(".1")).collect();
        fs::remove_dir_all(&folder).expect("removed");
        (pages, script)
    }

    #[test]
    fn every_command_has_a_page_and_names_are_completed() {
        let (pages, script) = written();
        let named = |name: &str| pages.iter().find(|page| page.0 == name).map(|page| &*page.1);
        let program = wirespeed_cli::command();
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
        assert_eq!(pages.len(), 1 + shown.count());
        let bench = named("wirespeed-bench.1").expect("a page");
        assert!(bench.contains(".SH EXAMPLES\n.nf\n"), "{bench}");
        assert!(bench.contains("\n.BR wirespeed (1)\n"), "{bench}");
        assert!(named("wirespeed.1").expect("a page").contains(".SH \"EXIT STATUS\"\n"));
        for word in ["AES-128-GCM", "SHA2-256", "vaes512", "aes128gcm16", "aes-xts-plain64"] {
            assert!(script.contains(word), "{word} is not completed");
        }
    }
}
