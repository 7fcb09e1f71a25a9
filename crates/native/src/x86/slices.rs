//! What all units of byte slices share on x86: the order of blocks, and the transposition.

/// Sixteen vectors as the rows of a matrix of bytes, transposed in each 128-bit piece. Interleaving row i with row
/// i + 8 moves the highest bit of each byte's row number to the lowest of its column number, and the highest of that
/// to the lowest of the other; after four times the numbers have changed places.
macro_rules! transpose {
    ($rows:expr, $low:ident, $high:ident) => {{
        // Not loops: left standing, they would keep the vectors in memory.
        let rows = transpose!(@ $rows, $low, $high);
        let rows = transpose!(@ rows, $low, $high);
        let rows = transpose!(@ rows, $low, $high);
        transpose!(@ rows, $low, $high)
    }};
    (@ $rows:expr, $low:ident, $high:ident) => {{
        let rows = $rows;
        transpose!(@ rows, $low, $high: 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15)
    }};
    (@ $rows:ident, $low:ident, $high:ident: $($first:literal $second:literal),*) => {
        [$(
            call!($low($rows[$first], $rows[$second])),
            call!($high($rows[$first], $rows[$second])),
        )*]
    };
}

pub(super) use transpose;

/// The number of the block that each byte of a slice belongs to: a row holds as many blocks as there are 128-bit
/// pieces, and each piece gets one of them from every row.
pub(super) const fn places<const BLOCKS: usize>() -> [u8; BLOCKS] {
    let pieces = BLOCKS / 16;
    let mut places = [0; BLOCKS];
    let mut i = 0;
    while i < BLOCKS {
        places[i] = (i % 16 * pieces + i / 16) as u8;
        i += 1;
    }
    places
}
