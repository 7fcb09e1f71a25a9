//! What constant time costs, as the plan tells it.

use wirespeed_plan::{LibcryptoCode, Plan, Row};
use wirespeed_results::schema::plan::ConstantTime;

use super::rows::gain;
use crate::output::WIDTH;
use crate::output::table::wrap;

/// The code of this machine's OpenSSL, as it runs on this CPU.
pub(crate) fn code(host: &wirespeed_bench::Host) -> LibcryptoCode {
    let version = host.harness.library().map_or("", |library| library.version());
    LibcryptoCode::of(version, wirespeed_cpu::Features::detect())
}

/// As data; nothing if the plan was chosen by speed alone.
pub(crate) fn cost(plan: &Plan) -> Option<ConstantTime> {
    let is_forced = |row: &&Row| row.reason.is_some_and(|reason| reason.constant_time);
    let mut gains: Vec<f64> = plan.rows().filter(is_forced).filter_map(gain).collect();
    gains.sort_unstable_by(f64::total_cmp);
    plan.is_for_constant_time().then(|| ConstantTime {
        cells: gains.len(),
        of: plan.rows().count(),
        median_gain: gains.get(gains.len() / 2).copied(),
        least_gain: gains.first().copied(),
    })
}

/// In a sentence; nothing if the plan was chosen by speed alone.
pub(crate) fn cost_in_words(plan: &Plan) -> Option<String> {
    let ConstantTime { cells, of, median_gain, least_gain } = cost(plan)?;
    let text = match median_gain.zip(least_gain) {
        Some((median, least)) => format!(
            "constant time: {cells} of {of} cells are ours that speed had left to this OpenSSL: \
             {median:.2}x of it in the median, {least:.2}x at worst"
        ),
        None => "constant time: costs nothing here, for ours is faster wherever this OpenSSL looks up in \
                 tables"
            .to_owned(),
    };
    let words: Vec<&str> = text.split(' ').collect();
    Some(format!("{}\n", wrap(&words, " ", WIDTH, 2)))
}
