//! What came before a call, as far as it explains a difference.

use crate::calls::{Call, Place, Setting};

/// Where in a message a sequence is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moment {
    /// An init was refused, and the context was used all the same.
    failed: bool,
    /// An init without a key asked for the other direction.
    turned: bool,
    /// An init in mid-message brought a key and no IV.
    keyed_anew: bool,
    /// A fixed field of the IV was set in mid-message.
    fixed: bool,
    ended: bool,
    /// The direction of the key.
    direction: i32,
    /// There were data, or associated data.
    begun: bool,
    /// Bytes of data that updates brought.
    waiting: usize,
}

impl Moment {
    /// As the name of a call ends at this moment.
    pub(crate) fn name(self, call: &Call) -> String {
        let in_place = matches!(call, Call::Update { place: Place::Same, .. });
        let said = [
            (self.failed, " after a failed init"),
            (self.turned, " in the other direction"),
            (self.keyed_anew, " under a new key in its midst"),
            (self.fixed, " after a new fixed IV in its midst"),
            (in_place && !self.waiting.is_multiple_of(16), " in place behind a part"),
            (self.ended, " after the end"),
        ];
        said.iter().filter(|(is_so, _)| *is_so).map(|(_, words)| *words).collect()
    }

    /// Goes on to the moment after a call, which succeeded or not.
    pub(crate) fn pass(&mut self, call: &Call, succeeded: bool) {
        match call {
            Call::Reset => *self = Self::default(),
            Call::Init { algorithm, key, iv, direction, .. } => {
                let before = *self;
                let known = if *direction == -1 { before.direction } else { *direction };
                *self = Self { failed: !succeeded, direction: before.direction, ..Self::default() };
                if *algorithm || key.is_some() {
                    self.direction = known;
                }
                self.turned = !algorithm && key.is_none() && known != before.direction;
                self.keyed_anew = !algorithm
                    && key.is_some()
                    && iv.is_none()
                    && (before.begun || before.keyed_anew);
                self.begun = before.begun && iv.is_none();
            }
            Call::Update { data, place } => {
                self.begun = true;
                if !matches!(place, Place::NoOutput) {
                    self.waiting += data.length;
                }
            }
            Call::OneShot { data: Some(_), .. } => self.begun = true,
            Call::Control { name: "iv_fixed", .. } => self.fixed |= self.begun,
            Call::Set(Setting { key, .. }) if *key == c"tlsivfixed" => {
                self.fixed |= self.begun;
            }
            Call::Final | Call::FinalOf(_) | Call::Squeeze(_) => self.ended = true,
            Call::OneShot { data: None, .. } => self.ended = true,
            _ => {}
        }
    }
}
