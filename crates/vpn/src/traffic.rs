//! Packets that come by over and over, for an end to take: what is timed.

use wirespeed_bench::Absent;
use wirespeed_cipher::Direction;
use wirespeed_measure::{Clock, Contestant, WallTime};

use crate::candidate::{Candidate, Gateway};
use crate::end::End;
use crate::measure::Case;
use crate::packet::Packet;

/// An end and its traffic. A call is one packet.
///
/// The packets take turns, so that data come from the second level of cache rather than the first, and the
/// same for whoever takes one at a time and whoever takes many.
pub(crate) struct Traffic {
    end: Box<dyn End>,
    packets: Vec<Packet>,
    in_flight: usize,
    /// Packets after which their mean length is `bytes`.
    whole: u64,
    bytes: u64,
    failure: Option<String>,
}

impl Traffic {
    pub(crate) fn new(
        gateway: &Gateway<'_>,
        candidate: Candidate,
        case: &Case,
    ) -> Result<Self, Absent> {
        let Case { suite, direction, sizes, .. } = *case;
        let mut packets: Vec<Packet> =
            sizes.lengths().take(sizes.round()).map(Packet::new).collect();
        let mut end = gateway.end(candidate, suite, Direction::Encrypt)?;
        let failed = |why: crate::Refused| Absent(why.to_string());
        end.take(&mut packets).map_err(failed)?;
        if direction == Direction::Decrypt {
            end = gateway.end(candidate, suite, direction)?;
            end.take(&mut packets).map_err(failed)?;
        }
        let in_flight = candidate.in_flight();
        Ok(Self {
            end,
            packets,
            in_flight,
            whole: if in_flight == 1 { sizes.mix() } else { sizes.round() } as u64,
            bytes: sizes.mean(|bytes| bytes) as u64,
            failure: None,
        })
    }

    #[inline]
    fn take(&mut self, from: usize, count: usize) {
        if self.failure.is_none() {
            let taken = self.end.take(&mut self.packets[from..from + count]);
            self.failure = taken.err().map(|why| why.to_string());
        }
    }

    /// How long single packets take, or as many as are in flight, in nanoseconds: each timed by itself for so
    /// long in all, and at least once around. Of many every second is kept, or every fourth, and so on.
    pub(crate) fn latencies(&mut self, nanos: u64) -> Vec<u64> {
        const MOST: usize = 1 << 17;
        let (clock, own) = (WallTime, clock_nanos());
        let (begin, mut at, mut found) = (clock.now(), 0, Vec::new());
        let (mut timed, mut every) = (0, 1);
        loop {
            let start = clock.now();
            self.take(at, self.in_flight);
            let end = clock.now();
            if found.len() == MOST {
                let mut place = 0;
                found.retain(|_| {
                    place += 1;
                    place % 2 == 0
                });
                every *= 2;
            }
            if timed % every == 0 {
                found.push((end - start).saturating_sub(own));
            }
            timed += 1;
            at = (at + self.in_flight) % self.packets.len();
            if end - begin > nanos && timed * self.in_flight >= self.packets.len() {
                return found;
            }
        }
    }
}

/// What reading the clock takes itself, in nanoseconds.
fn clock_nanos() -> u64 {
    let mut readings: Vec<u64> = (0..101).map(|_| WallTime.now()).collect();
    readings = readings.windows(2).map(|pair| pair[1] - pair[0]).collect();
    readings.sort_unstable();
    readings[readings.len() / 2]
}

impl Contestant for Traffic {
    fn run(&mut self, calls: u64) {
        let (mut left, mut at) = (calls, 0);
        while left > 0 && self.failure.is_none() {
            let count = left.min(self.in_flight as u64) as usize;
            self.take(at, count);
            left -= count as u64;
            at = (at + self.in_flight) % self.packets.len();
        }
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn whole(&self) -> u64 {
        self.whole
    }
}
