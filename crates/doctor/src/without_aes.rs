//! CPUs without instructions for AES, of which owners ask why AES is slow and what to do.

use wirespeed_machine::has_vectors;

use crate::examined::Examined;
use crate::finding::Finding;

/// Whether AES has instructions here ("is AES-NI used"), and the answer where it has none.
pub(crate) fn aes(examined: &Examined<'_>) -> Vec<Finding> {
    const NAMES: [&str; 8] =
        ["aes", "vaes", "pmull", "pclmulqdq", "zkne", "zknd", "zvkned", "zvkg"];
    let features = examined.here.features();
    let has = |name: &str| features.iter().any(|it| it.name() == name);
    if features.has_aes() {
        let names: Vec<&str> = NAMES.into_iter().filter(|name| has(name)).collect();
        let text = format!(
            "this CPU has instructions for AES ({}), and OpenSSL uses them without being told",
            names.join(" ")
        );
        return vec![Finding::fine(text)];
    }
    if has("ace") {
        return vec![Finding::fine(
            "this CPU has PadLock for AES: wirespeed padlock tells what is made of it",
        )];
    }
    let architecture = examined.here.architecture();
    if !examined.here.tells_features() {
        let since = if architecture == "riscv64" { ": Linux tells since 6.4" } else { "" };
        return vec![Finding::offer(
            format!("whether this CPU has instructions for AES is unknown{since}"),
            "wirespeed vpn compares AES and ChaCha20-Poly1305",
        )];
    }
    // Octeon has some, which Linux's crypto uses.
    let text = "this CPU has no instructions for AES that programs use, so a VPN or ssh with AES is slow on it";
    let choose = "ChaCha20-Poly1305 is faster here: WireGuard, OpenVPN's data-ciphers CHACHA20-POLY1305, ssh -c \
                  chacha20-poly1305@openssh.com; wirespeed vpn compares";
    let half = "; as on a Raspberry Pi 3 or 4, whose maker left them out; OpenSSL's 64-bit code for that takes one \
                block at a time, its 32-bit code eight, which is twice as fast (openssl#11377)";
    let detail = if architecture == "aarch64" { half } else { "" };
    let ours = match examined.installed() {
        None if has_vectors(architecture, features) => {
            "; our routes take several blocks at a time: sudo wirespeed install"
        }
        _ => "",
    };
    vec![Finding::offer(format!("{text}{detail}"), format!("{choose}{ours}"))]
}

#[cfg(test)]
mod tests {
    use wirespeed_cpu::Features;

    use super::*;
    use crate::fake::Fake;

    /// A machine of this architecture without any feature.
    fn machine(architecture: &'static str) -> Fake {
        let mut fake = Fake::bare();
        (fake.features, fake.architecture) = (Features::NONE, architecture);
        fake
    }

    /// openssl#11377: "64-bit ARM half as fast as 32-bit"; pibox-os#17 and others: "this board has no AES, what now".
    #[test]
    fn a_raspberry_pi_4_gets_an_answer() {
        let said = machine("aarch64").says(aes);
        assert!(said.starts_with("note: this CPU has no instructions for AES"), "{said}");
        assert!(said.contains("Raspberry Pi 3 or 4") && said.contains("openssl#11377"), "{said}");
        assert!(
            said.contains("-> ChaCha20-Poly1305 is faster here")
                && said.contains("sudo wirespeed install")
        );
        let said = machine("x86_64").says(aes);
        assert!(!said.contains("Raspberry") && said.contains("ChaCha20"), "{said}");
        assert!(!said.contains("install"), "without vectors we have nothing faster: {said}");
    }

    /// A VisionFive 2 under Linux 6.1, and a router with MIPS.
    #[test]
    fn where_nobody_tells_nothing_is_claimed() {
        let said = |architecture| {
            let mut fake = machine(architecture);
            fake.tells_features = false;
            fake.says(aes)
        };
        let begin = "note: whether this CPU has instructions for AES is unknown";
        let riscv = said("riscv64");
        assert!(riscv.starts_with(&format!("{begin}: Linux tells since 6.4 -> ")), "{riscv}");
        let mips = said("mips");
        assert!(mips.starts_with(&format!("{begin} -> wirespeed vpn ")), "{mips}");
    }

    #[test]
    fn instructions_for_aes_are_named() {
        let said = Fake::bare().says(aes);
        let begins = match Features::detect().has_aes() {
            true => "fine: this CPU has instructions for AES (",
            false => "note: this CPU has no instructions",
        };
        assert!(said.starts_with(begins), "{said}");
    }
}
