//! Whether a kernel has the fix for CVE-2026-31431, "Copy Fail": any user becomes root through algif_aead.
//!
//! It came with Linux 4.14 (72548b093ee3) and was fixed on 1 April 2026 (a664bf3d603d, "crypto: algif_aead -
//! Revert to operating out-of-place"). Distributions take the fix without taking its number.

/// What can be told, and by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The kernel has the fix, or never had the fault.
    Cured(String),
    /// The kernel was made before there was a fix.
    Open(String),
    /// Neither number nor date tells.
    Unknown,
}

/// A kernel's number: 6.1.170.
pub(super) type Number = (u32, u32, u32);

/// The first release of each stable series with the fix, from its ChangeLog. Debian's packages carry
/// the number of the release that they are made from, and no earlier one of theirs has the fix
/// (changelog of `linux`: 6.1.170-1; Debian's security tracker: 6.12.85-1).
const FIXED: [Number; 5] = [(6, 1, 170), (6, 6, 137), (6, 12, 85), (6, 18, 22), (6, 19, 12)];

/// What /proc/sys/kernel/osrelease and /proc/sys/kernel/version tell.
pub(super) fn verdict(release: &str, version: &str) -> Verdict {
    let packaged = debian(version);
    let Some(number) = packaged.and_then(number).or_else(|| number(release)) else {
        return Verdict::Unknown;
    };
    let name = packaged.map_or_else(|| release.to_owned(), |package| format!("Debian's {package}"));
    let fixed = FIXED.into_iter().find(|first| (first.0, first.1) == (number.0, number.1));
    match (number, fixed) {
        ((..=3, ..) | (4, ..=13, _), _) => {
            Verdict::Cured(format!("{name} is older than the fault, which came with 4.14"))
        }
        ((7.., ..), _) => Verdict::Cured(format!("{name} came after the fix")),
        (_, Some(first)) if number >= first => {
            let (major, minor, patch) = first;
            Verdict::Cured(format!("{name} has the fix, which came with {major}.{minor}.{patch}"))
        }
        (_, Some((major, minor, patch))) if packaged.is_some() => {
            Verdict::Open(format!("{name} is older than the fix, {major}.{minor}.{patch}"))
        }
        _ => match built(version) {
            Some(date) if date < (2026, 4, 1) => {
                Verdict::Open(format!("{name} was built before the fix of 1 April 2026"))
            }
            _ => Verdict::Unknown,
        },
    }
}

/// "6.1.0-18-amd64" is (6, 1, 0).
pub(super) fn number(release: &str) -> Option<Number> {
    let end = release.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let mut parts = release[..end.unwrap_or(release.len())].split('.').map(str::parse);
    let mut next = || parts.next()?.ok();
    Some((next()?, next()?, next().unwrap_or(0)))
}

/// The package in "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-09-12)".
fn debian(version: &str) -> Option<&str> {
    version.split_once("Debian ")?.1.split_whitespace().next()
}

/// The day in that, or in "#110-Ubuntu SMP Thu Mar 19 15:09:20 UTC 2026".
fn built(version: &str) -> Option<Number> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = version.split_whitespace().collect();
    let last = words.last()?;
    let digits: Vec<u32> =
        last.trim_matches(['(', ')']).split('-').map_while(|part| part.parse().ok()).collect();
    match digits[..] {
        [year, month, day] => Some((year, month, day)),
        [year] => {
            let month = words.iter().position(|word| MONTHS.contains(word))?;
            let name = MONTHS.iter().position(|name| *name == words[month])? as u32;
            Some((year, name + 1, words.get(month + 1)?.parse().ok()?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numbers_packages_and_dates_tell() {
        const UBUNTU: &str = "#110-Ubuntu SMP PREEMPT_DYNAMIC Thu Mar 19 15:09:20 UTC 2026";
        const LATER: &str = "#117-Ubuntu SMP PREEMPT_DYNAMIC Tue May 12 08:00:00 UTC 2026";
        for (release, version, expected) in [
            ("4.13.9", "", "fixed: 4.13.9 is older than the fault, which came with 4.14"),
            ("6.18.21", LATER, "unknown"),
            ("6.18.22", UBUNTU, "fixed: 6.18.22 has the fix, which came with 6.18.22"),
            ("6.19.12-1-arch", "", "fixed: 6.19.12-1-arch has the fix, which came with 6.19.12"),
            ("7.0.0", UBUNTU, "fixed: 7.0.0 came after the fix"),
            (
                "5.15.0-173-generic",
                UBUNTU,
                "open: 5.15.0-173-generic was built before the fix of 1 April 2026",
            ),
            ("5.15.0-179-generic", LATER, "unknown"),
            ("6.12.0-124.52.2.el10_1", "", "unknown"),
            (
                "6.1.0-56-amd64",
                "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-09-12)",
                "fixed: Debian's 6.1.192-2 has the fix, which came with 6.1.170",
            ),
            (
                "6.12.117+deb12-amd64",
                "#1 SMP Debian 6.12.117-1~bpo12+1 (2026-09-12)",
                "fixed: Debian's 6.12.117-1~bpo12+1 has the fix, which came with 6.12.85",
            ),
            (
                "6.1.0-44-amd64",
                "#1 SMP PREEMPT_DYNAMIC Debian 6.1.164-1 (2026-04-09)",
                "open: Debian's 6.1.164-1 is older than the fix, 6.1.170",
            ),
            ("5.10.0-40-amd64", "#1 SMP Debian 5.10.251-1 (2026-05-20)", "unknown"),
            ("nonsense", UBUNTU, "unknown"),
        ] {
            let told = match verdict(release, version) {
                Verdict::Cured(why) => format!("fixed: {why}"),
                Verdict::Open(why) => format!("open: {why}"),
                Verdict::Unknown => "unknown".to_owned(),
            };
            assert_eq!(told, expected, "{release} {version}");
        }
    }
}
