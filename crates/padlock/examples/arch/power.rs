//! A modular power on PadLock's Montgomery multiplier: RSA by hand, with two small primes.

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use wirespeed_cpu::{Features, Pmm, Token};
    use wirespeed_padlock::modular::Modulus;

    let pmm = Pmm::probe(Features::detect())
        .map_err(|_| "no-PMM: this CPU has no PadLock that multiplies; try it under padlock-run")?;
    // 61 and 53; 17 and 2753 are inverse modulo 3120.
    let mut modulus = Modulus::new(pmm, &3233_u16.to_be_bytes())?;
    let (message, mut encrypted, mut decrypted) = (65_u16, [0; 2], [0; 2]);
    modulus.power(&message.to_be_bytes(), &17_u16.to_be_bytes(), &mut encrypted)?;
    modulus.power(&encrypted, &2753_u16.to_be_bytes(), &mut decrypted)?;
    println!("{message} -> {} -> {}", u16::from_be_bytes(encrypted), u16::from_be_bytes(decrypted));
    if u16::from_be_bytes(decrypted) == message { Ok(()) } else { Err("wrong".into()) }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn main() {
    eprintln!("PadLock is in x86 CPUs");
}
