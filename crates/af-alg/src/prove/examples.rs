//! One published example of each algorithm.

use crate::Transform;

/// Lines of an algorithm's name and bytes in hexadecimal; before them, where they were published.
const EXAMPLES: &str = include_str!("examples");

/// What goes in, and what must come out.
pub(super) struct Example {
    pub(super) key: Vec<u8>,
    pub(super) iv: Vec<u8>,
    pub(super) associated: Vec<u8>,
    pub(super) input: Vec<u8>,
    pub(super) output: Vec<u8>,
}

impl Example {
    pub(super) fn of(transform: &Transform) -> Self {
        let mut lines = EXAMPLES.lines().filter_map(|line| line.split_once(' '));
        let (_, bytes) = lines.find(|(name, _)| *name == transform.name).expect("all are there");
        let mut fields = bytes.split(' ').map(bytes_of);
        let mut next = || fields.next().expect("five fields");
        Self { key: next(), iv: next(), associated: next(), input: next(), output: next() }
    }
}

fn bytes_of(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("hexadecimal") as u8;
    let pair = |pair: &[u8]| digit(pair[0]) << 4 | digit(pair[1]);
    if text == "-" { Vec::new() } else { text.as_bytes().chunks_exact(2).map(pair).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prove::oracle::compute;

    #[test]
    fn openssl_agrees_with_every_example() {
        for transform in Transform::ALL {
            let Example { key, iv, associated, input, output } = Example::of(transform);
            let found = compute(transform, &key, &iv, &associated, &input);
            assert_eq!(found, output, "{}", transform.name);
        }
    }
}
