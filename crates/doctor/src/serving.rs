//! Who encrypts: for each program that listens a library, its own code, or Linux; and what a provider reaches of it.
//!
//! Nothing is traced or changed: /proc and /sys are read, and ss(8) is asked whose TLS connections are Linux's.

mod crypto;
mod inside;
mod known;
mod ktls;
pub(crate) mod libraries;
mod linux;
mod networks;
mod sockets;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use wirespeed_results::schema::services::{Reach, Service, Services};
use wirespeed_results::schema::{Document, VERSION, services::Crypto};

use crate::containers;
use crate::examined::Examined;
use crate::services::processes;
use crypto::{Encrypting, Read};
pub(crate) use inside::Inside;
pub(crate) use known::lever;
use ktls::Tls;
pub(crate) use linux::findings;

/// What makes two processes one line: the program, its container, what encrypts, whether we serve it.
type Alike = (String, Option<(u64, u64)>, Vec<Crypto>, Reach);

/// Where they listen, which they are, and what is to be known.
#[derive(Default)]
struct Together {
    listens: BTreeSet<String>,
    processes: Vec<u32>,
    lever: Option<String>,
}

/// Every program that listens, and what Linux does itself.
pub(crate) fn services(examined: &Examined<'_>) -> Services {
    let processes = processes(examined);
    let networks = networks::all(examined, &processes);
    let sockets = sockets::listening(examined, &networks);
    let (mut read, mut found, mut owned) =
        (Read::default(), BTreeMap::<Alike, Together>::new(), BTreeSet::new());
    for process in &processes {
        let Some(number) = number(process) else { continue };
        let own = sockets::of_process(examined, process, &sockets);
        let name = examined.here.text(process.join("comm")).unwrap_or_default().trim().to_owned();
        if own.is_empty() && !known::always(&name) {
            continue;
        }
        let container = containers::namespace_apart(examined, process);
        let seen = crypto::of(examined, process, container.is_some(), &mut read);
        let Some(seen) = seen else { continue };
        owned.extend(own.iter().map(|(number, _)| *number));
        let Encrypting { crypto, reach, lever } = seen;
        let together = found.entry((name.clone(), container, crypto, reach)).or_default();
        together.listens.extend(own.iter().map(|(_, place)| (*place).to_owned()));
        together.processes.push(number);
        together.lever = together.lever.take().or(lever);
    }
    let unseen = sockets.iter().filter(|(number, _)| !owned.contains(number));
    let unseen: BTreeSet<&String> = unseen.map(|(_, place)| place).collect();
    let tls = Tls::read(examined, &networks);
    let linux = linux::all(examined, &networks, tls.as_ref());
    Services {
        schema: Services::SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        services: found.into_iter().map(|it| service(it, tls.as_ref())).collect(),
        linux,
        unseen: unseen.into_iter().cloned().collect(),
        only_own: examined.here.user() != 0,
    }
}

fn service((alike, together): (Alike, Together), tls: Option<&Tls>) -> Service {
    let (name, container, crypto, wirespeed) = alike;
    let in_container = container.is_some();
    let Together { listens, mut processes, lever } = together;
    processes.sort_unstable();
    let linux = tls.and_then(|tls| tls.told_to(&processes));
    let own = linux.or_else(|| known::lever(&name).map(str::to_owned));
    let levers = lever.into_iter().chain(own).collect();
    let listens = listens.into_iter().collect();
    Service { name, processes, listens, in_container, crypto, wirespeed, levers }
}

/// A process's number, by its folder.
fn number(process: &Path) -> Option<u32> {
    process.file_name()?.to_str()?.parse().ok()
}
