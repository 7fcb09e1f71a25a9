//! Inversion in AES's field by shuffles: look-ups in tables of sixteen entries (Hamburg, "Accelerating AES with Vector
//! Permute Instructions", CHES 2009).
//!
//! A byte is written as z = k + i·θ over GF(16), where θ² + aθ + a = 0, i in the high half and k in the low one. With
//! j = i + k two chains give io = 1/(1/i + a/k) + j and jo = 1/(1/j + a/k) + i. Both are the norm of z over a sum, and
//! 1/z is linear in 1/io and 1/jo. So two more tables give any linear map of 1/z. Infinity is 80h, which a shuffle
//! turns into 0.

/// Sixteen bytes to look up in.
pub type Table = [u8; 16];

/// A map of bytes by its images. In AES's field all maps here are linear but for a constant.
pub type Images = [u8; 256];

/// GF(16) as polynomials modulo x^4 + x + 1.
mod small {
    pub(super) const fn product(a: u8, b: u8) -> u8 {
        let mut sum = 0;
        let mut bit = 4;
        while bit > 0 {
            bit -= 1;
            sum = (sum << 1) ^ ((sum >> 3 & 1) * 0b1_0011);
            sum ^= (b >> bit & 1) * a;
        }
        sum
    }

    /// The inverse, or infinity.
    pub(super) const fn inverse(a: u8) -> u8 {
        let mut candidate = 1;
        while candidate < 16 {
            if product(a, candidate) == 1 {
                return candidate;
            }
            candidate += 1;
        }
        super::INFINITY
    }
}

/// What a shuffle turns into 0.
const INFINITY: u8 = 0x80;

/// The first a for which θ² + aθ + a has no root: the norm of k + i·θ is 0 only for 0.
const A: u8 = {
    let mut a = 1;
    loop {
        let mut x = 0;
        while x < 16 && small::product(x, x) ^ small::product(a, x) ^ a != 0 {
            x += 1;
        }
        if x == 16 {
            break a;
        }
        a += 1;
    }
};

/// Products in the coordinates of this module.
const fn product(x: u8, y: u8) -> u8 {
    let (i, k, m, n) = (x >> 4, x & 15, y >> 4, y & 15);
    let both = small::product(i, m);
    let high = small::product(i, n) ^ small::product(k, m) ^ small::product(A, both);
    let low = small::product(k, n) ^ small::product(A, both);
    high << 4 | low
}

/// Where each bit of an AES byte goes: the powers of a root of AES's polynomial.
const BASIS: [u8; 8] = {
    let mut root = 2;
    loop {
        let mut powers = [1; 8];
        let mut i = 1;
        while i < 8 {
            powers[i] = product(powers[i - 1], root);
            i += 1;
        }
        // x^8 + x^4 + x^3 + x + 1 (FIPS 197 §4.2).
        if product(powers[7], root) ^ powers[4] ^ powers[3] ^ powers[1] ^ 1 == 0 {
            break powers;
        }
        root += 1;
    }
};

/// An AES byte in these coordinates.
pub const fn into(byte: u8) -> u8 {
    let mut sum = 0;
    let mut i = 0;
    while i < 8 {
        sum ^= (byte >> i & 1) * BASIS[i];
        i += 1;
    }
    sum
}

/// All AES bytes in these coordinates.
pub const INTO: Images = {
    let mut images = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        images[byte] = into(byte as u8);
        byte += 1;
    }
    images
};

/// A byte of these coordinates as AES writes it.
const OUT_OF: Images = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[into(byte as u8) as usize] = byte as u8;
        byte += 1;
    }
    table
};

/// Multiplication of AES bytes.
pub const fn times(factor: u8, byte: u8) -> u8 {
    OUT_OF[product(into(factor), into(byte)) as usize]
}

/// A map as tables for the low half of a byte and the high one, whose sum is the image.
pub const fn by_halves(images: &Images) -> [Table; 2] {
    let mut tables = [[0; 16]; 2];
    let mut n = 0;
    while n < 16 {
        tables[0][n] = images[n];
        tables[1][n] = images[n << 4] ^ images[0];
        n += 1;
    }
    tables
}

/// A map of 1/z, less its constant, as tables for io and jo. With u = 1/io and w = 1/jo, 1/z = k/N + (i/N)(θ + a) and N
/// the norm: k/N = (u + w)/a and i/N = (u + k/N)/a.
pub const fn of_inverse(images: &Images) -> [Table; 2] {
    let mut tables = [[0; 16]; 2];
    let by_a = small::inverse(A);
    let mut n = 1;
    while n < 16 {
        let reciprocal = small::inverse(n);
        let k = small::product(reciprocal, by_a);
        let of_u = small::product(reciprocal ^ k, by_a);
        let of_w = small::product(k, by_a);
        // i·(θ + a) + k.
        let u = of_u << 4 | (small::product(of_u, A) ^ k);
        let w = of_w << 4 | (small::product(of_w, A) ^ k);
        tables[0][n as usize] = images[OUT_OF[u as usize] as usize] ^ images[0];
        tables[1][n as usize] = images[OUT_OF[w as usize] as usize] ^ images[0];
        n += 1;
    }
    tables
}

/// 1/n.
pub const INVERSE: Table = reciprocals(1);

/// a/n.
pub const A_OVER: Table = reciprocals(A);

const fn reciprocals(of: u8) -> Table {
    let mut table = [INFINITY; 16];
    let mut n = 1;
    while n < 16 {
        table[n as usize] = small::product(of, small::inverse(n));
        n += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shuffle does.
    fn look_up(table: &Table, place: u8) -> u8 {
        if place & INFINITY != 0 { 0 } else { table[usize::from(place & 15)] }
    }

    #[test]
    fn every_byte_is_inverted() {
        let same: Images = std::array::from_fn(|byte| byte as u8);
        let [first, second] = of_inverse(&same);
        for byte in 0..=255 {
            let z = into(byte);
            let (i, k) = (z >> 4, z & 15);
            let over = look_up(&A_OVER, k);
            let io = look_up(&INVERSE, look_up(&INVERSE, i) ^ over) ^ i ^ k;
            let jo = look_up(&INVERSE, look_up(&INVERSE, i ^ k) ^ over) ^ i;
            let inverse = look_up(&first, io) ^ look_up(&second, jo);
            assert_eq!(times(byte, inverse), u8::from(byte != 0), "{byte:02x}");
        }
    }
}
