//! What constant time costs, as the plan tells it.

use wirespeed_plan::{LibcryptoCode, Plan, Row};
use wirespeed_results::schema::plan::ConstantTime;

use crate::output::table::paragraph;

/// The code of this machine's OpenSSL, as it runs on this CPU.
pub(crate) fn code(host: &wirespeed_bench::Host) -> LibcryptoCode {
    let version = host.harness.library().map_or("", |library| library.version());
    LibcryptoCode::of(version, wirespeed_cpu::Features::detect())
}

/// As data; nothing if the plan was chosen by speed alone.
pub(crate) fn cost(plan: &Plan) -> Option<ConstantTime> {
    let is_forced = |row: &&Row| row.reason.is_some_and(|reason| reason.constant_time);
    let forced = || plan.rows().filter(is_forced);
    let mut slower: Vec<f64> = forced().filter_map(Row::gain).filter(|gain| *gain < 1.0).collect();
    slower.sort_unstable_by(f64::total_cmp);
    plan.is_for_constant_time().then(|| ConstantTime {
        cells: forced().count(),
        of: plan.rows().count(),
        slower: slower.len(),
        median_gain: slower.get(slower.len() / 2).copied(),
        least_gain: slower.first().copied(),
    })
}

/// In a sentence; nothing if the plan was chosen by speed alone.
pub(crate) fn cost_in_words(plan: &Plan) -> Option<String> {
    words(plan, LibcryptoCode::is_known())
}

fn words(plan: &Plan, is_known: bool) -> Option<String> {
    let ConstantTime { cells, of, slower, median_gain, least_gain } = cost(plan)?;
    let begin = format!(
        "constant time: {cells} of {of} cells are ours that speed had left to this OpenSSL"
    );
    let text = match (cells, median_gain.zip(least_gain)) {
        (0, _) => "constant time: nothing changes, for ours is faster wherever this OpenSSL looks up in tables"
            .to_owned(),
        (_, None) => format!("{begin}, none is slower"),
        (_, Some((median, least))) => format!(
            "{begin}, {slower} of them slower: {median:.2}x of it in the median, {least:.2}x at worst"
        ),
    };
    let unknown =
        "; of AES and SM4 it is not known on this architecture, so they stay as speed chose";
    let rest = if is_known { "" } else { unknown };
    Some(paragraph(&format!("{text}{rest}"), 0, 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirespeed_cipher::{Direction, Route, SIZE_CLASSES, Use};
    use wirespeed_plan::{Fingerprint, Reason, Time};

    /// A plan of one algorithm, whose calls by ours take these times; OpenSSL's take 100 ns.
    fn plan(times: [f64; 10]) -> Plan {
        let mut plan = Plan::new(Fingerprint::here("3.0.19")).for_constant_time();
        for (size, nanos) in SIZE_CLASSES.into_iter().zip(times) {
            let reason = Reason {
                usage: Use::Message,
                time: Time::new(nanos, 1.0),
                second: Route::Libcrypto,
                second_time: Time::new(100.0, 1.0),
                libcrypto: Time::new(100.0, 1.0),
                constant_time: nanos != 1.0,
            };
            let algorithm = "CAMELLIA-128-CTR".parse().expect("known");
            let (direction, route) = (Direction::Encrypt, Route::Portable);
            plan.put(Row { algorithm, direction, size, route, reason: Some(reason) });
        }
        plan
    }

    #[test]
    fn what_it_costs_is_told_of_those_that_are_slower() {
        let told = |times| words(&plan(times), true).expect("it is for constant time");
        assert_eq!(
            told([1.0, 1.0, 1.0, 1.0, 50.0, 80.0, 125.0, 160.0, 200.0, 400.0]),
            "constant time: 6 of 10 cells are ours that speed had left to this OpenSSL, 4 of them slower: \
             0.62x\n  of it in the median, 0.25x at worst\n"
        );
        assert!(told([50.0; 10]).ends_with("left to this OpenSSL, none is slower\n"));
        assert!(told([1.0; 10]).starts_with("constant time: nothing changes, "));
        let unknown = words(&plan([1.0; 10]), false).expect("it is for constant time");
        assert!(unknown.contains("; of AES\n  and SM4 it is not known on this "), "{unknown}");
        assert_eq!(cost_in_words(&Plan::new(Fingerprint::here("3.0.19"))), None);
    }
}
