//! What openssl.cnf keeps from programs on purpose, and what others may bring into it later.

use std::fs;

use wirespeed_stats::Snapshot;

use crate::failing::Test;
use crate::files::Case;
use crate::scene::{Scene, expect, text};

pub(crate) const TESTS: &[Test] = &[
    ("policy::base-alone", base_alone),
    ("policy::legacy-alone", legacy_alone),
    ("policy::fips-provider", fips_provider),
    ("policy::fips-preferred", fips_preferred),
    ("policy::another-kept-out", another_kept_out),
    ("policy::stray-key", stray_key),
    ("included::later", included_later),
    ("included::default-kept", default_kept),
    ("features::hidden", hidden_features),
];

fn scene_of(text: &'static str) -> Result<Scene, String> {
    Scene::new(&Case { name: "", text: Some(text), included: &[], engines: false })
}

fn providers(scene: &Scene) -> Result<Vec<String>, String> {
    let listed = scene.openssl(&["list", "-providers"])?;
    let names = listed.lines().filter_map(|line| line.strip_prefix("  "));
    Ok(names.filter(|line| !line.starts_with(' ')).map(str::to_owned).collect())
}

/// Nothing is installed, and why is said, with --dry-run too.
fn refuses(scene: &Scene, arguments: &str, words: &[&str]) -> Result<(), String> {
    for dry in ["", " --dry-run"] {
        for words in words {
            scene.run(&format!("install{arguments}{dry}"))?.is(2, words)?;
        }
        expect(scene.state() == scene.original, "something was changed")?;
    }
    Ok(())
}

/// The default provider comes only when it is asked for.
fn alone(text: &'static str, name: &str) -> Result<(), String> {
    let scene = scene_of(text)?;
    let before = providers(&scene)?;
    expect(before == [name], &format!("{before:?}"))?;
    let activates = format!("openssl.cnf:5: [b] activates {name} and not the default provider");
    let gets = "programs would get default and wirespeed besides";
    refuses(&scene, "", &[&activates, gets, "say --activate-default"])?;
    expect(providers(&scene)? == before, "programs got more")?;
    scene.run("install --activate-default")?.is(0, "")?;
    let now = providers(&scene)?;
    let has = |name: &str| now.iter().any(|one| one == name);
    expect(has("default") && has("wirespeed") && has(name), &format!("{now:?}"))?;
    // It was asked for.
    scene.run("install")?.is(0, "")?;
    scene.run("uninstall")?.is(0, "")?;
    expect(scene.state() == scene.original, "it is not as it was before")
}

fn base_alone() -> Result<(), String> {
    alone("openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n", "base")
}

fn legacy_alone() -> Result<(), String> {
    alone("openssl_conf = a\n[a]\nproviders = b\n[b]\nlegacy = c\n[c]\nactivate = 1\n", "legacy")
}

/// There is no flag that weakens FIPS.
fn fips_provider() -> Result<(), String> {
    let scene = scene_of(
        "openssl_conf = a\n[a]\nproviders = b\n[b]\nfips = c\nbase = d\n[c]\nactivate = 1\n[d]\n\
         activate = 1\n",
    )?;
    let what =
        "openssl.cnf:5: the provider fips, activated in [b], makes this a FIPS configuration";
    let words = [what, "Wirespeed is not validated"];
    refuses(&scene, "", &words)?;
    refuses(&scene, " --activate-default", &words)
}

fn fips_preferred() -> Result<(), String> {
    let scene =
        scene_of("openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = ?fips=yes\n")?;
    let what = "openssl.cnf:5: ?fips=yes in default_properties makes this a FIPS configuration";
    refuses(&scene, "", &[what, "Wirespeed is not validated"])?;
    refuses(&scene, " --activate-default", &[what])
}

/// Keeping one provider out prefers no other: ours serves, as its counters tell.
fn another_kept_out() -> Result<(), String> {
    let scene = scene_of(
        "openssl_conf = a\n[a]\nalg_section = b\n[b]\ndefault_properties = provider!=fips\n",
    )?;
    let shown = scene.run("install")?.is(0, "")?.output;
    expect(shown.contains("its calls were served by"), &shown)?;
    let line = "+default_properties = provider!=fips,?wirespeed.preferred=yes # wirespeed install";
    expect(shown.contains(line), &shown)?;
    scene.run("uninstall")?.is(0, "")?;
    expect(scene.state() == scene.original, "it is not as it was before")
}

/// OpenSSL itself loads nothing from such a line on.
fn stray_key() -> Result<(), String> {
    let scene = scene_of(
        "openssl_conf = a\n[a]\nproviders = b\n[b]\ndefault = c\nHOME = .\nlegacy = c\n[c]\n\
         activate = 1\n",
    )?;
    expect(providers(&scene)? == ["default"], "OpenSSL goes on behind the line")?;
    let what = "openssl.cnf:6: HOME = . stands among the providers of [b]";
    refuses(&scene, "", &[what, "OpenSSL loads no provider from there on"])
}

/// A file that appears later takes nothing away; a second time changes nothing.
fn included_later() -> Result<(), String> {
    for text in [
        ".include @/later.cnf\n",
        "openssl_conf = a\n[a]\nproviders = b\n[b]\n.include @/later.cnf\n[c]\n",
        "openssl_conf = a\n[a]\nalg_section = b\n[b]\n.include @/later.cnf\n\
         default_properties = ?x=y\n[c]\n",
    ] {
        let scene = scene_of(text)?;
        scene.run("install")?.is(0, "")?;
        fs::write(scene.path("later.cnf"), "[other]\nkey = value\n").map_err(crate::scene::text)?;
        let now = providers(&scene)?;
        expect(now == ["default", "wirespeed"], &format!("{text}: {now:?}"))?;
        let preferred = "?wirespeed.preferred=yes";
        let values = scene.values();
        let mut properties = values.iter().filter(|((_, key), _)| key == "default_properties");
        let kept = properties
            .any(|((section, _), value)| section != "other" && value.ends_with(preferred));
        expect(kept, &format!("{text}: {values:?}"))?;
        let installed = scene.state();
        let shown = scene.run("install")?.is(0, "")?.output;
        expect(shown.starts_with("Already installed"), &shown)?;
        expect(scene.state() == installed, "the second time changed something")?;
        scene.run("uninstall")?.is(0, "")?;
        fs::remove_file(scene.path("later.cnf")).map_err(crate::scene::text)?;
        expect(scene.state() == scene.original, "it is not as it was before")?;
    }
    Ok(())
}

/// As on Fedora: our own file activates the default provider, and somebody turns legacy on later.
fn default_kept() -> Result<(), String> {
    let scene = Scene::new(&Case {
        name: "",
        text: Some(
            ".pragma includedir:@/\nopenssl_conf = a\n[a]\nproviders = b\nalg_section = e\n[e]\n[b]\n\
             ##default = c\n##legacy = l\n##[l]\n##activate = 1\n.include = openssl.d\n",
        ),
        included: &[("openssl.d/own.cnf", "[own]\nkey = value\n")],
        engines: false,
    })?;
    scene.run("install")?.is(0, "")?;
    expect(scene.path("openssl.d/wirespeed.cnf").exists(), "it is in openssl.cnf")?;
    let file = scene.path("openssl.cnf");
    let edited = fs::read_to_string(&file).map_err(text)?.replace("##legacy", "legacy");
    fs::write(&file, edited.replace("##[l]\n##", "[l]\n")).map_err(text)?;
    let shown = scene.run("uninstall")?.is(0, "")?.output;
    expect(shown.contains("kept, since other lines depend on it"), &shown)?;
    let now = providers(&scene)?;
    let has = |name: &str| now.iter().any(|one| one == name);
    expect(now.len() == 2 && has("default") && has("legacy"), &format!("{now:?}"))?;
    let shown = scene.run("uninstall")?.is(0, "")?.output;
    expect(shown.starts_with("Not installed: nothing to change."), &shown)
}

/// What `OPENSSL_ia32cap` hides is told, and no route has it: AES-NI and PCLMULQDQ here.
fn hidden_features() -> Result<(), String> {
    const MASK: &str = "~0x200000200000000:~0x0";
    let scene = scene_of("")?;
    let run = |arguments: &[&str], mask: Option<&str>| -> Result<String, String> {
        let mut command = std::process::Command::new(&scene.program);
        command.args(arguments).env_remove("OPENSSL_ia32cap");
        command.envs(mask.map(|mask| ("OPENSSL_ia32cap", mask)));
        command.env("OPENSSL_CONF", scene.path("openssl.cnf"));
        let output = command.output().map_err(text)?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let routes = run(&["routes", "AES-128-CTR"], None)?;
    expect(!routes.contains("OPENSSL_ia32cap"), &routes)?;
    let is_absent = |routes: &str, name: &str| {
        routes.lines().any(|line| line.starts_with(name) && line.contains("absent"))
    };
    if is_absent(&routes, "aesni") {
        // A CPU without AES instructions has none to hide.
        return Ok(());
    }
    for command in [&["routes", "AES-128-CTR"][..], &["doctor"]] {
        let said = run(command, Some(MASK))?.split_whitespace().collect::<Vec<_>>().join(" ");
        expect(said.contains("OPENSSL_ia32cap hides features of this CPU: aes pclmulqdq"), &said)?;
    }
    let routes = run(&["routes", "AES-128-CTR"], Some(MASK))?;
    for name in ["aesni", "vaes256", "vaes512"] {
        expect(is_absent(&routes, name), &routes)?;
    }
    // The module, too, in a program of the machine.
    scene.run("install")?.is(0, "")?;
    let file = scene.path("openssl.cnf");
    let installed = fs::read_to_string(&file).map_err(text)?;
    fs::write(scene.path("plain"), [7; 4096]).map_err(text)?;
    let served = |mask: Option<&str>, name: &str| -> Result<Vec<&'static str>, String> {
        let stats = scene.path(name);
        let section = "[wirespeed_sect] # wirespeed install\n";
        let counting = format!("{section}stats = {}\n", stats.display());
        fs::write(&file, installed.replace(section, &counting)).map_err(text)?;
        let mut command = std::process::Command::new("openssl");
        command.args(["enc", "-aes-128-ctr", "-K", "00", "-iv", "00"]);
        command.arg("-in").arg(scene.path("plain")).env("OPENSSL_CONF", &file);
        command.env_remove("OPENSSL_ia32cap").envs(mask.map(|mask| ("OPENSSL_ia32cap", mask)));
        let bytes = command.output().map_err(text)?.stdout;
        let stock = command.env("OPENSSL_CONF", "/dev/null").output().map_err(text)?.stdout;
        expect(!bytes.is_empty() && bytes == stock, "other bytes than stock OpenSSL's")?;
        let snapshot = Snapshot::read(&stats).map_err(text)?;
        expect(snapshot.loads() > 0, "the module was not loaded")?;
        Ok(snapshot.rows().map(|row| row.route.name()).collect())
    };
    let is_by_aes = |name: &&str| ["aesni", "vaes256", "vaes512"].contains(name);
    let routes = served(None, "whole")?;
    expect(routes.iter().any(is_by_aes), &format!("{routes:?}"))?;
    let routes = served(Some(MASK), "masked")?;
    expect(!routes.iter().any(is_by_aes), &format!("{routes:?}"))
}
