//! `wirespeed sum` over many files in the page cache, against the programs that hash one after another.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use wirespeed_measure::statistics::paired_ratio;
use wirespeed_measure::{Clock, WallTime};

use crate::Bench;
use crate::report::Report;
use crate::requirements::{SUM, SUM_FILE_BYTES, SUM_FILES, SUM_THREADS};

/// Turns of each program.
const TURNS: usize = 7;

pub(crate) fn run(bench: &Bench, report: &mut Report) {
    const OTHERS: [&[&str]; 2] = [&["sha256sum"], &["openssl", "dgst", "-sha256"]];
    let wanted = |other: &&&[&str]| bench.wants_words(&format!("sum sha2-256 {}", other.join(" ")));
    let others: Vec<_> = OTHERS.iter().filter(wanted).collect();
    if others.is_empty() {
        return;
    }
    println!(
        "\n{SUM_FILES} files of 1 MiB hashed with {SUM_THREADS} threads, against one after another"
    );
    let files = match Files::new() {
        Ok(files) => files,
        Err(why) => return report.fail("sum", why),
    };
    for other in others {
        let title = format!("SHA2-256 sum against {}", other.join(" "));
        match files.against(other) {
            Ok([nanos, others]) => {
                let ratio = paired_ratio(&others, &nanos).expect("both ran");
                report.ratio(&title, &ratio, SUM, "");
            }
            Err(why) => report.fail(&title, why),
        }
    }
}

/// Files that differ, and the program beside this one.
struct Files {
    folder: TempDir,
    program: PathBuf,
}

impl Files {
    fn new() -> Result<Self, String> {
        let program = env::current_exe().map_err(|why| why.to_string())?;
        let program = program.with_file_name("wirespeed");
        if !program.exists() {
            return Err(format!("there is no {}: cargo build --release", program.display()));
        }
        let folder = tempfile::tempdir().map_err(|why| why.to_string())?;
        for file in 0..SUM_FILES {
            let bytes = vec![file as u8; SUM_FILE_BYTES];
            fs::write(folder.path().join(file.to_string()), bytes)
                .map_err(|why| why.to_string())?;
        }
        Ok(Self { folder, program })
    }

    /// Nanoseconds of each turn of ours and of another program's, in turns.
    fn against(&self, other: &[&str]) -> Result<[Vec<f64>; 2], String> {
        let threads = SUM_THREADS.to_string();
        let ours = ["sum", "--threads", &threads];
        let mut nanos = [Vec::new(), Vec::new()];
        // The first turn warms the page cache.
        for turn in 0..=TURNS {
            let times =
                [self.time(&self.program, &ours)?, self.time(Path::new(other[0]), &other[1..])?];
            if turn != 0 {
                nanos.iter_mut().zip(times).for_each(|(all, time)| all.push(time));
            }
        }
        Ok(nanos)
    }

    fn time(&self, program: &Path, arguments: &[&str]) -> Result<f64, String> {
        let start = WallTime.now();
        let status = Command::new(program)
            .args(arguments)
            .args((0..SUM_FILES).map(|file| file.to_string()))
            .current_dir(self.folder.path())
            .stdout(Stdio::null())
            .status()
            .map_err(|why| format!("{}: {why}", program.display()))?;
        match status.success() {
            true => Ok((WallTime.now() - start) as f64),
            false => Err(format!("{}: {status}", program.display())),
        }
    }
}
