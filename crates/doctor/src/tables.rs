//! Where programs get AES by code that looks up in tables by keys and data, and what gives them other code.

use wirespeed_cipher::{Algorithm, Direction, Route, SIZE_CLASSES};
use wirespeed_plan::{LibcryptoCode, Plan};

use crate::examined::Examined;
use crate::finding::Finding;
use crate::plan;

/// Every mode of AES that is left to such code; nothing where there is none.
pub(crate) fn tables(examined: &Examined<'_>) -> Vec<Finding> {
    let Ok(openssl) = &examined.openssl else { return Vec::new() };
    let features = examined.here.features();
    let code = LibcryptoCode::of(&openssl.version, features);
    let calls: Vec<(Algorithm, Direction)> = Algorithm::AES
        .iter()
        .flat_map(|it| it.directions().iter().map(|direction| (*it, *direction)))
        .filter(|(it, direction)| code.looks_up(*it, *direction).is_some())
        .collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let plan = plan::in_use(examined);
    let by_priority = |it: Algorithm| {
        let suits = |to: &Route| wirespeed_kernels::suits_every_call(*to, it, features);
        examined.installed().is_some() && Route::PRIORITY.iter().any(suits)
    };
    let is_ours = |(it, direction): &&(Algorithm, Direction)| match &plan {
        Some(plan) => is_planned(plan, *it, *direction),
        None => by_priority(*it),
    };
    let left = calls.iter().filter(|it| !is_ours(it));
    let mut modes: Vec<String> = left.map(|(it, direction)| words(*it, *direction)).collect();
    modes.dedup();
    modes.sort();
    modes.dedup();
    if modes.is_empty() {
        return vec![Finding::fine("no AES is left to code that looks up in tables")];
    }
    let text = format!(
        "OpenSSL's code for AES on this CPU looks up in tables by keys and data: {}. Who shares a cache with a \
         program can learn its keys",
        modes.join(", ")
    );
    vec![Finding::offer(
        text,
        "sudo wirespeed install --constant-time: ours without tables, even where it is slower",
    )]
}

/// Whether a plan leaves nothing of it to OpenSSL.
fn is_planned(plan: &Plan, algorithm: Algorithm, direction: Direction) -> bool {
    let is_ours = |size: &usize| {
        let row = plan.row(algorithm, direction, *size);
        row.is_some_and(|row| row.route.is_own())
    };
    plan.claims(algorithm) && SIZE_CLASSES.iter().all(is_ours)
}

/// "CBC dec": the mode for all sizes of keys.
fn words(algorithm: Algorithm, direction: Direction) -> String {
    let name = algorithm.name();
    let mode = name.splitn(3, '-').nth(2).unwrap_or(name);
    match algorithm.mode().is_symmetric() {
        true => mode.to_owned(),
        false => format!("{mode} {direction}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use wirespeed_cpu::Features;
    use wirespeed_plan::{Fingerprint, Row};

    const PLAN: &str = "plan = /etc/wirespeed/plan";

    /// A plan that gives all of AES to a route.
    fn plan(route: Route) -> Plan {
        let mut plan = Plan::new(Fingerprint::here("3.0.19")).for_constant_time();
        for &algorithm in Algorithm::AES {
            for &direction in algorithm.directions() {
                for size in SIZE_CLASSES {
                    plan.put(Row { algorithm, direction, size, route, reason: None });
                }
            }
        }
        plan
    }

    #[test]
    fn with_instructions_for_aes_there_is_nothing_to_say() {
        let code = LibcryptoCode::of("3.0.19", Features::detect());
        match Algorithm::AES.iter().any(|it| code.looks_up_anywhere(*it)) {
            true => println!("skipped: this CPU has none"),
            false => assert_eq!(Fake::bare().says(tables), ""),
        }
    }

    #[test]
    fn without_them_the_modes_and_the_way_out_are_named() {
        let mut fake = Fake::installed(PLAN);
        fake.features = Features::NONE;
        let code = LibcryptoCode::of("3.0.19", fake.features);
        let cbc = "AES-128-CBC".parse().expect("known");
        if code.looks_up(cbc, Direction::Encrypt).is_none() {
            return println!("skipped: on this architecture OpenSSL needs no tables for AES");
        }
        let said = fake.says(tables);
        assert!(
            said.starts_with("note: OpenSSL's code for AES on this CPU looks up in "),
            "{said}"
        );
        assert!(said.contains(" by keys and data: CBC dec, CBC enc, CBC-CTS dec, "), "{said}");
        assert!(said.contains(" -> sudo wirespeed install --constant-time: "), "{said}");
        // Part of it is ours.
        fake.plan = Ok(plan(Route::Portable));
        assert_eq!(fake.says(tables), "fine: no AES is left to code that looks up in tables");
        let mut part = plan(Route::Portable);
        let cbc: Algorithm = "AES-192-CBC".parse().expect("known");
        let (direction, route) = (Direction::Decrypt, Route::Libcrypto);
        part.put(Row { algorithm: cbc, direction, size: 64, route, reason: None });
        fake.plan = Ok(part);
        assert!(fake.says(tables).contains(" by keys and data: CBC dec. Who "));
        // The module follows another choice.
        fake.plan = Ok(plan(Route::Portable));
        fake.loaded.as_mut().expect("loaded").plan =
            Some("/etc/wirespeed/plan ignored: so".to_owned());
        assert!(fake.says(tables).contains(" CTR, "));
    }
}
