//! The kernel's crypto as a candidate: its sockets, or what a test puts in their place.

use std::sync::Arc;

use wirespeed_af_alg::Interface;
use wirespeed_cipher::Subject;

use crate::candidate::Absent;
use crate::case::Case;
use crate::material::Material;
use crate::worker::Worker;

/// Which of the kernel's implementations serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Socket {
    /// By which way.
    pub(crate) interface: Interface,
    /// The driver of that name; without one, whichever the kernel prefers.
    pub(crate) driver: Option<&'static str>,
    /// Requests in flight at once.
    pub(crate) lanes: usize,
}

impl Socket {
    /// One request at a time, by whichever driver serves.
    pub(crate) const fn of(interface: Interface) -> Self {
        Self { interface, driver: None, lanes: 1 }
    }
}

/// Where workers in the kernel come from.
pub(crate) trait Offload: Send + Sync {
    /// Whether there are any.
    fn presence(&self, interface: Interface) -> Result<(), Absent>;

    /// Whether an algorithm is there.
    fn presence_of(&self, socket: Socket, subject: Subject) -> Result<(), Absent>;

    /// The proof of an algorithm by known answers: how many checks passed, or what is wrong.
    fn prove(&self, socket: Socket, subject: Subject) -> Result<usize, String>;

    /// Puts a socket to work on a case.
    fn worker(
        &self,
        socket: Socket,
        case: Case,
        material: Arc<Material>,
    ) -> Result<Box<dyn Worker>, Absent>;
}
