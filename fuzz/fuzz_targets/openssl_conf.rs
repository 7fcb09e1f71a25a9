//! Any openssl.cnf is read without a panic; what can be installed can be taken back exactly.

#![no_main]

use std::ffi::OsString;
use std::io;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use wirespeed_openssl_conf::{Configuration, Files, Wanted, install, uninstall};

/// How a line begins that only an installation writes.
const MARK: &[u8] = b"# wirespeed install";

/// Every file there is holds the same; every path that ends in a slash is a folder of two.
struct Included<'a>(&'a [u8]);

impl Files for Included<'_> {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.to_owned())
    }

    fn list(&self, path: &Path) -> Option<Vec<OsString>> {
        let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
        is_folder.then(|| vec!["one.cnf".into(), "two.conf".into()])
    }

    fn variable(&self, name: &[u8]) -> Option<Vec<u8>> {
        (name == b"HOME").then(|| b"/root".to_vec())
    }
}

fuzz_target!(|data: &[u8]| {
    // What stands behind the first form feed is included.
    let cut = data.iter().position(|byte| *byte == b'\x0c').unwrap_or(data.len());
    let (text, included) = data.split_at(cut);
    let files = Included(included.get(1..).unwrap_or_default());
    let path = Path::new("/etc/ssl/openssl.cnf");
    let _ = uninstall(text, None, path, &files);
    if let Ok(configuration) = Configuration::of(text, path, &files) {
        let _ = (configuration.providers(), configuration.engines(), configuration.misplaced());
    }
    let plan = [("plan", Path::new("/etc/wirespeed/plan"))];
    let module = Path::new("/lib/ossl-modules/wirespeed.so");
    let wanted = Wanted { module, files: &plan, activates_default: true };
    if let Ok(installed) = install(text, path, &files, &wanted) {
        let again = install(&installed, path, &files, &wanted).expect("it was just installed");
        assert!(again == installed, "twice is not once");
        let has_ours = text.windows(MARK.len()).any(|part| part == MARK);
        if !has_ours {
            let removed = uninstall(&installed, Some(text), path, &files).expect("it can be read");
            assert!(removed.bytes == text, "it is not as it was before");
        }
    }
});
