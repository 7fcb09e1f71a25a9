//! Configurations as distributions and articles have them, cut down to what does something.

/// A configuration and what stands around it. `@/` is the folder that everything lies in.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Nothing where there is no file.
    pub(crate) text: Option<&'static str>,
    /// Files that it includes.
    pub(crate) included: &'static [(&'static str, &'static str)],
    /// Whether it goes only with an OpenSSL that has engines: they are gone in 4.0.
    pub(crate) engines: bool,
}

const fn plain(name: &'static str, text: &'static str) -> Case {
    Case { name, text: Some(text), included: &[], engines: false }
}

/// What stands at the end of most distributions' files.
macro_rules! requests {
    () => {
        "\n####################################################################\n[ ca ]\n\
         default_ca\t= CA_default\t\t# The default ca section\n\n[ CA_default ]\n\
         dir\t\t= ./demoCA\t\t# Where everything is kept\ncerts\t\t= $dir/certs\n\
         serial\t\t= $dir/serial\n# unique_subject\t= no\n\n[ req ]\ndefault_bits\t\t= 2048\n\
         distinguished_name\t= req_distinguished_name\n\n[ req_distinguished_name ]\n\
         countryName\t\t\t= Country Name (2 letter code)\ncountryName_min\t\t\t= 2\n\n\
         [ tsa_config1 ]\nsigner_key\t= $CA_default::dir/private/tsakey.pem # (optional)\n\
         digests\t\t\t= sha1, sha256\n\n[insta] # CMP\nserver = insta.demo.ca:8700\n"
    };
}

pub(crate) const CASES: &[Case] = &[
    plain(
        "debian-12",
        concat!(
            "#\n# OpenSSL example configuration file.\n#\n\nHOME\t\t\t= .\n\n # Use this\n\
             openssl_conf = openssl_init\n\n# Comment out\nconfig_diagnostics = 1\n\n\
             oid_section = new_oids\n\n[ new_oids ]\ntsa_policy1 = 1.2.3.4.1\n\n[openssl_init]\n\
             # providers = provider_sect\n\n# List of providers to load\n# [provider_sect]\n\
             # default = default_sect\n\n# [default_sect]\n# activate = 1\n",
            requests!()
        ),
    ),
    // `default` is listed, but not activated: active only until another provider is.
    plain(
        "debian-13",
        concat!(
            "HOME\t\t\t= .\nopenssl_conf = openssl_init\nconfig_diagnostics = 1\n\
             oid_section = new_oids\n\n[ new_oids ]\n\n[openssl_init]\nproviders = provider_sect\n\n\
             [provider_sect]\ndefault = default_sect\n# fips = fips_sect\n\n[default_sect]\n\
             # activate = 1\n",
            requests!()
        ),
    ),
    plain(
        "ubuntu-22.04",
        concat!(
            "HOME\t\t\t= .\nopenssl_conf = openssl_init\nconfig_diagnostics = 1\n\
             oid_section = new_oids\n[ new_oids ]\n\n[openssl_init]\nproviders = provider_sect\n\
             ssl_conf = ssl_sect\n\n[provider_sect]\ndefault = default_sect\n\n[default_sect]\n\
             # activate = 1\n",
            requests!(),
            "\n[ssl_sect]\nsystem_default = system_default_sect\n\n[system_default_sect]\n\
             CipherString = DEFAULT:@SECLEVEL=2\n"
        ),
    ),
    Case {
        name: "fedora",
        text: Some(concat!(
            ".pragma includedir:@/\nHOME\t\t\t= .\nopenssl_conf = openssl_init\n\
             config_diagnostics = 1\noid_section = new_oids\n[ new_oids ]\n\n[openssl_init]\n\
             providers = provider_sect\nssl_conf = ssl_module\nalg_section = evp_properties\n\n\
             [ evp_properties ]\n#This section is intentionally added empty here\n\n\
             [provider_sect]\ndefault = default_sect\n##legacy = legacy_sect\n\n[default_sect]\n\
             activate = 1\n\n##[legacy_sect]\n##activate = 1\n\n[ ssl_module ]\n\
             system_default = crypto_policy\n\n[ crypto_policy ]\n\
             .include = @/opensslcnf.config\n",
            requests!(),
            "\n.include = openssl.d\n"
        )),
        included: &[
            (
                "opensslcnf.config",
                "CipherString = @SECLEVEL=2:kEECDH:kRSA\nTLS.MinProtocol = TLSv1.2\nDTLS.MinProtocol = \
             DTLSv1.2\n\n[openssl_init]\nalg_section = evp_properties\n\n[evp_properties]\n\
             \n",
            ),
            ("openssl.d/own.cnf", "[own]\nkey = value\n"),
        ],
        engines: false,
    },
    Case {
        name: "rhel-9-fips",
        text: Some(concat!(
            "openssl_conf = openssl_init\n[openssl_init]\nproviders = provider_sect\n\
             alg_section = evp_properties\n[evp_properties]\n[provider_sect]\n\
             default = default_sect\nbase = base_sect\n.include = @/fips_local.cnf\n[default_sect]\n\
             activate = 1\n[base_sect]\nactivate = 1\n",
            requests!()
        )),
        // What `fips-mode-setup` leaves; there is no fips module on most test machines.
        included: &[("fips_local.cnf", "fips = fips_sect\n[fips_sect]\nmodule-mac = 00:11\n")],
        engines: false,
    },
    Case {
        name: "alpine",
        text: Some(
            "HOME = .\nopenssl_conf = openssl_init\n[ openssl_init ]\n\
                    .include @/openssl.d\n[ req ]\ndefault_bits = 2048\n",
        ),
        included: &[("openssl.d/10-own.cnf", "oid_section = oids\n[oids]\nown = 1.2.3.4\n")],
        engines: false,
    },
    Case {
        name: "openwrt-afalg",
        text: Some(
            "HOME = .\nopenssl_conf = openssl_conf\n\n[openssl_conf]\nengines = engines\n\
                    [engines]\n.include @/engines.cnf.d\n[ req ]\ndefault_bits = 2048\n",
        ),
        included: &[(
            "engines.cnf.d/afalg.cnf",
            "afalg = afalg\n[afalg]\ndefault_algorithms = ALL\n\
                      USE_SOFTDRIVERS = 2\nsoft_load = 1\ninit = 0\n",
        )],
        engines: true,
    },
    plain(
        "legacy",
        "openssl_conf = start_here\n[start_here]\nproviders = mine\n[mine]\n1.legacy = old\n\
         default = all_of_it\n[old]\nactivate = 1\n[all_of_it]\nactivate = yes\n",
    ),
    // The way to lock oneself out; the default provider comes back with ours.
    plain(
        "legacy-alone",
        "openssl_conf = a\n[a]\nproviders = b\n[b]\nlegacy = c\n[c]\nactivate = 1\n",
    ),
    plain(
        "windows-editor",
        "\u{feff}HOME = .\r\nopenssl_conf = init\r\n\r\n[init]\r\nproviders = list\r\n[list]\r\n\
         default = d\r\n[d]\r\nactivate = 1\r\n[req]\r\ndefault_bits = 4096\r\n",
    ),
    plain("no-final-newline", "[req]\ndefault_bits = 2048\ndistinguished_name = dn\n[dn]\nC = DE"),
    plain("ends-in-a-backslash", "[req]\ndefault_bits = 2048\nlong = a, \\\n  b \\"),
    plain("empty", ""),
    Case { name: "missing", text: None, included: &[], engines: false },
    plain("only-comments", "# nothing here\n\n   # nothing at all\n"),
    Case {
        // Koetter's article: appended at the end, where it has no effect.
        name: "af-alg-article",
        text: Some(
            "HOME = .\n[req]\ndefault_bits = 2048\n\nopenssl_conf = openssl_def\n\n\
                    [openssl_def]\nengines = openssl_engines\n\n[openssl_engines]\n\
                    af_alg = af_alg_engine\n\n[af_alg_engine]\ndefault_algorithms = ALL\n\
                    CIPHERS=aes-128-cbc\n",
        ),
        included: &[],
        engines: false,
    },
    Case {
        // Ludvig's articles, with soft_load so that other CPUs start.
        name: "padlock-article",
        text: Some(
            "openssl_conf = openssl_def\n[openssl_def]\nengines = openssl_engines\n\
                    [openssl_engines]\npadlock = padlock_engine\n[padlock_engine]\nsoft_load = 1\n\
                    default_algorithms = ALL\n",
        ),
        included: &[],
        engines: true,
    },
    plain(
        "properties",
        "openssl_conf = init\n[init]\nalg_section = algs\n[algs]\n\
         default_properties = ?fips=no, ?x.y=z # soft\n",
    ),
    plain(
        "repeated",
        "a = 1\n[s]\nb = $a\n[default]\nopenssl_conf = s\n[s]\nproviders = p\n[p]\n\
          default = d\ndefault = e\n[d]\nactivate = 1\n[s]\nb = 2\n[e]\nactivate = 1\n",
    ),
];
