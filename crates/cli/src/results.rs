//! Files of results, folders of them and pasted texts, from the command line.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::Args;
use wirespeed_results::{Results, Text, Unreadable};

use crate::fault::Fault;

/// Files, and what their machines are called.
#[derive(Args)]
pub(crate) struct FileArguments {
    /// Results as --json wrote them, or what openssl speed, cryptsetup benchmark or sbc-bench printed; a
    /// folder stands for the .json and .txt in it, - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// What the machine of a printed text is called, in the order of the texts
    #[arg(long = "as", value_name = "NAME")]
    names: Vec<String>,
}

/// What a text from standard input is called when nobody says.
const PASTED: &str = "pasted";

impl FileArguments {
    /// All of them, folders in the order of their names; and what was passed over in folders, because it is of another
    /// kind or damaged.
    pub(crate) fn read(&self) -> Result<(Vec<Results>, Vec<String>), Fault> {
        let (mut found, mut passed_over) = (Vec::new(), Vec::new());
        let mut names = self.names.iter();
        let mut texts = 0;
        for path in &self.files {
            if !path.is_dir() {
                let failed =
                    |error| Fault::usage(format!("cannot read {}: {error}", path.display()));
                let text = text(path).map_err(failed)?;
                let mut label = label(path);
                if matches!(text, Text::Printed(_)) {
                    texts += 1;
                    label = names.next().cloned().unwrap_or(label);
                }
                found.extend(text.read(&label).map_err(|why| told(path, &why))?);
                continue;
            }
            for path in inside(path)? {
                // Of many files one may be damaged, or somebody else's.
                let text = text(&path).map_err(|error| error.to_string());
                let read =
                    text.and_then(|it| it.read(&label(&path)).map_err(|why| why.to_string()));
                match read {
                    Ok(results) => found.extend(results),
                    Err(why) => {
                        passed_over.push(format!("{} was passed over: {why}", path.display()));
                    }
                }
            }
        }
        if let Some(name) = names.next() {
            return Err(Fault::usage(format!(
                "--as {name} has no text to name: {texts} of the files {} printed by another program",
                if texts == 1 { "was" } else { "were" }
            )));
        }
        Ok((found, passed_over))
    }
}

/// What is said where nothing was read, with the first thing that was passed over.
pub(crate) fn nothing(passed_over: &[String]) -> Fault {
    let fault = Fault::usage("no results there: wirespeed bench --json FILE writes some");
    match passed_over.first() {
        Some(first) => fault.and(first),
        None => fault,
    }
}

fn told(path: &Path, why: &Unreadable) -> Fault {
    Fault::usage(format!("{}: {why}", path.display()))
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn label(path: &Path) -> String {
    match is_standard_input(path) {
        true => PASTED.to_owned(),
        false => path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

fn text(path: &Path) -> io::Result<Text> {
    let bytes = match is_standard_input(path) {
        true => read(io::stdin()),
        false => File::open(path).and_then(read),
    };
    Ok(Text::of(&bytes?))
}

/// All that comes, unless it is far more than results ever are.
pub(crate) fn read(from: impl Read) -> io::Result<Vec<u8>> {
    const MOST: u64 = 64 << 20;
    let mut bytes = Vec::new();
    if from.take(MOST + 1).read_to_end(&mut bytes)? as u64 > MOST {
        return Err(io::Error::other("more than 64 MiB are no results"));
    }
    Ok(bytes)
}

/// The files in a folder that may hold results.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let failed =
        |error| Fault::usage(format!("cannot read the folder {}: {error}", folder.display()));
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().map_err(failed)?;
    let is_ours = |path: &Path| path.extension().is_some_and(|it| it == "json" || it == "txt");
    paths.retain(|path| is_ours(path) && path.is_file());
    paths.sort();
    Ok(paths)
}
