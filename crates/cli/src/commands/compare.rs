//! `wirespeed compare`: machines side by side.

use clap::{Args, ValueEnum};
use wirespeed_results::compare::{compare, described, rank};
use wirespeed_results::schema::compare::{Best, Compare, Comparison, Described};
use wirespeed_results::schema::{Document, VERSION};
use wirespeed_results::{Computer, Purpose, computers};

use crate::fault::Fault;
use crate::output::{People, write_json};
use crate::results::{FileArguments, nothing};

mod text;

const EXAMPLES: &str = "\
Examples:
  wirespeed bench --set gateway --json here.json
  wirespeed compare here.json examples/ipfire-*.json
  wirespeed compare here-bench.json here-disk.json there-bench.json there-disk.json
  wirespeed compare here.json router.txt --as 'Old router'     what openssl speed printed there
  wirespeed compare here.json - --as 'From a forum' < router.txt
  wirespeed compare --best-for vpn machines/              ranks a folder of machines

Each machine's best route at the same work; of two the one that is clearly ahead. Files of different
kinds that describe the same machine stand in one column. Of a text what is understood is used, and
the lines that are not are named.

Exit status: 0 done; 2 usage or environment, with one line that says what.";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    files: FileArguments,
    /// Rank the machines by what one core of theirs does for a use
    #[arg(long, value_name = "USE")]
    best_for: Option<Wanted>,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

/// What a machine is wanted for.
#[derive(Clone, Copy, ValueEnum)]
enum Wanted {
    /// A gateway's packets
    Vpn,
    /// An encrypted disk
    Disk,
    /// Records of a server's
    Tls,
}

impl Wanted {
    const fn purpose(self) -> Purpose {
        match self {
            Self::Vpn => Purpose::Vpn,
            Self::Disk => Purpose::Disk,
            Self::Tls => Purpose::Tls,
        }
    }
}

pub(crate) fn run(arguments: CompareArguments) -> Result<(), Fault> {
    let (files, passed_over) = arguments.files.read()?;
    let machines = computers(&files);
    let people = People::beside(arguments.json.as_deref());
    let legend: Vec<Described> = machines.iter().enumerate().map(described).collect();
    let document = |comparison, best_for, warnings| Compare {
        schema: Compare::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        machines: legend.clone(),
        comparison,
        best_for,
        warnings,
    };
    let document = match arguments.best_for {
        Some(wanted) => {
            let purpose = wanted.purpose();
            let (ranking, unknown) = rank(&machines, purpose);
            people.show(&text::ranking(&machines, purpose, &ranking, &unknown))?;
            people.show(&text::remarks(&passed_over))?;
            let unknown = unknown.iter().map(|place| machines[*place].label.clone()).collect();
            let best = Best { purpose: purpose.name().to_owned(), ranking, unknown };
            document(None, Some(best), passed_over)
        }
        None => {
            let (compared, warnings) = several(&machines, &passed_over)?;
            let warnings = [passed_over, warnings].concat();
            people.show(&text::comparison(&legend, &compared.rows, &compared.alone))?;
            people.show(&text::verdicts(&compared.verdicts))?;
            people.show(&text::remarks(&warnings))?;
            document(Some(compared), None, warnings)
        }
    };
    write_json(arguments.json.as_deref(), &document)
}

fn several(
    machines: &[Computer<'_>],
    passed_over: &[String],
) -> Result<(Comparison, Vec<String>), Fault> {
    match machines {
        [] => Err(nothing(passed_over)),
        [one] => Err(Fault::usage(format!(
            "{} is alone: name the results of two machines at least, examples/ has some",
            one.label
        ))),
        machines => Ok(compare(machines)),
    }
}
