//! How a shell starts this program, for commands that people copy.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use wirespeed_installation::{own_module, shell};

use super::WIDTH;

/// Behind what a line begins with.
const INDENT: usize = 22;

/// The command that puts Wirespeed to work, and what is good to know before typing it: remarks for a shell, so that the
/// whole can be copied.
pub(crate) fn install() -> String {
    let program = for_sudo();
    // `cargo run` builds the program alone.
    let before = if own_module().is_ok() { "" } else { "cargo build --release && " };
    let command = format!("{before}sudo {program} install");
    let undo = format!("undo: sudo {program} uninstall");
    let one_line = format!("{command}    # shows the diff first; {undo}");
    if INDENT + one_line.len() <= WIDTH {
        return one_line;
    }
    format!("{command}\n{:INDENT$}# shows the diff first\n{:INDENT$}# {undo}", "", "")
}

/// Words for people in which every command of this program is as a shell here starts it. What others wrote into files and
/// names does nothing to a terminal.
pub(crate) fn told(text: &str) -> String {
    let text = text.replace(|it: char| it.is_control() && it != '\n' && it != '\t', "\u{fffd}");
    named(&text)
}

/// The text with this program's commands as a shell here starts it. A second time changes nothing. The unit tests' program
/// has another name each time, which would break lines elsewhere.
pub(crate) fn named(text: &str) -> String {
    if cfg!(test) || !text.contains(NAME) {
        return text.to_owned();
    }
    match (program(), for_sudo()) {
        (user, root) if user == NAME && root == NAME => text.to_owned(),
        (user, root) => with_program(text, &user, &root),
    }
}

const NAME: &str = "wirespeed";

/// The text with other names before this program's commands, the second behind sudo, but for remarks, such as those of
/// openssl.cnf.
fn with_program(text: &str, user: &str, root: &str) -> String {
    let commands = crate::command();
    let is_command =
        |word: &str| word.starts_with("--") || commands.find_subcommand(word).is_some();
    let line = |line: &str| {
        let mut told = String::new();
        let mut rest = line;
        while let Some(at) = rest.find(NAME) {
            let (before, from) = rest.split_at(at);
            let after = &from[NAME.len()..];
            told.push_str(before);
            let is_apart = told.chars().next_back().is_none_or(|it| " (`'".contains(it));
            let word = after.strip_prefix(' ').unwrap_or_default();
            let word = word.split(|it: char| !it.is_ascii_alphabetic() && it != '-').next();
            let is_remark = told.starts_with('#') || told.contains(" #");
            let is_ours = is_apart && !is_remark && word.is_some_and(is_command);
            let program = if told.ends_with("sudo ") { root } else { user };
            told.push_str(if is_ours { program } else { NAME });
            rest = after;
        }
        told + rest
    };
    text.split_inclusive('\n').map(line).collect()
}

/// This program, as it is called from here.
pub(crate) fn program() -> String {
    found_in(env::var_os("PATH").as_deref())
}

/// The same behind sudo, which looks for programs in folders of its own (`secure_path` of sudoers).
fn for_sudo() -> String {
    found_in(Some(OsStr::new(OF_SUDO)))
}

const OF_SUDO: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

fn found_in(path: Option<&OsStr>) -> String {
    let here = env::current_dir().unwrap_or_default();
    env::current_exe().map_or_else(|_| NAME.to_owned(), |file| called(&file, &here, path))
}

/// A file, called from a folder, with these folders to look for programs in.
fn called(file: &Path, here: &Path, path: Option<&OsStr>) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    let same = |found: PathBuf| found.canonicalize().ok() == file.canonicalize().ok();
    let found = path.and_then(|path| {
        env::split_paths(path).map(|folder| folder.join(name)).find(|found| found.exists())
    });
    if found.is_some_and(same) {
        return shell::path(Path::new(name));
    }
    match file.strip_prefix(here) {
        // Without a stroke a shell would look for it elsewhere.
        Ok(below) if below.components().count() == 1 => shell::path(&Path::new(".").join(below)),
        Ok(below) => shell::path(below),
        Err(_) => shell::path(file),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn commands_are_told_as_they_are_called() {
        let told = |text: &str| with_program(text, "./wirespeed", "./wirespeed");
        assert_eq!(
            told(
                "wirespeed tune, then sudo wirespeed install (wirespeed --json -)\nwirespeed doctor\n"
            ),
            "./wirespeed tune, then sudo ./wirespeed install (./wirespeed --json -)\n./wirespeed doctor\n"
        );
        let both =
            with_program("wirespeed doctor; sudo wirespeed install", NAME, "/home/a/bin/wirespeed");
        assert_eq!(both, "wirespeed doctor; sudo /home/a/bin/wirespeed install");
        assert_eq!(told("openssl#11377: wirespeed vpn"), "openssl#11377: ./wirespeed vpn");
        assert_eq!(told(&told("wirespeed vpn")), "./wirespeed vpn", "once is enough");
        for same in [
            "+wirespeed = wirespeed_sect # wirespeed install\n",
            "/etc/wirespeed/plan: wirespeed listens; libwirespeed tune; x/wirespeed tune",
            "wirespeed",
        ] {
            assert_eq!(told(same), same);
        }
    }

    #[test]
    fn what_others_wrote_does_nothing_to_a_terminal() {
        assert_eq!(told("a\x1b[2J\tb\r\u{9b}c\n"), "a\u{fffd}[2J\tb\u{fffd}\u{fffd}c\n");
    }

    #[test]
    fn a_program_is_called_so_that_a_shell_finds_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("its name");
        let file = root.join("target/release/wirespeed");
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(&file, "").expect("written");
        let elsewhere = Path::new("/nowhere");
        let inside = file.parent().expect("a folder");
        assert_eq!(called(&file, &root, None), "target/release/wirespeed");
        assert_eq!(called(&file, inside, None), "./wirespeed");
        assert_eq!(called(&file, elsewhere, None), file.to_str().expect("plain"));
        assert_eq!(called(&file, elsewhere, Some(inside.as_os_str())), "wirespeed");
        let of_sudo = called(&file, elsewhere, Some(OsStr::new(OF_SUDO)));
        assert_eq!(of_sudo, file.to_str().expect("plain"), "sudo does not look there");
        // Another of that name comes first.
        let other = root.join("wirespeed");
        fs::write(&other, "").expect("written");
        let path = env::join_paths([&root, inside]).expect("a path");
        assert_eq!(called(&file, &root, Some(&path)), "target/release/wirespeed");
        let strange = Path::new("/a b/it's");
        assert_eq!(called(strange, elsewhere, None), "\"/a b/it's\"");
    }
}
