//! What only one architecture's /proc/cpuinfo tells.

pub(crate) mod arm;
pub(crate) mod riscv;

use crate::Kind;
use crate::cpuinfo::CpuInfo;

/// The kinds of cores that are there, in the order in which Linux counts them.
pub(crate) fn kinds(cpuinfo: &CpuInfo) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    let names = cpuinfo.blocks().iter().filter_map(|it| arm::core(it).or_else(|| riscv::core(it)));
    for name in names {
        match kinds.iter_mut().find(|kind| kind.name == name) {
            Some(kind) => kind.cores += 1,
            None => kinds.push(Kind { name, cores: 1 }),
        }
    }
    kinds
}

/// The maker of the first core, where a number stands for it.
pub(crate) fn vendor(cpuinfo: &CpuInfo) -> Option<String> {
    arm::vendor(cpuinfo).or_else(|| riscv::vendor(cpuinfo))
}
