//! `wirespeed report`: results as one HTML file.

use std::path::PathBuf;

use clap::Args;

use crate::fault::Fault;
use crate::output::{tell, write_text};
use crate::results::{FileArguments, nothing};

mod fleet;

const EXAMPLES: &str = "\
Examples:
  wirespeed bench --json here.json && wirespeed report here.json
  wirespeed report here.json there.json --output both.html      the same work side by side
  wirespeed report here.json router.txt --as 'Old router'       what openssl speed printed there
  wirespeed report examples/ --output articles.html             all results of a folder
  wirespeed report --fleet results/           kinds, outliers and savings of thousands of hosts

The results of wirespeed, wirespeed bench, disk and vpn are drawn. The file stands by itself: no
scripts, nothing that is fetched from elsewhere.

For --fleet each host has a file HOST.json of the survey or bench, and perhaps HOST.stats.json of
wirespeed stats --json FILE. Damaged files are counted and named.

Exit status: 0 done; 2 usage or environment, with one line that says what.";

/// Where the page goes when nobody says where.
const USUAL: &str = "wirespeed-report.html";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(mut_arg("files", |it| it.required(false).required_unless_present("fleet")))]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    files: FileArguments,
    /// A page about all hosts whose results are in a folder, or in folders below it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["files", "names"])]
    fleet: Option<PathBuf>,
    /// Write the page there, instead of wirespeed-report.html; - is standard output
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

pub(crate) fn run(arguments: ReportArguments) -> Result<(), Fault> {
    let page = match &arguments.fleet {
        Some(folder) => {
            let found = fleet::read(folder)?;
            if found.kinds.is_empty() {
                return Err(nothing(&found.damaged));
            }
            wirespeed_report::fleet(&found)
        }
        None => {
            let (files, passed_over) = arguments.files.read()?;
            if files.is_empty() {
                return Err(nothing(&passed_over));
            }
            passed_over.iter().for_each(|it| tell(&format!("wirespeed: {it}\n")));
            wirespeed_report::page(&files)
        }
    };
    match arguments.output {
        Some(output) => write_text(&output, &page),
        None => {
            write_text(USUAL, &page)?;
            tell(&format!("wirespeed: wrote {USUAL}\n"));
            Ok(())
        }
    }
}
