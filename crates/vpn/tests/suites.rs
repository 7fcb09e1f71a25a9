//! Every suite through every candidate: the same packets, opened by one another, and nothing that was changed.

#![forbid(unsafe_code)]

use wirespeed_bench::{Absent, Harness};
use wirespeed_cipher::Direction;
use wirespeed_cpu::Features;
use wirespeed_libcrypto::Library;
use wirespeed_vpn::{Candidate, Case, Gateway, Sizes, Suite, measure, prove};

const ALL: [Candidate; 3] = [Candidate::Host, Candidate::Ours, Candidate::Many];

fn harness() -> Harness {
    let library = Library::host().expect("these tests need libcrypto");
    Harness::new(Ok(library), Features::detect())
}

#[test]
fn every_suite_is_proved() {
    let harness = harness();
    let gateway = Gateway::new(&harness);
    for suite in Suite::ALL {
        let here = ALL.iter().filter(|it| gateway.end(**it, suite, Direction::Encrypt).is_ok());
        // 33 packets that come back, and 4 changes in each of them.
        let checks = prove(&gateway, suite, &ALL).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(checks, here.count() * 33 * 5, "{suite}");
        if let Err(why) = gateway.end(Candidate::Host, suite, Direction::Encrypt) {
            panic!("this OpenSSL has every cipher: {why}");
        }
    }
}

#[test]
fn rows_have_figures_or_a_reason() {
    let harness = harness();
    let gateway = Gateway::new(&harness);
    for (keyword, sizes) in [("aes128-sha256", Sizes::Imix), ("3des-sha1", Sizes::Fixed(64))] {
        let suite: Suite = keyword.parse().expect("a suite");
        for direction in Direction::BOTH {
            let case = Case { suite, direction, sizes, threads: 2 };
            let rows = measure(&gateway, &case, &ALL, 0.001, &|| ()).rows;
            assert_eq!(rows.len(), ALL.len());
            for row in rows {
                let figures = [row.packets_per_second, row.bytes_per_second, row.cpu_ns];
                let latencies = [row.median_ns, row.p90_ns, row.p99_ns];
                let is_measured = |it: &Option<f64>| it.is_some_and(|figure| figure > 0.0);
                match row.absent {
                    None => assert!(figures.iter().chain(&latencies).all(is_measured), "{row:?}"),
                    Some(_) => assert!(figures.iter().chain(&latencies).all(Option::is_none)),
                }
                assert!(latencies[0] <= latencies[1] && latencies[1] <= latencies[2], "{row:?}");
            }
        }
    }
}

/// Without OpenSSL the kernels are left, for the suites that have some.
#[test]
fn a_machine_without_openssl_has_the_kernels() {
    let harness = Harness::new(Err(Absent("no libcrypto".to_owned())), Features::detect());
    let gateway = Gateway::new(&harness);
    let suite: Suite = "aes128gcm16".parse().expect("a suite");
    assert_eq!(prove(&gateway, suite, &ALL), Ok(33 * 5));
    let case = Case { suite, direction: Direction::Decrypt, sizes: Sizes::Fixed(256), threads: 1 };
    let rows = measure(&gateway, &case, &ALL, 0.001, &|| ()).rows;
    assert_eq!(rows[0].absent.as_deref(), Some("no libcrypto"));
    assert!(rows[2].packets_per_second.is_some());
}
