//! The result as data: `wirespeed.vpn/1`, described in docs/json.md.

use serde::Serialize;
use wirespeed_machine::Machine;
use wirespeed_measure::noise::Noise;
use wirespeed_vpn::document::{Link, Row};
use wirespeed_vpn::links::{LEAVES_OUT, links};
use wirespeed_vpn::verdict::verdict;

use super::real;
use super::request::Request;
use crate::output::table::wrap;
use crate::output::{DEBUG_BUILD, WIDTH, call};

/// Everything that `wirespeed vpn` found.
#[derive(Serialize)]
pub(super) struct Document {
    schema: &'static str,
    version: &'static str,
    /// Whose figures these are, null for our own.
    source: Option<String>,
    pub(super) machine: Machine,
    settings: Setting,
    /// Whether the run was broken off.
    pub(super) interrupted: bool,
    pub(super) warnings: Vec<String>,
    pub(super) rows: Vec<Row>,
    links: Vec<Link>,
    /// Tunnels that were set up.
    pub(super) real: Vec<wirespeed_tunnel::document::Row>,
    leaves_out: Vec<&'static str>,
    verdict: Vec<String>,
    #[serde(skip)]
    noise: Vec<Noise>,
}

/// What was asked for.
#[derive(Serialize)]
struct Setting {
    seconds: f64,
    threads: Vec<usize>,
    batch: bool,
}

impl Document {
    /// Nothing measured yet.
    pub(super) fn begin(request: &Request, machine: Machine) -> Self {
        Self {
            schema: "wirespeed.vpn/1",
            version: env!("CARGO_PKG_VERSION"),
            source: None,
            machine,
            settings: Setting {
                seconds: request.seconds,
                threads: request.threads.clone(),
                batch: request.batch,
            },
            interrupted: false,
            warnings: Vec::new(),
            rows: Vec::new(),
            links: Vec::new(),
            real: Vec::new(),
            leaves_out: LEAVES_OUT.to_vec(),
            verdict: Vec::new(),
            noise: Vec::new(),
        }
    }

    /// Adds what was measured.
    pub(super) fn add(&mut self, measured: wirespeed_vpn::Measured) {
        self.rows.extend(measured.rows);
        self.noise.extend(measured.noise);
    }

    /// What the rows of one kind of packet fill.
    pub(super) fn links_of(&self, packet: &str) -> Vec<Link> {
        let rows: Vec<Row> = self.rows.iter().filter(|row| row.packet == packet).cloned().collect();
        links(&rows, self.machine.cpu.cores)
    }

    /// Draws the conclusions from what was measured.
    pub(super) fn conclude(&mut self) {
        self.links = links(&self.rows, self.machine.cpu.cores);
        self.verdict = verdict(&self.links);
        self.noise.sort_unstable();
        self.noise.dedup();
        let debug = cfg!(debug_assertions).then_some(DEBUG_BUILD);
        let noise = self.noise.iter().map(|noise| noise.advice());
        self.warnings = debug.into_iter().chain(noise).map(str::to_owned).collect();
        self.warnings.extend(real::notes(&self.real));
    }

    /// The conclusions as paragraphs.
    pub(super) fn closing(&self) -> String {
        if self.verdict.is_empty() {
            return String::new();
        }
        let paragraph = |text: &str| {
            let words: Vec<&str> = text.split(' ').collect();
            format!("{}\n", wrap(&words, " ", WIDTH, 2))
        };
        let said: String = self.verdict.iter().map(|text| paragraph(text)).collect();
        let left_out = format!("Left out of this estimate: {}.", self.leaves_out.join("; "));
        let mut text = format!("\nWhat this says\n{said}{}", paragraph(&left_out));
        if self.verdict.iter().any(|sentence| sentence.contains("is not the fastest")) {
            text.push_str(&format!("\nMake it so            {}\n", call::install()));
        }
        text
    }
}
