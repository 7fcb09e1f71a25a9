//! `wirespeed report`: results as one HTML file.

use clap::Args;

use crate::fault::Fault;
use crate::output::write_text;
use crate::results::FileArguments;

const EXAMPLES: &str = "\
Examples:
  wirespeed bench --json here.json && wirespeed report here.json
  wirespeed report here.json there.json --output both.html      the same work side by side
  wirespeed report here.json router.txt --as 'Old router'       what openssl speed printed there
  wirespeed report examples/ --output articles.html             all results of a folder

The results of wirespeed, wirespeed bench, disk and vpn are drawn. The file stands by itself: no
scripts, nothing that is fetched from elsewhere.

Exit status: 0 done; 2 usage or environment, with one line that says what.";

/// Where the page goes when nobody says where.
const USUAL: &str = "wirespeed-report.html";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReportArguments {
    #[command(flatten)]
    files: FileArguments,
    /// Write the page there, instead of wirespeed-report.html; - is standard output
    #[arg(long, value_name = "FILE")]
    output: Option<String>,
}

pub(crate) fn run(arguments: ReportArguments) -> Result<(), Fault> {
    let (files, _) = arguments.files.read()?;
    if files.is_empty() {
        return Err(Fault::usage("no results there: wirespeed bench --json FILE writes some"));
    }
    let page = wirespeed_report::page(&files);
    match arguments.output {
        Some(output) => write_text(&output, &page),
        None => {
            write_text(USUAL, &page)?;
            eprintln!("wirespeed: wrote {USUAL}");
            Ok(())
        }
    }
}
