//! The tunnels as a table, and what must be said of its figures.

use wirespeed_results::schema::tunnel::Row;
use wirespeed_tunnel::Provider;

use crate::output::figures;
use crate::output::table::{Side, Table, wrap};

use Side::{Left, Right};

/// Rounds that lie farther apart than this, as a share of their median, are worth a word.
const SPREAD: f64 = 0.1;

/// The table, and below it a line for each reason why something is not in it.
pub(in super::super) fn text(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let title = "Real tunnels between two network namespaces, one TCP connection by iperf3";
    let mut text = format!("\n{title}\n");
    let mut table = Table::new(&[Left, Left, Left, Right, Right, Right, Right, Right]);
    let heading =
        ["carrier", "suite", "provider", "Mbit/s", "of plain", "CPU s/GiB", "faster", "CPU"];
    table.row(heading.map(str::to_owned).to_vec());
    let measured = rows.iter().filter_map(|row| cells(rows, row)).map(|cells| table.row(cells));
    if measured.count() > 0 {
        text.push_str(&format!("\n{}", table.render()));
    }
    text + &absent(rows)
}

/// Its cells, if there are figures.
fn cells(rows: &[Row], row: &Row) -> Option<Vec<String>> {
    let rate = row.bits_per_second?;
    let share = row.plain_bits_per_second.map(|plain| format!("{:.1} %", 100.0 * rate / plain));
    let default = rows.iter().find(|it| {
        row.provider == Provider::Wirespeed.name()
            && it.provider == Provider::Default.name()
            && (&it.carrier, &it.suite) == (&row.carrier, &row.suite)
    });
    let faster = default.and_then(|it| Some(rate / it.bits_per_second?));
    let cost = default.and_then(|it| Some(row.cpu_s_per_gib? / it.cpu_s_per_gib?));
    let ratio = |it: Option<f64>| it.map(figures::times_closely).unwrap_or_default();
    Some(vec![
        row.carrier.clone(),
        row.suite.clone(),
        row.provider.clone(),
        format!("{:.0}", rate / 1e6),
        share.unwrap_or_default(),
        row.cpu_s_per_gib.map(|it| format!("{it:.2}")).unwrap_or_default(),
        ratio(faster),
        ratio(cost),
    ])
}

/// A line for each reason why a carrier's tunnels are absent: with Wirespeed alone, or altogether.
fn absent(rows: &[Row]) -> String {
    let mut reasons: Vec<Vec<&Row>> = Vec::new();
    for row in rows.iter().filter(|row| row.absent.is_some()) {
        let is_same = |it: &Row| it.carrier == row.carrier && it.absent == row.absent;
        match reasons.iter_mut().find(|reason| is_same(reason[0])) {
            Some(reason) => reason.push(row),
            None => reasons.push(vec![row]),
        }
    }
    let lines: String = reasons.iter().map(|reason| format!("{}\n", line(rows, reason))).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn line(rows: &[Row], reason: &[&Row]) -> String {
    let carrier = &reason[0].carrier;
    let of_ours = reason.iter().all(|it| it.provider == Provider::Wirespeed.name());
    let with = if of_ours { " with Wirespeed" } else { "" };
    let why = reason[0].absent.as_deref().unwrap_or_default();
    let mut suites: Vec<&str> = reason.iter().map(|it| it.suite.as_str()).collect();
    suites.dedup();
    // Where none is left there is nothing to tell apart.
    let is_left = |it: &Row| it.carrier == *carrier && it.absent.as_deref() != Some(why);
    let which = match rows.iter().any(is_left) {
        true => format!(" ({})", suites.join(", ")),
        false => String::new(),
    };
    let line = format!("{carrier}{with}: absent: {why}{which}");
    wrap(&line.split(' ').collect::<Vec<_>>(), " ", 0, 2)
}

/// What the figures leave out, and what disturbed them.
pub(in super::super) fn notes(rows: &[Row]) -> Vec<String> {
    let mut notes = Vec::new();
    if !rows.iter().any(|row| row.absent.is_none()) {
        return notes;
    }
    notes.push(
        "Sender, receiver and both ends of a tunnel share this machine's CPUs, and a cable of memory has no NIC: \
         compare the rows, not these rates with a link's. CPU time is that of the tunnel's processes; for xfrm the \
         whole machine's, iperf3 included."
            .to_owned(),
    );
    let widest = rows.iter().filter_map(|row| row.spread).fold(0.0, f64::max);
    if widest > SPREAD {
        notes.push(format!(
            "Rounds of one tunnel lie up to {:.0} % apart: a ratio nearer to 1 than that says nothing. Measure \
             longer with --seconds, on a machine that does nothing else.",
            100.0 * widest
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use wirespeed_tunnel::Carrier;

    use super::*;
    use crate::output::WIDTH;

    fn row(carrier: Carrier, provider: Provider, megabits: f64) -> Row {
        Row {
            carrier: carrier.name().to_owned(),
            suite: "AES-128-GCM".to_owned(),
            provider: provider.name().to_owned(),
            absent: None,
            bits_per_second: Some(megabits * 1e6),
            plain_bits_per_second: Some(4e9),
            cpu_s_per_gib: Some(4000.0 / megabits),
            spread: Some(0.25),
            routes: Vec::new(),
        }
    }

    fn absent(carrier: Carrier, provider: Provider, suite: &str, why: &str) -> Row {
        let (suite, absent) = (suite.to_owned(), Some(why.to_owned()));
        Row { suite, absent, bits_per_second: None, ..row(carrier, provider, 1.0) }
    }

    #[test]
    fn ours_is_compared_with_the_default() {
        let default = row(Carrier::OpenVpn, Provider::Default, 400.0);
        let ours = row(Carrier::OpenVpn, Provider::Wirespeed, 500.0);
        let text = text(&[row(Carrier::Xfrm, Provider::Kernel, 2000.0), default, ours]);
        let lines: Vec<&str> = text.lines().skip(3).collect();
        assert_eq!(
            lines,
            [
                "carrier  suite        provider   Mbit/s  of plain  CPU s/GiB  faster    CPU",
                "xfrm     AES-128-GCM  kernel       2000    50.0 %       2.00",
                "openvpn  AES-128-GCM  default       400    10.0 %      10.00",
                "openvpn  AES-128-GCM  wirespeed     500    12.5 %       8.00   1.25x  0.80x",
            ]
        );
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn each_reason_is_told_once() {
        let missing = "openvpn is not installed: install the package openvpn";
        let mut rows = Vec::new();
        for suite in ["AES-128-GCM", "AES-256-GCM"] {
            rows.push(absent(Carrier::Xfrm, Provider::Kernel, suite, "no ESP"));
            rows.push(absent(Carrier::OpenVpn, Provider::Default, suite, missing));
            rows.push(absent(Carrier::OpenVpn, Provider::Wirespeed, suite, missing));
            rows.push(row(Carrier::Libipsec, Provider::Default, 300.0));
            rows.push(absent(Carrier::Libipsec, Provider::Wirespeed, suite, "no module"));
        }
        rows.push(row(Carrier::Xfrm, Provider::Kernel, 2000.0));
        let text = text(&rows);
        for line in [
            "xfrm: absent: no ESP (AES-128-GCM, AES-256-GCM)",
            "openvpn: absent: openvpn is not installed: install the package openvpn",
            "libipsec with Wirespeed: absent: no module (AES-128-GCM, AES-256-GCM)",
        ] {
            assert_eq!(text.lines().filter(|it| *it == line).count(), 1, "{line}\n{text}");
        }
    }

    #[test]
    fn noise_is_named() {
        assert!(
            notes(&[row(Carrier::Xfrm, Provider::Kernel, 1.0)]).concat().contains("25 % apart")
        );
        let nothing = [absent(Carrier::Xfrm, Provider::Kernel, "AES-128-GCM", "no ESP")];
        assert_eq!(notes(&nothing), [""; 0]);
    }
}
