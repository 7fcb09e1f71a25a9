//! Words that were most likely meant by others.

use wirespeed_cipher::nearest;

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

#[cfg(test)]
mod tests {
    use super::*;

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
