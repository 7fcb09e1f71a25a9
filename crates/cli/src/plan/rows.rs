//! Rows of a plan as data.

use serde::Serialize;
use wirespeed_cipher::{Route, Use};
use wirespeed_plan::Row;

/// One row of a plan, as `tune` and `routes` write it in JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PlanRow {
    pub(crate) direction: &'static str,
    pub(crate) size: usize,
    pub(crate) route: &'static str,
    /// The use of the times; null where nothing was measured.
    #[serde(rename = "use")]
    pub(crate) usage: Option<&'static str>,
    pub(crate) ns: Option<f64>,
    pub(crate) spread_ns: Option<f64>,
    pub(crate) second: Option<&'static str>,
    pub(crate) second_ns: Option<f64>,
    pub(crate) second_spread_ns: Option<f64>,
    pub(crate) libcrypto_ns: Option<f64>,
    pub(crate) libcrypto_spread_ns: Option<f64>,
    /// How many times as fast as the host's libcrypto.
    pub(crate) gain: Option<f64>,
}

impl PlanRow {
    pub(crate) fn of(row: &Row) -> Self {
        let reason = row.reason;
        Self {
            direction: row.direction.name(),
            size: row.size,
            route: row.route.name(),
            usage: reason.map(|it| it.usage).map(Use::name),
            ns: reason.map(|it| it.time.nanos()),
            spread_ns: reason.map(|it| it.time.spread()),
            second: reason.map(|it| it.second).map(Route::name),
            second_ns: reason.map(|it| it.second_time.nanos()),
            second_spread_ns: reason.map(|it| it.second_time.spread()),
            libcrypto_ns: reason.map(|it| it.libcrypto.nanos()),
            libcrypto_spread_ns: reason.map(|it| it.libcrypto.spread()),
            gain: gain(row),
        }
    }

    /// A row that nothing was measured for.
    pub(crate) fn unmeasured(direction: &'static str, size: usize, route: Route) -> Self {
        Self {
            direction,
            size,
            route: route.name(),
            usage: None,
            ns: None,
            spread_ns: None,
            second: None,
            second_ns: None,
            second_spread_ns: None,
            libcrypto_ns: None,
            libcrypto_spread_ns: None,
            gain: None,
        }
    }
}

/// How many times as fast as the host's libcrypto, where that was measured.
pub(crate) fn gain(row: &Row) -> Option<f64> {
    let reason = row.reason.filter(|reason| reason.time.nanos() > 0.0)?;
    Some(reason.libcrypto.nanos() / reason.time.nanos())
}
