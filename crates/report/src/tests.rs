//! Pages as they are written.

use serde_json::{Value, json};
use wirespeed_results::Disk;

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
