//! `wirespeed vpn`

pub(crate) mod real;

use clap::Args;
use serde::Serialize;

use crate::fault::Fault;
use crate::interruption::Interruption;
use crate::output::{notes, write_json};

#[derive(Args)]
pub(crate) struct VpnArguments {
    /// Suites by strongSwan's words
    #[arg(long, value_name = "S,…", value_delimiter = ',')]
    suites: Option<Vec<String>>,
    /// Set up real tunnels between network namespaces instead; needs root
    #[arg(long)]
    real: bool,
    /// Seconds
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    seconds: f64,
    /// Write the result as JSON; - is standard output
    #[arg(long, value_name = "FILE")]
    json: Option<String>,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    real: Vec<wirespeed_tunnel::document::Row>,
}

pub(crate) fn run(arguments: VpnArguments) -> Result<(), Fault> {
    let suites = real::suites(arguments.suites.as_deref())?;
    let interruption = Interruption::watch()?;
    let mut rows = Vec::new();
    let ended = real::run(&suites, arguments.seconds, &interruption, &mut rows);
    if arguments.json.as_deref() != Some("-") {
        print!("{}{}", real::text(&rows), notes(&real::notes(&rows)));
    }
    let document = Document { schema: "wirespeed.vpn/1", real: rows };
    arguments.json.as_ref().map_or(Ok(()), |target| write_json(target, &document))?;
    ended
}
