//! What only hardware can say: a check for each point that `docs/padlock.md` marks unconfirmed.
//!
//! Every instruction runs in a process of its own, so a signal is an answer like any other. Nothing is
//! assumed here beyond what the check is about; where nothing is assumed either, what was seen is noted.

mod ciphers;
mod hashes;
mod instructions;
mod numbers;
mod scene;

use std::fmt;
use std::io;

use wirespeed_cpu::{Feature, Features};

use scene::{Ended, Seen};

/// A point of the list, and what this CPU says to it.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its name in `docs/padlock.md`.
    pub id: &'static str,
    /// What is in question.
    pub subject: &'static str,
    /// The verdict.
    pub answer: Answer,
    /// What was seen, line by line.
    pub seen: Vec<String>,
}

/// What was seen against what is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// All as assumed.
    AsAssumed,
    /// Something otherwise: the lines that say so end with what was assumed.
    Otherwise,
    /// Nothing is assumed; the lines are the answer.
    Noted,
    /// This CPU has not the unit.
    Absent(Feature),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsAssumed => f.write_str("as assumed"),
            Self::Otherwise => f.write_str("otherwise"),
            Self::Noted => f.write_str("noted"),
            Self::Absent(unit) => write!(f, "this CPU has no {}", unit.name()),
        }
    }
}

/// One check: its point, what it needs, and how it looks.
struct Check {
    id: &'static str,
    subject: &'static str,
    needs: Feature,
    look: fn(Features) -> io::Result<Seen>,
}

const fn check(
    id: &'static str,
    needs: Feature,
    look: fn(Features) -> io::Result<Seen>,
    subject: &'static str,
) -> Check {
    Check { id, subject, needs, look }
}

use Feature::{Ace, Ace2, Ccs, Phe, Pmm, Rng};

const CHECKS: [Check; 26] = [
    check("U1", Ace, instructions::forms, "without REP, with REPNE, LOCK or 66h: #UD"),
    check("U2", Ace, instructions::segments, "FS and GS overrides: #UD"),
    check("U3", Ace, ciphers::address_size, "67h makes registers 32 bits wide"),
    check("U4", Rng, numbers::status, "xstore's EAX"),
    check("U5", Rng, numbers::stores, "what xstore and rep xstore write"),
    check("U6", Phe, hashes::registers, "registers after xsha"),
    check("U7", Ace2, ciphers::digest, "DGEST"),
    check("U8", Ace, ciphers::intermediate, "INTER"),
    check("U9", Ace, ciphers::reserved, "KSIZE 3, ROUND, CIPHR and undefined bits"),
    check("U10", Ccs, hashes::sm3_message, "SM3 of a whole message"),
    check("U11", Ccs, hashes::other_functions, "unknown functions of SM3 and SM4: #GP"),
    check("U12", Pmm, numbers::montmul, "montmul's T, EAX, ECX and sizes"),
    check("U13", Ace, ciphers::misaligned, "misaligned pointers"),
    check("U14", Ace, ciphers::chaining, "chaining of CFB and OFB"),
    check("U15", Phe, hashes::area, "what xsha writes behind its state, and a count of 0"),
    check("U16", Ace, ciphers::page_fault, "how far xcrypt and xsha come before a fault"),
    check("U17", Ace, ciphers::read_only, "a vector or state that cannot be written"),
    check("U18", Ace, ciphers::short_schedule, "only as many round keys as rounds are read"),
    check("U19", Ace, ciphers::nothing, "RCX = 0 reads nothing"),
    check("U20", Ace, ciphers::interrupted, "registers at an interrupt"),
    check("U21", Ace, ciphers::expansion, "hardware expansion of 192- and 256-bit keys"),
    check("U22", Ace, ciphers::overlap, "overlapping source and destination"),
    check("U23", Ace, instructions::leaves, "CPUID"),
    check("U24", Ace, ciphers::flag, "EFLAGS bit 30"),
    check("U25", Ccs, ciphers::sm4, "SM4's vector and registers"),
    check("U26", Ace, instructions::other_units, "units that are not emulated"),
];

/// Looks at every point. Takes seconds.
///
/// # Errors
/// If there are no processes or no memory to look with.
pub fn confirm(features: Features) -> io::Result<Vec<Point>> {
    let look = |check: &Check| {
        let Check { id, subject, needs, .. } = *check;
        if !features.has(needs) {
            return Ok(Point { id, subject, answer: Answer::Absent(needs), seen: Vec::new() });
        }
        let Seen { lines, as_assumed } = (check.look)(features)?;
        let answer = match as_assumed {
            None => Answer::Noted,
            Some(true) => Answer::AsAssumed,
            Some(false) => Answer::Otherwise,
        };
        Ok(Point { id, subject, answer, seen: lines })
    };
    CHECKS.iter().map(look).collect()
}
