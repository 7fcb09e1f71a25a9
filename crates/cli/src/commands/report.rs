//! `wirespeed report`: results as one HTML file.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use wirespeed_report::Results;

use crate::fault::Fault;
use crate::output::write_text;

const EXAMPLES: &str = "\
Examples:
  wirespeed disk --json here.json && wirespeed report here.json --output report.html
  wirespeed report here.json there.json --output both.html      the same ciphers side by side
  wirespeed report examples/dm-crypt-2007.json --output 2007.html

So far the results of wirespeed disk are drawn. The file stands by itself: no scripts, nothing that is
fetched from elsewhere.

Exit status: 0 done; 2 usage or environment, with one line that says what.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArguments {
    /// Results, as --json wrote them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the page there; - is standard output
    #[arg(long, value_name = "FILE", required = true)]
    output: String,
}

pub(crate) fn run(arguments: ReportArguments) -> Result<(), Fault> {
    let read = |path: &PathBuf| {
        let name = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Fault::usage(format!("cannot read {name}: {error}")))?;
        let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Results::read(&label, &text).map_err(|why| Fault::usage(format!("{name}: {why}")))
    };
    let results: Vec<_> = arguments.files.iter().map(read).collect::<Result<_, _>>()?;
    write_text(&arguments.output, &wirespeed_report::page(&results))
}
