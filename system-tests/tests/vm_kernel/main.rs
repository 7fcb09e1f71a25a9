//! The route `kernel` where there is a kernel for it: stock kernels of Debian, programs that use them through our
//! provider, a device that only they reach, and drivers that fail.
//!
//! These tests run inside the guest, as its root, with an engine and a driver that goes wrong when told to:
//! `cargo xtask vm --device virtio-crypto --module vm/faults --module vm/devcrypto --dco -- THIS-PROGRAM`, which is what the stage
//! `vm` of `cargo xtask test` does. Anywhere else they are ignored. `WIRESPEED_MODULES` names the directory of our program
//! and our module, `WIRESPEED_ROOT` a system of Debian 13's with nginx.

mod absent;
mod afalg;
mod confined;
mod crowd;
mod daemons;
mod dco;
mod devcrypto;
mod device;
mod differential;
mod drivers;
mod fault;
mod faults;
mod ktls;
mod ours;
mod plans;
mod preference;
mod services;
mod streams;
mod system;
mod tunnels;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// What a test does.
type Run = fn() -> Result<(), String>;

/// In this order: the first see a kernel that has loaded no AF_ALG yet.
const TESTS: &[(&str, Run)] = &[
    ("absent::switched-off", absent::switched_off),
    ("services::ktls", services::ktls),
    ("services::tunnels", services::tunnels),
    ("services::disk", services::disk),
    ("services::absent", services::absent),
    ("ktls::nginx", ktls::nginx),
    ("dco::openvpn", dco::openvpn),
    ("through::ciphers", differential::ciphers),
    ("through::digests", differential::digests),
    ("through::every-size", differential::every_size),
    ("streams::cut", streams::cut),
    ("streams::copied", streams::copied),
    ("streams::begun-anew", streams::begun_anew),
    ("device::by-name", device::by_name),
    ("device::unbound", device::unbound),
    ("device::planned", device::planned),
    ("devcrypto::through", devcrypto::through),
    ("devcrypto::planned", devcrypto::planned),
    ("devcrypto::program", devcrypto::program),
    ("devcrypto::busy", devcrypto::busy),
    ("devcrypto::broken", devcrypto::broken),
    ("devcrypto::wrong", devcrypto::wrong),
    ("devcrypto::absent", devcrypto::absent),
    ("faults::busy", faults::busy),
    ("faults::failing", faults::failing),
    ("faults::gone", faults::gone),
    ("faults::wrong", faults::wrong),
    ("faults::wrong-from-the-start", faults::wrong_from_the_start),
    ("faults::tls", faults::tls),
    ("confined::no-socket-is-tried", confined::no_socket_is_tried),
    ("confined::sockets-that-were-asked-for", confined::sockets_that_were_asked_for),
    ("confined::forced", confined::forced),
    ("daemons::nginx", daemons::nginx),
    ("daemons::sshd", daemons::sshd),
    ("daemons::openvpn", daemons::openvpn),
    ("crowd::ten-thousand", crowd::ten_thousand),
    ("crowd::threads", crowd::threads),
    ("crowd::children", crowd::children),
    ("crowd::descriptors", crowd::descriptors_run_out),
    ("preference::measured", preference::measured),
    ("preference::priorities", preference::priorities),
    ("preference::modules", preference::modules),
    ("tunnels::of-the-kernel", tunnels::of_the_kernel),
    ("afalg::contest", afalg::contest),
];

fn main() -> ExitCode {
    if let Some(ended) = confined::child() {
        return ended;
    }
    let mut arguments = Arguments::from_args();
    // Modules and drivers belong to the whole kernel.
    arguments.test_threads = Some(1);
    let trials = TESTS.iter().map(|(name, run)| {
        let name = format!("vm-kernel::{name}");
        Trial::ignorable_test(name, move || match drivers::is_guest() {
            true => run().map(|()| Completion::Completed).map_err(Failed::from),
            false => Ok(Completion::ignored_with("only in the guest: cargo xtask test --only vm")),
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
