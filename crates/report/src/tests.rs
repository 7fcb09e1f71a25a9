//! Pages as they are written.

use serde_json::{Value, json};
use wirespeed_results::schema::disk::Disk;

use super::*;

const ARTICLE: &str = include_str!("../../../examples/dm-crypt-2007.json");

fn disk(results: &Results) -> &Disk {
    let Content::Disk(disk) = &results.content else { panic!("a result of disks") };
    disk
}

fn article() -> Results {
    Results::read("dm-crypt-2007", ARTICLE).expect("an example that can be drawn")
}

/// A result with these rows, `(cipher, test, bytes in a second)`, the first without encryption.
fn results(label: &str, rows: &[(&str, &str, f64)]) -> Results {
    let row = |(cipher, test, speed): &(&str, &str, f64)| {
        json!({
            "store": "file", "cipher": cipher, "variant": "best", "key_bits": 256, "options": [],
            "test": test, "bytes_per_second": speed, "factor": speed / rows[0].2,
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    let text = json!({"schema": "wirespeed.disk/1", "rows": rows}).to_string();
    Results::read(label, &text).expect("a result that can be drawn")
}

#[test]
fn the_article_is_all_there_and_its_factors_follow_from_its_figures() {
    let article = article();
    let rows = &disk(&article).rows;
    assert_eq!(rows.len(), 16);
    let none = rows[0].bytes_per_second.expect("a speed");
    assert_eq!((rows[0].cipher.as_str(), rows[0].test.as_deref()), ("none", Some("w")));
    for row in rows {
        let (Some(speed), Some(factor)) = (row.bytes_per_second, row.factor) else {
            panic!("{row:?}")
        };
        assert_eq!((speed / none * 100.0).round() / 100.0, factor, "{}", row.cipher);
        // dd's own clock stopped a little earlier or later than time(1).
        let (Some(bytes), Some(elapsed)) = (row.bytes, row.elapsed_ns) else { panic!("{row:?}") };
        let by_the_clock = bytes as f64 / elapsed as f64 * 1e9;
        assert!((speed / by_the_clock - 1.0).abs() < 0.01, "{}: {by_the_clock}", row.cipher);
    }
    let of = |cipher: &str| rows.iter().find(|row| row.cipher == cipher).expect("in the table");
    assert_eq!(of("aes586").elapsed_ns, Some(74_620_000_000));
    assert_eq!(of("arc4").factor, Some(0.24));
}

#[test]
fn the_article_is_drawn_with_a_bar_for_every_row() {
    let page = page(&[article()]);
    // One chart, the fastest first, `none` among the second writes although it was written once.
    assert_eq!(page.matches("<svg width=\"100%\"").count(), 1);
    assert_eq!(page.matches("<rect class=\"s0\"").count(), 16);
    assert!(page.contains("<rect class=\"s0\" width=\"100.00%\""), "none fills the chart");
    assert!(page.contains("<rect class=\"s0\" width=\"49.34%\""), "aes586 half of it");
    let place = |name: &str| page.find(&format!(">{name}</text>")).expect("a label");
    assert!(place("none") < place("aes586 128") && place("aes586 128") < place("arc4 128"));
    assert!(page.contains("01:14.62") && page.contains("Linux 2.6.21.4"));
}

#[test]
fn a_page_stands_by_itself_and_every_tag_is_closed() {
    let page = page(&[article(), article()]);
    for foreign in ["<script", "<link", "<img", "@import", "url(", "http", "src="] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    for tag in ["svg", "figure", "table", "tr", "td", "th", "li", "ul", "details", "text", "div"] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn charts_can_be_read_out() {
    let page = page(&[article()]);
    assert!(
        page.contains("role=\"img\" aria-labelledby=\"dm-crypt-written-t dm-crypt-written-d\"")
    );
    assert!(page.contains(
        "<title id=\"dm-crypt-written-t\">By the kernel&#39;s dm-crypt: written</title>"
    ));
    assert!(page.contains("Bars of 16 names, from none 58.0 MB/s to arc4 128 13.9 MB/s."));
    assert!(page.contains("<th scope=\"row\">twofish 128</th><td class=\"figure\">25.0</td><td class=\"figure\">0.43</td>"));
}

#[test]
fn several_results_stand_side_by_side() {
    let here = results("here", &[("none", "w2", 1e9), ("aes-xts-plain64", "w2", 9e8)]);
    let there = results("there", &[("none", "w2", 5e8), ("sm4-xts-plain64", "w2", 1e8)]);
    let page = page(&[here, there]);
    assert_eq!(page.matches("<rect class=\"s0\"").count(), 2);
    assert_eq!(page.matches("<rect class=\"s1\"").count(), 2);
    for wanted in [
        "<span class=\"key s1\"></span>B <strong>there</strong>",
        "<th scope=\"col\" class=\"figure\">B MB/s</th>",
        // What the other lacks is a dash.
        "<th scope=\"row\">sm4-xts-plain64 256</th><td class=\"figure\">-</td><td class=\"figure\">-</td>\
         <td class=\"figure\">100.0</td><td class=\"figure\">0.20</td>",
        "All figures of there",
    ] {
        assert!(page.contains(wanted), "{wanted} in:\n{page}");
    }
}

#[test]
fn whatever_a_file_says_is_text() {
    let evil = "<script>alert('1')</script>\"&";
    let text = json!({
        "schema": "wirespeed.disk/1", "source": evil, "advice": [evil], "cautions": [evil],
        "warnings": [evil],
        "machine": {"cpu": {"brand": evil, "cores": 2, "hypervisor": evil}, "kernel": evil},
        "settings": {"directory": evil},
        "rows": [{
            "store": evil, "cipher": evil, "variant": evil, "key_bits": 1, "options": [evil],
            "driver": evil, "test": "w", "bytes_per_second": 1.0,
        }, {
            "store": evil, "cipher": evil, "variant": "best", "key_bits": 1, "options": [], "absent": evil,
        }],
        "options": [{
            "store": evil, "cipher": evil, "variant": evil, "key_bits": 1, "options": [evil],
            "test": "r", "bytes_per_second": 1.0,
        }],
    });
    let results = Results::read(evil, &text.to_string()).expect("JSON all the same");
    let page = page(&[results.clone(), results]);
    assert!(!page.contains("<script") && !page.contains("alert('"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&quot;&amp;"));
}

/// Every example, and a result of every kind.
fn everything() -> Vec<Results> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("examples")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 7);
    let example = |path: &std::path::PathBuf| {
        let label = path.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(path).expect("a file");
        Results::read(&label, &text).expect("an example that can be drawn")
    };
    let mut all: Vec<Results> = paths.iter().map(example).collect();
    all.extend([survey(), vpn()]);
    all
}

fn survey() -> Results {
    let row = |route: &str, size: usize, speed: f64| {
        json!({
            "algorithm": "AES-128-GCM", "direction": "enc", "use": "message", "size": size, "route": route,
            "door": "evp", "threads": 1, "bytes_per_second": speed, "limit_share": speed / 2e10,
        })
    };
    let text = json!({
        "schema": "wirespeed.survey/1",
        "machine": {"cpu": {"brand": "Xeon", "cores": 2}},
        "routes": [
            {"route": "vaes512", "present": true, "proof": {"checks": 312, "against_host": 120}},
            {"route": "padlock", "present": false, "reason": "GenuineIntel has no PadLock"},
            {"route": "kernel", "present": true, "off": true},
            {"route": "aesni", "present": true, "quarantined": "wrong bytes"},
        ],
        "rows": [
            row("libcrypto", 16, 2e8), row("libcrypto", 1024, 2e9), row("libcrypto", 16384, 5e9),
            row("vaes512", 16, 1e8), row("vaes512", 1024, 6e9), row("vaes512", 16384, 1.6e10),
        ],
    });
    Results::read("here-survey", &text.to_string()).expect("a survey")
}

/// A benchmark of these rows: algorithm, use, size, speed, share of the limit.
fn bench(rows: &[(&str, &str, usize, f64, f64)]) -> Results {
    let row = |(algorithm, usage, size, speed, share): &(&str, &str, usize, f64, f64)| {
        json!({
            "algorithm": algorithm, "direction": "enc", "use": usage, "size": size, "route": "vaes512",
            "door": "evp", "threads": 1, "bytes_per_second": speed, "limit_share": share,
        })
    };
    let rows: Vec<Value> = rows.iter().map(row).collect();
    let text = json!({"schema": "wirespeed.bench/1", "rows": rows}).to_string();
    Results::read("bench", &text).expect("a result that can be drawn")
}

#[test]
fn each_mode_has_one_chart() {
    let of = |algorithm, usage| (algorithm, usage, 1420, 1e9, 0.5);
    let rows = ["AES-128-CBC", "AES-256-CBC"].map(|it| [of(it, "message"), of(it, "stream")]);
    let page = page(&[bench(rows.as_flattened())]);
    for mode in ["a message each call", "one long message"] {
        let caption = format!("<figcaption>Speed: {mode}");
        assert_eq!(page.matches(&caption).count(), 1, "{mode}: {page}");
    }
}

#[test]
fn what_no_scale_has_a_place_for_is_not_drawn() {
    let of = |size, speed, share| ("AES-128-CBC", "message", size, speed, share);
    let page = page(&[bench(&[
        of(0, 1e9, 0.5),
        of(16, 1e9, 0.5),
        of(64, 2e9, 0.5),
        of(1024, 3e9, 1e-300),
        of(4096, 1e308, 0.1),
        of(8192, 0.0, 0.5),
    ])]);
    assert_eq!(page.matches("<polyline").count(), 1);
    for nonsense in ["NaN", "inf"] {
        assert!(!page.contains(nonsense), "{nonsense} in:\n{page}");
    }
}

fn vpn() -> Results {
    let text = json!({
        "schema": "wirespeed.vpn/1",
        "machine": {"cpu": {"brand": "Xeon", "cores": 2}},
        "rows": [
            {"suite": "ESP AES-128-GCM", "direction": "enc", "packet": "1420", "threads": 1, "in_flight": 1,
             "route": "vaes512", "packets_per_second": 2.5e6, "bytes_per_second": 3.55e9, "median_ns": 400.0,
             "p90_ns": 410.0, "p99_ns": 800.0},
            {"suite": "ESP Camellia-128-GCM", "direction": "enc", "packet": "1420", "absent": "no such suite"},
        ],
        "links": [{"suite": "ESP AES-128-GCM", "packet": "1420", "route": "vaes512", "in_flight": 1,
                   "bits_per_second_per_core": 2.84e10, "fills": ["10 Gbit/s", "25 Gbit/s"],
                   "cores_needed": [{"link": "100 Gbit/s", "cores": null}], "cpu_left": 0.12}],
        "real": [{"carrier": "openvpn", "suite": "AES-128-GCM", "provider": "wirespeed",
                  "bits_per_second": 1.2e9, "plain_bits_per_second": 2e10, "cpu_s_per_gib": 9.1}],
        "leaves_out": ["kernel path", "network card"],
        "verdict": ["One core fills 25 Gbit/s."],
    });
    Results::read("here-vpn", &text.to_string()).expect("a result of VPNs")
}

#[test]
fn everything_is_drawn_on_one_page_that_is_whole() {
    let page = page(&everything());
    for tag in ["svg", "figure", "table", "tr", "td", "th", "li", "ul", "details", "text", "div"] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    for foreign in ["<script", "<link", "<img", "@import", "url(", "http", "src=", "NaN", "inf"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    // Whatever is referred to is there once.
    for part in page.split("aria-labelledby=\"").skip(1) {
        for id in part.split('"').next().expect("ids").split(' ') {
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
    }
    for wanted in [
        "<h1>Machines side by side</h1>",
        "<strong>here</strong><br>Xeon, 2 CPUs",
        "<h2>What this says</h2>",
        // The survey and its machine's VPN.
        "<h2>Routes of here</h2>",
        "absent: GenuineIntel has no PadLock",
        "proved: 312 checks, 120 messages as this OpenSSL makes them",
        "quarantined, its proof failed: wrong bytes",
        "here, and not turned on",
        "By one core, packets of 1420 bytes",
        "10 Gbit/s, 25 Gbit/s",
        "100 Gbit/s: more than there are",
        "absent: no such suite",
        "leaves out: kernel path, network card",
        // 2005 and 2011: who was faster from which size on.
        "kernel, faster than libcrypto from 1 KiB",
        "padlock",
    ] {
        assert!(page.contains(wanted), "no '{wanted}'");
    }
}

#[test]
fn a_curve_has_its_limit_its_break_even_and_its_table() {
    let page = page(&[survey()]);
    assert_eq!(page.matches("<polyline").count(), 2);
    assert_eq!(page.matches("class=\"ring").count(), 1);
    assert!(page.contains("vaes512, faster than libcrypto from 1 KiB"));
    assert!(page.contains(">limit 20 GB/s</text>"));
    // Three sizes, and the limit.
    let table = page.split("<figure>").nth(1).and_then(|it| it.split("<tbody>").nth(1));
    assert_eq!(table.expect("a table").matches("<th scope=\"row\"").count(), 4);
    assert!(page.contains("<th scope=\"row\">1024</th><td class=\"figure\">2000.0</td><td class=\"figure\">6000.0</td>"));
    // Octaves to the side, decades upwards: 16 bytes to 16 KiB are ten size buckets, 1 KiB is the sixth.
    let points = page.split("class=\"curve c1\" points=\"").nth(1).expect("the second line");
    let points: Vec<Vec<f64>> = points
        .split('"')
        .next()
        .expect("points")
        .split(' ')
        .map(|pair| pair.split(',').map(|it| it.parse().expect("a number")).collect())
        .collect();
    assert_eq!(points.len(), 3);
    let share = (points[1][0] - points[0][0]) / (points[2][0] - points[0][0]);
    assert!((share - 0.6).abs() < 1e-3, "{points:?}");
    let (rise, more) = (points[0][1] - points[1][1], points[1][1] - points[2][1]);
    let expected = (60f64.log10()) / (16.0 / 6.0f64).log10();
    assert!((rise / more - expected).abs() < 0.05 * expected, "{points:?}");
}
