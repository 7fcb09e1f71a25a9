//! The machine in a line or two.

use wirespeed_machine::Machine;

use super::table::wrap;

/// "Wirespeed 0.1.0 · CPU, cores, guest · Linux · OpenSSL (distribution)".
pub(crate) fn header(machine: &Machine) -> String {
    let cpu = &machine.cpu;
    let brand = cpu.brand.as_deref().or(cpu.vendor.as_deref()).unwrap_or("unknown CPU");
    let cores = match machine.cores() {
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    };
    let guest = cpu.hypervisor.as_ref().map(|name| format!(", {name} guest")).unwrap_or_default();
    let kernel = machine.kernel.as_deref().unwrap_or("unknown");
    let distribution =
        machine.distribution.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
    let libcrypto = match machine.openssl() {
        // "OpenSSL 3.0.19 27 Jan 2026": the date says nothing here.
        Some(version) => version.split(' ').take(2).collect::<Vec<_>>().join(" "),
        None => "no OpenSSL 3 or 4".to_owned(),
    };
    let mut parts = vec![format!("Wirespeed {}", env!("CARGO_PKG_VERSION"))];
    parts.extend(machine.model.clone());
    parts.extend([
        format!("{brand}, {cores}{guest}"),
        format!("Linux {kernel}"),
        format!("{libcrypto}{distribution}"),
    ]);
    parts.extend(cpu.microcode.as_ref().map(|revision| format!("microcode {revision}")));
    parts.extend(machine.governor.as_ref().map(|governor| format!("governor {governor}")));
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    wrap(&parts, " · ", 0, 2)
}

#[cfg(test)]
mod tests {
    use wirespeed_machine::{Cpu, Libcrypto};

    use super::*;

    #[test]
    fn a_machine_in_two_lines() {
        let cpu = Cpu {
            vendor: Some("GenuineIntel".to_owned()),
            brand: Some("Intel Xeon".to_owned()),
            kinds: vec![],
            cores: Some(2),
            features: vec![],
            stepping: None,
            microcode: Some("0x2b".to_owned()),
            hypervisor: Some("KVM".to_owned()),
        };
        let libcrypto = Libcrypto {
            path: Some("/usr/lib/libcrypto.so.3".to_owned()),
            version: Some("OpenSSL 3.0.22 1 Jan 2026".to_owned()),
        };
        let mut machine = Machine {
            cpu,
            model: None,
            kernel: Some("6.18".to_owned()),
            distribution: Some("Debian 12".to_owned()),
            governor: None,
            libcrypto: Some(libcrypto),
        };
        let expected = format!(
            "Wirespeed {} · Intel Xeon, 2 cores, KVM guest · Linux 6.18 · OpenSSL 3.0.22 (Debian 12)\n  \
             microcode 0x2b",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(header(&machine), expected);
        machine.libcrypto = None;
        machine.model = Some("Raspberry Pi 5 Model B Rev 1.0".to_owned());
        assert!(header(&machine).contains(" · Raspberry Pi 5 Model B Rev 1.0 · Intel Xeon,"));
        assert!(header(&machine).contains("no OpenSSL 3 or 4 (Debian 12)"));
    }
}
