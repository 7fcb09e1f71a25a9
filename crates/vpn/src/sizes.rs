//! How long the packets are: all alike, or a mix.

use std::fmt;
use std::str::FromStr;

/// The lengths of the packets inside the tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sizes {
    /// All of so many bytes.
    Fixed(usize),
    /// The simple IMIX ("Internet mix") of router tests: of twelve packets seven have 40 bytes, four 576 and
    /// one 1500, counted as IP packets (RFC 6985 describes such mixes; with Ethernet's header and check
    /// sequence they are the 64, 594 and 1518 of test equipment).
    Imix,
}

/// The simple IMIX, so ordered that long packets do not come together.
const IMIX: [usize; 12] = [40, 576, 40, 40, 576, 40, 1500, 40, 576, 40, 40, 576];

impl Sizes {
    /// Those of the command line by default, and of the tables.
    pub const ALL: [Self; 12] = [
        Self::Fixed(64),
        Self::Fixed(128),
        Self::Fixed(256),
        Self::Fixed(512),
        Self::Fixed(576),
        Self::Fixed(1024),
        Self::Fixed(1280),
        Self::Fixed(1420),
        Self::Fixed(1440),
        Self::Fixed(1500),
        Self::Fixed(9000),
        Self::Imix,
    ];

    /// An IPv4 header, and the longest IPv4 packet less what the tunnel adds.
    pub const LIMITS: (usize, usize) = (20, 65_000);

    /// The length of each packet, over and over.
    pub fn lengths(self) -> impl Iterator<Item = usize> + Clone {
        let all = match self {
            Self::Fixed(bytes) => [bytes; 12],
            Self::Imix => IMIX,
        };
        all.into_iter().cycle()
    }

    /// Packets after which a mix has come round.
    pub const fn mix(self) -> usize {
        match self {
            Self::Fixed(_) => 1,
            Self::Imix => IMIX.len(),
        }
    }

    /// Packets after which a mix has come round with none left over, a multiple of [`crate::IN_FLIGHT`].
    pub const fn round(self) -> usize {
        match self {
            Self::Fixed(_) => crate::IN_FLIGHT,
            Self::Imix => 3 * crate::IN_FLIGHT,
        }
    }

    /// The mean over the packets of something that depends on their length.
    pub fn mean(self, of: impl Fn(usize) -> usize) -> f64 {
        self.lengths().take(IMIX.len()).map(|bytes| of(bytes) as f64).sum::<f64>()
            / IMIX.len() as f64
    }
}

/// "1420", "imix".
impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(bytes) => f.pad(&bytes.to_string()),
            Self::Imix => f.pad("imix"),
        }
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        if given.eq_ignore_ascii_case("imix") {
            return Ok(Self::Imix);
        }
        let (least, most) = Self::LIMITS;
        let bytes = given.parse().ok().filter(|bytes| (least..=most).contains(bytes));
        bytes.map(Self::Fixed).ok_or_else(|| {
            let known = Self::ALL.map(|sizes| sizes.to_string()).join(" ");
            format!(
                "unknown packet size '{given}': choose from {known}, or any number of bytes from {least} to {most}"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imix_is_seven_to_four_to_one() {
        let count = |bytes| IMIX.iter().filter(|it| **it == bytes).count();
        assert_eq!([40, 576, 1500].map(count), [7, 4, 1]);
        assert_eq!(Sizes::Imix.mean(|bytes| bytes), 4084.0 / 12.0);
        assert_eq!(Sizes::Imix.round() % IMIX.len(), 0, "the ring holds whole mixes");
        assert_eq!(Sizes::Fixed(1420).mean(|bytes| 2 * bytes), 2840.0);
    }

    #[test]
    fn words() {
        assert_eq!("1420".parse(), Ok(Sizes::Fixed(1420)));
        assert_eq!("IMIX".parse(), Ok(Sizes::Imix));
        for wrong in ["", "19", "65001", "-1", "mix", "1420B"] {
            let said = wrong.parse::<Sizes>().expect_err("no size");
            assert!(said.starts_with(&format!("unknown packet size '{wrong}': choose from 64 ")));
        }
    }
}
