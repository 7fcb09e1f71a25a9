//! The stages that load the module into an OpenSSL: the host's, and releases that we built.

use anyhow::Result;

use super::Effort;
use crate::openssl::suite::{self, Line};
use crate::openssl::{self, Version};
use crate::run::Run;
use crate::tally::Tally;
use crate::workspace::Workspace;

/// A release in which OpenSSL's own faults are mended, under a number from before: what distributions make.
const LABEL: &str = "3.0.13";

/// The conformance suite with the host's OpenSSL.
pub(super) fn host(workspace: &Workspace, effort: Effort) -> Result<Tally> {
    effort.told_to(conformance(workspace)).arguments(["--"]).arguments(alike(effort)).tests()
}

/// Skips the provider on some routes in usual tests: it does not know one from another, and the sanitizer has them all.
/// Of calls that are handed on, bytes are OpenSSL's own.
fn alike(effort: Effort) -> impl Iterator<Item = &'static str> {
    const ALIKE: [&str; 13] = [
        "provider::sse2::",
        "provider::ssse3::",
        "provider::avx2::",
        "provider::aesni::",
        "provider::gfni256::",
        "provider::vaes256::",
        "provider::avx512::",
        "provider::sha-ni::",
        "provider::libcrypto::places",
        "provider::libcrypto::cuts",
        "provider::libcrypto::lengths",
        "provider::libcrypto::edges",
        "provider::libcrypto::counters",
    ];
    ALIKE.into_iter().filter(move |_| effort == Effort::Usual).flat_map(|name| ["--skip", name])
}

/// The conformance suite, against the module just built.
fn conformance(workspace: &Workspace) -> Run {
    workspace
        .cargo(["test", "--release", "--package", "wirespeed-conformance", "--test", "conformance"])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
}

/// Random sequences of EVP calls: some seconds of them, or a quarter of an hour.
pub(super) fn calls(workspace: &Workspace, effort: Effort) -> Run {
    let run = workspace
        .cargo(["test", "--release", "--package", "wirespeed-conformance", "--test", "evp_calls"])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"));
    match effort {
        Effort::Usual => run,
        Effort::Thorough => run.environment("WIRESPEED_SEQUENCES", "2000000"),
    }
}

/// Both with a libcrypto and an `openssl` program that we built.
pub(super) fn built(workspace: &Workspace, effort: Effort, version: Version) -> Result<Tally> {
    let openssl = openssl::provide(workspace, version)?;
    let mut tally =
        calls(workspace, effort).environment("WIRESPEED_LIBCRYPTO", openssl.libcrypto()).tests()?;
    let run = match effort {
        // The host's has had every length: another release asks in other ways, and for other things.
        Effort::Usual => conformance(workspace).environment("WIRESPEED_SCHEDULE", "reduced"),
        Effort::Thorough => conformance(workspace),
    };
    tally += run
        .environment("WIRESPEED_LIBCRYPTO", openssl.libcrypto())
        .environment("WIRESPEED_OPENSSL", openssl.program())
        // What does not depend on the version of libcrypto has been tested with the host's.
        .arguments(["--", "--skip", "kernels::", "--skip", "provider::verified"])
        .arguments(alike(effort))
        .tests()?;
    Ok(tally)
}

/// OpenSSL's own tests with our module, and random sequences of calls.
pub(super) fn suite(workspace: &Workspace, effort: Effort, line: Line) -> Result<Tally> {
    let tree = match suite::provide(workspace, line) {
        Ok(tree) => tree,
        Err(error) => return Ok(Tally::skip(format!("OpenSSL with its tests: {error:#}"))),
    };
    let mut tally =
        calls(workspace, effort).environment("WIRESPEED_LIBCRYPTO", tree.libcrypto()).tests()?;
    let mut run = workspace
        .cargo([
            "test",
            "--release",
            "--package",
            "wirespeed-system-tests",
            "--test",
            "openssl_suite",
        ])
        .environment("WIRESPEED_MODULES", workspace.target().join("release"))
        .environment("WIRESPEED_SUITE", tree.folder());
    if matches!(line, Line::V3_0) {
        let relabelled = tree.relabelled(LABEL)?;
        tally += conformance(workspace)
            .environment("WIRESPEED_LIBCRYPTO", &relabelled)
            .arguments(["--", "security"])
            .tests()?;
        run = run.environment("WIRESPEED_RELABELLED", relabelled);
    }
    if effort == Effort::Usual {
        run = run.environment("WIRESPEED_SCHEDULE", "reduced");
    }
    tally += run.tests()?;
    Ok(tally)
}
