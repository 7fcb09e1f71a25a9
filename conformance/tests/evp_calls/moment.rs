//! What came before a call, as far as it explains a difference.

use crate::calls::{Call, Family, Place, Setting};

/// Where in a message a sequence is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moment {
    /// An init was refused, and the context was used all the same.
    failed: bool,
    /// No init has brought a key.
    keyless: bool,
    /// An init without a key asked for the other direction.
    turned: bool,
    /// An init in mid-message brought a key and no IV.
    keyed_anew: bool,
    /// A fixed field of the IV was set in mid-message.
    fixed: bool,
    /// The hash of a MAC was changed in mid-message.
    rehashed: bool,
    /// The header of a TLS record was given.
    record: bool,
    /// A one-shot brought no bytes.
    nothing: bool,
    ended: bool,
    /// The direction, and the one that the key was given for.
    direction: i32,
    of_key: i32,
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
            (self.keyless, " without a key"),
            (self.turned, " in the other direction"),
            (self.keyed_anew, " under a new key in its midst"),
            (self.fixed, " after a new fixed IV in its midst"),
            (self.rehashed, " after another hash in its midst"),
            (self.record, " of a record"),
            (self.nothing, " behind a call of no bytes"),
            (in_place && !self.waiting.is_multiple_of(16), " in place behind a part"),
            (self.ended, " after the end"),
        ];
        said.iter().filter(|(is_so, _)| *is_so).map(|(_, words)| *words).collect()
    }

    /// Goes on to the moment after a call, which succeeded or not.
    pub(crate) fn pass(&mut self, family: Family, call: &Call, succeeded: bool) {
        match call {
            Call::Reset => *self = Self::default(),
            Call::Init { algorithm, key, iv, direction, .. } => {
                let direction = if *direction == -1 { self.direction } else { *direction };
                let is_new = *algorithm || key.is_some();
                // A cipher stays with its message, or its end, until an IV comes.
                let stays = family == Family::Cipher && !algorithm && (iv.is_none() || !succeeded);
                *self = Self {
                    failed: !succeeded,
                    keyless: family == Family::Cipher
                        && key.is_none()
                        && (*algorithm || self.keyless),
                    turned: !is_new && direction != self.of_key,
                    keyed_anew: stays
                        && (self.keyed_anew || key.is_some() && (self.begun || self.ended)),
                    fixed: stays && self.fixed,
                    record: stays && self.record,
                    ended: stays && self.ended,
                    begun: stays && self.begun,
                    nothing: stays && self.nothing,
                    direction,
                    of_key: if is_new { direction } else { self.of_key },
                    ..Self::default()
                };
            }
            Call::Update { data, place } => {
                self.begun = true;
                if !matches!(place, Place::NoOutput) {
                    self.waiting += data.length;
                }
            }
            Call::OneShot { data: Some(data), .. } => {
                self.begun = true;
                self.nothing |= data.length == 0;
            }
            Call::Control { name: "iv_fixed", .. } => self.fixed |= self.begun,
            Call::Control { name: "tls1_aad", .. } => self.record = true,
            Call::Set(Setting { key, .. }) => {
                self.fixed |= self.begun && *key == c"tlsivfixed";
                self.record |= *key == c"tlsaad";
                self.rehashed |= self.begun && family == Family::Mac && *key == c"digest";
            }
            Call::Final | Call::FinalOf(_) | Call::Squeeze(_) => self.ended = true,
            Call::OneShot { data: None, .. } => self.ended = true,
            _ => {}
        }
    }
}
