use super::*;

/// A benchmark of a host: its OpenSSL's rate and ours, in MB/s.
fn bench(openssl: &str, rates: [f64; 2]) -> String {
    let row = |route: &str, rate: f64| {
        format!(
            r#"{{"algorithm":"AES-128-GCM","direction":"enc","use":"message","size":1420,"route":"{route}",
            "door":"evp","threads":1,"bytes_per_second":{}}}"#,
            rate * 1e6
        )
    };
    let [own, ours] = rates;
    let rows = [row("libcrypto", own), row("vaes512", ours)].join(",");
    format!(
        r#"{{"schema":"wirespeed.bench/1","machine":{{"cpu":{{"brand":"a CPU"}},
        "libcrypto":{{"version":"OpenSSL {openssl} 1 Jan 2026"}}}},"rows":[{rows}]}}"#
    )
}

#[test]
fn hosts_are_put_together_by_kind_and_compared_within() {
    let mut fleet = Fleet::default();
    fleet.add("a", &bench("3.0.20", [100.0, 400.0]));
    fleet.add("b", &bench("3.0.20", [100.0, 300.0]));
    fleet.add("c", &bench("3.5.9", [200.0, 400.0]));
    assert_eq!((fleet.kinds.len(), fleet.hosts()), (2, 3));
    let old = fleet.kinds.values().find(|kind| kind.hosts.len() == 2).expect("two of a kind");
    let work = &old.works()[0];
    assert_eq!(median(&old.values(work, |it| Some(it.best))), Some(350e6));
    assert_eq!(old.hosts["a"][work].route, "vaes512");
    let behind: Vec<_> = old.behind().into_iter().map(|(host, _, share)| (host, share)).collect();
    assert_eq!(behind, [("a", 0.0), ("b", 0.25)]);
    let hardware: Vec<&str> = fleet.kinds.values().map(|kind| kind.hardware.as_str()).collect();
    assert_eq!(hardware[0], hardware[1], "they differ by OpenSSL alone");
}

#[test]
fn what_programs_did_becomes_so_much_a_day() {
    let mut fleet = Fleet::default();
    let stats = |seconds: &str| {
        format!(
            r#"{{"schema":"wirespeed.stats/1","version":"0","place":"","seconds":{seconds},"loads":1,"quarantined":[],
            "rows":[{{"algorithm":"AES-128-GCM","direction":"enc","route":"vaes512","calls":1,"bytes":1000}}]}}"#
        )
    };
    fleet.add("a", &stats("43200.0"));
    fleet.add("b", &stats("null"));
    let what = ("AES-128-GCM".to_owned(), "enc".to_owned(), "vaes512".to_owned());
    assert_eq!(fleet.done_a_day["a"][&what], Done { bytes: 2000.0, calls: 2.0 });
    assert_eq!(fleet.damaged, ["b: it says not how long"]);
}

/// Counters have hash functions as encryption, and counter modes both ways.
#[test]
fn what_programs_did_has_the_direction_that_was_measured() {
    let mut fleet = Fleet::default();
    let row = |algorithm: &str, direction: &str| {
        format!(
            r#"{{"algorithm":"{algorithm}","direction":"{direction}","route":"vaes512","calls":1,"bytes":1}}"#
        )
    };
    let rows = [
        row("SHA2-256", "enc"),
        row("AES-128-CTR", "enc"),
        row("AES-128-CTR", "dec"),
        row("AES-128-GCM", "dec"),
        row("unknown", "dec"),
    ];
    let rows = rows.join(",");
    fleet.add("a", &format!(r#"{{"schema":"wirespeed.stats/1","seconds":86400,"rows":[{rows}]}}"#));
    let done = fleet.done_a_day["a"].iter();
    let done: Vec<_> = done
        .map(|((algorithm, direction, _), it)| (&**algorithm, &**direction, it.bytes))
        .collect();
    let expected = [
        ("AES-128-CTR", "enc", 2.0),
        ("AES-128-GCM", "dec", 1.0),
        ("SHA2-256", "hash", 1.0),
        ("unknown", "dec", 1.0),
    ];
    assert_eq!(done, expected);
}

#[test]
fn what_was_done_is_like_messages_of_its_size() {
    let work = |usage: Use, size| {
        ("AES-128-GCM".to_owned(), "enc".to_owned(), usage.name().to_owned(), size)
    };
    let rates = |best| Rates { openssl: None, best, route: String::new() };
    let measured = BTreeMap::from([
        (work(Use::Message, 16), rates(1.0)),
        (work(Use::Message, 16384), rates(2.0)),
        (work(Use::Rekey, 1024), rates(3.0)),
    ]);
    let like = |bytes, calls| {
        let done = Done { bytes, calls };
        Some(done.like(&measured, ["AES-128-GCM", "enc"])?.best)
    };
    assert_eq!(like(1e6, 1e3), Some(2.0));
    assert_eq!(like(1e6, 1e5), Some(1.0));
    assert_eq!(like(0.0, 0.0), Some(1.0));
    assert_eq!(Done::default().like(&measured, ["AES-128-GCM", "dec"]), None);
}

#[test]
fn damaged_files_are_named_and_the_others_stay() {
    let mut fleet = Fleet::default();
    let good = bench("3.0.20", [1.0, 2.0]);
    let without = good.replace("\"machine\":", "\"other\":");
    let negative = good.replace("2000000", "-5");
    for (host, text) in [
        ("a", &*good),
        ("cut", &good[..300]),
        ("empty", ""),
        ("list", "[1]"),
        ("c", &without),
        ("d", &negative),
    ] {
        fleet.add(host, text);
    }
    let names: Vec<&str> = fleet.damaged.iter().filter_map(|it| it.split(':').next()).collect();
    assert_eq!((names, fleet.hosts()), (vec!["cut", "empty", "list", "c"], 2));
    let work = &fleet.kinds.values().next().expect("a kind").works()[0];
    let kind = fleet.kinds.values().next().expect("a kind");
    assert_eq!(kind.hosts["d"][work].best, 1e6, "what is no rate is not taken");
}

#[test]
fn medians_and_means() {
    assert_eq!(
        [median(&[]), median(&[1.0, 3.0]), median(&[1.0, 2.0, 9.0])],
        [None, Some(2.0), Some(2.0)]
    );
    assert!((mean([0.5, 2.0]).expect("a mean") - 1.0).abs() < 1e-12);
    assert_eq!(mean([]), None);
}
