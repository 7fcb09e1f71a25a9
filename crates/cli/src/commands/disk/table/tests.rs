//! Lines as they stand on a terminal.

use super::*;

fn row(cipher: &str, test: &str) -> Row {
    Row {
        store: "memory".to_owned(),
        cipher: cipher.to_owned(),
        variant: "best".to_owned(),
        key_bits: if cipher == "none" { 0 } else { 256 },
        test: Some(test.to_owned()),
        load: Some(4.43),
        elapsed_ns: Some(104_140_000_000),
        cpu_percent: Some(5.2),
        cpu_s_per_gib: Some(2.7),
        bytes: Some(2_147_483_648),
        bytes_per_second: Some(20_621_000.0),
        factor: Some(0.36),
        ..Row::default()
    }
}

#[test]
fn a_name_and_its_driver_stand_beside_the_tests() {
    let mut table = Table::new(Subject::Ciphers, 2 << 30);
    let driver = "adiantum(xchacha12-simd,aes-aesni,nhpoly1305-avx2)";
    let mut text = table.heading();
    for test in ["w", "r"] {
        text += &table.row(&row("none", test));
    }
    for test in ["w", "r"] {
        let row = row("xchacha12,aes-adiantum-plain64", test);
        text += &table.row(&Row { driver: Some(driver.to_owned()), ..row });
    }
    text += &table.end();
    assert_eq!(
        text,
        "cipher                   key  test   load   elapsed  CPU %       bytes      MB/s   factor  CPU s/GiB
none                             w   4.43  01:44.14      5  2147483648      20.6   0.36        2.700
                                 r   4.43  01:44.14      5  2147483648      20.6   0.36        2.700
xchacha12,aes-           256     w   4.43  01:44.14      5  2147483648      20.6   0.36        2.700
adiantum-plain64                 r   4.43  01:44.14      5  2147483648      20.6   0.36        2.700
  adiantum(xchacha12-
  simd,aes-aesni,
  nhpoly1305-avx2)
"
    );
}

#[test]
fn what_is_absent_says_why_in_its_line() {
    let mut table = Table::new(Subject::Ciphers, 1 << 20);
    let absent = |cipher: &str, why: &str| Row {
        test: None,
        absent: Some(why.to_owned()),
        ..row(cipher, "")
    };
    let text = table.row(&absent("tnepres-cbc-plain64", "removed in Linux 5.13"));
    assert_eq!(text, "tnepres-cbc-plain64         256  absent: removed in Linux 5.13\n");
    let long = "this kernel's aegis128 and what it needs are not configured: CONFIG_CRYPTO_AEGIS128 \
                is not set in its configuration";
    let text = table.row(&absent("aegis128-random", long));
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
    assert_eq!(table.end(), "");
}

#[test]
fn what_is_wrong_is_shouted_below_what_was_measured() {
    let mut table = Table::new(Subject::Ciphers, 1 << 20);
    let first = row("aes-xts-plain64", "w");
    table.row(&first);
    let why = "what was read is not what was written, from sector 8 on";
    let wrong = Row { test: None, wrong: Some(why.to_owned()), ..first };
    assert_eq!(table.row(&wrong).trim(), format!("WRONG: {why}"));
}

#[test]
fn lines_are_never_too_wide() {
    for bytes in [1 << 20, 2 << 30, 1 << 40] {
        for subject in [Subject::Ciphers, Subject::Options] {
            let mut table = Table::new(subject, bytes);
            let row = Row {
                bytes: Some(bytes),
                options: vec!["no_read_workqueue".to_owned()],
                sector_bytes: Some(4096),
                bytes_per_second: Some(98_765_432_100.0),
                route: Some("RustCrypto twofish 0.8.0-rc.1".to_owned()),
                ..row("twofish-xts-plain64", "w2")
            };
            let text = table.heading() + &table.row(&row) + &table.end();
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        }
    }
}

#[test]
fn options_are_rows_of_their_own() {
    let mut table = Table::new(Subject::Options, 1 << 28);
    let with = |options: &[&str], sector_bytes| Row {
        options: options.iter().map(|it| (*it).to_owned()).collect(),
        sector_bytes: Some(sector_bytes),
        ..row("aes-xts-plain64", "w")
    };
    let names = [
        table.row(&row("none", "w")),
        table.row(&with(&[], 512)),
        table.row(&with(&["no_read_workqueue"], 512)),
        table.row(&with(&["no_read_workqueue", "no_write_workqueue"], 4096)),
    ];
    let firsts: Vec<&str> = names.iter().map(|it| it.split("  ").next().expect("a cell")).collect();
    assert_eq!(firsts, ["no encryption", "the standard", "no_read_workqueue", "both"]);
    assert!(names[3].contains(" 4096 "), "{}", names[3]);
}

#[test]
fn pieces_break_where_words_do() {
    assert_eq!(pieces("aes-xts-plain64", 20, ""), ["aes-xts-plain64"]);
    assert_eq!(pieces("aes-xts-plain64", 9, "  "), ["  aes-", "  xts-", "  plain64"]);
    assert_eq!(pieces("one two three", 7, ""), ["one two", "three"]);
}
