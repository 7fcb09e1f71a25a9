//! Two sides' outcomes of the same call, and the first thing in which they differ.

use crate::calls::{Call, Place};
use crate::raw::Functions;
use crate::world::Outcome;

/// In what two outcomes differ.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// The call, and when: as [`Moment`](crate::moment::Moment) names it.
    pub(crate) call: String,
    pub(crate) kind: String,
    /// The default provider's and ours.
    pub(crate) words: String,
}

/// The first difference of two outcomes.
pub(crate) fn first_difference(
    raw: &Functions,
    call: &Call,
    when: &str,
    [right, ours]: &[Outcome; 2],
) -> Option<Difference> {
    let named = call.name() + when;
    let found = |kind: &str, words: String| {
        Some(Difference { call: named.clone(), kind: kind.to_owned(), words })
    };
    if right.result != ours.result {
        let told = |outcome: &Outcome| {
            let errors: Vec<_> = outcome.errors.iter().map(|&code| raw.error(code)).collect();
            format!("{} [{}]", outcome.result, errors.join("; "))
        };
        let kind = match (right.result > 0, ours.result > 0) {
            (true, false) => "stricter",
            (false, true) => "looser",
            _ => "result",
        };
        return found(kind, format!("default {}, ours {}", told(right), told(ours)));
    }
    if right.told != ours.told {
        return found("length", format!("default {}, ours {}", right.told, ours.told));
    }
    if right.errors != ours.errors {
        let texts = |outcome: &Outcome| {
            outcome.errors.iter().map(|&code| raw.error(code)).collect::<Vec<_>>()
        };
        return found("errors", format!("default {:?}, ours {:?}", texts(right), texts(ours)));
    }
    let differs = right.output.iter().zip(&ours.output).position(|(a, b)| a != b);
    if let Some(at) = differs {
        let end = (at + 16).min(right.output.len());
        let offset = match call {
            Call::Update { place: Place::Apart(offset), .. }
            | Call::OneShot { place: Place::Apart(offset), .. } => *offset,
            _ => 0,
        };
        let written = match call {
            Call::OneShot { .. } => right.result,
            Call::FinalOf(length) | Call::Squeeze(length) => *length as i64,
            Call::Control { .. } => i64::MAX,
            _ => right.told,
        };
        let kind = match right.result > 0 {
            false => "bytes of a failure",
            true if (at as i64) < written.saturating_add(offset as i64) => "bytes",
            true => "bytes beyond",
        };
        let words = format!(
            "at {at}: default {:02x?}, ours {:02x?}",
            &right.output[at..end],
            &ours.output[at..end]
        );
        return found(kind, words);
    }
    let changed = right.state.iter().zip(&ours.state).find(|(a, b)| a != b);
    if let Some(((name, right), (_, ours))) = changed {
        return found(&format!("state {name}"), format!("default {right:02x?}, ours {ours:02x?}"));
    }
    if right.state.len() != ours.state.len() {
        return found("state", "only one of them knows its cipher".to_owned());
    }
    None
}
