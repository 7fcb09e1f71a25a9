//! The library from C and C++: the example, mistakes at the border, memory checkers, and exported symbols.
#![forbid(unsafe_code)]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::{env, fs};

/// Warnings are errors.
const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-g"];
const C: [&str; 2] = ["cc", "-std=c11"];
const CPP: [&str; 4] = ["c++", "-std=c++17", "-x", "c++"];
const SANITIZED: [&str; 4] =
    ["cc", "-std=c11", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The directory of `libwirespeed_batch.so`, which no test can link: it is built here, beside this program.
fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let program = env::current_exe().expect("a running program");
        let folder = program.ancestors().nth(2).expect("deps/ is in the folder of a profile");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "wirespeed-library", "--target-dir"]);
        build.arg(folder.parent().expect("a target folder"));
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.current_dir(here()).status().expect("cargo runs");
        assert!(status.success(), "the library is built");
        // Under the name that programs ask for at run time, as ldconfig makes it.
        let link = folder.join(INTERFACE);
        let _ = fs::remove_file(&link);
        symlink(LIBRARY, link).expect("a link");
        folder.to_owned()
    })
}

const LIBRARY: &str = "libwirespeed_batch.so";
const INTERFACE: &str = "libwirespeed_batch.so.1";

/// Fails where a tool is absent.
fn need(tool: &str) {
    let there = Command::new(tool).arg("--version").output().is_ok_and(|it| it.status.success());
    assert!(there, "no {tool}: cargo xtask test installs it, or names its package");
}

/// Compiles a source; gives the program.
fn compile(compiler: &[&str], source: &str) -> PathBuf {
    link(compiler, source, &["-lwirespeed_batch"])
}

/// The same, with these libraries.
fn link(compiler: &[&str], source: &str, libraries: &[&str]) -> PathBuf {
    let name = source.replace(['/', '.'], "-");
    let name = format!("{name}-{}-{}", compiler.join("-").len(), libraries.len());
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let output = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(WARNINGS)
        .arg(here().join(source))
        .args(["-x", "none", "-I"])
        .arg(here().join("include"))
        .arg("-L")
        .arg(built())
        .args(libraries)
        .arg("-o")
        .arg(&program)
        .output()
        .expect("the compiler was found");
    succeed(&output);
    program
}

fn succeed(output: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
}

fn run(program: &Path, under: &[&str]) -> Output {
    let mut words = under.iter().map(std::ffi::OsStr::new).chain([program.as_os_str()]);
    let mut command = Command::new(words.next().expect("a program"));
    command.args(words).env("LD_LIBRARY_PATH", built()).output().expect("it starts")
}

const SOURCES: [&str; 2] = ["example/example.c", "tests/mistakes.c"];

#[test]
fn c_and_cpp_programs_run() {
    for compiler in [&C[..], &CPP[..]] {
        need(compiler[0]);
        SOURCES.iter().for_each(|source| succeed(&run(&compile(compiler, source), &[])));
    }
}

/// With the libraries that wirespeed.pc names for it, and without the shared one at run time.
#[test]
fn the_static_library_serves_by_itself() {
    need("cc");
    let file = fs::read_to_string(here().join("wirespeed.pc")).expect("it is there");
    let needs = file.lines().find_map(|line| line.strip_prefix("Libs.private: "));
    let needs = needs.expect("a line of libraries").split(' ');
    let libraries: Vec<_> = ["-l:libwirespeed_batch.a"].into_iter().chain(needs).collect();
    succeed(&Command::new(link(&C, SOURCES[0], &libraries)).output().expect("it starts"));
}

#[test]
fn the_address_sanitizer_finds_nothing() {
    need("cc");
    SOURCES.iter().for_each(|source| succeed(&run(&compile(&SANITIZED, source), &[])));
}

#[test]
fn valgrind_finds_nothing() {
    const VALGRIND: [&str; 4] = ["valgrind", "--quiet", "--leak-check=full", "--error-exitcode=9"];
    need("cc");
    need("valgrind");
    let compiler = [C[0], C[1], "-O1"];
    SOURCES.iter().for_each(|source| succeed(&run(&compile(&compiler, source), &VALGRIND)));
}

#[test]
fn nothing_but_the_header_is_exported() {
    need("nm");
    let output = Command::new("nm")
        .args(["--dynamic", "--defined-only", "--format=posix"])
        .arg(built().join(LIBRARY))
        .output()
        .expect("nm was found");
    succeed(&output);
    let listed = String::from_utf8(output.stdout).expect("names are ASCII");
    let mut exported: Vec<_> = listed.lines().filter_map(|it| it.split(' ').next()).collect();
    exported.sort_unstable();
    let header = fs::read_to_string(here().join("include/wirespeed.h")).expect("it is there");
    // A function's name is what stands before a parenthesis.
    let mut declared: Vec<_> = header
        .split('(')
        .filter_map(|before| before.rsplit([' ', '*', '\n']).next())
        .filter(|name| name.starts_with("wirespeed_"))
        .collect();
    declared.sort_unstable();
    declared.dedup();
    assert_eq!(exported, declared);
}

#[test]
fn the_header_has_the_version_of_the_library() {
    let header = fs::read_to_string(here().join("include/wirespeed.h")).expect("it is there");
    for (part, value) in [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ] {
        assert!(header.contains(&format!("#define WIRESPEED_VERSION_{part} {value}\n")), "{part}");
    }
}
