//! Kinds of machines: those of one kind run the same code at the same speed, so one of them is measured for all.

use crate::Machine;

impl Machine {
    /// What tells kinds apart: the CPU with its stepping, microcode and features, the hypervisor, and the OpenSSL.
    fn kind_facts(&self) -> [String; 6] {
        let text = |fact: Option<&str>| fact.unwrap_or("unknown").to_owned();
        let cpu = &self.cpu;
        [
            text(cpu.brand.as_deref()),
            text(cpu.stepping.as_deref()),
            text(cpu.microcode.as_deref()),
            cpu.features.join(" "),
            cpu.hypervisor.clone().unwrap_or_default(),
            text(self.openssl()),
        ]
    }

    /// The kind as eight digits, for names of groups: the same in every version of this program.
    pub fn kind(&self) -> String {
        // FNV-1a, 32 bits.
        let bytes = self.kind_facts().join("\n").into_bytes();
        let mixed = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        format!("{:08x}", bytes.into_iter().fold(0x811c_9dc5, mixed))
    }

    /// The kind in words, without its features.
    pub fn kind_in_words(&self) -> String {
        let [brand, stepping, microcode, _, hypervisor, openssl] = self.kind_facts();
        let guest = if hypervisor.is_empty() { hypervisor } else { format!(", {hypervisor}") };
        format!("{brand} ({stepping}), microcode {microcode}{guest}, {openssl}")
    }
}

#[cfg(test)]
mod tests {
    use crate::{Cpu, Libcrypto, Machine};

    fn machine() -> Machine {
        Machine {
            cpu: Cpu {
                brand: Some("a CPU".to_owned()),
                stepping: Some("6/143/8".to_owned()),
                microcode: Some("0x1".to_owned()),
                features: vec!["aes".to_owned(), "vaes".to_owned()],
                hypervisor: Some("KVM".to_owned()),
                ..Cpu::default()
            },
            libcrypto: Some(Libcrypto {
                version: Some("OpenSSL 3.0.19 27 Jan 2026".to_owned()),
                path: None,
            }),
            ..Machine::default()
        }
    }

    #[test]
    fn what_makes_no_difference_makes_no_kind() {
        let one = machine();
        let other = Machine { kernel: Some("6.1".to_owned()), ..machine() };
        assert_eq!((one.kind(), one.kind().len()), (other.kind(), 8));
        let words = "a CPU (6/143/8), microcode 0x1, KVM, OpenSSL 3.0.19 27 Jan 2026";
        assert_eq!(one.kind_in_words(), words);
    }

    #[test]
    fn each_fact_makes_a_kind() {
        let changes: [fn(&mut Machine); 6] = [
            |it| it.cpu.brand = None,
            |it| it.cpu.stepping = None,
            |it| it.cpu.microcode = None,
            |it| it.cpu.features.truncate(1),
            |it| it.cpu.hypervisor = None,
            |it| it.libcrypto = None,
        ];
        for (place, change) in changes.iter().enumerate() {
            let mut other = machine();
            change(&mut other);
            assert_ne!(other.kind(), machine().kind(), "{place}");
        }
    }
}
