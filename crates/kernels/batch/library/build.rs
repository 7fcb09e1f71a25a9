//! How the library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Programs ask for the binary interface that they were linked with, by its number.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwirespeed_batch.so.1");
}
