//! Tunnels by the kernel's own ESP, and programs that are not installed.

use std::fs;
use std::path::Path;

use serde_json::Value;
use wirespeed_conformance::here;
use wirespeed_system_tests::process::{command, output};

use crate::drivers::program;

/// One that seals and, where there is time, one with a MAC behind it; each takes a guest that is translated half a minute.
fn suites() -> &'static str {
    if here::reduced() { "aes128gcm16" } else { "aes128gcm16,camellia128-sha1" }
}

/// Whose packages somebody may lack.
const PROGRAMS: [&str; 2] = ["/usr/sbin/openvpn", "/usr/lib/ipsec/charon"];

/// A program that is put away for a while.
struct Away(&'static str);

impl Away {
    fn put(path: &'static str) -> Result<Option<Self>, String> {
        if !Path::new(path).exists() {
            return Ok(None);
        }
        let away = Self(path);
        fs::rename(path, away.name()).map_err(|error| format!("{path}: {error}"))?;
        Ok(Some(away))
    }

    fn name(&self) -> String {
        format!("{}.away", self.0)
    }
}

impl Drop for Away {
    fn drop(&mut self) {
        let _ = fs::rename(self.name(), self.0);
    }
}

/// Every suite has its figures, which the kernel's counters of ESP have confirmed; whoever is not installed is told by
/// the package's name.
pub(crate) fn of_the_kernel() -> Result<(), String> {
    let _away = PROGRAMS.map(Away::put).into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut real = command(program("wirespeed")?);
    real.args(["vpn", "--real", "--seconds", "1", "--suites", suites(), "--json", "-"]);
    let json: Value =
        serde_json::from_slice(&output(&mut real)?).map_err(|error| error.to_string())?;
    let rows = json["real"].as_array().ok_or("no rows")?;
    let of = |carrier: &'static str| rows.iter().filter(move |row| row["carrier"] == carrier);
    let has_figures = |row: &Value| {
        let fields = ["bits_per_second", "plain_bits_per_second", "cpu_s_per_gib"];
        fields.iter().all(|field| row[field].as_f64().is_some_and(|it| it > 0.0))
    };
    let kernel: Vec<&Value> = of("xfrm").collect();
    let suites = suites().split(',').count();
    if kernel.len() != suites || !kernel.iter().all(|row| has_figures(row)) {
        return Err(format!("not every suite was measured: {kernel:?}"));
    }
    for (carrier, package) in [("openvpn", "package openvpn"), ("libipsec", "strongswan-charon")] {
        let is_told = |row: &Value| row["absent"].as_str().is_some_and(|why| why.contains(package));
        if of(carrier).count() != 2 * suites || !of(carrier).all(is_told) {
            return Err(format!("{carrier} is put away: {json}"));
        }
    }
    Ok(())
}
