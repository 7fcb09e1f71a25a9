//! Nanoseconds as a plan writes them: to a tenth, with how sure they are.

use std::fmt;
use std::str::FromStr;

/// The time of one call and half the width of its confidence interval: `81.4+-0.3` nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    tenths: u64,
    spread: u64,
}

/// Tenths of a nanosecond that no call takes: a quarter of an hour.
const TOO_LONG: u64 = 10_000_000_000_000;

impl Time {
    /// The time, from nanoseconds; what is no number of them becomes the nearest that is.
    pub fn new(nanos: f64, spread: f64) -> Self {
        // A cast from a float stops at the limits of the integer.
        let tenths = |nanos: f64| ((nanos * 10.0).round() as u64).min(TOO_LONG);
        Self { tenths: tenths(nanos), spread: tenths(spread) }
    }

    /// Nanoseconds.
    pub fn nanos(self) -> f64 {
        self.tenths as f64 / 10.0
    }

    /// Half the width of the interval, in nanoseconds.
    pub fn spread(self) -> f64 {
        self.spread as f64 / 10.0
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tenths, spread } = self;
        f.pad(&format!("{}.{}+-{}.{}", tenths / 10, tenths % 10, spread / 10, spread % 10))
    }
}

impl FromStr for Time {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (nanos, rest) = text.split_once('+').ok_or(())?;
        let spread = rest.strip_prefix('-').ok_or(())?;
        Ok(Self { tenths: tenths(nanos)?, spread: tenths(spread)? })
    }
}

/// Digits, a point, one digit.
fn tenths(text: &str) -> Result<u64, ()> {
    let (whole, tenth) = text.split_once('.').ok_or(())?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(tenth) || tenth.len() != 1 {
        return Err(());
    }
    let whole: u64 = whole.parse().map_err(|_| ())?;
    let tenth: u64 = tenth.parse().map_err(|_| ())?;
    let all = whole.checked_mul(10).and_then(|tenths| tenths.checked_add(tenth)).ok_or(())?;
    if all <= TOO_LONG { Ok(all) } else { Err(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read() {
        let time = Time::new(81.449, 0.25);
        assert_eq!(time.to_string(), "81.4+-0.3");
        assert_eq!("81.4+-0.3".parse(), Ok(time));
        assert_eq!(Time::new(f64::NAN, f64::INFINITY).to_string(), "0.0+-1000000000000.0");
        assert_eq!((time.nanos(), time.spread()), (81.4, 0.3));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "1", "1.0", "1.0+-", "+-1.0", "1.05+-0.1", "-1.0+-0.1", "1e3.0+-0.1"] {
            assert_eq!(text.parse::<Time>(), Err(()), "{text}");
        }
        assert_eq!("99999999999999999999.0+-0.0".parse::<Time>(), Err(()));
        assert_eq!("1000000000000.1+-0.0".parse::<Time>(), Err(()));
    }
}
