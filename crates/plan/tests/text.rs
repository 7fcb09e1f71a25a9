//! The format: good plans come back as they were written, and everything else is one line of error.

#![forbid(unsafe_code)]

use proptest::prelude::*;
use wirespeed_cipher::{Algorithm, Digest, Direction, Route, SIZE_CLASSES, Subject, Use};
use wirespeed_plan::{Fingerprint, LARGEST, Offload, Plan, Reason, Row, Time};

const HEAD: &str = "wirespeed-plan 1\ncpu GenuineIntel 6/143/8 Xeon\nmicrocode 0x2b\nkernel 6.1.0\n\
    libcrypto 3.0.18\nwirespeed 0.1.0\n";

/// Every row of one direction.
fn rows(name: &str) -> String {
    SIZE_CLASSES.map(|size| format!("{name} {size} vaes512\n")).concat()
}

fn error(text: &str) -> String {
    let error = Plan::parse(text).expect_err("no plan").to_string();
    assert!(error.starts_with("line ") && error.lines().count() == 1, "{error}");
    error
}

#[test]
fn the_shortest_plans() {
    assert_eq!(Plan::parse(HEAD).expect("a plan").rows().count(), 0);
    let text = format!("# remark\n\n{HEAD}\t{}", rows("AES-128-CTR enc")).replace('\n', "\r\n");
    let plan = Plan::parse(&text).expect("a plan");
    assert_eq!(plan.rows().count(), SIZE_CLASSES.len());
    let ctr = "AES-128-CTR".parse().expect("known");
    assert_eq!(plan.routes(ctr, Direction::Decrypt), Some([Route::Vaes512; 13]));
    let facts: Vec<_> = plan.fingerprint().facts().collect();
    assert_eq!(facts[0], ("cpu", "GenuineIntel 6/143/8 Xeon"));
}

#[test]
fn digests_have_one_route() {
    let text = format!("{HEAD}digest SHA1 padlock\ndigest SM3 portable\n");
    let plan = Plan::parse(&text).expect("a plan");
    let claimed = [(Digest::Sha1, Route::PadLock), (Digest::Sm3, Route::Portable)];
    assert_eq!(plan.digests().collect::<Vec<_>>(), claimed);
    assert_eq!(Plan::parse(&plan.to_string()), Ok(plan));
    for (line, told) in [
        ("digest SHA1", "line 7: after digest come two words"),
        ("digest SHA1 padlock 1", "line 7: after digest come two words"),
        ("digest MD4 padlock", "line 7: unknown digest 'MD4': choose from "),
        ("digest sha1 padlock", "line 7: 'sha1' is written SHA1"),
        ("digest SHA1 warp", "line 7: unknown route 'warp'"),
        ("digest SHA1 libcrypto", "line 7: SHA1 is left to libcrypto"),
        ("digest SHA1 padlock\ndigest SHA1 portable", "line 8: a second SHA1"),
    ] {
        let error = error(&format!("{HEAD}{line}\n"));
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn what_has_no_rows_has_a_line_for_the_kernel() {
    let lines = "offload MD5 hash 1\noffload SHA1 hash 4096\noffload DES-EDE3-CBC enc 16384\n\
                 offload DES-EDE3-CBC dec 8192\n";
    let plan = Plan::parse(&format!("{HEAD}{lines}")).expect("a plan");
    let subject = |name: &str| name.parse::<Subject>().expect("known");
    let route = Route::Kernel;
    let offload =
        |name, direction, bytes| Offload { subject: subject(name), direction, bytes, route };
    use Direction::{Decrypt, Encrypt};
    let expected = [
        offload("MD5", Encrypt, 1),
        offload("SHA1", Encrypt, 4096),
        offload("DES-EDE3-CBC", Encrypt, 16384),
        offload("DES-EDE3-CBC", Decrypt, 8192),
    ];
    assert_eq!(plan.offloads().collect::<Vec<_>>(), expected);
    assert!(plan.to_string().ends_with(lines));
    // A hash is the same both ways; what has no line stays.
    assert_eq!(plan.offload(subject("SHA1"), Decrypt).map(|it| it.bytes), Some(4096));
    assert_eq!(plan.offload(subject("MD5"), Decrypt).map(|it| it.bytes), Some(1));
    for name in ["MD4", "DES-EDE3-ECB", "AES-128-CBC"] {
        assert_eq!(plan.offload(subject(name), Encrypt), None);
    }
    for (line, told) in [
        ("offload MD5 hash", "line 7: after offload come three words"),
        ("offload MD5 hash 16 x", "line 7: unknown route 'x'"),
        ("offload MD5 hash 16 kernel 1", "line 7: '1' is a word too many"),
        ("offload MD5 hash 16 aesni", "line 7: aesni is no way to Linux's crypto"),
        ("offload MD6 hash 16", "line 7: unknown algorithm 'MD6'"),
        ("offload md5 hash 16", "line 7: 'md5' is written MD5"),
        ("offload MD5 enc 16", "line 7: unknown direction 'enc' of MD5: choose from hash"),
        ("offload BF-CBC hash 16", "line 7: unknown direction 'hash' of BF-CBC: choose from enc d"),
        ("offload MD5 hash 0", "line 7: '0' is no number of bytes"),
        ("offload MD5 hash +1", "line 7: '+1' is no number of bytes"),
        ("offload MD5 hash 99999999999999999999", "line 7: '99999999999999999999' is no number"),
        ("offload AES-128-CBC enc 16", "line 7: the route of AES-128-CBC stands in its rows"),
        ("offload AES-128-CCM enc 16", "line 7: AES-128-CCM has no route but libcrypto"),
        ("offload HMAC-SHA1 hash 16", "line 7: HMAC-SHA1 has no route but libcrypto"),
        ("offload MD5 hash 1\noffload MD5 hash 2", "line 8: a second offload of MD5 hash"),
        ("digest SHA1 kernel", "line 7: kernel serves SHA1 from some length on: offload SHA1"),
        ("digest SHA1 devcrypto", "line 7: devcrypto serves SHA1 from some length on: offload"),
    ] {
        let error = error(&format!("{HEAD}{line}\n"));
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn a_plan_names_the_drivers_that_were_measured() {
    let lines = "driver AES-128-CBC virtio_crypto_aes_cbc\ndriver SHA1 sha1-avx2\n\
                 driver DES-EDE3-CBC cbc(des3_ede-generic)\n";
    let plan = Plan::parse(&format!("{HEAD}{lines}")).expect("a plan");
    let driver = |name: &str| plan.driver(name.parse().expect("known"), Route::Kernel);
    assert_eq!(driver("SHA1"), Some("sha1-avx2"));
    assert_eq!(driver("DES-EDE3-CBC"), Some("cbc(des3_ede-generic)"));
    assert_eq!(driver("AES-256-CBC"), None);
    assert!(plan.to_string().ends_with(lines));
    let long = format!("driver MD5 {}", "x".repeat(128));
    for (line, told) in [
        ("driver MD5", "line 7: after driver come two words: algorithm, driver"),
        ("driver MD5 md5 generic", "line 7: unknown route 'generic'"),
        ("driver MD6 md6-generic", "line 7: unknown algorithm 'MD6'"),
        ("driver MD5 md5-génerique", "line 7: 'md5-génerique' is no driver: ASCII, at most 127"),
        (&long, "line 7: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…' is no driver"),
        ("driver MD5 a\ndriver MD5 b", "line 8: a second driver of MD5"),
    ] {
        let error = error(&format!("{HEAD}{line}\n"));
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn each_way_to_linux_s_crypto_has_its_lines() {
    let lines = "offload MD5 hash 16\noffload SHA1 hash 4096 devcrypto\n\
                 driver AES-128-CBC cbc-aes-a\ndriver AES-128-CBC cbc-aes-b devcrypto\n";
    let plan = Plan::parse(&format!("{HEAD}{lines}")).expect("a plan");
    assert!(plan.to_string().ends_with(lines));
    let subject = |name: &str| name.parse::<Subject>().expect("known");
    let way = |name| plan.offload(subject(name), Direction::Encrypt).map(|it| it.route);
    assert_eq!([way("MD5"), way("SHA1")], [Some(Route::Kernel), Some(Route::DevCrypto)]);
    let driver = |route| plan.driver(subject("AES-128-CBC"), route);
    assert_eq!(Route::OFFLOADS.map(driver), [Some("cbc-aes-a"), Some("cbc-aes-b")]);
    // What may not go one way goes the second best: the other, if that may.
    let text =
        format!("{HEAD}{}", rows("AES-256-CTR enc")).replace("65536 vaes512", "65536 devcrypto");
    let plan = Plan::parse(&text).expect("a plan");
    let ctr = "AES-256-CTR".parse().expect("known");
    let last = |may: fn(Route) -> bool| {
        plan.routes_with(ctr, Direction::Encrypt, may).expect("claimed")[12]
    };
    assert_eq!(last(|_| true), Route::DevCrypto);
    assert_eq!(last(|route| route == Route::Kernel), Route::Libcrypto);
}

#[test]
fn the_kernel_is_a_route_of_ciphers_whose_state_is_an_iv() {
    let text =
        |name: &str| format!("{HEAD}{}", rows(name)).replace("65536 vaes512", "65536 kernel");
    let plan = Plan::parse(&text("AES-256-CTR enc")).expect("a plan");
    let ctr = "AES-256-CTR".parse().expect("known");
    let routes = plan.routes(ctr, Direction::Encrypt).expect("claimed");
    assert_eq!(routes[11..], [Route::Vaes512, Route::Kernel]);
    assert_eq!(error(&text("AES-128-GCM enc")), "line 16: AES-128-GCM has no route kernel");
}

#[test]
fn constant_time_is_a_line_and_the_last_word_of_rows() {
    let row = "AES-128-CTR enc 16 avx2 rekey 81.4+-0.3 ssse3 90.0+-0.4 66.7+-0.2 constant-time";
    let others = rows("AES-128-CTR enc").replacen("AES-128-CTR enc 16 vaes512", row, 1);
    let text = format!("{HEAD}constant-time\n{others}");
    let plan = Plan::parse(&text).expect("a plan");
    assert!(plan.is_for_constant_time());
    let forced = |row: &&Row| row.reason.is_some_and(|reason| reason.constant_time);
    assert_eq!(plan.rows().filter(forced).map(|row| row.size).collect::<Vec<_>>(), [16]);
    assert_eq!(Plan::parse(&plan.to_string()).as_ref(), Ok(&plan));
    let here = Fingerprint::here("3.0.19");
    assert!(plan.made_for(here).is_for_constant_time());
    assert!(!Plan::parse(HEAD).expect("a plan").is_for_constant_time());
    for (text, told) in [
        (format!("{HEAD}{others}"), "line 7: constant-time in a plan that has no such line"),
        (format!("{HEAD}constant-time\nconstant-time\n"), "line 8: a second constant-time"),
        (format!("{HEAD}constant-time yes\n"), "line 7: 'constant-time' begins no fact and no row"),
        (text.replacen("avx2", "libcrypto", 1), "line 8: constant-time is no reason for libcrypto"),
        (text.replacen("avx2", "kernel", 1), "line 8: constant-time is no reason for kernel"),
        (
            format!("{HEAD}constant-time\nAES-128-CTR enc 16 avx2 constant-time\n"),
            "line 8: after the route come five words or none",
        ),
    ] {
        let error = error(&text);
        assert!(error.starts_with(told), "{error}");
    }
}

#[test]
fn the_head_is_checked() {
    assert_eq!(error(""), "line 1: a plan begins with 'wirespeed-plan 1'");
    assert_eq!(error("\n# x\nkernel 6\n"), "line 3: a plan begins with 'wirespeed-plan 1'");
    let told = error("wirespeed-plan 2\n");
    assert!(
        told.starts_with("line 1: version 2 of the format") && told.ends_with("wirespeed tune")
    );
    let named = format!("{HEAD}features aes vaes\n");
    let plan = Plan::parse(&named).expect("a plan");
    assert_eq!(plan.fingerprint().facts().last(), Some(("features", "aes vaes")));
    assert_eq!(Plan::parse(&plan.to_string()), Ok(plan));
    let older = Plan::parse(HEAD).expect("a plan");
    assert!(!older.to_string().contains("features") && older != Plan::parse(&named).unwrap());
    assert_eq!(error(&format!("{named}features aes\n")), "line 8: a second features");
    let told = error(&HEAD.replace("kernel 6.1.0\n", ""));
    assert_eq!(told, "line 5: the plan ends without a line for kernel");
    assert_eq!(error(&format!("{HEAD}kernel 6.1.0\n")), "line 7: a second kernel");
    assert_eq!(error(&HEAD.replace("0x2b", " ")), "line 3: microcode has no value");
}

#[test]
fn rows_are_checked() {
    let good = format!("{HEAD}{}", rows("AES-256-CTR enc"));
    for (from, to, told) in [
        (" 64 ", " 65 ", "line 8: unknown size '65': choose from 16 64"),
        (" 64 ", " +64 ", "line 8: unknown size '+64'"),
        (" enc 64 ", " dec 64 ", "line 8: unknown direction 'dec' of AES-256-CTR: choose from enc"),
        ("AES-256-CTR enc 64 ", "AES-257-CTR enc 64 ", "line 8: unknown algorithm 'AES-257-CTR'"),
        ("AES-256-CTR enc 64 ", "aes-256-ctr enc 64 ", "line 8: 'aes-256-ctr' is written AES-256"),
        ("64 vaes512", "64 warp", "line 8: unknown route 'warp': choose from vaes512"),
        ("64 vaes512", "64", "line 8: 'AES-256-CTR' begins no fact and no row of four words"),
        ("64 vaes512", "64 vaes512 message", "line 8: after the route come five words or none"),
        ("64 vaes512", "16 vaes512", "line 8: a second AES-256-CTR enc 16"),
        ("1420 vaes512", "1420 aesni", "line 7: AES-256-CTR enc needs one route for 1024 and 1420"),
        ("AES-256-CTR enc 64 vaes512\n", "", "line 7: AES-256-CTR enc 64 is missing"),
        ("64 vaes512", "64 vaes512 daily 1.0+-0.0 aesni 1.0+-0.0 1.0+-0.0", "line 8: unknown use"),
        ("64 vaes512", "64 vaes512 stream 1 aesni 1.0+-0.0 1.0+-0.0", "line 8: '1' is no time"),
        ("64 vaes512", "64 vaes512\u{1b}[2J", "line 8: a control character"),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good, "{from}");
        let error = error(&changed);
        assert!(error.starts_with(told), "{error}");
    }
    let told = error(&format!("{HEAD}{}", rows("AES-256-GCM enc")));
    assert_eq!(
        told,
        "line 7: AES-256-GCM dec 16 is missing: an algorithm has all its rows or none"
    );
}

#[test]
fn sizes_of_the_file_and_its_lines_are_limited() {
    assert_eq!(error(&format!("{HEAD}{:257}\n", "")), "line 7: a line has at most 256 bytes");
    let long = format!("{HEAD}{}", "\n".repeat(LARGEST));
    assert_eq!(error(&long), format!("line 1: a plan has at most {LARGEST} bytes"));
    // A long word is not repeated whole.
    let told = error(&format!("{HEAD}{} enc 16 aesni\n", "x".repeat(200)));
    assert!(told.starts_with(&format!("line 7: unknown algorithm '{}…'", "x".repeat(32))));
}

fn a_time() -> impl Strategy<Value = Time> {
    (0.0..1e9, 0.0..1e6).prop_map(|(nanos, spread)| Time::new(nanos, spread))
}

fn a_route() -> impl Strategy<Value = Route> {
    prop::sample::select(Route::ALL.to_vec())
}

fn a_reason() -> impl Strategy<Value = Reason> {
    let usage = prop::sample::select(Use::ALL.to_vec());
    (usage, a_time(), a_route(), a_time(), a_time(), any::<bool>()).prop_map(
        |(usage, time, second, second_time, libcrypto, constant_time)| Reason {
            usage,
            time,
            second,
            second_time,
            libcrypto,
            constant_time,
        },
    )
}

/// Lines of things that have no rows.
fn some_offloads() -> impl Strategy<Value = Vec<Offload>> {
    let names = ["SHA1", "SM3", "MD5", "SHA3-512", "DES-CBC", "DES-EDE3-CBC", "BF-CBC"];
    let subject = prop::sample::select(names.map(|name| name.parse().expect("known")).to_vec());
    let direction = prop::sample::select(Direction::BOTH.to_vec());
    let route = prop::sample::select(Route::OFFLOADS.to_vec());
    let offload = (subject, direction, 1..usize::MAX, route);
    let offload = offload.prop_map(|(subject, direction, bytes, route)| Offload {
        subject,
        direction,
        bytes,
        route,
    });
    prop::collection::vec(offload, 0..6)
}

/// Plans as they can be: some algorithms, all their rows, one route for 1024 and 1420.
fn a_plan() -> impl Strategy<Value = Plan> {
    let cells = prop::collection::vec((a_route(), prop::option::of(a_reason())), 20);
    let algorithm = prop::sample::select(Algorithm::ALL.to_vec());
    let algorithms = prop::collection::vec((algorithm, cells), 0..4);
    (algorithms, some_offloads(), any::<bool>()).prop_map(
        |(algorithms, offloads, constant_time)| {
            let plan = Plan::new(Fingerprint::here("3.0.18"));
            let mut plan = if constant_time { plan.for_constant_time() } else { plan };
            for (algorithm, cells) in algorithms {
                for &direction in algorithm.directions() {
                    for (class, size) in SIZE_CLASSES.into_iter().enumerate() {
                        let (mut route, mut reason) = cells[10 * direction as usize + class];
                        if size == 1420 {
                            route = cells[10 * direction as usize + class - 1].0;
                        }
                        if algorithm.mode().has_tag() && route.is_offload() {
                            route = Route::Libcrypto;
                        }
                        let is_ours = route.is_own();
                        if let Some(reason) = &mut reason {
                            reason.constant_time &= constant_time && is_ours;
                        }
                        plan.put(Row { algorithm, direction, size, route, reason });
                    }
                }
            }
            for offload in offloads {
                plan.put_offload(offload);
                plan.put_driver(
                    offload.subject,
                    offload.route,
                    &format!("driver-{}", offload.bytes),
                );
            }
            plan
        },
    )
}

proptest! {
    #[test]
    fn a_plan_comes_back_as_it_was_written(plan in a_plan()) {
        let text = plan.to_string();
        let again = Plan::parse(&text).expect("our own text");
        prop_assert_eq!(again.to_string(), text);
        prop_assert_eq!(again, plan);
    }

    #[test]
    fn arbitrary_text_is_a_plan_or_one_line_of_error(text in any::<String>()) {
        if let Err(error) = Plan::parse(&text) {
            prop_assert_eq!(error.to_string().lines().count(), 1);
        }
    }

    /// Arbitrary bytes in place of some of a good plan's: what is still a plan is written and read
    /// again, and what is not is told in one line.
    #[test]
    fn a_mutated_plan_is_a_plan_or_one_line_of_error(
        plan in a_plan(),
        at in any::<prop::sample::Index>(),
        length in 0_usize..40,
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut text = plan.to_string().into_bytes();
        let start = at.index(text.len());
        let end = (start + length).min(text.len());
        text.splice(start..end, bytes);
        match Plan::parse(&String::from_utf8_lossy(&text)) {
            Ok(plan) => prop_assert_eq!(Plan::parse(&plan.to_string()), Ok(plan)),
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
        }
    }

    /// The same through a file, which need not be text.
    #[test]
    fn a_file_of_arbitrary_bytes_is_a_plan_or_one_line_of_error(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let path = std::env::temp_dir().join(format!("wirespeed-plan-{}", std::process::id()));
        std::fs::write(&path, [HEAD.as_bytes(), &bytes].concat()).expect("written");
        let result = Plan::read(&path);
        std::fs::remove_file(&path).expect("removed");
        if let Err(error) = result {
            prop_assert!(error.to_string().starts_with("line "), "{}", error);
        }
    }
}
