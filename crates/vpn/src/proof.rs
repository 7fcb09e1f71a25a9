//! The proof of a suite, before anything of it is timed: all who run it make the same packets, open one
//! another's, and refuse what was changed on the way.

use std::fmt;

use wirespeed_bench::Absent;
use wirespeed_cipher::Direction;

use crate::candidate::{Candidate, Gateway};
use crate::end::{End, Refused};
use crate::packet::Packet;
use crate::suite::Suite;

/// What is wrong with a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    suite: &'static str,
    route: String,
    what: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {}: {}", self.suite, self.route, self.what)
    }
}

impl std::error::Error for Wrong {}

/// Lengths around the borders of blocks, padding and vectors; more packets than are in flight at once.
fn packets() -> Vec<Packet> {
    let some = [20, 21, 30, 40, 46, 62, 63, 64, 78, 128, 255, 256, 576, 1023, 1420, 1500];
    (0..crate::IN_FLIGHT + 1).map(|i| Packet::new(some[i % some.len()] + i / some.len())).collect()
}

/// Proves a suite for these candidates: how many packets were compared. One that is not here is no fault.
pub fn prove(
    gateway: &Gateway<'_>,
    suite: Suite,
    candidates: &[Candidate],
) -> Result<usize, Wrong> {
    let here: Vec<(Candidate, String)> = candidates
        .iter()
        .filter_map(|it| {
            gateway.end(*it, suite, Direction::Encrypt).ok()?;
            Some((*it, gateway.route(*it, suite).ok()?))
        })
        .collect();
    let mut sealed_before: Option<(Vec<Packet>, &str)> = None;
    let mut checks = 0;
    for (candidate, route) in &here {
        let wrong = |what: String| Wrong { suite: suite.name, route: route.clone(), what };
        let end = |direction| {
            gateway.end(*candidate, suite, direction).map_err(|why: Absent| wrong(why.to_string()))
        };
        let mut sealed = packets();
        let tried = end(Direction::Encrypt)?.take(&mut sealed);
        tried.map_err(|why| wrong(format!("cannot seal: {why}")))?;
        let mut opener = end(Direction::Decrypt)?;
        // What the one before sealed, and it is the same.
        let (theirs, who) = sealed_before.get_or_insert_with(|| (sealed.clone(), route));
        for (ours, theirs) in sealed.iter().zip(&*theirs) {
            if ours.sealed() != theirs.sealed() {
                return Err(wrong(format!("another packet than {who} makes")));
            }
        }
        let mut opened = theirs.clone();
        opened.iter_mut().for_each(Packet::forget);
        opener.take(&mut opened).map_err(|why| wrong(format!("cannot open: {why}")))?;
        if let Some(other) = opened.iter().zip(packets()).find(|(a, b)| a.inner() != b.inner()) {
            return Err(wrong(format!("{} bytes come out changed", other.1.inner().len())));
        }
        checks += opened.len() + refuses(&mut *opener, &sealed).map_err(wrong)?;
    }
    Ok(checks)
}

/// That a packet is refused whatever is changed in it, among others that are right; how many were.
fn refuses(opener: &mut dyn End, sealed: &[Packet]) -> Result<usize, String> {
    let mut checks = 0;
    for (place, packet) in sealed.iter().enumerate() {
        let right = packet.sealed();
        // A bit of the header, the ciphertext or the check value, another in each packet; or the end cut off.
        let mut flipped = right.to_vec();
        flipped[(place * 7919) % right.len()] ^= 1 << (place % 8);
        let last = right.len() - 1;
        let mut last_flipped = right.to_vec();
        last_flipped[last] ^= 0x80;
        for changed in [&flipped[..], &last_flipped, &right[..last], &right[..right.len() / 2]] {
            let mut all = sealed.to_vec();
            all[place].receive(changed);
            match opener.take(&mut all) {
                Err(Refused::Malformed | Refused::Forged) => checks += 1,
                Err(why) => return Err(format!("a changed packet: {why}")),
                Ok(()) => return Err("opens a changed packet".to_owned()),
            }
        }
    }
    Ok(checks)
}
