//! When figures cannot be trusted: warnings as sentences that say what to do.

use crate::statistics::{OUTLIER, modified_z_scores};

/// What disturbed a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Noise {
    /// Slices far from the rest.
    Outliers,
    /// The slices do not agree.
    Spread,
    /// The thread waited much of the time.
    Busy,
}

impl Noise {
    /// More than this share of outliers is worth a word.
    const OUTLIER_SHARE: f64 = 0.1;
    /// More than this deviation as a share of the median, too.
    const SPREAD: f64 = 0.05;

    /// What is wrong with these times of one contestant.
    pub fn in_times(nanos: &[f64]) -> Vec<Self> {
        let mut found = Vec::new();
        let scores = modified_z_scores(nanos);
        let outliers = scores.iter().filter(|score| score.abs() > OUTLIER).count();
        if outliers as f64 > Self::OUTLIER_SHARE * nanos.len() as f64 {
            found.push(Self::Outliers);
        }
        if let Some(estimate) = crate::statistics::Estimate::of(nanos)
            && estimate.mad > Self::SPREAD * estimate.median
        {
            found.push(Self::Spread);
        }
        found
    }

    /// Whether the CPU was mostly elsewhere, from CPU time and wall time of the same stretch.
    pub fn in_share(cpu: u64, wall: u64) -> Option<Self> {
        (cpu.saturating_mul(10) < wall.saturating_mul(8)).then_some(Self::Busy)
    }

    /// The advice.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Outliers => {
                "Some slices took far longer than the rest: other programs were running. Close them \
                 and measure again."
            }
            Self::Spread => {
                "The slices differ by more than 5 %: the clock frequency moves or the machine is \
                 shared. Ratios hold better than figures; measure longer with --seconds."
            }
            Self::Busy => {
                "This program got less than 80 % of a CPU: the machine is busy. Figures are CPU time \
                 and stay valid; caches are shared, so expect a little less than an idle machine."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_times_raise_no_warning() {
        let times: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i % 3)).collect();
        assert_eq!(Noise::in_times(&times), []);
        assert_eq!(Noise::in_times(&[]), []);
        assert_eq!(Noise::in_share(95, 100), None);
    }

    #[test]
    fn each_disturbance_has_its_name() {
        let mut times: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i % 3)).collect();
        times.iter_mut().step_by(6).for_each(|time| *time = 500.0);
        assert_eq!(Noise::in_times(&times), [Noise::Outliers]);
        let wild: Vec<f64> = (0..50).map(|i| 100.0 + f64::from(i)).collect();
        assert_eq!(Noise::in_times(&wild), [Noise::Spread]);
        assert_eq!(Noise::in_share(50, 100), Some(Noise::Busy));
    }
}
