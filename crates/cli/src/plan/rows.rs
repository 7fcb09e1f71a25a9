//! Rows of a plan as data.

use wirespeed_cipher::{Direction, Route};
use wirespeed_plan::Row;
use wirespeed_results::schema::plan;

/// A row as `tune` and `routes` write it.
pub(crate) fn planned(row: &Row) -> plan::Row {
    let unmeasured = unmeasured(row.direction, row.size, row.route);
    let Some(reason) = row.reason else { return unmeasured };
    plan::Row {
        usage: Some(reason.usage.name().to_owned()),
        ns: Some(reason.time.nanos()),
        spread_ns: Some(reason.time.spread()),
        second: Some(reason.second.name().to_owned()),
        second_ns: Some(reason.second_time.nanos()),
        second_spread_ns: Some(reason.second_time.spread()),
        libcrypto_ns: Some(reason.libcrypto.nanos()),
        libcrypto_spread_ns: Some(reason.libcrypto.spread()),
        gain: row.gain(),
        constant_time: reason.constant_time,
        ..unmeasured
    }
}

/// A row that nothing was measured for.
pub(crate) fn unmeasured(direction: Direction, size: usize, route: Route) -> plan::Row {
    plan::Row {
        direction: direction.name().to_owned(),
        size,
        route: route.name().to_owned(),
        ..plan::Row::default()
    }
}
