//! OpenSSL's own engine for AF_ALG beside us, in one run: `openssl speed` of AES-128-CBC.
//!
//! The plan is what `wirespeed bench` finds on this machine, so in a translated guest with AES instructions small and
//! large calls stay in the process, and that is the point: theirs takes every call to the kernel, ours the calls
//! that gain. Speeds are printed, for the guest is translated and others run beside it. What is asserted can be counted:
//! system calls.

use std::path::PathBuf;

use wirespeed_conformance::scratch::Scratch;
use wirespeed_system_tests::module::{self, Provided};
use wirespeed_system_tests::process::{command, output};

use crate::ours::forced;
use crate::plans;

/// Those of `openssl speed`.
const SIZES: [usize; 6] = [16, 64, 256, 1024, 8192, 16384];

struct Candidate {
    name: &'static str,
    /// What it is configured with: nothing, or our module, which does not count here: that costs time.
    configuration: Option<PathBuf>,
    options: &'static [&'static str],
}

impl Candidate {
    /// Configured as it is to be.
    fn start(&self, program: &str) -> std::process::Command {
        let mut command = command(program);
        Provided::Stock.to(&mut command);
        if let Some(file) = &self.configuration {
            command.env("OPENSSL_CONF", file);
        }
        command
    }

    /// Megabytes a second, for each size.
    fn measure(&self) -> Result<Vec<f64>, String> {
        let mut speed = self.start("openssl");
        speed.args(["speed", "-elapsed", "-seconds", "1", "-evp", "aes-128-cbc"]);
        let said = output(speed.args(self.options))?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let last = said.lines().last().unwrap_or_default();
        let figures =
            last.split_whitespace().filter_map(|word| word.strip_suffix('k')?.parse::<f64>().ok());
        let figures: Vec<_> = figures.map(|thousands| thousands / 1000.0).collect();
        if figures.len() == SIZES.len() {
            Ok(figures)
        } else {
            Err(format!("{}: {said}", self.name))
        }
    }

    /// System calls of a program that encrypts so many messages of 16 bytes, as strace counts them.
    fn system_calls(&self, messages: usize) -> Result<f64, String> {
        let scratch = Scratch::new()?;
        let (counts, input) =
            (scratch.path("counts"), scratch.write("input", vec![0; 16 * messages])?);
        let mut strace = self.start("strace");
        strace.args(["-f", "-c", "-U", "calls,name", "-o"]).arg(&counts);
        strace.args(["openssl", "enc", "-aes-128-cbc", "-bufsize", "16", "-K", "00", "-iv", "00"]);
        strace.arg("-in").arg(input).args(["-out", "/dev/null"]);
        output(strace.args(self.options))?;
        let text = std::fs::read_to_string(&counts).map_err(|error| error.to_string())?;
        let total = text.lines().last().unwrap_or_default();
        let total = total.split_whitespace().next().and_then(|word| word.parse().ok());
        total.ok_or(text)
    }

    /// System calls that one message takes: both runs start and end alike.
    fn calls_per_message(&self) -> Result<f64, String> {
        const MESSAGES: usize = 1000;
        Ok((self.system_calls(100 + MESSAGES)? - self.system_calls(100)?) / MESSAGES as f64)
    }
}

/// The table, and what it has to show.
pub(crate) fn contest() -> Result<(), String> {
    let scratch = Scratch::new()?;
    let plan = plans::measured(&scratch, "AES-128-CBC", "aesni,kernel")?;
    let planned = format!("kernel = on\nplan = {}", plan.display());
    let module = module::file().ok_or("WIRESPEED_MODULES is not set")?;
    let ours = |name, lines: &str| scratch.write(name, module::configuration(&module, lines));
    let candidates = [
        Candidate { name: "default provider", configuration: None, options: &[] },
        Candidate { name: "engine afalg", configuration: None, options: &["-engine", "afalg"] },
        Candidate {
            name: "ours by plan",
            configuration: Some(ours("planned.cnf", &planned)?),
            options: &[],
        },
        Candidate {
            name: "our route kernel",
            configuration: Some(ours("forced.cnf", &forced("AES-128-CBC"))?),
            options: &[],
        },
    ];
    let figures: Vec<_> = candidates.iter().map(Candidate::measure).collect::<Result<_, _>>()?;
    let calls: Vec<f64> =
        candidates.iter().map(Candidate::calls_per_message).collect::<Result<_, _>>()?;
    let mut table = String::from("AES-128-CBC, MB/s ");
    table.extend(SIZES.map(|size| format!("{size:>9}")));
    table += "   system calls a message of 16 B\n";
    for ((candidate, figures), calls) in candidates.iter().zip(&figures).zip(&calls) {
        table += &format!("{:18}", candidate.name);
        table.extend(figures.iter().map(|figure| format!("{figure:9.2}")));
        table += &format!("   {calls:.2}\n");
    }
    println!("{table}");
    // Both take each message there; ours takes fewer calls for it.
    match calls[3] < calls[1] && calls[2] < 0.1 {
        true => Ok(()),
        false => Err(format!("system calls\n{table}")),
    }
}
