//! `wirespeed stats`: what programs did through the module, where openssl.cnf has it count.

use std::path::PathBuf;

use clap::Args;
use wirespeed_doctor::{ThisMachine, place_of_counters};
use wirespeed_results::schema::stats::Stats;
use wirespeed_results::schema::{Document, VERSION};
use wirespeed_stats::Snapshot;

use crate::counted;
use crate::fault::Fault;
use crate::output::{People, tell, write_json};

const EXAMPLES: &str = "\
Examples:
  wirespeed stats                             the file or folder that openssl.cnf names
  wirespeed stats /var/lib/wirespeed/stats    this one
  wirespeed stats --json -                    the same as JSON

The module counts where its section of openssl.cnf says stats = FILE. A folder in place of the file
has one file for each user; make it so that all may write: sudo install -d -m 1777
/var/lib/wirespeed/stats. Running programs are counted, too, as far as this user may look into their
memory. To begin anew: wirespeed stats, rm FILE, and restart the programs.

Exit status: 0 done; 2 usage or environment, with one line that says what.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct StatsArguments {
    /// A file of counters, or a folder with one for each user
    #[arg(value_name = "FILE|FOLDER")]
    place: Option<PathBuf>,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

pub(crate) fn run(arguments: StatsArguments) -> Result<(), Fault> {
    let place = arguments
        .place
        .or_else(|| place_of_counters(&ThisMachine::discover()))
        .ok_or_else(|| {
            Fault::usage(
                "nothing is counted: write stats = FILE into Wirespeed's section of openssl.cnf",
            )
        })?;
    let counted = Snapshot::read(&place).map_err(Fault::usage)?;
    counted.passed_over().iter().for_each(|it| tell(&format!("wirespeed: {it}\n")));
    let rows: Vec<_> = counted.rows().collect();
    let document = Stats {
        schema: Stats::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        place: place.display().to_string(),
        seconds: counted.begun().and_then(|it| it.elapsed().ok()).map(|it| it.as_secs_f64()),
        loads: counted.loads(),
        quarantined: counted.quarantined().iter().map(|it| it.name().to_owned()).collect(),
        rows: wirespeed_doctor::counted(&rows),
    };
    People::beside(arguments.json.as_deref()).show(&text(&document))?;
    write_json(arguments.json.as_deref(), &document)
}

fn text(found: &Stats) -> String {
    let processes = if found.loads == 1 { "process" } else { "processes" };
    let mut text = format!("{}: {} {processes} loaded Wirespeed\n", found.place, found.loads);
    if found.rows.is_empty() {
        text.push_str("Nothing was counted yet.\n");
    } else {
        text.push_str(&format!("\n{}", counted::table(&found.rows)));
    }
    if !found.quarantined.is_empty() {
        let routes = found.quarantined.join(" ");
        text.push_str(&format!("\nQuarantined, for it gave wrong bytes: {routes}\n"));
    }
    text
}
