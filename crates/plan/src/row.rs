//! One line of the table: which route, and why.

use std::fmt;

use wirespeed_cipher::{Algorithm, Direction, Route, Shape, Subject, Use};

use crate::parse::CONSTANT_TIME;
use crate::time::Time;

/// The route for one algorithm in one direction at one size class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The direction; encryption for modes that are the same both ways.
    pub direction: Direction,
    /// The size class, in bytes.
    pub size: usize,
    /// The route that serves.
    pub route: Route,
    /// What was measured; nothing in a plan written by hand.
    pub reason: Option<Reason>,
}

impl Row {
    /// How many times as fast as the host's libcrypto, where that was measured.
    pub fn gain(&self) -> Option<f64> {
        let reason = self.reason.filter(|reason| reason.time.nanos() > 0.0)?;
        Some(reason.libcrypto.nanos() / reason.time.nanos())
    }
}

/// The figures behind a choice, all of one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The use in which the route gains most; for libcrypto, in which ours falls behind most; for constant time, in which
    /// the route gains least.
    pub usage: Use,
    /// One call by the chosen route.
    pub time: Time,
    /// The best of the others.
    pub second: Route,
    /// One call by that.
    pub second_time: Time,
    /// One call by the host's libcrypto, without us.
    pub libcrypto: Time,
    /// Whether speed alone had left it to libcrypto, whose code looks up in tables there.
    pub constant_time: bool,
}

/// From how many bytes on Linux's crypto serves something that has no rows: a hash function, or a cipher of
/// which we have no kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offload {
    /// The hash function or cipher.
    pub subject: Subject,
    /// The direction; encryption for what is the same both ways.
    pub direction: Direction,
    /// The shortest call that goes to Linux's crypto.
    pub bytes: usize,
    /// By which of both ways.
    pub route: Route,
}

impl Offload {
    /// Why a plan cannot say this of a subject, if it cannot.
    pub fn refusal(subject: Subject) -> Option<String> {
        match subject {
            Subject::Cipher(_) => Some(format!("the route of {subject} stands in its rows")),
            Subject::Digest(_) => None,
            Subject::Delegated(delegated) => match delegated.shape() {
                Shape::Cipher { .. } | Shape::Hash { .. } => None,
                // The kernel wants a message with its tag in one request, OpenSSL gives it in pieces.
                Shape::Aead { .. } | Shape::Mac { .. } => {
                    Some(format!("{subject} has no route but libcrypto"))
                }
            },
        }
    }
}

impl fmt::Display for Offload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, direction, bytes, route } = self;
        write!(f, "{subject} {} {bytes}{}", subject.direction(*direction), way(*route))
    }
}

/// What a line says of the way to Linux's crypto: nothing of the usual one.
pub(crate) fn way(route: Route) -> String {
    if route == Route::Kernel { String::new() } else { format!(" {route}") }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, direction, size, route, reason } = self;
        let Some(Reason { usage, time, second, second_time, libcrypto, constant_time }) = reason
        else {
            return write!(f, "{algorithm:<11} {direction} {size:>5} {route}");
        };
        write!(f, "{algorithm:<11} {direction} {size:>5} {route:<9} {usage:<7} {time:>14}")?;
        write!(f, " {second:<9} {second_time:>14} {libcrypto:>14}")?;
        if *constant_time { write!(f, " {CONSTANT_TIME}") } else { Ok(()) }
    }
}
