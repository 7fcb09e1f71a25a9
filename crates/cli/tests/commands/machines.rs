//! Small machines with crypto hardware, by their files (tests/machines): what the programs say of each.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::assert_narrow;

/// A machine, and what is right about it.
struct Machine {
    folder: &'static str,
    /// What the survey calls it.
    named: &'static str,
    /// The hardware that drivers are known by.
    hardware: &'static str,
    /// Some of the algorithms that this hardware serves, and some that it does not.
    serves: &'static [&'static str],
    leaves: &'static [&'static str],
    /// Whether the survey names it for AES.
    has_aes: bool,
    /// What the doctor makes of it.
    advice: &'static str,
}

/// What the doctor says where programs may reach it.
const WORTH_MEASURING: &str = "wirespeed kernel measures what it is worth";

const MACHINES: &[Machine] = &[
    Machine {
        folder: "alix",
        named: "Geode(TM) Integrated Processor by AMD PCS, 1 core",
        hardware: "Geode LX",
        serves: &["aes", "cbc(aes)", "ecb(aes)"],
        leaves: &["sha1", "sha256"],
        has_aes: true,
        advice: WORTH_MEASURING,
    },
    Machine {
        folder: "dockstar",
        named: "Seagate FreeAgent DockStar · Feroceon-88FR131, 1 core",
        hardware: "Marvell CESA",
        serves: &["cbc(aes)", "ecb(aes)", "hmac(sha1)", "sha1"],
        leaves: &["aes", "sha256"],
        has_aes: true,
        advice: WORTH_MEASURING,
    },
    Machine {
        folder: "sheevaplug",
        named: "Globalscale Technologies SheevaPlug · Feroceon-88FR131, 1 core",
        hardware: "Marvell CESA",
        serves: &[
            "cbc(aes)",
            "cbc(des3_ede)",
            "ecb(aes)",
            "hmac(md5)",
            "hmac(sha1)",
            "md5",
            "sha1",
        ],
        leaves: &["aes", "sha256"],
        has_aes: true,
        advice: WORTH_MEASURING,
    },
    Machine {
        folder: "edgerouter-lite",
        named: "UBNT_E100 (CN5020p1.1-500-SCP) · Cavium Octeon+ V0.1, 2 cores",
        hardware: "Cavium Octeon",
        serves: &["md5", "sha1", "sha224", "sha256", "sha384", "sha512"],
        leaves: &["aes"],
        has_aes: false,
        advice: WORTH_MEASURING,
    },
    Machine {
        folder: "edgerouter-x",
        named: "Ubiquiti EdgeRouter X · MIPS 1004Kc V2.15, 4 cores",
        hardware: "Inside Secure EIP93",
        serves: &["authenc(hmac(sha1),cbc(aes))", "cbc(aes)", "ctr(aes)", "rfc3686(ctr(aes))"],
        leaves: &["aes", "sha1", "sha256"],
        has_aes: true,
        advice: "programs would need AF_ALG or /dev/crypto",
    },
    Machine {
        folder: "turris-omnia",
        named: "Turris Omnia · Cortex-A9, 2 cores",
        hardware: "Marvell CESA",
        serves: &["cbc(aes)", "ecb(aes)", "hmac(sha256)", "sha1", "sha256"],
        leaves: &["aes", "ctr(aes)", "xts(aes)"],
        has_aes: true,
        advice: WORTH_MEASURING,
    },
    Machine {
        folder: "beaglebone",
        named: "TI AM335x BeagleBone Black · Cortex-A8, 1 core",
        hardware: "TI OMAP",
        serves: &["cbc(aes)", "ctr(aes)", "gcm(aes)", "hmac(sha256)", "md5", "sha1", "sha256"],
        leaves: &["aes", "xts(aes)"],
        has_aes: true,
        advice: WORTH_MEASURING,
    },
    Machine {
        folder: "imx6",
        named: "Wandboard i.MX6 Quad Board rev B1 · Cortex-A9, 4 cores",
        hardware: "NXP CAAM",
        serves: &["authenc(hmac(sha1),cbc(aes))", "cbc(aes)", "ctr(aes)", "ecb(aes)", "sha256"],
        leaves: &["aes", "xts(aes)"],
        has_aes: true,
        advice: WORTH_MEASURING,
    },
    Machine {
        folder: "visionfive-2",
        named: "StarFive VisionFive 2 v1.3B · sifive,u74-mc, 4 cores",
        hardware: "StarFive JH7110",
        serves: &["cbc(aes)", "ctr(aes)", "gcm(aes)", "hmac(sha256)", "sha256", "sm3"],
        leaves: &["aes", "xts(aes)", "sha1"],
        has_aes: true,
        advice: WORTH_MEASURING,
    },
];

fn says(folder: &str, arguments: &[&str]) -> Output {
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines").join(folder);
    let mut program = Command::new(env!("CARGO_BIN_EXE_wirespeed"));
    program.args(arguments).arg("--machine-files").arg(files);
    program.output().expect("the program runs")
}

/// Its words, wherever lines end.
fn words(folder: &str, arguments: &[&str]) -> String {
    let output = says(folder, arguments);
    // The doctor may find something to mend.
    let is_done = output.status.code().is_some_and(|code| code < 2);
    assert!(is_done, "{folder} {arguments:?}: {output:?}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_survey_names_the_machine_and_what_aes_may_gain_from() {
    for Machine { folder, named, hardware, has_aes, .. } in MACHINES {
        let said = words(folder, &[]);
        assert!(said.contains(named), "{folder}: {said}");
        let device = if *has_aes { &format!("its device, {hardware}") } else { "a crypto device" };
        assert!(said.contains(&format!("AES gains only from {device}: ")), "{folder}: {said}");
    }
}

/// No processor of another architecture has them.
#[test]
fn extensions_of_risc_v_are_named_and_nobody_else_s() {
    for Machine { folder, .. } in MACHINES {
        let said = words(folder, &[]);
        let note = "note: This CPU has zbb. No route of ours uses them yet.";
        assert_eq!(said.contains(note), *folder == "visionfive-2", "{folder}: {said}");
        assert_eq!(said.contains("note:"), said.contains(note), "{folder}: {said}");
    }
}

#[test]
fn the_kernels_drivers_are_known_by_their_hardware() {
    for Machine { folder, hardware, serves, leaves, .. } in MACHINES {
        let output = says(folder, &["kernel", "--json"]);
        let kernel: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let drivers = kernel["drivers"].as_array().expect("drivers");
        let known = drivers.iter().filter(|it| it["hardware"].is_string());
        let known: Vec<&Value> = known.collect();
        assert!(known.iter().all(|it| it["hardware"] == *hardware), "{folder}: {known:?}");
        let is_served =
            |name: &str| known.iter().any(|it| it["serves"] == true && it["algorithm"] == name);
        for name in *serves {
            assert!(is_served(name), "{folder}: {name} is not served by {hardware}");
        }
        for name in *leaves {
            assert!(drivers.iter().any(|it| it["algorithm"] == *name), "{folder}: no {name}");
            assert!(!is_served(name), "{folder}: {name} is served by {hardware}");
        }
        let said = words(folder, &["kernel"]);
        let line = format!("Crypto hardware in use or at hand: {hardware} Not measured: ");
        assert!(said.contains(&line), "{folder}: {said}");
    }
}

#[test]
fn the_kernels_drivers_fit_the_columns() {
    for Machine { folder, .. } in MACHINES {
        let said = String::from_utf8(says(folder, &["kernel"]).stdout).expect("UTF-8");
        assert_narrow(&said);
        // A long name is followed by the rest of its line.
        let line = "authenc(hmac(sha1),cbc(aes))  authenc-hmac-sha1-cbc-aes-caam\n   ";
        assert_eq!(said.contains(line), *folder == "imx6", "{said}");
    }
}

#[test]
fn the_doctor_says_what_is_slow_and_what_the_hardware_is_for() {
    for Machine { folder, hardware, advice, .. } in MACHINES {
        let said = words(folder, &["doctor"]);
        assert!(said.contains("this CPU has no instructions for AES"), "{folder}: {said}");
        assert!(
            !said.contains("wirespeed install"),
            "{folder}: no route of ours is faster: {said}"
        );
        assert!(said.contains(&format!("({hardware})")), "{folder}: {said}");
        assert!(said.contains(advice), "{folder}: {said}");
        assert!(!said.contains("nothing here gains"), "{folder}: {said}");
    }
}

/// Neither instructions for AES nor a device, but vectors.
#[test]
fn a_raspberry_pi_4_is_told_of_our_routes() {
    const FOLDER: &str = "raspberry-pi-4";
    let has = |arguments: &[&str], wanted: &[&str]| {
        let said = words(FOLDER, arguments);
        let absent = wanted.iter().find(|it| !said.contains(**it));
        assert_eq!(absent, None, "{arguments:?}: {said}");
    };
    let routes = "What AES gains by our routes is for that machine to say: ";
    has(&[], &["Raspberry Pi 4 Model B Rev 1.4 · Cortex-A72, 4 cores", routes]);
    has(
        &["doctor"],
        &[
            "this CPU has no instructions for AES",
            "as on a Raspberry Pi 3 or 4, whose maker left them out",
            "our routes take several blocks at a time: sudo ",
            "/proc/crypto knows no device for it",
        ],
    );
    has(&["kernel"], &["cbc-aes-neonbs", "No driver here is known to use crypto hardware."]);
}

#[test]
fn lines_are_as_wide_where_the_program_has_a_long_name() {
    const NAME: &str = "a-folder-with-a-long-name/target/release/wirespeed";
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let file = folder.path().join(NAME);
    fs::create_dir_all(file.parent().expect("a folder")).expect("made");
    fs::hard_link(env!("CARGO_BIN_EXE_wirespeed"), &file).expect("the same program");
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/machines/raspberry-pi-4");
    let mut doctor = Command::new(file);
    doctor.current_dir(&folder).args(["doctor", "--machine-files"]).arg(files);
    let said = doctor.output().expect("the program runs").stdout;
    let said = String::from_utf8(said).expect("UTF-8");
    assert!(said.contains(NAME), "{said}");
    let long: Vec<&str> = said.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn a_folder_without_a_machine_is_refused() {
    let output = says("no-such-machine", &["kernel"]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no proc/cpuinfo") && said.lines().count() == 1, "{said}");
}
