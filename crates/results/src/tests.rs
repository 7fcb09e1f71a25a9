//! Files as they are written, the articles' figures, and what is made of them side by side.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::compare::{compare, rank};
use crate::merit::widest_link;
use crate::schema::Document;
use crate::schema::bench::Row;
use crate::schema::compare::{Comparison, Section};
use crate::{Computer, Content, Purpose, Results, computers};

fn example(name: &str) -> Results {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let path = PathBuf::from(folder).join(format!("{name}.json"));
    let text = fs::read_to_string(path).expect("an example");
    Results::read(name, &text).expect("an example that can be read")
}

/// Rows of `wirespeed.bench/1`: algorithm, use, size, route, bytes in a second.
fn bench(label: &str, more: Value, rows: &[(&str, &str, usize, &str, f64)]) -> Results {
    let row = |(algorithm, usage, size, route, speed): &(&str, &str, usize, &str, f64)| {
        json!({
            "algorithm": algorithm, "direction": "enc", "use": usage, "size": size, "route": route,
            "door": "evp", "threads": 1, "bytes_per_second": speed, "median_ns": 100.0, "mad_ns": 0.1,
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    let mut document = json!({"schema": "wirespeed.bench/1", "version": "1", "rows": rows});
    let more = more.as_object().expect("more fields").clone();
    document.as_object_mut().expect("fields").extend(more);
    Results::read(label, &document.to_string()).expect("a result")
}

fn compared(files: &[Results]) -> Comparison {
    compare(&computers(files)).0
}

/// What must be known before the figures are believed.
fn warnings(files: &[Results]) -> Vec<String> {
    compare(&computers(files)).1
}

/// One figure of an example in bytes a second.
fn figure(example: &Results, algorithm: &str, size: usize, route: &str) -> f64 {
    let Content::Bench(bench) = &example.content else { panic!("not of wirespeed bench") };
    let is_it = |row: &&Row| {
        (row.algorithm.as_str(), row.size, row.route.as_str()) == (algorithm, size, route)
    };
    bench.rows.iter().find(is_it).expect("in the table").bytes_per_second
}

#[test]
fn the_articles_figures_are_exact() {
    let padlock = example("padlock-2005");
    for (algorithm, size, route, kilobytes) in [
        ("AES-128-ECB", 16, "libcrypto", 11_274.52),
        ("AES-128-ECB", 8192, "padlock", 1_832_151.72),
        ("AES-128-CBC", 64, "padlock", 241_898.79),
        ("AES-128-CBC", 8192, "libcrypto", 13_322.92),
    ] {
        assert_eq!(figure(&padlock, algorithm, size, route), (kilobytes * 1e3_f64).round());
    }
    // "PadLock in ECB mode is 120 times faster on the same processor, and CBC mode is 60 times faster."
    let gain = |algorithm| {
        figure(&padlock, algorithm, 8192, "padlock")
            / figure(&padlock, algorithm, 8192, "libcrypto")
    };
    assert!(gain("AES-128-ECB") > 120.0 && (60.0..65.0).contains(&gain("AES-128-CBC")));

    let alix = example("af-alg-alix-2011");
    assert_eq!(figure(&alix, "AES-128-CBC", 16, "kernel"), 531.45e3);
    assert_eq!(figure(&alix, "AES-128-CBC", 8192, "kernel"), 41_894.75e3);
    assert_eq!(figure(&alix, "AES-128-CBC", 1024, "libcrypto"), 8141.89e3);
    assert_eq!(figure(&alix, "AES-256-CBC", 8192, "kernel"), 6229.84e3);
    let desktop = example("af-alg-desktop-2011");
    assert_eq!(figure(&desktop, "AES-128-CBC", 8192, "libcrypto"), 185_925.63e3);
    assert_eq!(figure(&desktop, "AES-192-CBC", 256, "kernel"), 70_381.14e3);
    assert_eq!(figure(&desktop, "SHA1", 16, "kernel"), 1762.78e3);
    let kirkwood = example("af-alg-kirkwood-2012");
    assert_eq!(figure(&kirkwood, "AES-128-CBC", 1024, "kernel"), 12_133.72e3);
    assert_eq!(figure(&kirkwood, "AES-256-CBC", 8192, "cryptodev"), 21_624.15e3);
    assert_eq!(figure(&kirkwood, "MD5", 2048, "libcrypto"), 86_349.14e3);

    let (prime, apu) = (example("ipfire-prime-box-2015"), example("ipfire-apu1c-2015"));
    for (algorithm, [of_prime, of_apu]) in [
        ("AES-256-GCM", [15.02, 11.11]),
        ("AES-128-GCM", [19.49, 14.46]),
        ("AES-256-CBC", [18.72, 31.24]),
        ("AES-128-CBC", [26.22, 42.65]),
        ("CAMELLIA-256-CBC", [21.29, 35.02]),
        ("CAMELLIA-128-CBC", [28.10, 45.56]),
        ("SHA2-512", [28.50, 32.02]),
        ("SHA2-256", [63.95, 37.67]),
        ("SHA1", [134.74, 81.40]),
        ("MD5", [192.83, 146.06]),
    ] {
        assert_eq!(figure(&prime, algorithm, 1024, "libcrypto"), (of_prime * 1e6_f64).round());
        assert_eq!(figure(&apu, algorithm, 1024, "libcrypto"), (of_apu * 1e6_f64).round());
    }
}

/// How many figures there are in all: none was lost, none invented.
#[test]
fn the_examples_are_whole() {
    for (name, rows) in [
        ("padlock-2005", 4 * 5),
        ("af-alg-desktop-2011", 8 * 5),
        ("af-alg-alix-2011", 6 * 5),
        ("af-alg-kirkwood-2012", 14 * 5),
        ("ipfire-prime-box-2015", 10),
        ("ipfire-apu1c-2015", 10),
    ] {
        let example = example(name);
        let Content::Bench(bench) = &example.content else { panic!("not of wirespeed bench") };
        assert_eq!(bench.rows.len(), rows, "{name}");
        assert!(example.source.is_some() && example.machine.is_some(), "{name}");
    }
    let disk = example("dm-crypt-2007");
    assert!(matches!(&disk.content, Content::Disk(disk) if disk.rows.len() == 16));
}

/// The third article: GCM for the one, CBC for the other, hashes the other way round with exception of SHA512.
#[test]
fn the_two_boxes_of_2015_end_as_their_article_does() {
    let compared = compared(&[example("ipfire-prime-box-2015"), example("ipfire-apu1c-2015")]);
    let winner = |name: &str| {
        let row = compared.rows.iter().find(|row| row.name == format!("{name} 1 KiB"));
        row.unwrap_or_else(|| panic!("no row {name}")).winner
    };
    for name in ["AES-256-GCM enc", "AES-128-GCM enc", "SHA2-256", "SHA1", "MD5"] {
        assert_eq!(winner(name), Some(0), "{name}");
    }
    for name in ["AES-256-CBC enc", "AES-128-CBC enc", "CAMELLIA-128-CBC enc", "SHA2-512"] {
        assert_eq!(winner(name), Some(1), "{name}");
    }
    let vpn = &compared.verdicts[0];
    assert_eq!(vpn.purpose, "vpn");
    for words in [
        "VPN: it depends; with AES-GCM A (ipfire-prime-box-2015), 1.3x of B: AES-128-GCM, packets of 1024 bytes, 156 Mbit/s",
        "with CBC and a hash B (ipfire-apu1c-2015), 1.3x of A: AES-128-CBC with SHA1",
        "a core fills 100 Mbit/s",
        "Estimated from single algorithms",
    ] {
        assert!(vpn.sentence.contains(words), "no '{words}' in: {}", vpn.sentence);
    }
    // A packet takes the time of both: 1 / (1 / 42.65 + 1 / 81.40) = 27.986.
    let cbc = vpn.ranking.iter().find(|place| place.work.contains("CBC")).expect("CBC");
    assert!((cbc.bytes_per_second / 27.986e6 - 1.0).abs() < 1e-4, "{cbc:?}");
}

#[test]
fn of_a_machines_routes_the_best_counts_and_is_named() {
    let files = [example("padlock-2005"), example("af-alg-alix-2011")];
    let compared = compared(&files);
    let row = compared.rows.iter().find(|row| row.name == "AES-128-CBC enc 8 KiB").expect("a row");
    let [Some(padlock), Some(alix)] = row.figures.as_slice() else { panic!("{row:?}") };
    assert_eq!((padlock.by.as_str(), alix.by.as_str()), ("padlock", "kernel"));
    assert_eq!((padlock.ratio, row.winner), (Some(1.0), Some(0)));
    assert!((row.lead.expect("a lead") - 846_402.90 / 41_894.75).abs() < 1e-9);
    // ECB was done by one alone: five sizes; CBC with longer keys by the other: ten.
    assert_eq!(compared.alone, [5, 10]);
}

#[test]
fn another_mode_of_use_is_shown_and_has_no_winner() {
    let article = example("ipfire-apu1c-2015");
    let here = bench("here", json!({}), &[("AES-128-GCM", "message", 1024, "vaes512", 1e9)]);
    let files = [article, here];
    let compared = compared(&files);
    let row = &compared.rows[0];
    assert_eq!((row.name.as_str(), row.winner), ("AES-128-GCM enc 1 KiB", None));
    assert_eq!(row.incomparable.as_deref(), Some("B: message, through EVP, 1 thread"));
    let warned = warnings(&files);
    assert!(warned[0].contains("1 of 1 rows are not of the same mode"), "{warned:?}");
    // Whoever did it both ways is compared with the same.
    let both = [
        ("AES-128-CBC", "message", 1024, "vaes512", 1e9),
        ("AES-128-CBC", "stream", 1024, "vaes512", 2e9),
    ];
    let compared = self::compared(&[
        bench("both", json!({}), &both),
        bench("stream", json!({}), &[("AES-128-CBC", "stream", 1024, "aesni", 1e9)]),
    ]);
    assert_eq!((compared.rows.len(), compared.rows[0].winner), (1, Some(0)));
    assert_eq!(compared.alone, [1, 0]);
}

#[test]
fn what_another_openssl_did_is_no_speed_of_the_machines() {
    let row = |openssl: Value, speed: f64| {
        json!({
            "algorithm": "AES-128-GCM", "direction": "enc", "use": "message", "size": 1420,
            "route": "libcrypto", "door": "evp", "threads": 1, "bytes_per_second": speed, "openssl": openssl,
        })
    };
    let rows = json!([row(Value::Null, 1e9), row("3.5.7".into(), 9e9)]);
    let document = json!({"schema": "wirespeed.bench/1", "rows": rows});
    let there = Results::read("there", &document.to_string()).expect("a result");
    let here = bench("here", json!({}), &[("AES-128-GCM", "message", 1420, "aesni", 2e9)]);
    let files = [there, here];
    let compared = compared(&files);
    let figures: Vec<f64> =
        compared.rows[0].figures.iter().flatten().map(|it| it.bytes_per_second).collect();
    assert_eq!((figures, compared.rows[0].winner), (vec![1e9, 2e9], Some(1)));
    let (ranked, _) = rank(&computers(&files), Purpose::Vpn);
    assert_eq!((ranked[1].label.as_str(), ranked[1].bytes_per_second), ("there", 1e9));
}

#[test]
fn what_lies_within_the_noise_is_even() {
    let pair = |speed, noise| {
        let mut files = vec![
            bench("a", json!({}), &[("AES-128-GCM", "message", 1420, "aesni", 1e9)]),
            bench("b", json!({}), &[("AES-128-GCM", "message", 1420, "aesni", speed)]),
        ];
        for file in &mut files {
            let Content::Bench(bench) = &mut file.content else { unreachable!("of bench") };
            bench.rows[0].mad_ns = Some(noise);
        }
        files
    };
    let winner = |speed, noise| compared(&pair(speed, noise)).rows[0].winner;
    assert_eq!(winner(1.02e9, 0.0), None);
    assert_eq!(winner(1.04e9, 0.0), Some(1));
    // 7 of 100 nanoseconds: a figure that says little.
    assert_eq!(winner(1.3e9, 7.0), None);
    let warned = warnings(&pair(1.3e9, 7.0));
    assert!(warned.iter().any(|it| it.contains("scatters by more than 5 %")), "{warned:?}");
}

#[test]
fn differences_that_spoil_a_comparison_are_told() {
    let openssl = |version: &str| json!({"machine": {"libcrypto": {"version": version}}});
    let row = [("AES-128-GCM", "message", 1420, "libcrypto", 1e9)];
    let mut old = bench("old", openssl("OpenSSL 1.0.2a 19 Mar 2015"), &row);
    let new = bench("new", openssl("OpenSSL 3.0.19 27 Jan 2026"), &row);
    let said = |files: &[Results], words: &str| {
        warnings(files).iter().any(|warning| warning.contains(words))
    };
    let different = "not of the same OpenSSL, so where libcrypto serves its code is compared as well: \
                     A OpenSSL 1.0.2a, B OpenSSL 3.0.19.";
    assert!(said(&[old.clone(), new.clone()], different));
    assert!(!said(&[old.clone(), new.clone()], "versions of Wirespeed"));
    old.version = Some("0".to_owned());
    old.interrupted = true;
    old.warnings = vec!["another program took the CPU".to_owned()];
    let files = [old, new];
    for words in ["versions of Wirespeed: A 0, B 1.", "broken off", "A (old): another program"] {
        assert!(said(&files, words), "{words}");
    }
}

#[test]
fn files_of_one_machine_stand_in_one_column() {
    let machine = json!({"machine": {"cpu": {"brand": "Xeon", "cores": 2}, "kernel": "6.18"}});
    let row = [("AES-256-XTS", "message", 4096, "vaes512", 5e9)];
    let rates = bench("here-bench", machine.clone(), &row);
    let mut disk = machine;
    disk["schema"] = "wirespeed.disk/1".into();
    disk["rows"] = json!([
        {"store": "memory", "cipher": "none", "variant": "best", "key_bits": 0, "options": [], "test": "w",
         "bytes_per_second": 9e9},
        {"store": "memory", "cipher": "aes-xts-plain64", "variant": "best", "key_bits": 512, "options": [],
         "test": "w", "bytes_per_second": 3e9, "factor": 0.33},
        {"store": "memory", "cipher": "aes-xts-plain64", "variant": "best", "key_bits": 512, "options": [],
         "test": "r", "bytes_per_second": 2e9, "factor": 0.22},
    ]);
    let disk = Results::read("here-disk", &disk.to_string()).expect("a result");
    let files = [rates.clone(), disk, rates];
    let machines: Vec<Computer<'_>> = computers(&files);
    let labels: Vec<&str> = machines.iter().map(|it| it.label.as_str()).collect();
    assert_eq!(labels, ["here", "here-bench"], "a second run of the same kind stands by itself");
    assert_eq!(machines[0].description().as_deref(), Some("Xeon, 2 CPUs, Linux 6.18"));
    // What measured disks counts for disks: the slower of writing and reading.
    let (ranked, unknown) = rank(&machines, Purpose::Disk);
    assert_eq!((ranked.len(), unknown.len()), (2, 0));
    assert_eq!((ranked[0].label.as_str(), ranked[0].from.as_str()), ("here-bench", "bench"));
    assert_eq!((ranked[1].bytes_per_second, ranked[1].from.as_str()), (2e9, "disk"));
    let (written, _) = compare(&machines);
    assert!(written.rows.iter().all(|row| row.section == Section::Algorithms));
}

#[test]
fn of_machines_that_are_alike_each_keeps_its_files() {
    let machine = json!({"machine": {"cpu": {"brand": "Xeon", "cores": 2}}});
    let rates = |label: &str| bench(label, machine.clone(), &[]);
    let disk = |label: &str| {
        let mut document = machine.clone();
        document["schema"] = "wirespeed.disk/1".into();
        document["rows"] = json!([]);
        Results::read(label, &document.to_string()).expect("a result")
    };
    let found = |files: &[Results]| -> Vec<(String, usize)> {
        computers(files).into_iter().map(|it| (it.label, it.files.len())).collect()
    };
    let expected = |machines: &[(&str, usize)]| -> Vec<(String, usize)> {
        machines.iter().map(|(label, files)| ((*label).to_owned(), *files)).collect()
    };
    let [one, two, ten] = ["host1-bench", "host2-bench", "host10-bench"].map(rates);
    let files = [one.clone(), two.clone(), ten.clone(), disk("host2-disk"), disk("host1-disk")];
    assert_eq!(found(&files), expected(&[("host1", 2), ("host2", 2), ("host10-bench", 1)]));
    // Of two that could be meant it is neither.
    let files = [one.clone(), two, disk("host3-disk")];
    let alone = [("host1-bench", 1), ("host2-bench", 1), ("host3-disk", 1)];
    assert_eq!(found(&files), expected(&alone));
    // What is nobody else's may have any name.
    assert_eq!(found(&[one, disk("disk")]), expected(&[("host1-bench", 2)]));
}

fn vpn(label: &str, gigabits: f64) -> Results {
    let document = json!({
        "schema": "wirespeed.vpn/1",
        "rows": [{"suite": "ESP AES-128-GCM", "direction": "enc", "packet": "1420", "threads": 1, "in_flight": 1,
                  "route": "vaes512", "bytes_per_second": gigabits / 8.0 * 1e9}],
        "links": [
            {"suite": "ESP AES-128-GCM", "packet": "1420", "route": "vaes512", "in_flight": 1,
             "bits_per_second_per_core": gigabits * 1e9, "fills": ["100 Mbit/s", "1 Gbit/s"]},
            {"suite": "ESP AES-128-GCM", "packet": "1420", "route": "libcrypto", "in_flight": 1,
             "bits_per_second_per_core": gigabits * 2e8},
            {"suite": "ESP AES-128-GCM", "packet": "1420", "in_flight": 32, "bits_per_second_per_core": 9e12},
            {"suite": "ESP 3DES-CBC with HMAC-SHA1", "packet": "1420", "bits_per_second_per_core": 9e12},
        ],
    });
    Results::read(label, &document.to_string()).expect("a result")
}

#[test]
fn what_measured_packets_decides_about_vpns() {
    let compared = compared(&[vpn("slow", 2.0), vpn("fast", 30.0)]);
    assert_eq!(compared.rows[0].section, Section::Packets);
    let sentence = &compared.verdicts[0].sentence;
    assert_eq!(
        sentence,
        "VPN: B (fast), 15x of A: ESP AES-128-GCM, packets of 1420 bytes, 30.0 Gbit/s against A 2.00 Gbit/s, \
         a core fills 1 Gbit/s."
    );
}

#[test]
fn a_folder_is_ranked_and_the_unmeasured_are_named() {
    let files = [
        example("dm-crypt-2007"),
        example("ipfire-prime-box-2015"),
        example("ipfire-apu1c-2015"),
        vpn("gateway", 30.0),
    ];
    let machines = computers(&files);
    let (ranked, unknown) = rank(&machines, Purpose::Vpn);
    let order: Vec<&str> = ranked.iter().map(|place| place.label.as_str()).collect();
    assert_eq!(order, ["gateway", "ipfire-apu1c-2015", "ipfire-prime-box-2015"]);
    assert_eq!(ranked[1].work, "CAMELLIA-128-CBC with SHA1, packets of 1024 bytes");
    assert_eq!(unknown, [0]);
    let (ranked, _) = rank(&machines, Purpose::Disk);
    assert_eq!(ranked[0].work, "aes586 128 by dm-crypt, sectors of 512 bytes");
    assert_eq!(rank(&machines, Purpose::Tls).0.len(), 0);
}

#[test]
fn links_are_filled_or_not() {
    assert_eq!(widest_link(12.4e6), None);
    assert_eq!(widest_link(12.5e6), Some("100 Mbit/s"));
    assert_eq!(widest_link(1e12), Some("100 Gbit/s"));
}

#[test]
fn other_files_are_refused_with_what_is_read() {
    for (text, said) in [
        ("{", "no JSON: "),
        ("[]", "it names no schema: what the survey, bench, disk and vpn write"),
        ("{\"schema\": \"wirespeed.tune/1\"}", "its schema is wirespeed.tune/1: what the survey, "),
        (
            "{\"schema\": \"wirespeed.disk/1\"}",
            "not as wirespeed.disk/1 should be: missing field `rows`",
        ),
        (
            "{\"schema\": \"wirespeed.bench/1\", \"rows\": 1}",
            "not as wirespeed.bench/1 should be: ",
        ),
    ] {
        let why = Results::read("a", text).expect_err("nothing to read").to_string();
        assert!(why.starts_with(said) && why.lines().count() == 1, "{why}");
    }
}

#[test]
fn what_was_read_is_written_and_read_again() {
    fn again<T: Document + PartialEq>(document: &T) -> bool {
        let text = serde_json::to_string(document).expect("JSON");
        serde_json::from_str::<T>(&text).expect("a document") == *document
    }
    for name in ["padlock-2005", "af-alg-desktop-2011", "ipfire-apu1c-2015", "dm-crypt-2007"] {
        let is_same = match example(name).content {
            Content::Bench(bench) => again(&bench),
            Content::Disk(disk) => again(&disk),
            Content::Survey(survey) => again(&survey),
            Content::Vpn(vpn) => again(&vpn),
        };
        assert!(is_same, "{name}");
    }
    let Content::Vpn(vpn) = vpn("gateway", 30.0).content else { panic!("not of wirespeed vpn") };
    assert!(again(&vpn) && vpn.links[3].in_flight == 1, "{vpn:?}");
}
