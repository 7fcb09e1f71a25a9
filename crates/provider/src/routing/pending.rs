//! What a context has counted and not told yet.
//!
//! The counters are of all processors, so each addition to them costs as much as some hundred bytes of AES. A context
//! adds its first calls at once, and later ones together: at most one in eight of its calls waits, and at most 63.

use std::cell::Cell;

use wirespeed_cipher::{Direction, Route};

/// Calls of one direction by one route.
pub(crate) struct Pending {
    direction: Cell<Direction>,
    route: Cell<Route>,
    bytes: Cell<u64>,
    /// How many more calls may wait, and how many might at first.
    room: Cell<u32>,
    granted: Cell<u32>,
    /// Calls of this context that were told, as far as that matters.
    told: Cell<u32>,
}

/// Calls that are told together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) direction: Direction,
    pub(crate) route: Route,
    pub(crate) calls: u64,
    pub(crate) bytes: u64,
}

impl Pending {
    /// More than this waits nowhere.
    const MOST: u32 = 63;

    pub(crate) const fn none() -> Self {
        Self {
            direction: Cell::new(Direction::Encrypt),
            route: Cell::new(Route::Portable),
            bytes: Cell::new(0),
            room: Cell::new(0),
            granted: Cell::new(0),
            told: Cell::new(0),
        }
    }

    /// Lets a call wait if it may; it is of the same kind as those that wait already.
    #[inline(always)]
    pub(crate) fn waits(&self, direction: Direction, route: Route, bytes: usize) -> bool {
        let alike = self.route.get() == route && self.direction.get() == direction;
        let room = self.room.get();
        if !alike || room == 0 {
            return false;
        }
        self.room.set(room - 1);
        self.bytes.set(self.bytes.get() + bytes as u64);
        true
    }

    /// The route of the last call.
    #[inline(always)]
    pub(crate) fn route(&self) -> Route {
        self.route.get()
    }

    /// What has waited, which is told now.
    pub(crate) fn take(&self) -> Counted {
        let calls = self.granted.take() - self.room.take();
        self.told.set(self.told.get().saturating_add(calls));
        Counted {
            direction: self.direction.get(),
            route: self.route.get(),
            calls: calls.into(),
            bytes: self.bytes.take(),
        }
    }

    /// A call is told at once; the next ones of its kind may wait.
    pub(crate) fn tell(&self, direction: Direction, route: Route) {
        let told = self.told.get().saturating_add(1);
        self.told.set(told);
        self.direction.set(direction);
        self.route.set(route);
        let granted = (told / 8).min(Self::MOST);
        self.granted.set(granted);
        self.room.set(granted);
    }
}

/// A copy has nothing to tell yet.
impl Clone for Pending {
    fn clone(&self) -> Self {
        Self { told: self.told.clone(), ..Self::none() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_little_waits() {
        let pending = Pending::none();
        let (mut told, mut most) = ((0, 0), 0);
        let mut add = |counted: Counted| {
            told.0 += counted.calls;
            told.1 += counted.bytes;
        };
        for call in 1..=5000_u64 {
            let bytes = call as usize % 1500;
            // Now and then another kind of call comes between.
            let route = if call % 700 == 0 { Route::Libcrypto } else { Route::Portable };
            if !pending.waits(Direction::Decrypt, route, bytes) {
                add(pending.take());
                pending.tell(Direction::Decrypt, route);
                add(Counted {
                    direction: Direction::Decrypt,
                    route,
                    calls: 1,
                    bytes: bytes as u64,
                });
            }
            let waiting = u64::from(pending.granted.get() - pending.room.get());
            assert!(waiting <= call / 8, "{waiting} of {call}");
            most = most.max(waiting);
        }
        assert_eq!(most, u64::from(Pending::MOST));
        add(pending.take());
        assert_eq!(told, (5000, (1..=5000).map(|call| call % 1500).sum()));
    }

    #[test]
    fn a_copy_tells_only_its_own_calls() {
        let pending = Pending::none();
        for _ in 0..100 {
            if !pending.waits(Direction::Encrypt, Route::Portable, 16) {
                pending.take();
                pending.tell(Direction::Encrypt, Route::Portable);
            }
        }
        assert!(pending.waits(Direction::Encrypt, Route::Portable, 16));
        assert_eq!(pending.clone().take().calls, 0);
        assert!(pending.take().calls > 0);
    }
}
