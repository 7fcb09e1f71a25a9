//! The project's own chores, each one verb: what people type and what continuous integration runs.
#![forbid(unsafe_code)]

mod advisories;
mod cross;
mod cycles;
mod documents;
mod fuzz;
mod guests;
mod openssl;
mod package;
mod packages;
mod roots;
mod run;
mod structure;
mod tally;
mod test;
mod toolchain;
mod tools;
mod vectors;
mod vm;
mod workspace;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::run::Run;
use crate::workspace::Workspace;

/// The project's own chores.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  cargo xtask test                          everything, as continuous integration runs it
  cargo xtask test --only unit,secrets      only these stages
  cargo xtask test --thorough               everything, and what takes hours
  cargo xtask fmt --fix                     format instead of checking
  cargo xtask bench -- --quick              the benchmarks, with their own arguments
  cargo xtask bench hosts --quick           what the module is worth to whole programs
  cargo xtask bench fleet                   what the report and the rules of 10,000 hosts cost
  cargo xtask advisories                    what OpenSSL mended that our table does not mention
  cargo xtask openssl 4.0                   build OpenSSL 4.0 for the tests, print where it is
  cargo xtask package                       packages for Debian, in target/packages
  cargo xtask vm -- uname -a                a command under a stock kernel, in QEMU";

#[derive(Subcommand)]
enum Verb {
    /// Check that the code is formatted
    Fmt {
        /// Format it instead
        #[arg(long)]
        fix: bool,
    },
    /// Run clippy over every target; any warning fails
    Lint,
    /// Check which crate may know which, and where `unsafe` may be
    Structure,
    /// Write the pages of docs/ that are made from the code
    Documents,
    /// Install what is missing (as root) and run every test
    Test(test::Selection),
    /// Run the benchmarks; with `hosts` as the first word, those of whole programs, with `fleet` that of a fleet
    Bench {
        /// Arguments for the benchmarks themselves
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Check the test vectors against their recorded checksums and count them
    Vectors,
    /// List the security entries of the newest OpenSSL that docs/security.md does not mention; part of
    /// the release check-list
    Advisories(advisories::Source),
    /// Build a version of OpenSSL for the tests, and print its paths
    Openssl {
        /// Which one
        version: openssl::Version,
    },
    /// Count cycles of ARM's cores by LLVM's models: our routes beside OpenSSL's own code
    Cycles {
        /// Only algorithms whose names hold this
        #[arg(long, value_name = "TEXT", default_value = "")]
        only: String,
    },
    /// Make the packages that people install
    Package(package::Wanted),
    /// Boot a stock kernel in QEMU over this machine's files and run a command in it
    Vm(vm::Guest),
}

fn main() -> ExitCode {
    match dispatch(Arguments::parse().verb) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn dispatch(verb: Verb) -> Result<ExitCode> {
    let workspace = Workspace::load()?;
    let good = match verb {
        Verb::Fmt { fix } => fmt(&workspace, fix).passes()?,
        Verb::Lint => lint(&workspace).passes()?,
        Verb::Structure => structure::check(&workspace)?,
        Verb::Documents => documents::write(&workspace).map(|()| true)?,
        Verb::Test(selection) => test::all(&workspace, &selection)?,
        Verb::Bench { arguments } => {
            // What is loaded is the module of the same build, with the plan of the same build's program.
            let packages = ["--package", "wirespeed-module", "--package", "wirespeed-cli"];
            workspace.cargo(["build", "--release"]).arguments(packages).passes()?
                && match arguments.split_first() {
                    Some((word, arguments)) if word == "hosts" => {
                        bench_hosts(&workspace)?.arguments(arguments).passes()?
                    }
                    Some((word, arguments)) if word == "fleet" => {
                        bench_fleet(&workspace)?.arguments(arguments).passes()?
                    }
                    _ => bench(&workspace).arguments(arguments).passes()?,
                }
        }
        Verb::Vectors => vectors::check(&workspace)?,
        Verb::Advisories(source) => advisories::check(&workspace, &source)?,
        Verb::Openssl { version } => {
            packages::provide(packages::BUILD)?;
            let built = openssl::provide(&workspace, version)?;
            println!("program    {}", built.program().display());
            println!("libcrypto  {}", built.libcrypto().display());
            println!("use it     LD_LIBRARY_PATH={}", built.libraries().display());
            true
        }
        Verb::Cycles { only } => cycles::run(&workspace, &only).map(|()| true)?,
        Verb::Package(wanted) => {
            for file in package::make(&workspace, &wanted)? {
                println!("{}", file.display());
            }
            true
        }
        Verb::Vm(guest) => {
            packages::provide(packages::GUEST)?;
            return vm::run(&workspace, guest);
        }
    };
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn fmt(workspace: &Workspace, fix: bool) -> Run {
    let run = workspace.cargo(["fmt", "--all"]);
    if fix { run } else { run.arguments(["--check"]) }
}

fn lint(workspace: &Workspace) -> Run {
    workspace.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

fn bench(workspace: &Workspace) -> Run {
    workspace.cargo(["run", "--release", "--package", "wirespeed-benches", "--"])
}

/// Whole programs with the module just built.
fn bench_hosts(workspace: &Workspace) -> Result<Run> {
    packages::provide(packages::TESTS)?;
    packages::provide(packages::PROGRAMS)?;
    let run = workspace.cargo(["run", "--release", "--package", "wirespeed-system-tests", "--"]);
    let run = run.environment("WIRESPEED_MODULES", workspace.target().join("release"));
    Ok(test::beside_trixie(workspace, run))
}

/// A made-up fleet, and the real Prometheus.
fn bench_fleet(workspace: &Workspace) -> Result<Run> {
    packages::provide(packages::TESTS)?;
    let of = |path| workspace.root().join(path);
    Ok(Run::new("python3", workspace.root())
        .arguments([of("benches/fleet/simulate.py")])
        .arguments([Path::new("--release"), &workspace.target().join("release")])
        .arguments([Path::new("--rules"), &of("fleet/monitoring/wirespeed.rules.yml")]))
}
