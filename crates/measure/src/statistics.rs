//! Robust statistics: medians and deviations from them, so that a few disturbed slices do no harm.
//!
//! The order-statistic interval is in Conover, *Practical Nonparametric Statistics*, §3.2; the
//! modified z-score is Iglewicz and Hoaglin's (*How to Detect and Handle Outliers*, 1993).

/// A median and how far the values lie from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The median.
    pub median: f64,
    /// The median absolute deviation from it.
    pub mad: f64,
    /// A 95 % confidence interval of the median: the lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Estimate {
    /// The estimate from `values`; `None` without any.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sorted = sorted(values);
        let median = median_of_sorted(&sorted)?;
        let mad = median_absolute_deviation(values, median)?;
        let (low, high) = interval(sorted.len());
        Some(Self { median, mad, low: sorted[low], high: sorted[high] })
    }

    /// Half the interval as a share of the median: the "±" of a table.
    pub fn spread(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { (self.high - self.low) / 2.0 / self.median.abs() }
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> Option<f64> {
    median_of_sorted(&sorted(values))
}

/// The median distance from `centre`.
fn median_absolute_deviation(values: &[f64], centre: f64) -> Option<f64> {
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    median(&distances)
}

/// Which two of `n` sorted values enclose the median with at least 95 % confidence, whatever the
/// distribution; the first and the last where `n` is too small for that (below 6).
fn interval(n: usize) -> (usize, usize) {
    // P(median below the k-th value) is the binomial tail P(X < k), X ~ B(n, 1/2).
    let mut probability = 0.5f64.powi(n.try_into().unwrap_or(i32::MAX));
    if probability == 0.0 {
        // Beyond 2^-1074: the normal approximation is exact enough by far.
        let half = 1.96 * (n as f64).sqrt() / 2.0;
        let low = (n as f64 / 2.0 - half).floor() as usize;
        return (low, n - 1 - low);
    }
    let mut tail = 0.0;
    let mut low = 0;
    for k in 0..n / 2 {
        tail += probability;
        if tail > 0.025 {
            break;
        }
        low = k;
        probability *= (n - k) as f64 / (k + 1) as f64;
    }
    (low, n - 1 - low)
}

/// Above this modified z-score a value is an outlier.
pub const OUTLIER: f64 = 3.5;

/// For each value its distance from the median in robust standard deviations.
pub fn modified_z_scores(values: &[f64]) -> Vec<f64> {
    // 0.6745 is the 75th percentile of the normal distribution; 1.253314 is sqrt(pi / 2), for the
    // mean absolute deviation where more than half of the values are equal.
    let Some(centre) = median(values) else { return Vec::new() };
    let mad = median_absolute_deviation(values, centre).unwrap_or(0.0);
    let scale = if mad > 0.0 {
        mad / 0.6745
    } else {
        let mean = values.iter().map(|v| (v - centre).abs()).sum::<f64>() / values.len() as f64;
        1.253_314 * mean
    };
    let score = |value: &f64| if scale == 0.0 { 0.0 } else { (value - centre) / scale };
    values.iter().map(score).collect()
}

/// How many times as fast as `baseline` the contestant is, slice by slice: both lists hold times, and
/// values at the same place were taken one after the other, so that drift cancels.
pub fn paired_ratio(baseline: &[f64], contestant: &[f64]) -> Option<Estimate> {
    let ratios: Vec<f64> =
        baseline.iter().zip(contestant).filter(|(_, c)| **c > 0.0).map(|(b, c)| b / c).collect();
    Estimate::of(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    /// The worked example of the encyclopedias: 1 1 2 2 4 6 9 has median 2 and MAD 1.
    #[test]
    fn median_absolute_deviation_by_the_usual_example() {
        let values = [1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0];
        assert_eq!(median_absolute_deviation(&values, 2.0), Some(1.0));
    }

    /// By hand: the median is 3.015, the MAD 0.02, so the last score is 0.6745 * 1.975 / 0.02.
    #[test]
    fn modified_z_scores_find_outliers() {
        let values = [3.02, 3.04, 2.98, 3.01, 3.00, 4.99];
        let scores = modified_z_scores(&values);
        assert!(scores[..5].iter().all(|score| score.abs() < OUTLIER), "{scores:?}");
        assert!((scores[5] - 66.606_875).abs() < 1e-6, "{scores:?}");
        assert_eq!(modified_z_scores(&[1.0, 1.0]), [0.0, 0.0]);
        // More than half equal: the mean deviation takes over.
        let scores = modified_z_scores(&[5.0, 5.0, 5.0, 5.0, 9.0]);
        assert!((scores[4] - 4.0 / (1.253_314 * 0.8)).abs() < 1e-9);
    }

    /// Published tables of the 95 % interval of a median by ranks (counted from 1): n=10: 2 and 9,
    /// n=20: 6 and 15, n=50: 18 and 33, n=100: 40 and 61.
    #[test]
    fn interval_by_the_published_ranks() {
        for (n, low, high) in [(6, 1, 6), (10, 2, 9), (20, 6, 15), (50, 18, 33), (100, 40, 61)] {
            assert_eq!(interval(n), (low - 1, high - 1), "n = {n}");
        }
        assert_eq!(interval(1), (0, 0));
        assert_eq!(interval(5), (0, 4));
        let (low, high) = interval(10_000);
        assert_eq!((low, high), (4902, 5097));
    }

    #[test]
    fn an_estimate_shrugs_off_a_disturbed_slice() {
        let mut times = vec![10.0; 20];
        times[7] = 1000.0;
        let estimate = Estimate::of(&times).expect("values");
        assert_eq!((estimate.median, estimate.mad, estimate.spread()), (10.0, 0.0, 0.0));
        assert_eq!(Estimate::of(&[]), None);
    }

    #[test]
    fn drift_cancels_in_pairs() {
        let baseline: Vec<f64> = (0..30).map(|i| 20.0 + f64::from(i)).collect();
        let contestant: Vec<f64> = baseline.iter().map(|time| time / 2.0).collect();
        let ratio = paired_ratio(&baseline, &contestant).expect("pairs");
        assert_eq!((ratio.median, ratio.mad), (2.0, 0.0));
    }
}
