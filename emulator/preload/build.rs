//! How the library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Its constructor runs before those of all other libraries: GnuTLS and libgcrypt look for
    // PadLock in theirs.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,initfirst");
}
