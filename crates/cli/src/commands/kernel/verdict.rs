//! Where the kernel's order of its drivers is not the order of their speed.

use super::measure::{Entry, Group};

/// A driver that is faster than the one that serves.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    /// Where it stands among the entries.
    pub(super) faster: usize,
    /// How many times as fast as the one that serves: where it is ahead everywhere, at least; else at
    /// most.
    pub(super) ratio: f64,
    /// Whether it is clearly faster in all that was measured.
    pub(super) everywhere: bool,
}

/// What a driver must be ahead by: less changes from one run to the next.
const MARGIN: f64 = 1.1;

/// The driver that ought to serve, if another does.
pub(super) fn verdict(group: &Group) -> Option<Verdict> {
    let serves = group.entries.iter().find(|entry| entry.driver.serves)?;
    let others = group.entries.iter().enumerate().filter(|(_, entry)| !entry.driver.serves);
    let ahead = others.filter_map(|(faster, entry)| {
        let Gain { everywhere, ratio, mean } = gain(group, entry, serves)?;
        Some((Verdict { faster, ratio, everywhere }, mean))
    });
    // Better ahead everywhere than far ahead somewhere.
    let order = |(verdict, mean): &(Verdict, f64)| (verdict.everywhere, *mean);
    let best = ahead.max_by(|a, b| order(a).partial_cmp(&order(b)).expect("ratios"));
    best.map(|(verdict, _)| verdict)
}

/// How far a driver is ahead of the one that serves.
struct Gain {
    everywhere: bool,
    /// At least, where it is ahead everywhere, else at most.
    ratio: f64,
    /// The mean of the logarithms over all that was measured.
    mean: f64,
}

/// Nothing if it is nowhere clearly ahead.
fn gain(group: &Group, entry: &Entry, serves: &Entry) -> Option<Gain> {
    let ratios = (0..group.works.len()).map(|work| entry.against(serves, work));
    let ratios: Vec<_> = ratios.collect::<Option<_>>()?;
    let is_ahead: Vec<bool> = ratios.iter().map(|ratio| ratio.low > MARGIN).collect();
    let everywhere = is_ahead.iter().all(|ahead| *ahead);
    let medians = ratios.iter().map(|ratio| ratio.median);
    let mean = medians.clone().map(f64::ln).sum::<f64>() / ratios.len() as f64;
    let ratio = medians.reduce(if everywhere { f64::min } else { f64::max })?;
    is_ahead.contains(&true).then_some(Gain { everywhere, ratio, mean })
}

#[cfg(test)]
mod tests {
    use wirespeed_af_alg::Transform;
    use wirespeed_af_alg::drivers;
    use wirespeed_cipher::Direction;

    use super::super::measure::{SIZES, Work};
    use super::*;

    /// Drivers in the order of their priorities with the times of both sizes; the first serves.
    fn group(times: &[Option<[f64; 2]>]) -> Group {
        let entry = |(place, times): (usize, &Option<[f64; 2]>)| {
            let text = format!(
                "name : cbc(aes)\ndriver : driver{place}\nmodule : m\npriority : {}\n\
                 selftest : passed\ninternal : no\ntype : skcipher\n",
                400 - place
            );
            let mut driver = drivers::parse(&text).remove(0);
            driver.serves = place == 0;
            let nanos = times.map(|times| times.map(|time| vec![time; 15]).to_vec());
            Entry { driver, nanos: nanos.ok_or_else(|| "it failed".to_owned()) }
        };
        Group {
            transform: Transform::named("AES-128-CBC").expect("an algorithm"),
            works: SIZES.map(|size| Work { direction: Direction::Encrypt, size }).to_vec(),
            entries: times.iter().enumerate().map(entry).collect(),
            absent: None,
        }
    }

    #[test]
    fn a_driver_is_only_ahead_where_it_was_measured_to_be() {
        let verdicts = |times: &[Option<[f64; 2]>]| {
            verdict(&group(times)).map(|it| (it.faster, (it.ratio * 10.0).round(), it.everywhere))
        };
        assert_eq!(verdicts(&[Some([10.0, 100.0])]), None, "alone");
        assert_eq!(verdicts(&[Some([10.0, 100.0]), Some([20.0, 300.0])]), None);
        assert_eq!(verdicts(&[Some([10.0, 100.0]), Some([9.5, 95.0])]), None, "no clear matter");
        let ahead = verdicts(&[Some([10.0, 100.0]), Some([9.0, 50.0]), Some([5.0, 40.0])]);
        assert_eq!(ahead, Some((2, 20.0, true)));
        let partly = verdicts(&[Some([10.0, 100.0]), Some([20.0, 50.0])]);
        assert_eq!(partly, Some((1, 20.0, false)));
        let fastest = verdicts(&[Some([10.0, 100.0]), Some([8.0, 80.0]), Some([8.5, 20.0])]);
        assert_eq!(fastest, Some((2, 12.0, true)));
        let safer = verdicts(&[Some([10.0, 100.0]), Some([20.0, 10.0]), Some([8.0, 80.0])]);
        assert_eq!(safer, Some((2, 13.0, true)), "ahead everywhere before far ahead somewhere");
        assert_eq!(verdicts(&[Some([10.0, 100.0]), None]), None);
        assert_eq!(verdicts(&[None, Some([10.0, 100.0])]), None, "nothing to compare with");
    }
}
