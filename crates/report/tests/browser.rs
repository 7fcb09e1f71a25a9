//! The page in a real browser, at the width of a telephone and of a screen, in light and dark: Chromium lays it out, a page
//! of the test's own around it measures what came out, and pictures of it are taken.

#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use serde_json::Value;
use wirespeed_results::Results;

/// Pixels.
const WIDTHS: [(&str, u32); 2] = [("telephone", 390), ("screen", 1280)];
const SCHEMES: [&str; 2] = ["light", "dark"];

/// Measures the page in the frame, and writes what it found into its own title. Contrast is WCAG 2.2's.
const MEASURE: &str = r#"
const frame = document.querySelector('iframe');
function luminance(colour) {
  const parts = colour.match(/[\d.]+/g).slice(0, 3).map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}
function contrast(a, b) {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}
frame.onload = () => {
  const page = frame.contentDocument, view = frame.contentWindow;
  page.querySelectorAll('details').forEach(details => details.open = true);
  const ground = view.getComputedStyle(page.body).backgroundColor;
  const style = element => view.getComputedStyle(element);
  const say = element => (element.textContent || element.outerHTML).trim().slice(0, 60);
  const palest = (elements, property, least) => {
    const pale = [];
    for (const element of elements) {
      const colour = style(element)[property];
      if (colour !== 'none' && contrast(colour, ground) < least) pale.push(say(element) + ' ' + colour);
    }
    return pale;
  };
  const texts = [...page.body.querySelectorAll('*')].filter(element => !element.closest('svg') &&
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  const width = page.documentElement.clientWidth;
  // What is wider than its place lies in a region of its own that scrolls.
  const outside = [...page.body.querySelectorAll('*')].filter(element => {
    const box = element.getBoundingClientRect();
    return (box.right > width + 1 || box.left < -1) && box.width > 0 && !element.closest('.wide');
  });
  const overlaps = [];
  for (const drawing of page.querySelectorAll('figure > svg')) {
    const rows = [...drawing.querySelectorAll('text.figure:not(.tick)')];
    for (const figure of rows) {
      const box = figure.getBoundingClientRect();
      for (const bar of drawing.querySelectorAll('rect.track')) {
        const other = bar.getBoundingClientRect();
        if (box.left < other.right - 1 && box.top < other.bottom - 4 && box.bottom > other.top + 4) overlaps.push(say(figure));
      }
    }
  }
  document.title = JSON.stringify({
    ground, width, scroll: page.scrollingElement.scrollWidth, height: page.scrollingElement.scrollHeight,
    pale_words: palest(texts, 'color', 4.5),
    pale_labels: palest(page.querySelectorAll('svg text'), 'fill', 4.5),
    pale_bars: palest(page.querySelectorAll('svg rect:not(.track), svg circle:not(.ring)'), 'fill', 3),
    pale_lines: palest(page.querySelectorAll('svg polyline, svg .limit'), 'stroke', 3),
    outside: outside.map(say).slice(0, 5), overlaps: overlaps.slice(0, 5),
    figures: page.querySelectorAll('figure').length, tables: page.querySelectorAll('figure table').length,
    unlabelled: page.querySelectorAll('svg:not([role=img]):not([aria-hidden]):not(svg svg)').length,
    curves: page.querySelectorAll('polyline').length, bars: page.querySelectorAll('rect.track').length,
  });
};
"#;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let browser = browser();
    let mut trials = Vec::new();
    for (device, width) in WIDTHS {
        for scheme in SCHEMES {
            let (name, browser) = (format!("a_{device}_in_{scheme}"), browser.clone());
            trials.push(Trial::ignorable_test(name, move || match &browser {
                Some(browser) => round(browser, width, scheme),
                None => Ok(Completion::ignored_with("no chromium: apt-get install chromium")),
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn browser() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let paths = std::env::split_paths(&folders).collect::<Vec<_>>();
    names.iter().find_map(|name| paths.iter().map(|it| it.join(name)).find(|it| it.is_file()))
}

/// Routes with the longest names and figures that there are.
const GATEWAY: &str = r#"{"schema": "wirespeed.bench/1", "rows": [
  {"algorithm": "CAMELLIA-256-CBC", "direction": "enc", "use": "message", "size": 1024, "route": "libcrypto",
   "door": "evp", "threads": 1, "bytes_per_second": 112693500000.0},
  {"algorithm": "CAMELLIA-256-CBC", "direction": "enc", "use": "message", "size": 1024, "route": "cryptodev",
   "door": "evp", "threads": 1, "bytes_per_second": 2693500000.0},
  {"algorithm": "CAMELLIA-256-CBC", "direction": "enc", "use": "message", "size": 1024, "route": "libcrypto",
   "door": "evp", "threads": 1, "bytes_per_second": 9000000000.0, "without": "aesni, ssse3, avx, sha-ni"}
]}"#;

/// Every example on one page, and bars beside words.
fn report() -> Result<String, Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    files.sort();
    let mut results = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|it| it == "json")) {
        // A label is whatever a file is called, and need have no place to break.
        let label =
            path.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_").repeat(4);
        results.push(
            Results::read(&label, &fs::read_to_string(path)?).map_err(|why| why.to_string())?,
        );
    }
    results.push(Results::read("gateway", GATEWAY).map_err(|why| why.to_string())?);
    Ok(wirespeed_report::page(&results))
}

fn round(browser: &Path, width: u32, scheme: &str) -> Result<Completion, Failed> {
    let folder = tempfile::tempdir()?;
    let page = report()?;
    fs::write(folder.path().join("report.html"), &page)?;
    let frame = |more: &str| {
        format!(
            "<!DOCTYPE html><html><head><title>not measured</title></head><body style=\"margin:0\">\
             <iframe src=\"report.html\" style=\"border:0;width:{width}px;height:1600px\"></iframe>{more}</body></html>"
        )
    };
    fs::write(folder.path().join("measure.html"), frame(&format!("<script>{MEASURE}</script>")))?;
    fs::write(folder.path().join("picture.html"), frame(""))?;
    let look = |what: &[&str], file: &str| look(browser, folder.path(), scheme, width, what, file);

    let dumped = look(&["--dump-dom", "--virtual-time-budget=10000"], "measure.html")?;
    let text = String::from_utf8_lossy(&dumped.stdout).into_owned();
    let title = text.split("<title>").nth(1).and_then(|it| it.split("</title>").next());
    let title = title
        .ok_or("the browser gave no page")?
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    let found: Value =
        serde_json::from_str(&title).map_err(|_| format!("not measured: {title}"))?;
    let ground = if scheme == "light" { "rgb(255, 255, 255)" } else { "rgb(20, 23, 26)" };
    expect(found["ground"] == ground, "the colours", &found["ground"])?;
    expect(found["width"] == width, "the width", &found["width"])?;
    expect(found["scroll"] == found["width"], "nothing to scroll sideways", &found["scroll"])?;
    for field in ["outside", "overlaps", "pale_words", "pale_labels", "pale_bars", "pale_lines"] {
        expect(found[field].as_array().is_some_and(Vec::is_empty), field, &found[field])?;
    }
    expect(found["figures"] == found["tables"], "a table for every chart", &found["tables"])?;
    expect(found["unlabelled"] == 0, "a label for every drawing", &found["unlabelled"])?;
    for (field, mark) in [("curves", "<polyline"), ("bars", "class=\"track\"")] {
        let written = page.matches(mark).count();
        expect(written > 10 && found[field] == written, field, &found[field])?;
    }

    let picture = |name: &str, file: &str| -> Result<Vec<u8>, Failed> {
        let path = folder.path().join(name);
        look(&[&format!("--screenshot={}", path.display())], file)?;
        Ok(fs::read(path)?)
    };
    fs::write(folder.path().join("empty.html"), "<!DOCTYPE html><title>empty</title>")?;
    let (shot, empty) =
        (picture("report.png", "picture.html")?, picture("empty.png", "empty.html")?);
    // PNG's first chunk begins with width and height.
    let size = |png: &[u8]| png.get(16..24).map(<[u8]>::to_vec);
    let expected = [width.max(500).to_be_bytes(), 1600u32.to_be_bytes()].concat();
    let exact = [width.to_be_bytes(), 1600u32.to_be_bytes()].concat();
    let got = size(&shot);
    expect(
        got == Some(expected) || got == Some(exact),
        "the picture's size",
        &format!("{got:?}").into(),
    )?;
    // Words and lines take many more bytes than one colour.
    expect(shot.len() > 10 * empty.len(), "a picture that is not empty", &shot.len().into())?;
    // For people who want to see what the test saw.
    if let Some(kept) = std::env::var_os("WIRESPEED_PICTURES") {
        fs::write(Path::new(&kept).join(format!("report-{width}-{scheme}.png")), &shot)?;
    }
    Ok(Completion::Completed)
}

fn expect(holds: bool, what: &str, found: &Value) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(format!("{what}: {found}").into()) }
}

/// Runs the browser on a file; at most two minutes, and no process of it is left.
fn look(
    browser: &Path,
    folder: &Path,
    scheme: &str,
    width: u32,
    what: &[&str],
    file: &str,
) -> Result<Output, Failed> {
    let scheme = if scheme == "dark" { "0" } else { "1" };
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let mut child = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--no-first-run",
        ])
        .args(["--disable-dev-shm-usage", "--allow-file-access-from-files"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--window-size={width},1600"))
        .args(what)
        .arg(format!("file://{}", folder.join(file).display()))
        .stdout(fs::File::create(&out)?)
        .stderr(fs::File::create(&err)?)
        .spawn()?;
    let end = Instant::now() + Duration::from_secs(120);
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if Instant::now() > end => {
                child.kill()?;
                child.wait()?;
                return Err("the browser did not end within two minutes".into());
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let output = Output { status, stdout: fs::read(out)?, stderr: fs::read(err)? };
    match output.status.success() {
        true => Ok(output),
        false => Err(format!("the browser: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}
