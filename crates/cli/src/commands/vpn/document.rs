//! What was found, and as data: `wirespeed.vpn/1`.

use wirespeed_machine::Machine;
use wirespeed_measure::noise::Noise;
use wirespeed_results::schema::vpn::{Link, Row, Settings, Vpn};
use wirespeed_results::schema::{Document, VERSION};
use wirespeed_vpn::links::{LEAVES_OUT, links};
use wirespeed_vpn::verdict::verdict;

use super::real;
use super::request::Request;
use crate::output::table::paragraph;
use crate::output::{call, warnings};

/// Everything that `wirespeed vpn` found.
pub(super) struct Found {
    /// What is written.
    pub(super) vpn: Vpn,
    cpus: usize,
    noise: Vec<Noise>,
}

impl Found {
    /// Nothing measured yet.
    pub(super) fn begin(request: &Request, machine: Machine) -> Self {
        let cpus = machine.cores();
        let vpn = Vpn {
            schema: Vpn::SCHEMA.to_owned(),
            version: Some(VERSION.to_owned()),
            source: None,
            machine: Some(machine),
            settings: Some(Settings {
                seconds: request.seconds,
                threads: request.threads.clone(),
                batch: request.batch,
            }),
            interrupted: false,
            warnings: Vec::new(),
            rows: Vec::new(),
            links: Vec::new(),
            real: Vec::new(),
            leaves_out: LEAVES_OUT.map(str::to_owned).to_vec(),
            verdict: Vec::new(),
        };
        Self { vpn, cpus, noise: Vec::new() }
    }

    /// Adds what was measured.
    pub(super) fn add(&mut self, measured: wirespeed_vpn::Measured) {
        self.vpn.rows.extend(measured.rows);
        self.noise.extend(measured.noise);
    }

    /// What the rows of one kind of packet fill.
    pub(super) fn links_of(&self, packet: &str) -> Vec<Link> {
        let rows: Vec<Row> =
            self.vpn.rows.iter().filter(|row| row.packet == packet).cloned().collect();
        links(&rows, self.cpus)
    }

    /// Draws the conclusions from what was measured.
    pub(super) fn conclude(&mut self) {
        self.vpn.links = links(&self.vpn.rows, self.cpus);
        self.vpn.verdict = verdict(&self.vpn.links);
        self.vpn.warnings = warnings(std::mem::take(&mut self.noise));
        self.vpn.warnings.extend(real::notes(&self.vpn.real));
    }

    /// The conclusions as paragraphs.
    pub(super) fn closing(&self) -> String {
        if self.vpn.verdict.is_empty() {
            return String::new();
        }
        let said: String = self.vpn.verdict.iter().map(|text| paragraph(text, 0, 2)).collect();
        let left_out = format!("Left out of this estimate: {}.", self.vpn.leaves_out.join("; "));
        let mut text = format!("\nWhat this says\n{said}{}", paragraph(&left_out, 0, 2));
        if self.vpn.verdict.iter().any(|sentence| sentence.contains("is not the fastest")) {
            text.push_str(&format!("\nMake it so            {}\n", call::install()));
        }
        text
    }
}
