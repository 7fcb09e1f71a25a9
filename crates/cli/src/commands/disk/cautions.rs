//! What must be said of ciphers that are measured here and had better not be used.

use wirespeed_disk::{Cipher, Iv, Mode, Specification};
use wirespeed_results::schema::disk::Row;

/// A reason to be careful.
struct Caution {
    /// Whether it is one to use something else.
    forbids: bool,
    applies: fn(Cipher, Mode, Iv) -> bool,
    words: &'static str,
}

/// Blocks of 64 bits: 2^32 of them are 32 GiB.
const SMALL_BLOCK: usize = 8;

const CAUTIONS: &[Caution] = &[
    Caution {
        forbids: true,
        applies: |cipher, _, _| matches!(cipher, Cipher::Arc4),
        words: "no protection: a sector has the same key stream whenever it is written, so two versions of \
                it give each other away",
    },
    Caution {
        forbids: true,
        applies: |cipher, mode, _| mode == Mode::Ecb && !matches!(cipher, Cipher::Arc4),
        words: "next to no protection: equal blocks stay equal, and files show their patterns",
    },
    Caution {
        forbids: true,
        applies: |_, _, iv| iv == Iv::Null,
        words: "the same IV for every sector: those that are equal stay equal",
    },
    Caution {
        forbids: true,
        applies: |cipher, _, _| matches!(cipher, Cipher::Tea | Cipher::Xeta),
        words: "for old disks alone: every key of TEA has three others that do the same, and XETA is XTEA \
                written wrongly",
    },
    Caution {
        forbids: true,
        applies: |cipher, _, _| matches!(cipher, Cipher::Anubis | Cipher::Khazad | Cipher::Tnepres),
        words: "obsolete: hardly studied since their competition, and found in few kernels",
    },
    Caution {
        forbids: true,
        applies: |cipher, _, _| cipher.block_bytes() == SMALL_BLOCK,
        words: "blocks of 64 bits: beyond 32 GiB under one key (2^32 blocks, the birthday bound) equal \
                blocks are to be expected, and each pair tells something",
    },
    Caution {
        forbids: false,
        applies: |_, _, iv| iv == Iv::Plain,
        words: "sectors counted with 32 bits: beyond 2 TiB IVs come again; those of plain64 do not",
    },
    Caution {
        forbids: false,
        applies: |_, mode, iv| mode == Mode::Cbc && matches!(iv, Iv::Plain | Iv::Plain64),
        words: "watermarks: with CBC and IVs that anybody can count, a prepared file is recognised \
                without the key",
    },
    Caution {
        forbids: false,
        applies: |_, mode, _| mode == Mode::Cbc,
        words: "CBC: whoever can write to the disk flips chosen bits, at the price of the block before \
                them; XTS and Adiantum are today's choice",
    },
];

/// Names in a sentence before the rest is only counted.
const NAMED: usize = 6;

/// Whether a cipher of that name is fit for a disk; nothing for what is no cipher.
pub(super) fn is_fit(cipher: &str) -> Option<bool> {
    let Ok(Specification::Encrypted(cipher, mode, iv)) = cipher.parse() else { return None };
    Some(!CAUTIONS.iter().any(|it| it.forbids && (it.applies)(cipher, mode, iv)))
}

/// A sentence for each caution about what was measured.
pub(super) fn cautions(rows: &[Row]) -> Vec<String> {
    let mut measured: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.test.is_some()) {
        if !measured.contains(&row.cipher.as_str()) {
            measured.push(&row.cipher);
        }
    }
    let sentence = |caution: &Caution| {
        let named = measured.iter().filter(|name| match name.parse() {
            Ok(Specification::Encrypted(cipher, mode, iv)) => (caution.applies)(cipher, mode, iv),
            _ => false,
        });
        let named: Vec<&str> = named.copied().collect();
        let more = match named.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let some = named.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        (!named.is_empty()).then(|| format!("{some}{more}: {}.", caution.words))
    };
    CAUTIONS.iter().filter_map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ciphers: &[&str]) -> String {
        let row = |cipher: &&str| Row {
            cipher: (*cipher).to_owned(),
            test: Some("w".to_owned()),
            ..Row::default()
        };
        cautions(&ciphers.iter().map(row).collect::<Vec<_>>()).join("\n")
    }

    #[test]
    fn only_what_was_measured_is_spoken_of() {
        assert_eq!(of(&["none", "aes-xts-plain64", "xchacha12,aes-adiantum-plain64"]), "");
        let absent = Row { cipher: "tea-cbc-plain64".to_owned(), ..Row::default() };
        assert_eq!(cautions(&[absent]), [""; 0]);
    }

    #[test]
    fn each_weakness_has_its_sentence() {
        for (cipher, words) in [
            ("arc4-ecb", "arc4-ecb: no protection"),
            ("aes-ecb", "aes-ecb: next to no protection"),
            ("aes-cbc-null", "the same IV"),
            ("tea-cbc-plain64", "every key of TEA"),
            ("xeta-cbc-plain64", "XTEA written wrongly"),
            ("tnepres-cbc-plain64", "obsolete"),
            ("blowfish-cbc-plain64", "beyond 32 GiB"),
            ("aes-xts-plain", "beyond 2 TiB"),
            ("aes-cbc-plain64", "watermarks"),
            ("aes-cbc-essiv:sha256", "flips chosen bits"),
        ] {
            assert!(of(&[cipher]).contains(words), "{cipher}: {}", of(&[cipher]));
        }
        assert!(!of(&["aes-cbc-essiv:sha256"]).contains("watermarks"));
        let small = "blowfish-cbc-plain64, xtea-cbc-plain64: blocks of 64 bits";
        assert!(of(&["blowfish-cbc-plain64", "xtea-cbc-plain64"]).contains(small));
        let many = ["aes", "anubis", "camellia", "cast6", "serpent", "tnepres", "twofish", "xtea"];
        let many = many.map(|cipher| format!("{cipher}-cbc-essiv:sha256"));
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(of(&many).contains("tnepres-cbc-essiv:sha256 and 1 more: CBC"), "{}", of(&many));
    }

    #[test]
    fn some_are_fit_for_a_disk() {
        for (cipher, fit) in [
            ("aes-xts-plain64", Some(true)),
            ("aes-cbc-plain", Some(true)),
            ("arc4-ecb", Some(false)),
            ("khazad-cbc-plain64", Some(false)),
            ("none", None),
        ] {
            assert_eq!(is_fit(cipher), fit, "{cipher}");
        }
    }
}
