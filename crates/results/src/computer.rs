//! Machines: everything that the files say of each of them.

use crate::file::{Content, Results};
use crate::schema::disk::Disk;
use crate::schema::survey::Survey;
use crate::schema::vpn::Vpn;
use crate::schema::{Cpu, Machine, bench, disk, tunnel, vpn};

/// Everything that the files say of one machine.
#[derive(Clone, Debug)]
pub struct Computer<'a> {
    /// What it is called beside others.
    pub label: String,
    /// Its files, each of another kind.
    pub files: Vec<&'a Results>,
}

/// The letter of a machine: what it is called in narrow places.
pub fn letter(place: usize) -> String {
    let letter = char::from(b'A' + (place % 26) as u8);
    match place / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

/// The machines of these files, in their order. Files of different kinds that describe the same machine belong together;
/// two of the same kind are two machines, or two runs to be compared. Of machines that are alike the names tell which is
/// meant.
pub fn computers(results: &[Results]) -> Vec<Computer<'_>> {
    let mut found: Vec<Computer<'_>> = Vec::new();
    for file in results {
        let mut homes: Vec<_> = found.iter_mut().filter(|it| it.is_home_of(file)).collect();
        if homes.len() > 1 {
            let shared = |home: &Computer<'_>| beginning(&home.label, &file.label).len();
            let most = homes.iter().map(|home| shared(home)).max().unwrap_or_default();
            homes.retain(|home| shared(home) == most);
        }
        match &mut homes[..] {
            [computer] => computer.take_in(file),
            // Nobody's, or it is not said whose.
            _ => found.push(Computer { label: file.label.clone(), files: vec![file] }),
        }
    }
    found
}

/// What both names begin with, in whole words: `here` of `here-bench` and `here-disk`.
fn beginning<'n>(one: &'n str, other: &str) -> &'n str {
    let is_word = |name: &str, end: usize| {
        name.get(end..).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let mut ends = (0..=one.len()).rev().filter(|end| is_word(one, *end) && is_word(other, *end));
    let end = ends.find(|end| one[..*end] == other[..*end]).unwrap_or_default();
    one[..end].trim_end_matches(|letter: char| !letter.is_alphanumeric())
}

/// What tells machines apart. Which features there are to name changes with the program.
fn identity(machine: &Machine) -> impl PartialEq + use<'_> {
    let Machine { cpu, model, kernel, distribution, governor, .. } = machine;
    (
        model,
        &cpu.brand,
        cpu.cores,
        &cpu.hypervisor,
        kernel,
        distribution,
        governor,
        machine.openssl(),
    )
}

impl<'a> Computer<'a> {
    fn is_home_of(&self, file: &Results) -> bool {
        // First, as it is cheap: thousands of files are asked of one another.
        let kind = |it: &Results| std::mem::discriminant(&it.content);
        if self.files.iter().any(|mine| kind(mine) == kind(file)) {
            return false;
        }
        // Algorithms and disks of one text.
        let is_of_one_text = |mine: &Results| {
            file.source.is_some()
                && (&mine.label, &mine.source, &mine.machine)
                    == (&file.label, &file.source, &file.machine)
        };
        if self.files.iter().all(|mine| is_of_one_text(mine)) {
            return true;
        }
        let is_known = |machine: &Machine| machine.cpu != Cpu::default();
        file.machine.as_ref().is_some_and(is_known)
            && file.source == self.files[0].source
            && self.files.iter().all(|mine| {
                mine.machine.as_ref().map(identity) == file.machine.as_ref().map(identity)
            })
    }

    /// Its name is what the files' names begin with: `here-bench` and `here-disk` are `here`.
    fn take_in(&mut self, file: &'a Results) {
        self.files.push(file);
        let common = beginning(&self.label, &file.label);
        if !common.is_empty() {
            self.label = common.to_owned();
        }
    }

    /// The results of single algorithms, `bench` before the survey.
    pub fn rates(&self) -> impl Iterator<Item = &'a bench::Row> + use<'a> {
        let of = |file: &&'a Results| match &file.content {
            Content::Bench(bench) => Some((0, &bench.rows)),
            Content::Survey(survey) => Some((1, &survey.rows)),
            _ => None,
        };
        let mut lists: Vec<_> = self.files.iter().filter_map(of).collect();
        lists.sort_by_key(|(order, _)| *order);
        lists.into_iter().flat_map(|(_, rows)| rows)
    }

    /// The results of disks.
    pub fn disk(&self) -> Option<&'a Disk> {
        self.files.iter().find_map(|file| match &file.content {
            Content::Disk(disk) => Some(disk),
            _ => None,
        })
    }

    /// The survey.
    pub fn survey(&self) -> Option<&'a Survey> {
        self.files.iter().find_map(|file| match &file.content {
            Content::Survey(survey) => Some(survey),
            _ => None,
        })
    }

    /// The results of VPNs.
    pub fn vpn(&self) -> Option<&'a Vpn> {
        self.files.iter().find_map(|file| match &file.content {
            Content::Vpn(vpn) => Some(vpn),
            _ => None,
        })
    }

    pub(crate) fn disk_rows(&self) -> &'a [disk::Row] {
        self.disk().map_or(&[], |disk| &disk.rows)
    }

    pub(crate) fn packets(&self) -> &'a [vpn::Row] {
        self.vpn().map_or(&[], |vpn| &vpn.rows)
    }

    pub(crate) fn links(&self) -> &'a [vpn::Link] {
        self.vpn().map_or(&[], |vpn| &vpn.links)
    }

    pub(crate) fn tunnels(&self) -> &'a [tunnel::Row] {
        self.vpn().map_or(&[], |vpn| &vpn.real)
    }

    /// The machine itself.
    pub fn machine(&self) -> Option<&'a Machine> {
        self.files[0].machine.as_ref()
    }

    /// Whose figures they are, if not measured by this program.
    pub fn source(&self) -> Option<&'a str> {
        self.files[0].source.as_deref()
    }

    /// The version text of its OpenSSL.
    pub fn openssl(&self) -> Option<&'a str> {
        self.machine()?.openssl()
    }

    /// Logical CPUs.
    pub fn cores(&self) -> Option<usize> {
        self.machine()?.cpu.cores
    }

    /// The machine in a line: "Intel Xeon, 2 CPUs, KVM guest, Linux 6.18, Debian 12, OpenSSL 3.0.22".
    pub fn description(&self) -> Option<String> {
        let machine = self.machine()?;
        let mut parts = Vec::new();
        let cpu = &machine.cpu;
        parts.extend(machine.model.clone());
        parts.extend(cpu.brand.clone());
        parts.extend(cpu.cores.map(|cores| match cores {
            1 => "1 CPU".to_owned(),
            cores => format!("{cores} CPUs"),
        }));
        parts.extend(cpu.hypervisor.as_ref().map(|name| format!("{name} guest")));
        parts.extend(machine.kernel.as_ref().map(|release| format!("Linux {release}")));
        parts.extend(machine.distribution.clone());
        // "OpenSSL 3.0.19 27 Jan 2026": the date says nothing here.
        let short = |text: &str| text.split(' ').take(2).collect::<Vec<_>>().join(" ");
        parts.extend(self.openssl().map(short));
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
