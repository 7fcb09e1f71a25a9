//! Programs at work, each telling what CPU time the process of interest took for it.

mod backup;
mod conversation;
mod database;
mod local;
mod mail;
mod ssh;
mod vpn;
mod web;

use std::process::Command;

use wirespeed_system_tests::module::Provided;

use crate::meter::Meter;

pub(crate) use backup::{borg_create, borg_extract};
pub(crate) use database::{mariadb_encrypted, mariadb_tls, pgbench, postgres_copy, redis};
pub(crate) use local::{Cms, cms, enc, python};
pub(crate) use mail::{dovecot, postfix};
pub(crate) use ssh::{rsync, sshd};
pub(crate) use vpn::{openvpn, tor};
pub(crate) use web::{
    apache, curl_download, curl_http3, nginx_file, nginx_http3, nginx_small, terminator,
};

const MIB: usize = 1 << 20;

/// A program that is ready to work.
pub(crate) trait Workload {
    /// Works once; user and system seconds of the processes of interest.
    fn run(&mut self, meter: &Meter) -> Result<f64, String>;
}

impl<F: FnMut(&Meter) -> Result<f64, String>> Workload for F {
    fn run(&mut self, meter: &Meter) -> Result<f64, String> {
        self(meter)
    }
}

type Ready = Result<Box<dyn Workload>, String>;

/// A program that works from its start to its end.
fn alone(mut program: Command, keep: impl Sized + 'static) -> Ready {
    Ok(Box::new(move |meter: &Meter| {
        // What it reads goes with the workload.
        let _ = &keep;
        meter.of(&mut program)
    }))
}
