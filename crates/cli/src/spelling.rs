//! Words that were most likely meant by others.

/// The known word that was most likely meant: the same but for case, or at most two letters away.
pub(crate) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_ascii_lowercase();
    let near = known.map(|word| (distance(&given, &word.to_ascii_lowercase()), word));
    let (distance, word) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= 2 && distance * 2 < word.len()).then_some(word)
}

/// Known names that hold every part of the one given, in whatever order, or that nearest to it.
pub(crate) fn alike<'a>(given: &str, known: &[&'a str]) -> Vec<&'a str> {
    let parts: Vec<&str> = given
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    let holds = |name: &&&str| parts.iter().all(|part| name.contains(part));
    let alike: Vec<&str> = known.iter().filter(holds).copied().collect();
    match alike.is_empty() || parts.is_empty() {
        true => nearest(given, known.iter().copied()).into_iter().collect(),
        false => alike,
    }
}

/// Letters to insert, take away or replace (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, b) in other.bytes().enumerate() {
            let replaced = corner + usize::from(a != b);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("cipher", "ciphers"), 1);
        assert_eq!(distance("", "plan"), 4);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(nearest("threads", ["routes", "plan"].into_iter()), None);
        assert_eq!(nearest("AES-128-CBD", ["AES-128-CBC"].into_iter()), Some("AES-128-CBC"));
    }

    #[test]
    fn names_with_the_same_parts_are_alike() {
        let known = ["cbc-aes-padlock", "ecb-aes-padlock", "virtio_crypto_aes_cbc"];
        assert_eq!(alike("padlock-cbc-aes", &known), ["cbc-aes-padlock"]);
        assert_eq!(alike("padlock", &known), ["cbc-aes-padlock", "ecb-aes-padlock"]);
        assert_eq!(alike("virtio_crypto_aes_cbd", &known), ["virtio_crypto_aes_cbc"]);
        assert_eq!(alike("qat_aes_cbc", &known), [""; 0]);
        assert_eq!(alike("-", &known), [""; 0]);
    }
}
