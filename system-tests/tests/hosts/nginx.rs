//! nginx: versions of TLS, several workers, new configuration, new program, all under the same counters.

use std::collections::BTreeSet;
use std::fs;
use std::thread;

use wirespeed_cipher::Direction::Encrypt;
use wirespeed_conformance::data::{painted, same};
use wirespeed_system_tests::client::download;
use wirespeed_system_tests::module::{Provided, Watched, file};
use wirespeed_system_tests::process;
use wirespeed_system_tests::servers::nginx::{Nginx, Style};

const MIB: usize = 1 << 20;
const FILE: &str = "file";

const TLS_1_3: Style = Style { workers: 2, lines: "ssl_protocols TLSv1.3;" };
const TLS_1_2: Style = Style {
    workers: 2,
    lines: "ssl_protocols TLSv1.2; ssl_ciphers ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-SHA384;",
};

/// A file of many records through each kind of protection.
pub(crate) fn versions() -> Result<(), String> {
    let data = painted(21, 20 * MIB + 5);
    for (style, option, suite, algorithm) in [
        (TLS_1_3, "--tls13-ciphers", "TLS_AES_128_GCM_SHA256", "AES-128-GCM"),
        (TLS_1_3, "--tls13-ciphers", "TLS_AES_256_GCM_SHA384", "AES-256-GCM"),
        (TLS_1_2, "--ciphers", "ECDHE-RSA-AES128-GCM-SHA256", "AES-128-GCM"),
        (TLS_1_2, "--ciphers", "ECDHE-RSA-AES256-SHA384", "AES-256-CBC"),
    ] {
        let ours = Watched::new()?;
        let nginx = Nginx::start(Provided::Ours(&ours), style)?;
        nginx.offer(FILE, &data)?;
        let got = download(nginx.certificate(), &nginx.address(FILE), &[option, suite])?;
        same(|| suite.to_owned(), &data, &got)?;
        ours.ran(algorithm, Encrypt, data.len() as u64)?;
    }
    Ok(())
}

/// Every worker has the module, and downloads at once do not mix.
pub(crate) fn workers() -> Result<(), String> {
    let ours = Watched::new()?;
    let style = Style { workers: 4, ..TLS_1_3 };
    let nginx = Nginx::start(Provided::Ours(&ours), style)?;
    // It listens before its workers are there.
    process::wait_until("four workers, each with the module", || {
        let workers = nginx.workers().unwrap_or_default();
        workers.len() == 4 && workers.iter().all(|worker| has_module(*worker))
    })?;
    let files: Vec<_> = (0..8).map(|seed| painted(30 + seed, 2 * MIB + seed as usize)).collect();
    for (number, data) in files.iter().enumerate() {
        nginx.offer(&format!("file{number}"), data)?;
    }
    thread::scope(|scope| {
        let fetch = |number: usize| {
            let address = nginx.address(&format!("file{number}"));
            let got = download(nginx.certificate(), &address, &[])?;
            same(|| format!("file {number}"), &files[number], &got)
        };
        let running: Vec<_> = (0..8).map(|number| scope.spawn(move || fetch(number))).collect();
        let ended = running.into_iter().map(|it| it.join().map_err(|_| "a thread".to_owned()));
        ended.map(Result::flatten).collect::<Result<Vec<()>, String>>()
    })?;
    ours.ran("AES-256-GCM", Encrypt, files.iter().map(|data| data.len() as u64).sum())
}

/// Every third call is computed twice, and nothing is found wrong.
pub(crate) fn verified() -> Result<(), String> {
    let ours = Watched::with("verify = 3")?;
    let nginx = Nginx::start(Provided::Ours(&ours), TLS_1_3)?;
    Asked { nginx: &nginx, ours: &ours, sum: 0 }.once(39)
}

/// Workers of a configuration read anew have the module, too.
pub(crate) fn reload() -> Result<(), String> {
    let ours = Watched::new()?;
    let nginx = Nginx::start(Provided::Ours(&ours), TLS_1_3)?;
    let mut asked = Asked { nginx: &nginx, ours: &ours, sum: 0 };
    asked.once(40)?;
    for round in 0..3 {
        nginx.reload()?;
        asked.once(41 + round)?;
    }
    Ok(())
}

/// A new program file takes over the port and the configuration; the old one ends.
pub(crate) fn upgrade() -> Result<(), String> {
    let ours = Watched::new()?;
    let nginx = Nginx::start(Provided::Ours(&ours), TLS_1_3)?;
    let mut asked = Asked { nginx: &nginx, ours: &ours, sum: 0 };
    asked.once(50)?;
    let loads = ours.counted()?.loads();
    nginx.upgrade()?;
    asked.once(51)?;
    match ours.counted()?.loads() {
        more if more > loads => Ok(()),
        _ => Err("the new program file did not load the module".to_owned()),
    }
}

/// One nginx, asked again and again.
struct Asked<'a> {
    nginx: &'a Nginx,
    ours: &'a Watched,
    sum: u64,
}

impl Asked<'_> {
    fn once(&mut self, seed: u64) -> Result<(), String> {
        let data = painted(seed, MIB);
        self.nginx.offer(FILE, &data)?;
        let got = download(self.nginx.certificate(), &self.nginx.address(FILE), &[])?;
        same(|| format!("download {seed}: {}", self.nginx.said()), &data, &got)?;
        self.sum += data.len() as u64;
        self.ours.ran("AES-256-GCM", Encrypt, self.sum)?;
        let without: BTreeSet<_> =
            self.nginx.workers()?.into_iter().filter(|worker| !has_module(*worker)).collect();
        if without.is_empty() { Ok(()) } else { Err(format!("no module in {without:?}")) }
    }
}

fn has_module(process: u32) -> bool {
    let module = file().and_then(|file| fs::canonicalize(file).ok());
    module.is_some_and(|module| process::maps(process, &module))
}
