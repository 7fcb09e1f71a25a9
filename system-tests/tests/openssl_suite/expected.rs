//! What OpenSSL's tests cannot be expected to do here: each by name, with its reason.

use crate::setup::{Module, Setup};

/// Tests that fail with our module, though nothing is wrong.
struct Failures {
    recipe: &'static str,
    tests: &'static [&'static str],
    /// What the releases begin with in which they do.
    releases: &'static [&'static str],
    often: Often,
    reason: &'static str,
}

/// How often such a test fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Often {
    Always,
    /// On some machines.
    Sometimes,
    /// When threads happen to meet: run again, it passes.
    Rarely,
}

const ALL: &[&str] = &[""];

const FAILURES: &[Failures] = &[
    Failures {
        recipe: "test_evp_extra",
        tests: &["running evp_extra_test > test_decrypt_null_chunks"],
        releases: &["3."],
        often: Often::Always,
        reason: "it ends decryption without a tag, which ours refuses everywhere (openssl#31285); 4.0's has one",
    },
    Failures {
        recipe: "test_evp_extra",
        tests: &[
            "running evp_extra_test2 > test_alternative_default",
            "running evp_extra_test2 > test_provider_unload_effective > iteration 1",
            "running evp_extra_test2 > test_provider_unload_effective > iteration 2",
        ],
        releases: ALL,
        often: Often::Always,
        reason: "it wants a default context without SHA-256, and openssl.cnf activates providers there",
    },
    Failures {
        recipe: "test_evp_extra",
        tests: &["running evp_extra_test > test_evp_cipher_pipeline"],
        releases: &["3.5.", "3.6.", "4."],
        often: Often::Always,
        reason: "it wants an AES-256-GCM without pipelines, and ours has them",
    },
    Failures {
        recipe: "test_evp_extra",
        tests: &["running evp_extra_test > test_aes_gcm_ivlen_change_cve_2023_5363"],
        releases: &["4.0.1", "4.0.2"],
        often: Often::Always,
        reason: "it passes where the tag's size is told wrongly: mended in OpenSSL and in its test with 4.0.3",
    },
    Failures {
        recipe: "test_dgst",
        tests: &["SHA1 generation by provider with `dgst` CLI"],
        releases: &["4."],
        often: Often::Sometimes,
        reason: "it prefers another provider's SHA-1, and where ours has one the configuration prefers that as much",
    },
    Failures {
        recipe: "test_evp_fetch_prov",
        tests: &[
            "running evp_fetch_prov_test with cipher and loaded providers 'default' using property \
             \"provider!=default\" is expected to fail > test_explicit_EVP_CIPHER_fetch_by_name",
            "running evp_fetch_prov_test with cipher and loaded providers 'default' using property \
             \"provider!=default\" is expected to fail > test_explicit_EVP_CIPHER_fetch_by_X509_ALGOR - iteration 1",
            "running evp_fetch_prov_test with cipher and loaded providers 'default' using property \
             \"provider!=default\" is expected to fail > test_explicit_EVP_CIPHER_fetch_by_X509_ALGOR - iteration 2",
        ],
        releases: ALL,
        often: Often::Always,
        reason: "it wants no AES but the default provider's, and ours is there",
    },
    Failures {
        recipe: "test_evp_fetch_prov",
        tests: &[
            "running evp_fetch_prov_test with digest and loaded providers 'default' using property \
             \"provider!=default\" is expected to fail > test_explicit_EVP_MD_fetch_by_name",
            "running evp_fetch_prov_test with digest and loaded providers 'default' using property \
             \"provider!=default\" is expected to fail > test_explicit_EVP_MD_fetch_by_X509_ALGOR - iteration 1",
            "running evp_fetch_prov_test with digest and loaded providers 'default' using property \
             \"provider!=default\" is expected to fail > test_explicit_EVP_MD_fetch_by_X509_ALGOR - iteration 2",
        ],
        releases: ALL,
        often: Often::Sometimes,
        reason: "it wants no SHA-256 but the default provider's, and where the CPU has no unit for it ours is there",
    },
    Failures {
        recipe: "test_pkcs12",
        tests: &["test pkcs12 formats using a non-default library context"],
        releases: ALL,
        often: Often::Always,
        reason: "it wants a default context without providers, and openssl.cnf activates them there",
    },
    Failures {
        recipe: "test_threads",
        tests: &["running test_threads"],
        releases: ALL,
        often: Often::Rarely,
        reason: "ten threads set the default properties of one context, which OpenSSL does not guard (openssl#18613)",
    },
];

/// A test that fails in a set-up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected {
    pub(crate) test: &'static str,
    pub(crate) often: Often,
    pub(crate) reason: &'static str,
}

impl Expected {
    /// Whether a failure is this one, or of a test inside it.
    pub(crate) fn explains(&self, failed: &str) -> bool {
        let rest = failed.strip_prefix(self.test);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" > "))
    }
}

/// The tests of a recipe that fail in a set-up.
pub(crate) fn failures(setup: &Setup, recipe: &str) -> Vec<Expected> {
    let fails = |it: &&Failures| {
        it.recipe == recipe
            && setup.module() != Module::None
            && it.releases.iter().any(|begin| setup.release().starts_with(begin))
    };
    let each = |row: &Failures| {
        let Failures { tests, often, reason, .. } = *row;
        tests.iter().map(move |test| Expected { test, often, reason })
    };
    FAILURES.iter().filter(fails).flat_map(each).collect()
}

/// Recipes whose tests want a default context without providers, too, and load the module into contexts of their own.
/// The programs' openssl.cnf stays OpenSSL's for them.
pub(crate) fn wants_stock_programs(recipe: &str) -> bool {
    ["test_sslapi", "test_quicapi"].contains(&recipe)
}

/// Recipes that may end without a call to the module, by the reason.
const UNSERVED: &[(&str, &[&str])] = &[
    (
        "they use hash functions, which the default priority leaves to the host where it has units for them",
        &["test_dgst", "test_evp_xof", "test_hmac", "test_kdf", "test_sha"],
    ),
    (
        "the engine ossltest encrypts, so that a proxy can read the records",
        &[
            "test_sslcbcpadding",
            "test_sslcertstatus",
            "test_sslextension",
            "test_sslmessages",
            "test_sslrecords",
            "test_sslsessiontick",
            "test_sslsigalgs",
            "test_sslsignature",
            "test_sslskewith0p",
            "test_sslversions",
            "test_sslvertol",
        ],
    ),
    ("the programs make a context of their own, which openssl.cnf does not reach", &["test_cms"]),
    (
        "they encrypt nothing, or with what the module does not have",
        &[
            "test_dtlsv1listen",
            "test_encoder_decoder_legacy",
            "test_evp_byname",
            "test_evp_extra_ml_kem",
            "test_evp_pkey_dhkem",
            "test_evp_pkey_dparam",
            "test_evp_skey",
            "test_quic_ackm",
            "test_quic_cc",
            "test_quic_cfq",
            "test_quic_fc",
            "test_quic_fifd",
            "test_quic_lcidm",
            "test_quic_qlog",
            "test_quic_rcidm",
            "test_quic_srt_gen",
            "test_quic_stream",
            "test_quic_txpim",
            "test_quic_wire",
            "test_ssl_ctx",
            "test_ssl_test_ctx",
        ],
    ),
];

/// Whether a recipe may end without a call to the module.
pub(crate) fn may_be_unserved(recipe: &str) -> bool {
    UNSERVED.iter().any(|(_, recipes)| recipes.contains(&recipe))
}
