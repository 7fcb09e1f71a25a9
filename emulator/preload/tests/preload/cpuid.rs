//! CPUID, wherever it stands.

use crate::support::{Said, compile, emulated, scratch};

#[test]
fn every_cpuid_sees_the_emulated_cpu() {
    let folder = scratch();
    let library = compile(folder.path(), "late", &["-shared", "-fPIC"]);
    let program = compile(folder.path(), "cpuid", &[]);
    let ask = |settings: &str| Said::by(emulated(settings, &program).arg(&library)).text();
    let expected = |vendor: &str, units: &str, aesni: &str| {
        format!(
            "program {vendor}\nunits {units}\naesni {aesni}\n\
             constructor {vendor}\nconstructor {vendor}\nfaulting {vendor}\n"
        )
    };
    let aesni = u32::from(std::arch::is_x86_feature_detected!("aes")).to_string();
    assert_eq!(ask("cpu=nano"), expected("CentaurHauls", "3fcc", &aesni));
    assert_eq!(ask("cpu=c3,hide-aesni"), expected("CentaurHauls", "cc", "0"));
}
